"""A job's results by name; a missing name gives an error with reason and remedy."""

from collections.abc import Mapping
from typing import Generic, NoReturn, TypeVar

from pai_jupyter.errors import JobNotReady
from pai_jupyter.events import Status

V = TypeVar("V")


class MissingResult(JobNotReady, KeyError):
    """There is no such result, perhaps not yet. Also a `KeyError`, as for any dict."""

    __str__ = Exception.__str__  # a KeyError shows its sentence in quotes


class Results(dict[str, V], Generic[V]):
    """A dict of `values` (each a `noun`, e.g. "metric") of the job `name` with this `status`."""

    def __init__(self, values: Mapping[str, V], *, noun: str, name: str, status: Status) -> None:
        super().__init__(values)
        self._noun, self._name, self._status = noun, name, status

    def __missing__(self, key: object) -> NoReturn:
        raise MissingResult(self._sentence(key))

    def _sentence(self, key: object) -> str:
        if not self._status.is_terminal:
            return f"there is no {self._noun} {key!r} yet: {still(self._name, self._status)}"
        return f"job {self._name!r} has no {self._noun} {key!r}; it has {', '.join(map(repr, self)) or 'none'}."


def still(name: str, status: Status) -> str:
    """Build the message for a result requested before the job has ended."""
    word = "running" if status is Status.UNKNOWN else str(status)
    return f"job {name!r} is still {word}. Type job.wait() first: it returns at the end of the job."
