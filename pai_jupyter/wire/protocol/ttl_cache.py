"""Answers of services, kept for a moment: pages that look at the same time cost one request."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The last answer, good for so many `seconds`, and only for what it was asked about."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._about: object = None
        self._answer: T | None = None
        self._until = 0.0

    def get(self, about: object, ask: Callable[[], T]) -> T:
        """Return a recent answer about `about`, else call `ask`; concurrent callers wait for its result."""
        with self._lock:
            if self._answer is None or self._about != about or time.monotonic() >= self._until:
                self._about, self._answer = about, None
                self._until = time.monotonic() + self._seconds  # before it is asked: `forget` meanwhile counts
                self._answer = ask()
            return self._answer

    def forget(self) -> None:
        """Something has been changed: what was heard before counts no more."""
        self._until = 0.0
