"""The progress note of a job before it starts: one line of text in its folder, run/doing.

Submission may take minutes if data are transferred first, and there is no job to show yet. The transfer writes its progress
here (`noting_progress`), and any process that waits for the submission reads it (`progress_note`).

Rule: it is optional. Write errors are ignored, and the file is deleted when the work is done.
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
EVERY = 0.3  # seconds between two writes
_FILE = Path("run") / "doing"


@contextmanager
def noting_progress(folder: Path, what: str) -> Iterator[Report]:
    """Write `what` as the job's progress note while the block runs; yield a function that adds bytes done and total."""
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


def progress_note(folder: Path) -> str:
    """Return the progress note of the job in `folder`; "" if there is none."""
    try:
        return read_plain(folder / _FILE, MAX_LINE).decode("utf-8", "replace")
    except (OSError, PaiJupyterError):
        return ""


def _write(path: Path, text: str) -> None:
    draft = path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)  # a missing folder is not created
        draft.write_text(text, encoding="utf-8", errors="replace")
        draft.replace(path)
