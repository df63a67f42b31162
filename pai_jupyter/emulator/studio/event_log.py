"""Metrics and usage of a training job, read incrementally from its events.

Clients ask about a job many times a minute, and it may have a million values. So reading continues where it stopped, and a
value is kept as three numbers. Only metrics that the algorithm defines are kept.
"""

import math
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, overload
from weakref import WeakKeyDictionary

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.emulator.protocol.times import written
from pai_jupyter.emulator.studio.request_mapping import PROGRESS, REMAINING
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Metric, Usage
from pai_jupyter.events.usage import RATES, UsageSum

if TYPE_CHECKING:
    from pai_jupyter.jobs import Job

_logs: "WeakKeyDictionary[Job, EventLog]" = WeakKeyDictionary()


class EventLog:
    """The values of the metrics that the job's algorithm defines, in order of arrival, and the usage samples."""

    def __init__(self, job: "Job") -> None:
        self._folder = job.folder
        self._names = [definition.name for definition in job.spec.metric_definitions]
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._places = {name: array("L") for name in self._names}  # name -> indexes in the columns
        self._columns = array("I"), array("d"), array("d")  # number of the name, value, time
        self._read = 0  # offset in the events, in bytes
        self.last: dict[str, Metric] = {}
        self.usages: list[Usage] = []
        self._sum = UsageSum()

    def refresh(self) -> None:
        """Read new events."""
        events, self._read = self._folder.events(self._read)
        for event in events:
            rates = dict(self._sum.take(event))
            if isinstance(event, Usage):
                given = {field: rates.get(name) for name, (field, _) in RATES.items() if name != "cpu"}
                self.usages.append(replace(event, **given))  # type: ignore[arg-type]  # they are rates
            elif isinstance(event, Metric) and event.name in self._numbers and math.isfinite(event.value):
                self._add(event)

    def metrics(self, name: str, since: float | None, until: float | None) -> "MetricRows":
        """Return the values of one metric, or of all if `name` is "", between two times; None = no limit."""
        _, _, times = self._columns
        places: Sequence[int] = self._places.get(name, ()) if name else range(len(times))
        if since is not None or until is not None:
            start, end = since or 0.0, math.inf if until is None else until
            places = [place for place in places if start <= times[place] <= end]
        return MetricRows(self._names, self._columns, places)

    def _add(self, metric: Metric) -> None:
        self.last[metric.name] = metric
        if metric.name not in (PROGRESS, REMAINING):
            self._places[metric.name].append(len(self._columns[0]))
            numbers, values, times = self._columns
            numbers.append(self._numbers[metric.name])
            values.append(metric.value)
            times.append(metric.time)


class MetricRows(Sequence[Fields]):
    """A sequence of values in the service's format; items are created when they are taken."""

    def __init__(
        self, names: Sequence[str], columns: "tuple[array[int], array[float], array[float]]", places: Sequence[int]
    ) -> None:
        self._names, self._columns, self._places = names, columns, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Fields: ...
    @overload
    def __getitem__(self, index: slice) -> list[Fields]: ...
    def __getitem__(self, index: int | slice) -> Fields | list[Fields]:
        if isinstance(index, slice):
            return [self._told(place) for place in self._places[index]]
        return self._told(self._places[index])

    def newest_first(self) -> "MetricRows":
        return MetricRows(self._names, self._columns, self._places[::-1])

    def _told(self, place: int) -> Fields:
        numbers, values, times = self._columns
        return {"Name": self._names[numbers[place]], "Value": values[place], "Timestamp": written(times[place])}


def event_log(world: EmulatorContext, job_id: str) -> EventLog | None:
    """Return the job's metrics and usage so far; None before it is submitted."""
    if (job := world.runner.job(job_id)) is None:
        return None
    log = _logs.get(job)
    if log is None:
        log = _logs[job] = EventLog(job)
    with suppress(PaiJupyterError):  # its submission has just failed
        log.refresh()
    return log


def last_metrics(world: EmulatorContext, job_id: str) -> dict[str, Metric]:
    """Return the last finite value of each metric, the progress metrics included."""
    log = event_log(world, job_id)
    return log.last if log else {}


def told(metric: Metric) -> Fields:
    return {"Name": metric.name, "Value": metric.value, "Timestamp": written(metric.time)}


def latest_metrics(last: dict[str, Metric], names: list[str] | None = None) -> list[Fields]:
    """Return the last value of each metric, or of each of `names`."""
    return [
        told(metric)
        for name, metric in last.items()
        if name not in (PROGRESS, REMAINING) and (not names or name in names)
    ]


def latest_progress(last: dict[str, Metric]) -> Fields:
    found: Fields = {}
    if PROGRESS in last:
        found["OverallProgress"] = {"Value": last[PROGRESS].value, "Timestamp": written(last[PROGRESS].time)}
    if REMAINING in last:
        found["RemainingTime"] = {"Value": round(last[REMAINING].value), "Timestamp": written(last[REMAINING].time)}
    return found
