"""What comes of the acts that a driver does in threads (`work`, `reuse`), for the driver's own thread to write down. Values only."""

from dataclasses import dataclass
from typing import TypeAlias

from pai_jupyter.events import JobState
from pai_jupyter.runs.journal import ResultTaken
from pai_jupyter.runs.plan import JobRequest, Outputs


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """The step's job is ready to be submitted."""

    step: str
    job_id: str
    request: JobRequest


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """There is a job now."""

    step: str
    job_id: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Refused:
    """No job can be made of the step."""

    step: str
    job_id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Postponed:
    """What the act needs does not answer; it is done again later. `job_id` "": nothing was begun."""

    step: str
    reason: str
    job_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Denied:
    """A service wants another key for the step. `job_id`: its try or ""; `has_job`: that has ended, and its outputs are to be read."""

    step: str
    reason: str
    job_id: str = ""
    has_job: bool = False


@dataclass(frozen=True, kw_only=True)
class Collected:
    """The outputs of the step's job, or the reason why there are none."""

    step: str
    job_id: str
    outputs: Outputs | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A job was told to stop, or what a lost one has left was ended (`is_lost`). `is_gone`: there is no job of this id."""

    step: str
    job_id: str
    is_lost: bool = False
    is_gone: bool = False


@dataclass(frozen=True, kw_only=True)
class Considered:
    """Whether an earlier result is the step's own; `note`: why one that might be is not."""

    step: str
    result: ResultTaken | None = None
    note: str = ""


Outcome: TypeAlias = Prepared | Submitted | Refused | Postponed | Denied | Collected | Ended | Considered
Said: TypeAlias = Outcome | tuple[str, JobState]
"""What a driver hears: what came of an act, and how the job of this id stands now."""
