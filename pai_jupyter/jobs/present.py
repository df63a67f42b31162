"""How a submitted job is shown: plain lines here; a notebook's view takes this over when it is there.

This room knows nothing of IPython. The view registers itself (`use_presenter`) when pai_jupyter is used in a
notebook; everywhere else the place comes first, then the log as it grows.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from pai_jupyter.errors import JobDetached, PaiJupyterError
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.runtime import runtime

LOG_PAUSE = 0.1  # seconds between two looks at a growing log


class Presenter(Protocol):
    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        """Show `job`; with `wait`, return at its end. Never raises for a job that ends badly: `Job.wait` does."""
        ...


class PlainLines:
    """The job on standard output, from the caller's own thread."""

    def show(self, job: Job, notes: Sequence[str], *, wait: bool) -> None:
        for line in (f"job {job.id} ({job.name}) runs on {job.place}", *(f"note: {note}" for note in notes)):
            print(line)  # noqa: T201  this is what a presenter is for
        if wait:
            follow_log(job, lambda line: print(line))  # noqa: T201


def follow_log(job: Job, write: Callable[[str], object], *, replica: str | None = None, since: int = 0) -> None:
    """Call `write` with each line of one replica's log from line `since` on, on this thread, until the job's end.

    Raises:
        JobDetached: interrupted; the job goes on.
    """
    log = job.folder.log(job.check_replica(replica))
    ended = runtime().follow(job.folder).ended
    number = since
    try:
        while True:
            has_ended = _wait(ended)
            lines = log.lines(number, number + 10_000)
            # the last line may still grow: it is written when another follows it, or when the job has ended
            for line in lines if has_ended else lines[:-1]:
                write(line.text)
                number = line.number + 1
            if has_ended and len(lines) < 10_000:
                sys.stdout.flush()
                return
    except KeyboardInterrupt:
        raise JobDetached(f"Detached: job {job.id} goes on. To stop it: %pai_stop {job.id}") from None


def _wait(ended: object) -> bool:
    """Wait a moment for the end; whether it is there."""
    from concurrent.futures import Future
    from concurrent.futures import TimeoutError as FutureTimeoutError

    assert isinstance(ended, Future)
    try:
        ended.result(timeout=LOG_PAUSE)
    except FutureTimeoutError:
        return False
    except PaiJupyterError:
        return True
    return True


_presenter: Presenter = PlainLines()


def presenter() -> Presenter:
    """Who shows jobs in this process."""
    return _presenter


def use_presenter(new: Presenter) -> None:
    global _presenter  # noqa: PLW0603  one per process, like the display that it stands for
    _presenter = new
