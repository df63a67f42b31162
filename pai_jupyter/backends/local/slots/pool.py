"""Which local jobs of a home may run at once: a line of files, held by the locks of the system. No daemon, no clock.

    <home>/slots/<backend>/mutex                  held for a moment by whoever looks and then takes
                           waiting/<number>-<job> a job in line, held by its starter; its limit stands in it
                           running/<job>          a job that has a slot, held by its starter until it needs none

Rule 1: a file that nobody holds (flock) belongs to a starter that is dead. Whoever comes by removes it: nothing is left
    behind by a kill or a reboot that another job would wait for.
Rule 2: the order is that of the numbers; whoever comes gets the highest so far plus one. So no clock can turn it round.
Rule 3: the first in line takes a slot as soon as fewer jobs run than its own limit. A job is one, however many replicas.
Rule 4: where files cannot be locked there is no queue: every job runs at once, as if no limit were set.
Rule 5: a forked child closes what its parent holds, or a dead kernel's workers would keep it (flock goes with the copy).
"""

import fcntl
import os
import time

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable

MUTEX_WAIT = 1.0  # seconds that `take` waits for somebody who is just looking
QUEUE_WAIT = 5.0  # seconds, as above, of one who gets in line; then the number may be somebody else's, too
MUTEX_PAUSE = 0.002  # seconds between two tries
# Seconds between two tries, and between two words on the place in line: of those who are next, and of those far behind.
SOON, LATER = 0.1, 1.0
NEWS, OLD_NEWS = 1.0, 4.0
_held: set[int] = set()  # the descriptors of this process that hold something


class NotNow(Exception):
    """Who has a slot cannot be told right now: the engine does not answer."""


class Pool:
    """The slots of one home and backend, as the job `job_id` sees them.

    `others` gives the jobs that have a slot without a process of ours that holds it: Docker's, while their containers run.
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
        """How many jobs may run at once, ours included; whoever changes the setting writes it into the tickets."""
        return read_limit(os.path.join(self._waiting, self._ticket)) or self._limit if self._ticket else self._limit

    def take(self) -> bool:
        """Take a slot if there is a free one and nobody is before us in line; whether the job may run."""
        if self._ticket and self._is_behind():
            return False  # asked without the mutex: most of a long line only ever come to here
        try:
            mutex = self._lock_mutex()
        except OSError:
            return True
        if mutex < 0:
            return False
        try:
            return self._take()
        except NotNow:
            return False
        except OSError:
            return True
        finally:
            _let_go(mutex)

    def queue(self) -> None:
        """Get in line, behind everybody. Where files cannot be locked nothing happens: `take` then lets the job run."""
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
        """Our place in line; 1 is the next to run."""
        return 1 + sum(name < self._ticket for name in _names(self._waiting))

    def release(self) -> None:
        """Give back the slot and the place in line."""
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
        except BlockingIOError:  # another starter of this very job has it
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
        fcntl.flock(
            file, fcntl.LOCK_SH | fcntl.LOCK_NB
        )  # shared: two that look must not take each other for the holder
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
    """Let `limit` apply to the jobs that wait in the pool `folder`."""
    for name in _names(os.path.join(folder, "waiting")):
        try:
            file = os.open(os.path.join(folder, "waiting", name), os.O_WRONLY | os.O_CLOEXEC)
        except OSError:  # it has just got its slot
            continue
        try:
            os.write(file, b"%d\n" % limit)  # in one piece; what a longer number leaves behind it is not read
        except OSError:
            pass
        finally:
            os.close(file)


def wait_in_line(
    pool: Pool, is_over: "Callable[[], bool]", tell: "Callable[[int, int], None]", sleep: "Callable[[float], None]"
) -> bool:
    """Wait until the job has its slot (True), or until `is_over`; `tell` hears place and limit when they have changed."""
    told = (0, 0)
    news_at = 0.0
    pause = 0.02
    while not is_over():
        if pool.take():
            return True
        place, limit, now = pool.place(), pool.limit, time.monotonic()
        is_near = place <= 2 * limit
        if (place, limit) != told and now >= news_at:
            told, news_at = (place, limit), now + (NEWS if is_near else OLD_NEWS)
            tell(place, limit)
        sleep(pause)
        pause = min(pause * 1.5, SOON if is_near else LATER)
    pool.release()
    return False


def _hold(path: str) -> int:
    """Open the file, made if need be, and lock it.

    Raises:
        BlockingIOError: somebody else holds it.
        OSError: it cannot be made, or not be locked.
    """
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_there = os.fstat(file).st_nlink > 0  # it may have been removed between the two
        except OSError:
            os.close(file)
            raise
        if is_there:
            _held.add(file)
            return file
        os.close(file)


def _let_go(file: int) -> None:
    """Unlock, whatever copies of the descriptor there are, and close."""
    _held.discard(file)
    try:
        fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def _drop(file: int, path: str) -> int:
    """Remove a file that we hold, if we do."""
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
        # NFS keeps a file .nfs... for one that was removed and is still open
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
