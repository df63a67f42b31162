"""follow.lock: of all processes and threads that know a job, one follows it.

Rule 1: the system holds the lock, not a file's existence: it is free at the moment its holder dies, however it dies.
Rule 2: a forked child does not inherit it. An flock stays held while any copy of its descriptor is open, and a dead
    kernel's DataLoader workers may live on for hours; `filelock` (>= 4.2.11) closes the copy in each forked child.
Rule 3: another thread of the same process is refused like another process.
"""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pai_jupyter.store.disk import translated

if TYPE_CHECKING:
    from filelock import BaseFileLock


class FollowLock:
    """A lock that is held; leaving the `with` block lets go of it."""

    def __init__(self, held: "BaseFileLock") -> None:
        self._held = held

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.release()


def try_lock(path: Path) -> FollowLock | None:
    """Take the lock at once, or return None: somebody else has it.

    Raises:
        NotFoundError: the folder is gone.
        PaiJupyterError: the lock file cannot be used.
    """
    from filelock import FileLock, Timeout  # 50 ms: not before a job is followed

    with translated(path):
        path.parent.stat()  # filelock would make the folder of a job that is removed
        # thread_local=False: taken on one thread, it may be let go of on another
        lock = FileLock(path, blocking=False, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return None
    return FollowLock(lock)
