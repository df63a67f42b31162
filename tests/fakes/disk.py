"""A disk that dies or fills up at a chosen moment: stands between the store and the system's calls that change files."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

CALLS = ("open", "pwrite", "ftruncate", "fdatasync", "fsync", "replace", "fchmod")


class Killed(BaseException):
    """What stands for kill -9: nothing that catches errors catches it."""


class Disk:
    """Counts calls that change files. From call number `dies_at` on, the process is as good as dead: no call does anything
    any more, and a write that was under way is torn. Call number `full_at` fails with `ENOSPC` half-way, once.
    """

    def __init__(self, *, dies_at: int | None = None, full_at: int | None = None, error: int = errno.ENOSPC) -> None:
        self.calls = 0
        self._dies_at = dies_at
        self._full_at = full_at
        self._error = error

    @property
    def is_dead(self) -> bool:
        return self._dies_at is not None and self.calls > self._dies_at

    def wrap(self, call: Callable[..., Any]) -> Callable[..., Any]:  # Any: calls of the os module
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            number, self.calls = self.calls, self.calls + 1
            if number == self._full_at and call.__name__ in ("pwrite", "open"):
                self._tear(call, args)
                raise OSError(self._error, os.strerror(self._error))
            if self.is_dead:
                if number == self._dies_at:
                    self._tear(call, args)
                raise Killed
            return call(*args, **kwargs)

        return wrapped

    def _tear(self, call: Callable[..., Any], args: tuple[Any, ...]) -> None:
        if call.__name__ == "pwrite":
            fd, data, offset = args
            call(fd, bytes(data)[: len(data) // 2], offset)


@contextmanager
def on(disk: Disk) -> Iterator[None]:
    """Within this block the store works on `disk`; what it wrote stays."""
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, disk.wrap(getattr(os, name)))
        with suppress(Killed):
            yield
