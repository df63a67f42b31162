"""What a job has given, by name: a name that is missing is refused with the reason, and with what to type."""

from collections.abc import Mapping
from typing import Generic, NoReturn, TypeVar

from pai_jupyter.errors import JobNotReady
from pai_jupyter.events import Status

V = TypeVar("V")


class MissingResult(JobNotReady, KeyError):
    """There is no such result: not yet, or not at all. A `KeyError` too, as of any dict."""

    __str__ = Exception.__str__  # a KeyError shows its sentence in quotes


class Results(dict[str, V], Generic[V]):
    """A dict of `values`, which are of the kind `noun`, of the job `name` that stands so."""

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
    """Build the message for someone who asks for results before the job has ended."""
    word = "running" if status is Status.UNKNOWN else str(status)
    return f"job {name!r} is still {word}. Type job.wait() first: it returns at the end of the job."
