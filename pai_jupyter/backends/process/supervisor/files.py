"""Write the supervisor's files in `run/`: its identity, waiting for the disk, the job's end."""

import errno
import fcntl
import os
import time

from .logs import FAULTY, FULL, Appender, open_plain
from .processes import birth, space

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_REASON = 64 * 1024  # bytes
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ESTALE)


def announce(folder: str, replicas: list[str], *, queued: bool = False) -> bool:
    """Register this process as the job's supervisor and notify the waiting submitter; return whether it succeeded.

    Fails if the job has a supervisor already or was given up (see `fence`).
    """
    final, draft = (os.path.join(folder, "run", name) for name in ("supervisor.json", f"supervisor.{os.getpid()}"))
    pid, names = os.getpid(), '", "'.join(replicas)  # simple strings, so this is valid JSON without importing `json`
    waits = ', "queued": true' if queued else ""
    words = (
        f'"pid": {pid}, "birth": "{birth(pid)}", "space": "{space()}", "began": {time.time()}, "replicas": ["{names}"]'
    )
    held = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)  # until this process ends
    try:
        hold(held)
        os.write(held, f"{{{words}{waits}}}".encode())
        os.link(draft, final)  # atomic, and only one of two processes succeeds
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    os.dup2(0, 1)  # /dev/null; closing the pipe tells the submitter to go on
    return True


def hold(file: int) -> None:
    """Lock the file while it is open here, which shows that we live to processes that cannot see our PID."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # this disk has no locks
        pass


def note_place(folder: str, place: int, limit: int) -> None:
    """Tell who looks how far the job is from its slot."""
    final = os.path.join(folder, "run", "place")
    try:
        with open(final + ".tmp", "w") as file:
            file.write(f"{place} {limit}")
        os.replace(final + ".tmp", final)
    except OSError:  # a full disk; the next write may succeed
        pass


def note_beginning(folder: str, is_over: "Callable[[], bool]") -> bool:
    """Record that a queued job runs now (the file's mtime); on a full disk wait. Return False if it is over meanwhile.

    False: it is over meanwhile.
    """
    pause = 0.1
    while not is_over():
        try:
            os.close(os.open(os.path.join(folder, "run", "began"), os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError as exc:
            if exc.errno not in (*FULL, *FAULTY, *_GONE):
                raise
            time.sleep(pause)
            pause = min(pause * 2, 1.0)
        else:
            return True
    return False


def stop_is_asked(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "run", "stop"))


def preparation_reason(folder: str) -> str:
    """Return the reason that the preparation wrote for its failure."""
    try:
        file = open_plain(os.path.join(folder, "run", "preparation_failed"), os.O_RDONLY)
        try:
            return os.read(file, LONGEST_REASON).decode(errors="replace")
        finally:
            os.close(file)
    except OSError:
        return "its preparation failed"


def note_disk(folder: str, trouble: int) -> None:
    """Create the mark that the job waits for the disk, or delete it without `trouble` (an errno).

    An empty file usually fits on a full disk; the file names any other trouble.
    """
    mark = os.path.join(folder, "run", "disk_full")
    try:
        if not trouble:
            os.unlink(mark)
            return
        file = open_plain(mark, os.O_CREAT | os.O_WRONLY)
        try:
            os.write(file, b"" if trouble in FULL else os.strerror(trouble).encode())
        finally:
            os.close(file)
    except OSError:
        pass


def remove_credential(folder: str) -> None:
    """Delete the key that the job got to read tables, if any."""
    at = -1
    try:
        at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        for part in ("ml", "input", "credential"):  # a link that the job may have created is not followed
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        os.unlink("odps.json", dir_fd=at)
    except OSError:
        pass
    finally:
        if at >= 0:
            os.close(at)


class ReplicaHistory(Appender):
    """run/replicas: a line for each start and end of a replica: name, status, attempt, exit code or `-`, time."""

    def __init__(self, folder: str) -> None:
        super().__init__(os.path.join(folder, "run", "replicas"))

    def note(self, name: str, status: str, attempt: int, exit_code: int | None) -> None:
        code = "-" if exit_code is None else exit_code
        self.append(f"{name} {status} {attempt} {code} {time.time():.3f}\n".encode())


def _put_aside(name: str) -> None:
    """Rename a directory that the job has created in place of a file."""
    if os.path.isdir(name) and not os.path.islink(name):
        os.rename(name, f"{name}.{os.getpid()}.{time.time_ns()}")


def write_exit(folder: str, record: dict[str, object], history: Appender | None = None) -> None:
    """Write the rest of `history`, then run/exit.json atomically, waiting for disk space; do nothing without a folder."""
    import json

    final = os.path.join(folder, "run", "exit.json")
    data = json.dumps(record).encode()
    pause = 0.1
    while True:
        try:
            if history is not None and not history.flush():
                raise OSError(history.trouble, os.strerror(history.trouble))
            for name in (final + ".tmp", final):
                _put_aside(name)
            if os.path.lexists(final + ".tmp"):
                os.unlink(final + ".tmp")
            with open(final + ".tmp", "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(data)
            os.replace(final + ".tmp", final)
        except OSError as exc:
            if exc.errno in _GONE:
                return
            if exc.errno not in (*FULL, *FAULTY):
                raise
            note_disk(folder, exc.errno)
            time.sleep(pause)
            pause = min(pause * 2, 5.0)
        else:
            return
