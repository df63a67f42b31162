"""The events of a job and their JSON. Standard library only, no I/O.

Rule 1: a new kind of fact is a new event class, never a field that readers must poll.
Rule 2: a log is bytes. `LogChunk` carries them unchanged; only readers cut them into lines.
Rule 3: times are seconds since the epoch, UTC, as floats; `replica` is `<role>-<index>`, e.g. "worker-0".
Rule 4: the JSON is strict. nan and the infinities are written as "nan", "inf" and "-inf", so that JavaScript can read every
    line.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias, get_args

from pai_jupyter.typed_json import MAX_WHOLE, FieldError, number_of, text_of, time_of, whole_of

Position: TypeAlias = Mapping[str, int]
"""Replica -> cursor of a reader. The backend decides what a cursor counts (bytes or lines); 0 is the start."""


class Status(StrEnum):
    """The status of a job. `UNKNOWN` means "cannot be reached"; only views use it, and it is never stored as final."""

    CREATED = "created"
    PACKAGING = "packaging"
    SUBMITTING = "submitting"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"
    UNKNOWN = "unknown"

    @property
    def is_terminal(self) -> bool:
        return self in (Status.SUCCEEDED, Status.FAILED, Status.STOPPED)


class Phase(StrEnum):
    """The phase of a job that has left the queue."""

    PREPARING = "preparing"  # image, requirements, inputs
    RUNNING = "running"
    SAVING = "saving"


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusChanged:
    status: Status
    time: float
    reason: str = ""
    exit_code: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseChanged:
    """A replica entered `phase`; its part of the log begins at byte `offset`, if known."""

    phase: Phase
    time: float
    replica: str = ""
    offset: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplicaChanged:
    """A replica of a job is running, or has ended (succeeded, failed or stopped); `attempt` counts its starts, from 0."""

    replica: str
    status: Status
    time: float
    exit_code: int | None = None
    attempt: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LogChunk:
    """Bytes of one replica's log, cut anywhere; `cursor` is the position after them, `time` their arrival."""

    replica: str
    data: bytes
    cursor: int
    time: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    name: str
    value: float
    time: float
    step: float | None = None
    replica: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """`done` of `total` in the job's own unit (steps, epochs); `total` is None if unknown."""

    done: float
    time: float
    total: float | None = None
    unit: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Resources of one replica: cores in use, CPU seconds so far, bytes, GPU load (0..1) and GPU bytes.

    `read`, `written` (disk), `received` and `sent` (network) are bytes so far; where a service tells only how fast, the rates are
    bytes per second. Limits: the cores and bytes that it may use.
    """

    replica: str
    time: float
    cpu: float | None = None
    cpu_time: float | None = None
    memory: int | None = None
    peak_memory: int | None = None
    gpu: float | None = None
    gpu_memory: int | None = None
    read: int | None = None
    written: int | None = None
    received: int | None = None
    sent: int | None = None
    read_rate: float | None = None
    write_rate: float | None = None
    receive_rate: float | None = None
    send_rate: float | None = None
    cores: float | None = None
    memory_limit: int | None = None
    gpu_memory_limit: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """An address on the web; `name` is "console" for the job's page in the console of PAI, "page" for that of another service."""

    name: str
    url: str
    time: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """A sentence for the user, outside the log; `level` is info, warning or error. `alert`: it is one of this kind (alerts)."""

    text: str
    time: float
    level: str = "info"
    alert: str = ""


Event: TypeAlias = StatusChanged | PhaseChanged | ReplicaChanged | LogChunk | Metric | Progress | Usage | Link | Notice
StoredEvent: TypeAlias = StatusChanged | PhaseChanged | ReplicaChanged | Metric | Progress | Usage | Link | Notice

_KINDS: dict[str, Any] = {cls.__name__: cls for cls in get_args(StoredEvent)}  # Any: classes of different shape


def _text(value: object) -> str:
    return text_of(value, "text")


def _number(value: object) -> float:
    return number_of(value, "number")


def _finite(value: object) -> float:
    number = number_of(value, "number")
    if not math.isfinite(number):
        raise FieldError("number", "is not finite")
    return number


def _whole(value: object) -> int:
    return whole_of(value, "number", least=-MAX_WHOLE)


_READERS: dict[str, Any] = {  # Any: functions of different shape
    "status": Status,
    "phase": Phase,
    "time": partial(time_of, path="time"),
    **dict.fromkeys(("name", "replica", "unit", "url", "text", "level", "alert", "reason"), _text),
    **dict.fromkeys(("value", "step"), _number),
    **dict.fromkeys(("done", "total", "cpu", "cpu_time", "gpu", "cores"), _finite),
    **dict.fromkeys(("read_rate", "write_rate", "receive_rate", "send_rate"), _finite),
    **dict.fromkeys(("exit_code", "attempt", "offset", "memory", "peak_memory", "gpu_memory"), _whole),
    **dict.fromkeys(("read", "written", "received", "sent", "memory_limit", "gpu_memory_limit"), _whole),
}


_NEEDED = frozenset(
    {
        "status",
        "phase",
        "time",
        "name",
        "replica",
        "unit",
        "url",
        "text",
        "level",
        "alert",
        "reason",
        "value",
        "done",
        "attempt",
    }
)


def number_to_json(value: float) -> float | str:
    """Return the number, or its name if JSON has no such number."""
    return value if math.isfinite(value) else str(float(value))


def event_to_json(event: StoredEvent) -> dict[str, Any]:  # Any: JSON values
    """Convert the event to JSON: its class name under `kind`, and every field that differs from its default."""
    out: dict[str, Any] = {"kind": type(event).__name__}
    for item in fields(event):
        value = getattr(event, item.name)
        if value != item.default:
            out[item.name] = number_to_json(value) if isinstance(value, float) else value
    return out


def event_from_json(value: Mapping[str, Any]) -> StoredEvent | None:  # Any: parsed JSON
    """Read what `event_to_json` wrote.

    Unknown fields are ignored. Returns None for an unknown kind, status or phase, or a missing field.
    """
    kind = value.get("kind")
    cls = _KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        return None
    given = {item.name: value[item.name] for item in fields(cls) if item.name in value}
    try:
        for name, item in given.items():
            if item is not None:
                given[name] = _READERS[name](item)
            elif name in _NEEDED:
                return None
        event: StoredEvent = cls(**given)
    except (TypeError, ValueError):
        return None
    return event
