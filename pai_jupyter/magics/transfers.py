"""Run a transfer on a thread and show its progress.

Rule 1: the thread draws nothing; it reports its progress, and the main thread draws it every `PERIOD` seconds.
Rule 2: in a notebook one changing line; for a program only the last line.
Rule 3: an interrupt ends the transfer, not only the wait for it; running the same line again resumes it.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Protocol, TypeVar

from pai_jupyter.view import StatusLine, front_end, said

if TYPE_CHECKING:
    from pai_jupyter.storage.progress import Note, Report

PERIOD = 0.5  # seconds between two drawings
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
T = TypeVar("T")


class ProgressLine(Protocol):
    """A line below the cell."""

    def show(self, text: str) -> None:
        """Show this text for now."""

    def end(self, text: str) -> None:
        """Show this text at the end."""


def transfer(
    what: str,
    work: "Callable[[Report, threading.Event, Note], T]",
    done: Callable[[T, str], str],
    *,
    line: ProgressLine | None = None,
) -> T:
    """Run `work(report, cancel, note)` on a thread and show its progress after the text `what`.

    `report(moved, total)` takes bytes; `cancel` is set by an interrupt; `note(sentence)` takes what the
    transfer waits for. `done(result, size)` returns the final text.

    Raises:
        PaiJupyterError: raised by `work`; TransferCancelled after an interrupt.
    """
    shown, cancel, begun = line or _line(), threading.Event(), time.monotonic()
    amount, noted = (0, 0), ""

    def report(moved: int, total: int) -> None:
        nonlocal amount, noted
        amount, noted = (moved, total), ""

    def note(sentence: str) -> None:
        nonlocal noted
        noted = sentence

    with ThreadPoolExecutor(1, thread_name_prefix="pai-jupyter transfer") as thread:
        working = thread.submit(work, report, cancel, note)
        try:
            while wait([working], timeout=PERIOD).not_done:
                shown.show(said(f"{what}: {noted or progress_text(*amount, time.monotonic() - begun)}"))
        except KeyboardInterrupt:
            cancel.set()
        result = working.result()
    shown.end(said(done(result, size_text(amount[1]))))
    return result


def progress_text(done: int, total: int, seconds: float) -> str:
    """Format the progress, e.g. `3.4 MiB of 10.0 MiB, 34 %, 5.1 MiB/s`."""
    if not total:
        return "checking what is already there"
    return f"{size_text(done)} of {size_text(total)}, {100 * done // total} %, {size_text(int(done / max(seconds, 0.1)))}/s"


def size_text(size: float) -> str:
    """Format a number of bytes for display, such as 1.5 MiB."""
    unit = 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{size:.0f} B"


class _Updated(StatusLine):
    """One line that changes, for users."""

    end = StatusLine.show


class _Last:
    """Only the final text, printed: for programs, and for outputs that cannot be changed."""

    def show(self, text: str) -> None:
        pass

    def end(self, text: str) -> None:
        print(text)  # noqa: T201


def _line() -> ProgressLine:
    return _Updated() if front_end().is_attended else _Last()
