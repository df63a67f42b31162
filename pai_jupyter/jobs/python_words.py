"""Reword messages for callers of the Python API: from options of a magic's line to Python arguments.

Every public Python function (`Estimator`, `CustomJob`, `submit`, `rerun`) runs under `for_python`, so the code below it need
not know its caller.
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
    """Reword errors of the block for Python; `names` maps arguments with other names there.

    `JobFailed` is excepted: it fits its author already and contains the job's output.
    """
    try:
        yield
    except (SpecError, PackageError, BackendError) as exc:
        exc.reword = partial(reworded, author="python", names=dict(names))
        raise


def notes_for_python(notes: Sequence[str], names: Mapping[str, str] = NO_OTHERS) -> list[str]:
    """Reword notes of a draft for Python."""
    return [reworded(note, "python", names) for note in notes]
