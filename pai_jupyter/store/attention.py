"""Whether somebody looks at a job right now: the file `looked` in its folder, whose time is that of the last look.

Views, waits and the one process that follows the job may be in different processes, so this is a file. Whoever shows a
job, or waits for it, notes that every few seconds; a backend that asks a remote service does so more often then.
"""

import time
from contextlib import suppress
from pathlib import Path

NOTED_EVERY = 1.0  # seconds between two notes
FORGOTTEN = 6.0  # seconds after the last one

_NAME = "looked"


def note_look(folder: Path) -> None:
    """Somebody looks at the job of this folder; may be called often. Nothing happens where it cannot be noted."""
    if not _was_looked_at(folder, NOTED_EVERY):
        with suppress(OSError):
            (folder / _NAME).touch(mode=0o600)


def is_looked_at(folder: Path) -> bool:
    """Return whether somebody has looked at the job in the last seconds."""
    return _was_looked_at(folder, FORGOTTEN)


def _was_looked_at(folder: Path, seconds: float) -> bool:
    try:
        return abs(time.time() - (folder / _NAME).stat().st_mtime) < seconds
    except OSError:
        return False
