"""The progress note of a submission: what is done for a job before it begins, one line of text in its folder, run/doing.

Submitting may take minutes when data have to come or go first, and nothing of the job is there to be shown yet. Whoever
moves them says here how far that is (`telling`), whoever waits for the submission reads it (`told`), in any process.

Rule: it is a courtesy. A disk that does not take the line stops nothing, and the line is gone when the work is done.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.storage.progress import Report, in_words
from pai_jupyter.store.disk import read_plain

MAX_LINE = 64 * 1024  # bytes
EVERY = 0.3  # seconds between two lines
_FILE = Path("run") / "doing"


@contextmanager
def telling(folder: Path, what: str) -> Iterator[Report]:
    """Say in the job's folder that `what` is under way, and with the function that this gives how far."""
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY:
            last = time.monotonic()
            _write(folder / _FILE, f"{what}: {in_words(done)} of {in_words(total)}")

    _write(folder / _FILE, what)
    try:
        yield report
    finally:
        with suppress(OSError):
            (folder / _FILE).unlink()


def told(folder: Path) -> str:
    """Return the progress note of the job in `folder`; "" if there is none."""
    try:
        return read_plain(folder / _FILE, MAX_LINE).decode("utf-8", "replace")
    except (OSError, PaiJupyterError):
        return ""


def _write(path: Path, text: str) -> None:
    draft = path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)  # a folder that is not there is not made
        draft.write_text(text, encoding="utf-8", errors="replace")
        draft.replace(path)
