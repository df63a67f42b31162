"""The supervisor's own files in `run/`: who it is, whether it waits for the disk, how the job ended."""

import errno
import fcntl
import os
import time

from .logs import FAULTY, FULL, open_plain
from .processes import birth, space

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_REASON = 64 * 1024  # bytes
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ESTALE)


def announce(folder: str, replicas: list[str], *, queued: bool = False) -> bool:
    """Put this process down as the job's supervisor, and tell who waits for it.

    False: the job has one already, or was given up (see `fence`).
    """
    final, draft = (os.path.join(folder, "run", name) for name in ("supervisor.json", f"supervisor.{os.getpid()}"))
    pid, names = os.getpid(), '", "'.join(replicas)  # plain words, so this is JSON, and `json` is not needed yet
    waits = ', "queued": true' if queued else ""
    words = (
        f'"pid": {pid}, "birth": "{birth(pid)}", "space": "{space()}", "began": {time.time()}, "replicas": ["{names}"]'
    )
    held = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)  # until this process ends
    try:
        hold(held)
        os.write(held, f"{{{words}{waits}}}".encode())
        os.link(draft, final)  # whole or not at all, and only one of two can do it
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    os.dup2(0, 1)  # /dev/null; the end of the pipe is what the submitter waits for
    return True


def hold(file: int) -> None:
    """Lock the file for as long as it is open here: so those see that we live to whom our number says nothing."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # a disk without locks
        pass


def note_place(folder: str, place: int, limit: int) -> None:
    """Tell who looks how far the job is from its slot."""
    final = os.path.join(folder, "run", "place")
    try:
        with open(final + ".tmp", "w") as file:
            file.write(f"{place} {limit}")
        os.replace(final + ".tmp", final)
    except OSError:  # a full disk; the next word may find room
        pass


def note_beginning(folder: str, is_over: "Callable[[], bool]") -> bool:
    """Note that a job that was queued runs now: the time of the file says since when. Where there is no room, wait for it.

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
    """Why the preparation failed, in its own words."""
    try:
        file = open_plain(os.path.join(folder, "run", "preparation_failed"), os.O_RDONLY)
        try:
            return os.read(file, LONGEST_REASON).decode(errors="replace")
        finally:
            os.close(file)
    except OSError:
        return "its preparation failed"


def note_disk(folder: str, trouble: int) -> None:
    """Leave the mark that the job waits for the disk, or take it away where there is no trouble.

    An empty file mostly finds room on a full disk; any other trouble is named in it.
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
    """Remove the key that the job was given to read tables with, if it was."""
    at = -1
    try:
        at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        for part in ("ml", "input", "credential"):  # the job may have put a link there, which is not followed
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        os.unlink("odps.json", dir_fd=at)
    except OSError:
        pass
    finally:
        if at >= 0:
            os.close(at)


def _put_aside(name: str) -> None:
    """Move a directory out of the way that the job has made where a file is to be."""
    if os.path.isdir(name) and not os.path.islink(name):
        os.rename(name, f"{name}.{os.getpid()}.{time.time_ns()}")


def write_exit(folder: str, record: dict[str, object]) -> None:
    """Write run/exit.json in one step, when the disk takes it; where the folder is gone there is nobody to tell."""
    import json

    final = os.path.join(folder, "run", "exit.json")
    data = json.dumps(record).encode()
    pause = 0.1
    while True:
        try:
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
