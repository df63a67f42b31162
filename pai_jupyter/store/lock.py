"""follow.lock: only one process and thread follows a job.

Rule 1: it is an OS lock, not a file's existence: it is released whenever its holder dies.
Rule 2: a forked child does not inherit it. An flock lasts while any copy of its descriptor is open, and DataLoader workers may
    outlive a dead kernel by hours; `filelock` (>= 4.2.11) closes the copy in each forked child.
Rule 3: another thread of the same process cannot take it either.
"""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pai_jupyter.store.disk import translated

if TYPE_CHECKING:
    from filelock import BaseFileLock


class FollowLock:
    """A held lock, released at the end of the `with` block."""

    def __init__(self, held: "BaseFileLock") -> None:
        self._held = held

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.release()


def try_lock(path: Path) -> FollowLock | None:
    """Take the lock without waiting; None if it is held elsewhere.

    Raises:
        NotFoundError: the folder does not exist.
        PaiJupyterError: the lock file cannot be used.
    """
    from filelock import FileLock, Timeout  # 50 ms: imported only to follow a job

    with translated(path):
        path.parent.stat()  # filelock would create the folder of a deleted job
        # thread_local=False: it may be released on another thread
        lock = FileLock(path, blocking=False, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return None
    return FollowLock(lock)
