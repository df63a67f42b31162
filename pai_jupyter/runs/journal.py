"""The entries of `journal.jsonl`: one JSON object a line, `{"kind": ..., "time": ..., ...}`, appended and synced before its act.

Rule 1: one process writes, the holder of `drive.lock`. Others ask by files beside it: `stop` (an empty file).
Rule 2: a torn last line, of a writer that was killed, is cut off before the next is written; readers ignore it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pai_jupyter.spec import Json


@dataclass(frozen=True, kw_only=True)
class TryBegun:
    """A step is about to get a job of this id, with these values; nothing of it has been made."""

    step: str
    job_id: str
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]
    time: float


@dataclass(frozen=True, kw_only=True)
class TryDropped:
    """The id never became a job (killed in between, or the machine's fault): the step gets another, no retry is spent."""

    step: str
    job_id: str
    time: float


@dataclass(frozen=True, kw_only=True)
class TryRefused:
    """No job can be made of the step: `reason` is the sentence. It fails without spending retries."""

    step: str
    job_id: str
    reason: str
    time: float


@dataclass(frozen=True, kw_only=True)
class OutputsRead:
    """The job has succeeded and its outputs are read: the step has succeeded."""

    step: str
    job_id: str
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]
    time: float


@dataclass(frozen=True, kw_only=True)
class OutputsWrong:
    """The job has succeeded, and an output is missing or of another type: the try has failed."""

    step: str
    job_id: str
    reason: str
    time: float


@dataclass(frozen=True, kw_only=True)
class ConditionDecided:
    """A condition was decided by these values; `reason`: it cannot be, and the step fails."""

    step: str
    is_met: bool
    values: Mapping[str, Json]
    time: float
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class LoopExpanded:
    """The items of a loop are known; `reason`: they are no list, and the step fails."""

    step: str
    items: tuple[Json, ...]
    time: float
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ResultTaken:
    """The step has succeeded without a job of this run: the result of `job_id`, of an earlier run, is its own."""

    step: str
    run_id: str
    job_id: str
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]
    time: float


@dataclass(frozen=True, kw_only=True)
class StopAsked:
    """The run is being stopped: no further job starts, those that run are stopped."""

    time: float


@dataclass(frozen=True, kw_only=True)
class Blocked:
    """The run waits for what only a person can give; `reason` "": it does no longer. `step`: whose key was refused."""

    reason: str
    time: float
    step: str | None = None


@dataclass(frozen=True, kw_only=True)
class Noted:
    """A note for the user, shown once."""

    text: str
    time: float


@dataclass(frozen=True, kw_only=True)
class RunEnded:
    """The run has ended; nothing is written after this."""

    status: str
    time: float
    reason: str | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict)
    artifacts: Mapping[str, Json] = field(default_factory=dict)


Entry: TypeAlias = (
    TryBegun
    | TryDropped
    | TryRefused
    | OutputsRead
    | OutputsWrong
    | ConditionDecided
    | LoopExpanded
    | ResultTaken
    | StopAsked
    | Blocked
    | Noted
    | RunEnded
)
