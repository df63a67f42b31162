"""Cache answers of services for a few seconds, so that several open pages cost one request."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class CachedAnswer(Generic[T]):
    """The last answer, valid for `seconds` and only for the same question."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._about: object = None
        self._answer: T | None = None
        self._until = 0.0

    def get(self, about: object, ask: Callable[[], T]) -> T:
        """Return the cached answer about `about`, else call `ask`; concurrent callers wait for its result."""
        with self._lock:
            if self._answer is None or self._about != about or time.monotonic() >= self._until:
                self._about, self._answer = about, None
                self._until = (
                    time.monotonic() + self._seconds
                )  # set before `ask`, so that a `forget` during it takes effect
                self._answer = ask()
            return self._answer

    def forget(self) -> None:
        """Discard the answer, since something has been changed."""
        self._until = 0.0
