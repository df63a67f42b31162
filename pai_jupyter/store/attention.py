"""Tell whether a job is being viewed: the mtime of the file `looked` in its folder is that of the last view.

It is a file because views, waits and the job's follower may be in different processes. Code that shows a job or waits for it
touches the file every few seconds; meanwhile a backend polls its remote service more often.
"""

import time
from contextlib import suppress
from pathlib import Path

NOTED_EVERY = 1.0  # seconds between two touches
FORGOTTEN = 6.0  # seconds after the last touch

_NAME = "looked"


def note_look(folder: Path) -> None:
    """Record that the job of this folder is being viewed; may be called often. Write errors are ignored."""
    if not _was_looked_at(folder, NOTED_EVERY):
        with suppress(OSError):
            (folder / _NAME).touch(mode=0o600)


def is_looked_at(folder: Path) -> bool:
    """Return whether the job was viewed in the last seconds."""
    return _was_looked_at(folder, FORGOTTEN)


def _was_looked_at(folder: Path, seconds: float) -> bool:
    try:
        return abs(time.time() - (folder / _NAME).stat().st_mtime) < seconds
    except OSError:
        return False
