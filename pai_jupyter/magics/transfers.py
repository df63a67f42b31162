"""A transfer with its progress: it works on a thread, and whoever waits for it shows how far it is.

Rule 1: the thread draws nothing; it says how far it is, and the main thread looks now and then.
Rule 2: one line, which changes where somebody looks. Where nobody does there is only the last one.
Rule 3: an interrupt ends the transfer, not only the wait for it; the same line goes on from where it was.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Protocol, TypeVar

from pai_jupyter.view import StatusLine, front_end, said

if TYPE_CHECKING:
    from pai_jupyter.storage.progress import Report

PERIOD = 0.5  # seconds between two drawings
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
T = TypeVar("T")


class ProgressLine(Protocol):
    """A line below the cell."""

    def show(self, text: str) -> None:
        """Let it say this for now."""

    def end(self, text: str) -> None:
        """Let it say this for good."""


def transfer(
    what: str,
    work: "Callable[[Report, threading.Event], T]",
    done: Callable[[T, str], str],
    *,
    line: ProgressLine | None = None,
) -> T:
    """Do `work`, which is told where to report bytes and what to look at for an end, and show how far it is.

    `what` stands in front of that; `done` makes the last words, of the result and the size of what was moved.

    Raises:
        PaiJupyterError: what `work` raises; TransferCancelled after an interrupt.
    """
    shown, cancel, begun = line or _line(), threading.Event(), time.monotonic()
    amount = (0, 0)

    def report(moved: int, total: int) -> None:
        nonlocal amount
        amount = (moved, total)

    with ThreadPoolExecutor(1, thread_name_prefix="pai-jupyter transfer") as thread:
        working = thread.submit(work, report, cancel)
        try:
            while wait([working], timeout=PERIOD).not_done:
                shown.show(said(f"{what}: {progress_text(*amount, time.monotonic() - begun)}"))
        except KeyboardInterrupt:
            cancel.set()
        result = working.result()
    shown.end(said(done(result, size_text(amount[1]))))
    return result


def progress_text(done: int, total: int, seconds: float) -> str:
    """`3.4 of 10.0 MiB, 34 %, 5.1 MiB/s`."""
    if not total:
        return "looking at what is there already"
    return f"{size_text(done)} of {size_text(total)}, {100 * done // total} %, {size_text(int(done / max(seconds, 0.1)))}/s"


def size_text(size: float) -> str:
    """Format a number of bytes for display, such as 1.5 MiB."""
    unit = 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{size:.0f} B"


class _Updated(StatusLine):
    """For who looks at a notebook."""

    end = StatusLine.show


class _Last:
    """Nothing but the last words, as plain text: nobody looks, or what has been shown cannot be changed."""

    def show(self, text: str) -> None:
        pass

    def end(self, text: str) -> None:
        print(text)  # noqa: T201


def _line() -> ProgressLine:
    return _Updated() if front_end().is_attended else _Last()
