"""The slots of a home's local jobs: a queue of locked files, without a daemon or a clock.

    <home>/slots/<backend>/mutex                  held briefly to check and take a slot
                           waiting/<number>-<job> a queued job, locked by its starter; has its limit
                           running/<job>          a job with a slot, locked by its starter until released

Rule 1: an unlocked file (flock) belongs to a dead starter. Any process removes it, so a kill or reboot leaves nothing for which
    other jobs would wait.
Rule 2: the order is by number; a new job gets the highest plus one. So clock changes cannot reverse it.
Rule 3: the first in the queue takes a slot once fewer jobs run than its own limit. A job counts once, with any number of
    replicas.
Rule 4: if files cannot be locked there is no queue: every job runs at once.
Rule 5: a forked child closes its parent's locked files, or workers of a dead kernel would keep the locks.
"""

import fcntl
import os
import time

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Queue(Protocol):
        """What a job waits in: a `Pool`, or several (line.py)."""

        @property
        def limit(self) -> int: ...

        def take(self) -> bool: ...

        def place(self) -> int: ...

        def release(self) -> None: ...


MUTEX_WAIT = 1.0  # seconds that `take` waits for the mutex
QUEUE_WAIT = 5.0  # the same for `queue`; after that the number may not be unique
MUTEX_PAUSE = 0.002  # seconds between two tries
# Seconds between two tries, and between two reports of the position: for jobs at the front, and for those far behind.
SOON, LATER = 0.1, 1.0
NEWS, OLD_NEWS = 1.0, 4.0
_held: set[int] = set()  # descriptors of this process that hold locks


class SlotsUnknownError(Exception):
    """The holders of slots are unknown now: the engine does not answer."""


class Pool:
    """The slots of one home and backend, for the job `job_id`.

    `others` returns the jobs whose slot is not held by a process: Docker's, while their containers run.
    """

    def __init__(self, folder: str, job_id: str, limit: int, *, others: "Callable[[], set[str]] | None" = None) -> None:
        self._waiting, self._running = (os.path.join(folder, name) for name in ("waiting", "running"))
        self._mutex = os.path.join(folder, "mutex")
        self._job = job_id
        self._limit = limit
        self._others = others
        self._ticket = ""
        self._ticket_file = self._slot_file = -1

    @property
    def limit(self) -> int:
        """The limit of parallel jobs, from this job's ticket, which is updated when the setting changes."""
        return read_limit(os.path.join(self._waiting, self._ticket)) or self._limit if self._ticket else self._limit

    def take(self) -> bool:
        """Take a slot if one is free and no job is ahead in the queue; return whether the job may run."""
        if self._ticket and self._is_behind():
            return False  # checked without the mutex: most jobs of a long queue end here
        try:
            mutex = self._lock_mutex()
        except OSError:
            return True
        if mutex < 0:
            return False
        try:
            return self._take()
        except SlotsUnknownError:
            return False
        except OSError:
            return True
        finally:
            _let_go(mutex)

    def queue(self) -> None:
        """Join the queue at its end. If files cannot be locked do nothing: `take` then lets the job run."""
        try:
            mutex = self._lock_mutex(QUEUE_WAIT)
            try:
                number = max((int(name[:12]) for name in _names(self._waiting) if name[:12].isdigit()), default=0) + 1
                self._ticket = f"{number:012}-{self._job}"
                self._ticket_file = _hold(os.path.join(self._waiting, self._ticket))
                os.write(self._ticket_file, b"%d\n" % self._limit)
            finally:
                if mutex >= 0:
                    _let_go(mutex)
        except OSError:
            pass

    def place(self) -> int:
        """Return our position in the queue; 1 is the next to run."""
        return 1 + sum(name < self._ticket for name in _names(self._waiting))

    def release(self) -> None:
        """Release the slot and the place in the queue."""
        self._slot_file = _drop(self._slot_file, os.path.join(self._running, self._job))
        self._leave()

    def _take(self) -> bool:
        os.makedirs(self._running, mode=0o700, exist_ok=True)
        if self._is_behind():
            return False
        held = _living(self._running)
        if len(held | (self._others() if self._others else set())) >= self.limit:
            return False
        try:
            self._slot_file = _hold(os.path.join(self._running, self._job))
        except BlockingIOError:  # another starter of the same job has it
            return False
        self._leave()
        return True

    def _is_behind(self) -> bool:
        """Return whether a living job is ahead of this one in the queue."""
        for name in _names(self._waiting):
            if self._ticket and name >= self._ticket:
                return False
            if is_held(os.path.join(self._waiting, name)):
                return True
            _remove(os.path.join(self._waiting, name))
        return False

    def _leave(self) -> None:
        if self._ticket:
            self._ticket_file = _drop(self._ticket_file, os.path.join(self._waiting, self._ticket))
            self._ticket = ""

    def _lock_mutex(self, seconds: float = MUTEX_WAIT) -> int:
        """Lock the mutex and return its descriptor; -1 if others hold it for `seconds`."""
        os.makedirs(self._waiting, mode=0o700, exist_ok=True)
        deadline = time.monotonic() + seconds
        while True:
            try:
                return _hold(self._mutex)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return -1
            time.sleep(MUTEX_PAUSE)


