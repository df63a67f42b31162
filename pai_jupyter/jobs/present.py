"""How a submitted job is shown: plain lines here; a notebook's view takes this over when it is there.

This package knows nothing of IPython. The view registers itself (`use_presenter`) when pai_jupyter is used in a
notebook; everywhere else the place comes first, then the log as it grows.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from pai_jupyter import callbacks
from pai_jupyter.backends.progress_note import told
from pai_jupyter.events import JobState, Status, for_terminal
from pai_jupyter.jobs.job import Job, detached
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.jobs.trouble import Patience, ask_person
from pai_jupyter.jobs.where import where_of
from pai_jupyter.store import LogFile

LOG_PAUSE = 0.1  # seconds between two looks at a growing log
WINDOW = 10_000  # lines read at one look


class Presenter(Protocol):
    def tell(self, text: str) -> None:
        """Say what is under way before there is a job to show, in the place of what was said last; empty: nothing is."""
        ...

    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        """Show `job`; with `wait`, return at its end. Never raises for a job that ends badly: `Job.wait` does."""
        ...


class PlainLines:
    """The job on standard output, from the caller's own thread."""

    def tell(self, text: str) -> None:
        tell_terminal(text)

    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        for line in (headline(job), *(f"note: {note}" for note in notes)):
            print(line, flush=True)  # noqa: T201  this is what a presenter is for
        if wait:
            follow_log(job, lambda line: print(for_terminal(line)))  # noqa: T201


def headline(job: Job) -> str:
    """Return one line: where the job runs, or that it is not known whether it runs."""
    state = job.state
    if state.status is Status.SUBMITTING:
        return f"job {job.id} ({job.name}): {state.reason}"
    return f"job {job.id} ({job.name}) runs on: {where_of(job.place)}"


@contextmanager
def telling_of(folder: Path, tell: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """Provide a function that passes the job's new progress note to `tell`; finally call `tell("")`."""
    last = ""

    def look() -> None:
        nonlocal last
        text = told(folder)
        if text and text != last:
            last = text
            tell(text)

    try:
        yield look
    finally:
        if last:
            tell("")


def tell_terminal(text: str) -> None:
    """Let `text` be the last line of the terminal, where there is one; a file would keep every state of it."""
    if sys.stdout.isatty():
        sys.stdout.write(f"\r{text}\x1b[K")
        sys.stdout.flush()


def follow_log(job: Job, write: Callable[[str], object], *, replica: str | None = None, since: int = 0) -> None:
    """Call `write` with each line of one replica's log from line `since` on, on this thread, until the job's end.

    A line is written when it is finished, and at the job's end as it is. Without `replica` it is the first one's log.

    Raises:
        JobDetached: interrupted; the job goes on.
        BackendError: it could not be reached for `job.max_unknown` seconds; it goes on.
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
        has_ended = ended.done()  # asked before reading: what was written before the end is then still read
        stop = log.count() if has_ended else log.finished()
        for line in log.lines(number, min(stop, number + WINDOW)):
            write(line.text)
            number = line.number + 1
        if number >= stop:
            sys.stdout.flush()  # a pipe shows lines as they come, too
            if has_ended:
                return
            wait_for_futures([ended], timeout=LOG_PAUSE)
            be_patient()


def presenter() -> Presenter:
    """Create this process's presenter; plain lines if none is registered."""
    made: Presenter = PlainLines() if callbacks.presenter is None else callbacks.presenter()
    return made


def use_presenter(new: Presenter) -> None:
    """Have `new` show jobs in this process."""
    callbacks.presenter = lambda: new
