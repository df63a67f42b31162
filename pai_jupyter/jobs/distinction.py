"""Find the values that differ among jobs of the same base name. Pure.

The twin of `labextension/src/text/distinction.ts`; `tests/data/distinction_cases.json` tests both.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

_OWN = re.compile(r"(_\d{8}-\d{6})?(-\d+)?$")  # the time or number at the end of a generated name


def family(name: str) -> str:
    """Return the base name of a job: `iris` for `iris-3`, `iris-12` and `iris_20261122-090000`."""
    return _OWN.sub("", name, count=1) or name


def distinctions(jobs: Sequence[tuple[str, Mapping[str, str]]]) -> list[tuple[str, ...]]:
    """Return for each `(name, values)` the names of the values that differ within its family."""
    sizes = Counter(family(name) for name, _ in jobs)
    texts = Counter((family(name), key, text) for name, values in jobs for key, text in values.items())
    return [
        tuple(key for key, text in values.items() if texts[family(name), key, text] < sizes[family(name)])
        for name, values in jobs
    ]
