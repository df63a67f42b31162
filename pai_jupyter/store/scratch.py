"""Directories for a while, in the home of jobs: packages on their way, and what is unpacked to be packed.

    <home>/packing/<token>/      0700
        lock      held as long as its process lives and is not done

Rule: what nobody holds any more is swept after an hour, by whoever makes the next one; so a kill leaves nothing for good, and
    a process that waits, or a machine that slept, keeps what it has. The hour is for what has no lock: the files of versions
    before this one, and a directory whose lock is just being taken.
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
    """An empty directory at `path`, below `home`; leaving the `with` block, or `drop`, removes it with all that is in it.

    Raises:
        PaiJupyterError: the home cannot be used.
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
        """Remove the directory; what was moved away stays where it is."""
        if self._lock is not None:
            self._lock.__exit__(None, None, None)
            self._lock = None
        shutil.rmtree(self.path, ignore_errors=True)


def _sweep(waiting: Path) -> None:
    """Remove what was left by processes that were killed."""
    for path in waiting.iterdir():
        with suppress(OSError, PaiJupyterError):  # somebody else sweeps, too
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
