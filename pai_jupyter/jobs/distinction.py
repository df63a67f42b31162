"""What tells a job from its neighbours of the same name: the values that are not the same in all of them. Pure.

The twin of `labextension/src/text/distinction.ts`; `tests/data/distinction_cases.json` tests both.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

_NUMBER = re.compile(r"-\d+$")


def family(name: str) -> str:
    """What jobs are called that belong together: `iris-3` and `iris-12` are both of `iris`."""
    return _NUMBER.sub("", name) or name


def distinctions(jobs: Sequence[tuple[str, Mapping[str, str]]]) -> list[tuple[str, ...]]:
    """For each job, a name and its values as texts: the names of the values in which its family differs, in its order."""
    sizes = Counter(family(name) for name, _ in jobs)
    texts = Counter((family(name), key, text) for name, values in jobs for key, text in values.items())
    return [
        tuple(key for key, text in values.items() if texts[family(name), key, text] < sizes[family(name)])
        for name, values in jobs
    ]
