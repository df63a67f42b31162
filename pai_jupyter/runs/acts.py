"""What is to be done next: values that `next_acts` computes from a fold, and the driver does.

The driver journals and does each act, applies the entry to the fold, and asks again; with no act left it waits for a job to
change. An act is given again at each call until its entry is applied: who does acts side by side passes over a step that still
has one in work.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pai_jupyter.runs.plan import JobBody
from pai_jupyter.spec import Json


@dataclass(frozen=True, kw_only=True)
class StartTry:
    """Start a job for a step, with these values of its inputs.

    `after`: a step that has run in this run, and that it waits for without using what that gives ("" if none).
    """

    step: str
    body: JobBody
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]
    cache: bool = False
    after: str = ""


@dataclass(frozen=True, kw_only=True)
class CollectOutputs:
    """Read what the job of a step has given."""

    step: str
    body: JobBody
    job_id: str
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]


@dataclass(frozen=True, kw_only=True)
class DecideCondition:
    """Journal the decision."""

    step: str
    is_met: bool
    values: Mapping[str, Json]
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ExpandLoop:
    """Journal the items of a loop."""

    step: str
    items: tuple[Json, ...]
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class StopJob:
    """Stop a job of a run that is being stopped, or whose `fail_fast` step has failed.

    Where there is no job of this id yet, `TryDropped` is journalled instead.
    """

    step: str
    job_id: str


@dataclass(frozen=True, kw_only=True)
class DropTry:
    """Journal that the try was none (`TryDropped`): its job never reached the backend, or ended with the machine."""

    step: str
    job_id: str


@dataclass(frozen=True, kw_only=True)
class EndRun:
    """Nothing is left to be done."""

    status: str
    reason: str | None
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]


Act: TypeAlias = StartTry | CollectOutputs | DecideCondition | ExpandLoop | StopJob | DropTry | EndRun
