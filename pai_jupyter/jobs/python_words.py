"""What Python's own callers are told: sentences written for the line of a magic, in the words of Python's arguments.

Every function that people call from Python (`Estimator`, `CustomJob`, `submit`, `rerun`) is under `for_python`, so no
sentence below it has to know who asks.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType

from pai_jupyter.cell import reworded
from pai_jupyter.errors import BackendError, PackageError, SpecError

NO_OTHERS: Mapping[str, str] = MappingProxyType({})


@contextmanager
def for_python(names: Mapping[str, str] = NO_OTHERS) -> Iterator[None]:
    """Let what is refused inside be said in words of Python; `names`: arguments that are called otherwise there.

    Not `JobFailed`: that was written for its author already, and holds what the job printed.
    """
    try:
        yield
    except (SpecError, PackageError, BackendError) as exc:
        exc.reword = partial(reworded, author="python", names=dict(names))
        raise


def notes_for_python(notes: Sequence[str], names: Mapping[str, str] = NO_OTHERS) -> list[str]:
    """Return notes of a draft in words of Python."""
    return [reworded(note, "python", names) for note in notes]
