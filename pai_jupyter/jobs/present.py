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
from typing import Protocol, TypeAlias

from pai_jupyter import callbacks
from pai_jupyter.backends.progress_note import progress_note
from pai_jupyter.events import JobState, Status, for_terminal
from pai_jupyter.jobs.job import Job, detached
from pai_jupyter.jobs.log_secrets import log_masker
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.jobs.trouble import WaitLimit, ask_person
from pai_jupyter.jobs.wait_lines import WaitLines
from pai_jupyter.jobs.where import where_of
from pai_jupyter.store import MergedLog, with_replica

LOG_PAUSE = 0.1  # seconds between two reads of a growing log
WINDOW = 10_000  # lines per read
_Read: TypeAlias = Callable[[bool], list[str]]


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
            follow_log(job, lambda line: print(for_terminal(line)), tell=print_line)  # noqa: T201


def print_line(text: str) -> None:
    """Print a line about a job at once, without control characters."""
    print(for_terminal(text), flush=True)  # noqa: T201


def headline(job: Job) -> str:
    """Return one line with the job's target, or that its outcome is unknown."""
    state = job.state
    if state.status is Status.SUBMITTING:
        return f"job {job.id} ({job.name}): {state.reason}"
    if state.status.is_terminal:
        return f"job {job.id} ({job.name}) ran on: {where_of(job.place)}"
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


def follow_log(
    job: Job,
    write: Callable[[str], object],
    *,
    replica: str | None = None,
    since: int = 0,
    last: int | None = None,
    tell: Callable[[str], object] | None = None,
) -> None:
    """Call `write` with each line of one replica's log from line `since` on, on this thread, until the job's end.

    An unfinished line is written only at the job's end. Without `replica`, the lines of all are written as they come, each
    behind its replica's name if there are several. Secrets in it are masked. `last`: from the last so many lines on. `tell` is
    called with what the job waits for (see `WaitLines`).

    Raises:
        JobDetached: interrupted; the job goes on.
        BackendError: the job could not be reached for `job.max_unknown` seconds; it goes on.
    """
    runtime().check_may_wait()
    read = _all_lines(job, last) if replica is None and len(job.replicas) > 1 else _own_lines(job, replica, since, last)
    patience, following = WaitLimit(job.id, job.max_unknown), runtime().follow(job.folder)

    lines = WaitLines(job.id, tell) if tell is not None else None

    def be_patient() -> None:
        if lines is not None:
            lines.look(following.state)
        patience.check(ask_person(following.trouble))

    try:
        _follow(read, write, following.ended, be_patient)
    except KeyboardInterrupt:
        raise detached(job.id, job.state) from None


def _own_lines(job: Job, replica: str | None, since: int, last: int | None) -> _Read:
    """Return a function that returns the next lines of one replica; [] if there are none now."""
    log, mask = job.folder.log(job.check_replica(replica)), log_masker(job.folder)
    number = since if last is None else max(0, log.count() - last)

    def read(has_ended: bool) -> list[str]:
        nonlocal number
        stop = log.count() if has_ended else log.finished()
        lines = log.lines(number, min(stop, number + WINDOW))
        number += len(lines)
        return [mask(line.text) for line in lines]

    return read


def _all_lines(job: Job, last: int | None) -> _Read:
    """Return a function that returns the next lines of all replicas with their names; [] if there are none now."""
    log, mask = MergedLog(job.folder, last=last), log_masker(job.folder)
    return lambda has_ended: [with_replica(line, job.replicas, mask) for line in log.read(is_over=has_ended)]


def _follow(
    read: _Read, write: Callable[[str], object], ended: "Future[JobState]", be_patient: Callable[[], None]
) -> None:
    while True:
        has_ended = ended.done()  # checked before reading, so that everything written before the end is read
        lines = read(has_ended)
        for line in lines:
            write(line)
        if not lines:
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
