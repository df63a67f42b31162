"""Show a submitted job: as plain lines, unless a notebook's view is registered.

This package does not know IPython. In a notebook the view registers itself (`use_presenter`); elsewhere the job's target is
printed first, then the log as it grows.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from pai_jupyter import callbacks
from pai_jupyter.backends.progress_note import progress_note
from pai_jupyter.events import JobState, Status, for_terminal
from pai_jupyter.jobs.job import Job, detached
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.jobs.trouble import Patience, ask_person
from pai_jupyter.jobs.where import where_of
from pai_jupyter.store import LogFile

LOG_PAUSE = 0.1  # seconds between two reads of a growing log
WINDOW = 10_000  # lines per read


class Presenter(Protocol):
    def tell(self, text: str) -> None:
        """Show a progress note before there is a job, replacing the last one; "" removes it."""
        ...

    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        """Show `job`; with `wait`, return at its end. Does not raise if the job fails: `Job.wait` does."""
        ...


class PlainLines:
    """Prints the job to standard output, on the caller's thread."""

    def tell(self, text: str) -> None:
        tell_terminal(text)

    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        for line in (headline(job), *(f"note: {note}" for note in notes)):
            print(line, flush=True)  # noqa: T201  a presenter prints
        if wait:
            follow_log(job, lambda line: print(for_terminal(line)))  # noqa: T201


def headline(job: Job) -> str:
    """Return one line with the job's target, or that its outcome is unknown."""
    state = job.state
    if state.status is Status.SUBMITTING:
        return f"job {job.id} ({job.name}): {state.reason}"
    return f"job {job.id} ({job.name}) runs on: {where_of(job.place)}"


@contextmanager
def passing_progress(folder: Path, callback: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """Provide a function that passes new progress notes of the job to `callback`; finally call `callback("")`."""
    last = ""

    def look() -> None:
        nonlocal last
        text = progress_note(folder)
        if text and text != last:
            last = text
            callback(text)

    try:
        yield look
    finally:
        if last:
            callback("")


def tell_terminal(text: str) -> None:
    """Show `text` as the last line of a terminal; print nothing to a file, which would keep every state."""
    if sys.stdout.isatty():
        sys.stdout.write(f"\r{text}\x1b[K")
        sys.stdout.flush()


def follow_log(job: Job, write: Callable[[str], object], *, replica: str | None = None, since: int = 0) -> None:
    """Call `write` with each line of one replica's log from line `since` on, on this thread, until the job's end.

    An unfinished line is written only at the job's end. Without `replica`, the first one's log is used.

    Raises:
        JobDetached: interrupted; the job goes on.
        BackendError: the job could not be reached for `job.max_unknown` seconds; it goes on.
    """
    runtime().check_may_wait()
    log = job.folder.log(job.check_replica(replica))
    patience, following = Patience(job.id, job.max_unknown), runtime().follow(job.folder)

    def be_patient() -> None:
        patience.check(ask_person(following.trouble))

    try:
        _follow(log, write, since, following.ended, be_patient)
    except KeyboardInterrupt:
        raise detached(job.id) from None


def _follow(
    log: LogFile,
    write: Callable[[str], object],
    number: int,
    ended: "Future[JobState]",
    be_patient: Callable[[], None],
) -> None:
    while True:
        has_ended = ended.done()  # checked before reading, so that everything written before the end is read
        stop = log.count() if has_ended else log.finished()
        for line in log.lines(number, min(stop, number + WINDOW)):
            write(line.text)
            number = line.number + 1
        if number >= stop:
            sys.stdout.flush()  # also through a pipe, lines appear at once
            if has_ended:
                return
            wait_for_futures([ended], timeout=LOG_PAUSE)
            be_patient()


def presenter() -> Presenter:
    """Create this process's presenter; plain lines if none is registered."""
    made: Presenter = PlainLines() if callbacks.presenter is None else callbacks.presenter()
    return made


def use_presenter(new: Presenter) -> None:
    """Register `new` to show jobs in this process."""
    callbacks.presenter = lambda: new
