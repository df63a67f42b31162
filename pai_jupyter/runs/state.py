"""How a run stands: what `fold` computes and every view draws. Pure values; `to_json` is what goes over the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Literal

from pai_jupyter.errors import RunFailed, RunStopped
from pai_jupyter.spec import Json


class StepStatus(StrEnum):
    """`waiting`: for other steps or for a free place; the last four are terminal."""

    WAITING = "waiting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    STOPPED = "stopped"

    @property
    def is_terminal(self) -> bool:
        return self not in (StepStatus.WAITING, StepStatus.RUNNING)


class RunStatus(StrEnum):
    """`blocked`: it waits for something that only a person can give, as a secret (`RunState.reason` names it)."""

    RUNNING = "running"
    BLOCKED = "blocked"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_terminal(self) -> bool:
        return self not in (RunStatus.RUNNING, RunStatus.BLOCKED)


@dataclass(frozen=True, kw_only=True)
class TryState:
    """One job of a step, or an id that is journalled and not a job yet. Times are in seconds since the epoch."""

    job_id: str
    status: str  # of the job (`events.Status`), or "created" while there is no job yet
    reason: str | None = None
    started: float | None = None
    ended: float | None = None


@dataclass(frozen=True, kw_only=True)
class ConditionState:
    """A condition, decided or not: `values` are those that decided, by reference."""

    text: str
    is_met: bool | None = None
    values: Mapping[str, Json] = field(default_factory=dict)
    reason: str | None = None  # why it cannot be decided


@dataclass(frozen=True, kw_only=True)
class StepState:
    """A step. `path`: "train", "loop[2]" for an item of a loop, "nested/train", "loop[2]/train": unique in the run."""

    path: str
    name: str
    kind: Literal["job", "pipeline", "loop"]
    title: str  # of its component
    status: StepStatus = StepStatus.WAITING
    reason: str | None = None
    depends: tuple[str, ...] = ()  # names of steps beside it
    condition: ConditionState | None = None
    item: Json = None  # of a loop
    tries: tuple[TryState, ...] = ()
    taken_from: str | None = None  # the run whose result was taken over
    inputs: Mapping[str, Json] = field(default_factory=dict)  # values and places that it began with
    parameters: Mapping[str, Json] = field(default_factory=dict)  # of its outputs
    artifacts: Mapping[str, Json] = field(default_factory=dict)
    started: float | None = None
    ended: float | None = None
    children: tuple["StepState", ...] = ()  # of a pipeline: its steps; of a loop: an execution per item

    @property
    def job_id(self) -> str | None:
        """The job of the latest try."""
        return self.tries[-1].job_id if self.tries else None

    def to_json(self) -> dict[str, Json]:
        """Return it as an object; what has its default is left out."""
        values = _plain(self)
        if self.condition is not None:
            values["condition"] = _plain(self.condition)
        if self.tries:
            values["tries"] = [_plain(each) for each in self.tries]
        if self.children:
            values["children"] = [child.to_json() for child in self.children]
        return values


@dataclass(frozen=True, kw_only=True)
class RunState:
    """A whole run."""

    id: str
    name: str
    status: RunStatus = RunStatus.RUNNING
    reason: str | None = None
    is_stopping: bool = False
    notes: tuple[str, ...] = ()
    steps: tuple[StepState, ...] = ()
    inputs: Mapping[str, Json] = field(default_factory=dict)  # values and places, defaults among them
    parameters: Mapping[str, Json] = field(default_factory=dict)  # of its outputs
    artifacts: Mapping[str, Json] = field(default_factory=dict)
    created: float = 0.0
    ended: float | None = None

    def to_json(self) -> dict[str, Json]:
        """Return it as an object; in steps, what has its default is left out."""
        return {
            "id": self.id,
            "name": self.name,
            "status": self.status.value,
            "reason": self.reason,
            "is_stopping": self.is_stopping,
            "notes": list(self.notes),
            "inputs": dict(self.inputs),
            "parameters": dict(self.parameters),
            "artifacts": dict(self.artifacts),
            "created": self.created,
            "ended": self.ended,
            "steps": [step.to_json() for step in self.steps],
        }


def _plain(value: StepState | ConditionState | TryState) -> dict[str, Json]:
    """Return the fields that have values of JSON and not their default; `status` always."""
    found: dict[str, Json] = {}
    for name, default in _DEFAULTS[type(value)]:
        field_value = getattr(value, name)
        if isinstance(field_value, StrEnum):
            found[name] = field_value.value
        elif field_value is None or field_value == default or field_value == {} or field_value == ():
            continue
        elif isinstance(field_value, Mapping):
            found[name] = dict(field_value)
        else:
            found[name] = list(field_value) if isinstance(field_value, tuple) else field_value
    return found


_NESTED = ("condition", "tries", "children")
_DEFAULTS = {
    kind: tuple((it.name, it.default) for it in fields(kind) if it.name not in _NESTED)
    for kind in (StepState, ConditionState, TryState)
}


def ended(state: RunState) -> RunState:
    """Return the state of a run that has ended.

    Raises:
        RunFailed, RunStopped: it ended so.
    """
    if state.status is RunStatus.FAILED:
        raise RunFailed(state.id, state.reason or "a step failed")
    if state.status is RunStatus.STOPPED:
        raise RunStopped(f"run {state.id} was stopped.")
    return state
