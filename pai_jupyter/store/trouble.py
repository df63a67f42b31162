"""trouble.json: why a job cannot be reached or recorded at the moment, for all readers of the folder.

Rule 1: it is never a job's end nor part of its record. The follower writes it, refreshes it regularly, and deletes it when the
    trouble is over or when it stops following.
Rule 2: on a full disk it cannot be written, but an empty file can: it means that the disk is full.
Rule 3: trouble not refreshed for `STALE` seconds is valid only while the job is followed; else its follower died.
"""

import json
import os
import stat
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Notice, Status
from pai_jupyter.store.disk import read_plain, replace_file, to_bytes
from pai_jupyter.store.lock import try_lock

MAX_TROUBLE = 64 * 1024  # bytes
NAME = "trouble.json"
STALE = 120.0  # seconds; a service is asked at least every 30 s, and may take 60 s to answer
Kind: TypeAlias = Literal["service", "credential", "disk"]
_FULL = "there is no room left for the record of this job in '{folder}'. Free some disk space. {goes_on}"
GOES_ON = "The job goes on; its record is completed when there is room."


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """The reason and its start (seconds since the epoch). The remedy of "credential" is a new key."""

    kind: Kind
    reason: str
    since: float

    def shown_on(self, state: JobState) -> JobState:
        """Return `state` as views show it: `unknown`, unless the trouble is only about recording."""
        if state.status.is_terminal:
            return state
        if self.kind == "disk":
            return state.apply(Notice(text=self.reason, time=self.since, level="warning"))
        if state.status is Status.SUBMITTING:  # the status is unknown already
            return replace(state, reason=f"{state.reason} ({self.reason})")
        return replace(state, status=Status.UNKNOWN, reason=self.reason)


def note_trouble(folder: Path, trouble: Trouble) -> None:
    """Write or refresh the trouble for all readers of `folder`; write errors are ignored."""
    path = folder / NAME
    with suppress(OSError):
        data = to_bytes(asdict(trouble))
        if _is_plain(path) and _content(path) == data:
            os.utime(path)
            return
        try:
            replace_file(path, data)
        except OSError:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600))
            os.utime(path)


def clear_trouble(folder: Path) -> None:
    """Delete trouble.json."""
    with suppress(OSError):
        (folder / NAME).unlink()


def read_trouble(folder: Path, *, is_leading: bool = False) -> Trouble | None:
    """Read the trouble of the job, if any; costs one `stat` if there is none. `is_leading`: this process follows it."""
    path = folder / NAME
    try:
        status = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):  # not ours
        return None
    if not is_leading and abs(time.time() - status.st_mtime) > STALE and not _is_followed(folder):
        return None
    return _read(path, status)


def _read(path: Path, status: os.stat_result) -> Trouble | None:
    if status.st_size == 0:
        reason = _FULL.format(folder=path.parent, goes_on=GOES_ON)
        return Trouble(kind="disk", reason=reason, since=status.st_mtime)
    with suppress(OSError, ValueError, LookupError, TypeError):
        said = json.loads(_content(path))
        kind: Kind = said["kind"] if said["kind"] in get_args(Kind) else "service"
        return Trouble(kind=kind, reason=str(said["reason"]), since=float(said["since"]))
    return None


def _is_plain(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False


def _content(path: Path) -> bytes:
    """Read the file; b"" if it is not a regular file or too large."""
    try:
        return read_plain(path, MAX_TROUBLE)
    except PaiJupyterError:
        return b""


def _is_followed(folder: Path) -> bool:
    with suppress(PaiJupyterError):
        lock = try_lock(folder / "follow.lock")
        if lock is None:
            return True
        with lock:
            return False
    return False
