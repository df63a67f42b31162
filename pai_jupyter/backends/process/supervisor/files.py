"""The supervisor's own files in `run/`: who it is, whether it waits for the disk, how the job ended."""

import errno
import os
import time

from .processes import birth

FULL = (errno.ENOSPC, errno.EDQUOT)


def announce(folder: str, replicas: list[str], *, queued: bool = False) -> bool:
    """Put this process down as the job's supervisor, and tell who waits for it.

    False: the job has one already, or was given up (see `fence`).
    """
    final, draft = (os.path.join(folder, "run", name) for name in ("supervisor.json", f"supervisor.{os.getpid()}"))
    pid, names = os.getpid(), '", "'.join(replicas)  # plain words, so this is JSON, and `json` is not needed yet
    with open(draft, "w") as file:
        waits = ', "queued": true' if queued else ""
        file.write(f'{{"pid": {pid}, "birth": "{birth(pid)}", "began": {time.time()}, "replicas": ["{names}"]{waits}}}')
    try:
        os.link(draft, final)  # whole or not at all, and only one of two can do it
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    os.dup2(0, 1)  # /dev/null; the end of the pipe is what the submitter waits for
    return True


def note_place(folder: str, place: int, limit: int) -> None:
    """Tell who looks how far the job is from its slot."""
    final = os.path.join(folder, "run", "place")
    try:
        with open(final + ".tmp", "w") as file:
            file.write(f"{place} {limit}")
        os.replace(final + ".tmp", final)
    except OSError:  # a full disk; the next word may find room
        pass


def note_beginning(folder: str) -> None:
    """Note that a job that was queued runs now: the time of the file says since when."""
    os.close(os.open(os.path.join(folder, "run", "began"), os.O_CREAT | os.O_WRONLY, 0o600))


def stop_is_asked(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "run", "stop"))


def preparation_reason(folder: str) -> str:
    """Why the preparation failed, in its own words."""
    try:
        with open(os.path.join(folder, "run", "preparation_failed"), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return "its preparation failed"


def note_disk(folder: str, *, full: bool) -> None:
    """Leave, or take away, the mark that the job waits for room on the disk. An empty file mostly finds some."""
    mark = os.path.join(folder, "run", "disk_full")
    try:
        if full:
            os.close(os.open(mark, os.O_CREAT | os.O_WRONLY, 0o600))
        else:
            os.unlink(mark)
    except OSError:
        pass


def remove_credential(folder: str) -> None:
    """Remove the key that the job was given to read tables with, if it was."""
    try:
        os.unlink(os.path.join(folder, "ml", "input", "credential", "odps.json"))
    except OSError:
        pass


def write_exit(folder: str, record: dict[str, object]) -> None:
    """Write run/exit.json in one step, when there is room."""
    import json

    final = os.path.join(folder, "run", "exit.json")
    data = json.dumps(record).encode()
    pause = 0.1
    while True:
        try:
            with open(final + ".tmp", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(data)
            os.replace(final + ".tmp", final)
        except OSError as exc:
            if exc.errno not in FULL:
                raise
            note_disk(folder, full=True)
            time.sleep(pause)
            pause = min(pause * 2, 5.0)
        else:
            return
