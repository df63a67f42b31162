"""Progress and cancelling of a transfer, and its threads.

Rule 1: reported progress never goes backwards, although a failed try subtracts its bytes.
Rule 2: code that moves bytes calls `check` or `add` for each block. So all threads stop within a block when the transfer is
    cancelled or interrupted, or fails in one thread.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from pai_jupyter.errors import PaiJupyterError

Report = Callable[[int, int], None]
"""Receives bytes done and total bytes; called from any thread, but never by two at once."""

Note = Callable[[str], None]
"""Receives what the transfer waits for, as a sentence; called from any thread."""

T = TypeVar("T")
_END = object()


def in_words(size: float) -> str:
    """Format a number of bytes for a sentence."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    digits = 0 if units[0] == "bytes" or size >= 10 else 1
    return f"{size:.{digits}f} {units[0]}"


class TransferCancelled(PaiJupyterError):
    """The transfer was cancelled; the next one does not send finished data again."""


class TransferProgress:
    """The state of one transfer. `cancel` may be set at any time, from any thread.

    Unless `is_resumed`, a cancelled transfer will not be resumed: its sent data are deleted.
    """

    def __init__(
        self,
        report: Report | None = None,
        cancel: threading.Event | None = None,
        *,
        note: Note | None = None,
        is_resumed: bool = True,
    ) -> None:
        self.is_resumed = is_resumed
        self._note = note
        self._report = report
        self._cancel = cancel
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._total = self._done = self._shown = 0

    def expect(self, size: int) -> None:
        """Add `size` bytes to the total."""
        self._total += size

    def add(self, size: int) -> None:
        """Add `size` bytes to those done."""
        self.check()
        with self._lock:
            self._done += size
            done = min(self._done, self._total)
            if self._report is not None and done > self._shown:
                self._shown = done
                self._report(done, self._total)

    @contextmanager
    def attempt(self) -> Iterator[Callable[[int], None]]:
        """Provide an `add` for one attempt whose bytes are subtracted if it fails."""
        moved = 0

        def add(size: int) -> None:
            nonlocal moved
            self.add(size)
            moved += size

        try:
            yield add
        except BaseException:
            self.take_back(moved)
            raise

    def take_back(self, size: int) -> None:
        """Subtract bytes of a failed attempt."""
        with self._lock:
            self._done -= size

    def check(self) -> None:
        """Raise if the transfer is to end.

        Raises:
            TransferCancelled: it was cancelled, or stopped by an error in another thread.
        """
        if self._stopped.is_set() or (self._cancel is not None and self._cancel.is_set()):
            raise TransferCancelled("the transfer was cancelled. The same call goes on from where it was.")

    def tell(self, sentence: str) -> bool:
        """Tell what the transfer waits for; return whether there is somebody to tell."""
        if self._note is not None:
            self._note(sentence)
        return self._note is not None

    def stop(self) -> None:
        """Stop all threads of this transfer."""
        self._stopped.set()

    def pause(self, seconds: float) -> None:
        """Wait before the next try, at most until the transfer ends."""
        self._stopped.wait(seconds)
        self.check()


def each(action: Callable[[T], object], items: Iterable[T], *, workers: int, progress: TransferProgress) -> None:
    """Call `action` with every item, on `workers` threads; the first error ends the transfer and is raised here."""
    todo, lock, errors = iter(items), threading.Lock(), list[BaseException]()

    def work() -> None:
        try:
            while True:
                progress.check()
                with lock:
                    item = next(todo, _END)
                if item is _END:
                    return
                action(item)  # type: ignore[arg-type]  # mypy does not tell _END from T
        except BaseException as exc:  # noqa: BLE001  end of the thread: raised below
            errors.append(exc)
            progress.stop()

    with ThreadPoolExecutor(workers, thread_name_prefix="pai-jupyter-transfer") as pool:
        try:
            for future in [pool.submit(work) for _ in range(workers)]:
                future.result()
        except BaseException:  # a KeyboardInterrupt: stop the threads, too
            progress.stop()
            raise
    if errors:
        raise errors[0]