def is_held(path: str) -> bool:
    """Return whether a process holds the file's lock; False if the file is gone."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two checks must not take each other for the holder
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def read_limit(path: str) -> int:
    """Read the limit in a ticket; return 0 if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return int(file.read(20).partition(b"\n")[0])
    except (OSError, ValueError):
        return 0


def restate(folder: str, limit: int) -> None:
    """Apply `limit` to the waiting jobs of the pool `folder`."""
    for name in _names(os.path.join(folder, "waiting")):
        try:
            file = os.open(os.path.join(folder, "waiting", name), os.O_WRONLY | os.O_CLOEXEC)
        except OSError:  # the job has just got its slot
            continue
        try:
            os.write(file, b"%d\n" % limit)  # one write; the rest of a longer old number is not read
        except OSError:
            pass
        finally:
            os.close(file)


def wait_in_line(
    pool: "Queue",
    is_over: "Callable[[], bool]",
    on_place: "Callable[[int, int], None]",
    sleep: "Callable[[float], None]",
) -> bool:
    """Wait until the job has its slot (True) or `is_over`; call `on_place` with place and limit when they change."""
    reported = (0, 0)
    news_at = 0.0
    pause = 0.02
    while not is_over():
        if pool.take():
            return True
        place, limit, now = pool.place(), pool.limit, time.monotonic()
        is_near = place <= 2 * max(limit, 1)
        if (place, limit) != reported and now >= news_at:
            reported, news_at = (place, limit), now + (NEWS if is_near else OLD_NEWS)
            on_place(place, limit)
        sleep(pause)
        pause = min(pause * 1.5, SOON if is_near else LATER)
    pool.release()
    return False


def _hold(path: str) -> int:
    """Open the file, creating it if needed, and lock it.

    Raises:
        BlockingIOError: it is locked elsewhere.
        OSError: it cannot be created or locked.
    """
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_there = os.fstat(file).st_nlink > 0  # it may have been removed between open and lock
        except OSError:
            os.close(file)
            raise
        if is_there:
            _held.add(file)
            return file
        os.close(file)


def _let_go(file: int) -> None:
    """Unlock the file, even if there are copies of the descriptor, and close it."""
    _held.discard(file)
    try:
        fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def _drop(file: int, path: str) -> int:
    """Remove a file that we hold, if any."""
    if file >= 0:
        _remove(path)
        _let_go(file)
    return -1


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _names(folder: str) -> list[str]:
    try:
        # NFS keeps removed files that are still open as .nfs...
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def _living(folder: str) -> set[str]:
    """Return the files in `folder` that a process holds and delete the others; the caller holds the mutex."""
    held = set()
    for name in _names(folder):
        if is_held(os.path.join(folder, name)):
            held.add(name)
        else:
            _remove(os.path.join(folder, name))
    return held


def _forget_in_child() -> None:
    for file in _held:
        os.close(file)
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_child)
