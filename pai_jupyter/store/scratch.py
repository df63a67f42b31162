"""Temporary directories in the home of jobs: packages before submission, and unpacked sources.

    <home>/packing/<token>/      0700
        lock      held by its process until it is done

Rule: creating a directory deletes unlocked ones older than an hour. So nothing of a killed process stays for ever, and a
waiting process or a machine that slept keeps its directories. The hour protects directories without a lock: those of older
versions, and one whose lock is about to be taken.
"""

import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store.disk import make_folder, make_new_folder
from pai_jupyter.store.home import home_errors
from pai_jupyter.store.lock import try_lock

LEFTOVER = 3600.0  # seconds


class Scratch:
    """An empty directory `path` below `home`; the end of the `with` block or `drop` deletes it with its content.

    Raises:
        PaiJupyterError: the home is not usable.
    """

    def __init__(self, home: Path) -> None:
        waiting = home / "packing"
        self.path = waiting / secrets.token_hex(8)
        with home_errors(home):
            make_folder(waiting)
            _sweep(waiting)
            make_new_folder(self.path)
        self._lock = try_lock(self.path / "lock")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()

    def drop(self) -> None:
        """Delete the directory; files moved out of it stay."""
        if self._lock is not None:
            self._lock.__exit__(None, None, None)
            self._lock = None
        shutil.rmtree(self.path, ignore_errors=True)


def _sweep(waiting: Path) -> None:
    """Delete directories of killed processes."""
    for path in waiting.iterdir():
        with suppress(OSError, PaiJupyterError):  # another process also sweeps
            if time.time() - path.lstat().st_mtime > LEFTOVER:
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    lock = try_lock(path / "lock")
    if lock is not None:
        with lock:
            shutil.rmtree(path, ignore_errors=True)
