"""Fold a job's events into its state. Everything on screen is drawn from a `JobState`.

Rule 1: `apply` accepts every event in every state and never raises.
Rule 2: no status replaces a terminal one; `unknown` ("cannot be reached") says nothing about the job and changes nothing.
Rule 3: the state stays small: last values and extremes, no series, no log text.
Rule 4: extremes ignore nan, so that one bad step does not hide the best value.
Rule 5: progress never decreases, and reaches 1 only when the job has succeeded: a job may do more than its log counts. If both
    the service and the log report progress, the higher value counts.
Rule 6: a metric is that of one replica, of those that have told it the first in the order of RANK (`rank_of`).
Rule 7: a replica that was started again stands as its latest attempt does; the end of an attempt is final.
Its twin in TypeScript folds the same recorded cases (tests/data/fold_cases.json).
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, assert_never

from pai_jupyter.events.types import (
    Event,
    Link,
    LogChunk,
    Metric,
    Notice,
    Phase,
    PhaseChanged,
    Progress,
    ReplicaChanged,
    Status,
    StatusChanged,
    Usage,
    event_from_json,
    event_to_json,
    number_to_json,
)
from pai_jupyter.typed_json import FieldError, Fields, number_of, time_of, whole_of

MAX_NOTICES = 20
UNFINISHED = 0.99  # the highest progress of a job that has not ended
MAX_METRICS = 200  # bounds the state of a job that prints ever new names
MAX_REPLICAS = 1000
_WORD = re.compile(r"[\w-]+", re.ASCII)
_NUMBERED = re.compile(r"(.*)-([0-9]{1,9})")
_RANKS = {"chief": 0, "master": 0, "worker": 1}  # other roles come after them
_NO_REPLICA = (3, 0)  # a metric of the job as a whole, from a service


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricSummary:
    """One metric of one replica so far: last value, its step, extremes and number of values."""

    value: float
    step: float | None
    minimum: float
    maximum: float
    count: int
    replica: str = ""

    def to_json(self) -> list[float | str | None]:
        """Return [value, step, minimum, maximum, count]; for nan see rule 4 of `types`. The state has the replica."""
        step = None if self.step is None else number_to_json(self.step)
        value, minimum, maximum = (number_to_json(number) for number in (self.value, self.minimum, self.maximum))
        return [value, step, minimum, maximum, self.count]

    @classmethod
    def from_json(cls, item: object, path: str = "metric") -> Self:
        if not isinstance(item, list) or len(item) < 5:
            raise FieldError(path, "must be a list of five numbers")
        value, step, minimum, maximum, count = item[:5]
        return cls(
            value=number_of(value, path),
            step=None if step is None else number_of(step, path),
            minimum=number_of(minimum, path),
            maximum=number_of(maximum, path),
            count=whole_of(count, path),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class JobState:
    """The state of one job. `entered` is the time at which each status was first entered (seconds since the epoch)."""

    status: Status = Status.CREATED
    reason: str = ""
    exit_code: int | None = None
    entered: Mapping[str, float] = field(default_factory=dict)
    phases: tuple[PhaseChanged, ...] = ()
    replicas: Mapping[str, ReplicaChanged] = field(default_factory=dict)
    metrics: Mapping[str, MetricSummary] = field(default_factory=dict)
    first_progress: Progress | None = None
    progress: Progress | None = None
    usage: Mapping[str, Usage] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()

    def apply(self, event: Event) -> "JobState":
        """Return the state after `event`."""
        match event:
            case StatusChanged():
                return self._status(event)
            case PhaseChanged():
                return self._phase(event)
            case ReplicaChanged():
                return self._replica(event)
            case Metric():
                return self._metric(event)
            case Progress():
                return self._progress(event)
            case Usage():
                return replace(
                    self, usage={**self.usage, event.replica: _merge_usage(self.usage.get(event.replica), event)}
                )
            case Link():
                return replace(self, links={**self.links, event.name: event.url})
            case Notice():
                return replace(self, notices=(*self.notices, event)[-MAX_NOTICES:])
            case LogChunk():
                return self
            case _:
                assert_never(event)

    @property
    def url(self) -> str | None:
        """The URL of the job's page at its service; None if it has none."""
        return self.links.get("console") or self.links.get("page")

    @property
    def phase(self) -> Phase | None:
        """The latest phase of any replica while the job runs, else None."""
        return self.phases[-1].phase if self.phases and self.status is Status.RUNNING else None

    @property
    def ended(self) -> float | None:
        return self.entered.get(self.status) if self.status.is_terminal else None

    @property
    def standing_replicas(self) -> list[ReplicaChanged]:
        """How the replicas stand: first the cause of a failure, then all in the order of RANK; after the end none runs."""
        first = self.failed_replica
        known = sorted(self.replicas.values(), key=lambda last: (last.replica != first, rank_of(last.replica)))
        lost = Status.UNKNOWN if self.status.is_terminal else Status.RUNNING
        return [replace(last, status=lost) if last.status is Status.RUNNING else last for last in known]

    @property
    def failed_replica(self) -> str:
        """The failed replica that the job's reason names, else the one that failed first; "" if none is known.

        Others may have failed for want of it, or, in between two attempts, before it.
        """
        failed = [last for last in self.replicas.values() if last.status is Status.FAILED]
        named = frozenset(_WORD.findall(self.reason))
        first = min(
            failed, key=lambda last: (last.replica not in named, last.time, rank_of(last.replica)), default=None
        )
        return "" if first is None else first.replica

    def elapsed(self, now: float) -> float | None:
        """Return the seconds since the job began to run (while it waits: to wait), up to its end."""
        start = self.entered.get(Status.RUNNING, min(self.entered.values(), default=None))
        return None if start is None else max(0.0, (self.ended or now) - start)

    def phase_times(self, now: float) -> dict[str, float]:
        """Return the seconds spent queued and in each phase so far, in order."""
        marks: list[tuple[str, float]] = []
        if Status.QUEUED in self.entered:
            marks.append((Status.QUEUED, self.entered[Status.QUEUED]))
        seen: dict[str, float] = {}
        for change in self.phases:
            seen.setdefault(change.phase, change.time)
        marks += seen.items()
        if not seen and Status.RUNNING in self.entered:
            marks.append((Phase.RUNNING, self.entered[Status.RUNNING]))
        ends = [*(start for _, start in marks), self.ended or now][1:]
        return {str(name): max(0.0, end - start) for (name, start), end in zip(marks, ends, strict=True)}

    @property
    def fraction(self) -> float | None:
        """Progress from 0 to 1; None if unknown."""
        part = None if self.progress is None else _part(self.progress)
        if part is None:
            return None
        if self.status is Status.SUCCEEDED:
            return 1.0
        return part if self.status.is_terminal else min(UNFINISHED, part)

    def eta(self, now: float) -> float | None:
        """Estimate the seconds left from the pace since the first progress; None if unknown or ended."""
        first, last = self.first_progress, self.progress
        if self.status.is_terminal or first is None or last is None or not last.total:
            return None
        done, spent = last.done - first.done, last.time - first.time
        if done <= 0 or spent <= 0:
            return None
        return max(0.0, (last.total - last.done) * spent / done - max(0.0, now - last.time))

    def to_json(self) -> dict[str, Any]:  # Any: JSON values
        return {
            "status": str(self.status),
            "reason": self.reason,
            "exit_code": self.exit_code,
            "entered": dict(self.entered),
            "phases": [event_to_json(change) for change in self.phases],
            **_replicas_json(self.replicas),
            "metrics": {name: metric.to_json() for name, metric in self.metrics.items()},
            **_replicas_of_metrics(self.metrics),
            "first_progress": event_to_json(self.first_progress) if self.first_progress else None,
            "progress": event_to_json(self.progress) if self.progress else None,
            "usage": {name: event_to_json(usage) for name, usage in self.usage.items()},
            "links": dict(self.links),
            "notices": [event_to_json(notice) for notice in self.notices],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:  # Any: parsed JSON
        """Read what `to_json` wrote; fields of a newer version are ignored.

        Raises:
            FieldError: a field is invalid.
        """

        def read(item: Any, kind: type) -> Any:  # Any: parsed JSON in, an event of `kind` or None out
            event = event_from_json(item) if isinstance(item, Mapping) else None
            return event if isinstance(event, kind) else None

        given = Fields.of(value, "state")
        return cls(
            status=_read_status(given.text("status", str(Status.UNKNOWN))),
            reason=given.text("reason", ""),
            exit_code=given.whole("exit_code", least=-(2**31), most=2**32) if given.has("exit_code") else None,
            entered={name: time_of(item, path) for name, item, path in given.inside("entered").all()},
            phases=tuple(e for item, _ in given.items("phases") if (e := read(item, PhaseChanged))),
            replicas=_read_replicas(given.inside("replicas")),
            metrics=_read_metrics(given),
            first_progress=read(given.values.get("first_progress"), Progress),
            progress=read(given.values.get("progress"), Progress),
            usage={name: e for name, item, _ in given.inside("usage").all() if (e := read(item, Usage))},
            links=given.texts("links"),
            notices=tuple(e for item, _ in given.items("notices") if (e := read(item, Notice))),
        )

    def _status(self, event: StatusChanged) -> "JobState":
        if self.status.is_terminal or event.status is Status.UNKNOWN:
            return self
        return replace(
            self,
            status=event.status,
            reason=event.reason,
            exit_code=event.exit_code,
            entered={**self.entered, str(event.status): self.entered.get(event.status, event.time)},
        )

    def _phase(self, event: PhaseChanged) -> "JobState":
        known = any(p.phase is event.phase and p.replica == event.replica for p in self.phases)
        return self if known else replace(self, phases=(*self.phases, event))

    def _replica(self, event: ReplicaChanged) -> "JobState":
        old = self.replicas.get(event.replica)
        if event.status is not Status.RUNNING and not event.status.is_terminal:
            return self
        if old is None and len(self.replicas) >= MAX_REPLICAS:
            return self
        if old is not None and (
            event.attempt < old.attempt or (event.attempt == old.attempt and _is_settled(old, event))
        ):
            return self
        return replace(self, replicas={**self.replicas, event.replica: event})

    def _metric(self, event: Metric) -> "JobState":
        old = self.metrics.get(event.name)
        if old is None and len(self.metrics) >= MAX_METRICS:
            return self
        if old is not None and event.replica != old.replica:
            if rank_of(event.replica) >= rank_of(old.replica):
                return self
            old = None  # what another replica told does not count for this one
        seen = [event.value] if old is None else [event.value, old.minimum, old.maximum]
        numbers = [number for number in seen if not math.isnan(number)] or [math.nan]
        summary = MetricSummary(
            value=event.value,
            step=event.step,
            minimum=min(numbers),
            maximum=max(numbers),
            count=old.count + 1 if old else 1,
            replica=event.replica,
        )
        return replace(self, metrics={**self.metrics, event.name: summary})

    def _progress(self, event: Progress) -> "JobState":
        before, part = None if self.progress is None else _part(self.progress), _part(event)
        if before is not None and part is not None and part < before:
            return self
        first = self.first_progress if self._continues(event) else event
        return replace(self, progress=event, first_progress=first)

    def _continues(self, event: Progress) -> bool:
        """Return whether `event` continues the earlier count; a new bar starts a new pace."""
        old = self.progress
        return old is not None and old.total == event.total and old.unit == event.unit and event.done >= old.done


def _is_settled(old: ReplicaChanged, new: ReplicaChanged) -> bool:
    """Return whether `new` says nothing more of an attempt than `old`: backends may repeat events."""
    return old.status.is_terminal or old.status is new.status


def _replicas_json(replicas: Mapping[str, ReplicaChanged]) -> dict[str, Any]:  # Any: JSON values
    names = ("status", "exit_code", "attempt", "time")
    known = {replica: {name: getattr(last, name) for name in names} for replica, last in replicas.items()}
    return {"replicas": known} if known else {}


def _read_replicas(given: Fields) -> dict[str, ReplicaChanged]:
    found: dict[str, ReplicaChanged] = {}
    for replica, item, _ in given.all():
        values = {**item, "kind": ReplicaChanged.__name__, "replica": replica} if isinstance(item, Mapping) else {}
        event = event_from_json(values)
        if isinstance(event, ReplicaChanged):
            found[replica] = event
    return found


def rank_of(replica: str) -> tuple[int, int]:
    """Return the place of a replica in the order of RANK, from its name: chief or master, workers, others, the job itself."""
    match = _NUMBERED.fullmatch(replica)
    return (_RANKS.get(match[1], 2), int(match[2])) if match else (2, 0) if replica else _NO_REPLICA


def _replicas_of_metrics(metrics: Mapping[str, MetricSummary]) -> dict[str, Any]:  # Any: JSON values
    known = {name: metric.replica for name, metric in metrics.items() if metric.replica}
    return {"metric_replicas": known} if known else {}


def _read_metrics(given: Fields) -> dict[str, MetricSummary]:
    replicas = given.inside("metric_replicas").values if given.has("metric_replicas") else {}
    found = {name: MetricSummary.from_json(item, path) for name, item, path in _pairs(given, "metrics")}
    told = {name: replica for name, replica in replicas.items() if isinstance(replica, str)}
    return {name: replace(metric, replica=told.get(name, "")) for name, metric in found.items()}


def _part(progress: Progress) -> float | None:
    return min(1.0, max(0.0, progress.done / progress.total)) if progress.total else None


def _pairs(given: Fields, name: str) -> Iterator[tuple[str, object, str]]:
    """Yield what `Fields.all` yields, but accept any text as the name of a metric."""
    inside = given.inside(name)
    return ((key, value, f"{inside.path}.{key[:100]!r}") for key, value in inside.values.items())


def _read_status(word: Any) -> Status:  # Any: parsed JSON
    """Parse a status; read a word of a newer version as `unknown`."""
    try:
        return Status(word)
    except ValueError:
        return Status.UNKNOWN


def _merge_usage(old: Usage | None, new: Usage) -> Usage:
    if old is None:
        return new
    peaks = [m for m in (old.peak_memory, new.peak_memory) if m is not None]
    kept = {item.name: getattr(old, item.name) for item in fields(old) if getattr(new, item.name) is None}
    return replace(new, **{**kept, "peak_memory": max(peaks, default=None)})
