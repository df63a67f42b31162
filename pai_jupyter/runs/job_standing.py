"""What a fold must know of a job, and the tries of a step made of it. Pure."""

from dataclasses import dataclass

from pai_jupyter.events import Status
from pai_jupyter.runs.journal import TryBegun
from pai_jupyter.runs.state import TryState

_OUTCOMES = (Status.SUCCEEDED, Status.FAILED, Status.STOPPED)


@dataclass(frozen=True, kw_only=True)
class TryFacts:
    """How a job stands. `status`: one of `events.Status`; times in seconds since the epoch.

    `is_started`: its backend has accepted it. A job that has failed without that never was a try; no retry is spent.
    `is_lost`: it ended with the machine, not by itself; the step gets another job, and no retry is spent either.
    """

    status: str
    reason: str | None = None
    started: float | None = None
    ended: float | None = None
    is_started: bool = True
    is_lost: bool = False

    @property
    def never_was(self) -> bool:
        return self.status == Status.FAILED and (self.is_lost or not self.is_started)


class Try:
    """A job of a step, or its id while there is no job. `problem`: why it has failed, where the job itself does not say so."""

    __slots__ = ("begun", "facts", "is_dropped", "problem")

    def __init__(self, begun: TryBegun) -> None:
        self.begun = begun
        self.facts: TryFacts | None = None
        self.problem: str | None = None
        self.is_dropped = False

    @property
    def has_ended(self) -> bool:
        return self.facts is not None and self.facts.status in _OUTCOMES

    @property
    def failure(self) -> str | None:
        """Return why it has failed; None if it has not."""
        if self.problem is not None:
            return self.problem
        has_failed = self.facts is not None and self.facts.status == Status.FAILED and not self.facts.never_was
        return (self.facts and self.facts.reason) or "its job failed" if has_failed else None

    def state(self) -> TryState:
        facts = self.facts
        if facts is None:
            status = Status.CREATED if self.problem is None else Status.FAILED
            return TryState(job_id=self.begun.job_id, status=status.value, reason=self.problem)
        return TryState(
            job_id=self.begun.job_id,
            status=facts.status,
            reason=self.problem or facts.reason,
            started=facts.started,
            ended=facts.ended,
        )
