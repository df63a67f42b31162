"""The metrics of a message, read from the events of its job.

Rule: the first replica that a job has tells its metrics by their own names; those of another one end in `/worker-1`.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from pai_jupyter.contract.topology import replicas
from pai_jupyter.delivery.tracking.due import counted_key, counts_in
from pai_jupyter.delivery.tracking.names import accepted
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Metric, event_from_json
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.store import JobFolder

_START = b'{"kind":"Metric"'
_LARGEST = 2**63 - 1  # a step of MLflow
INFINITY = 1.7976931348623157e308  # what MLflow's SQL store keeps of an infinite value


@dataclass(frozen=True)
class Point:
    """A metric as MLflow takes it: `time` in milliseconds."""

    key: str
    value: float
    time: int
    step: int

    @property
    def identity(self) -> tuple[str, int, int, str]:
        """What MLflow's SQL store tells rows apart by."""
        value = math.copysign(INFINITY, self.value) if math.isinf(self.value) else self.value
        return self.key, self.time, self.step, repr(float(value))


def points_in(folder: JobFolder, body: Mapping[str, Json], clean: Callable[[str], str]) -> list[Point]:
    """Return the metrics of a message; `clean` masks secrets in names.

    Raises:
        PaiJupyterError: the job's events cannot be read.
    """
    names, is_plain = metric_names(folder.read().state, clean), _plain_replica(folder.record.spec)
    counts = counts_in(body, "before")
    found = []
    for event in _metrics(folder, body):
        step = event.step
        if step is None:
            key = counted_key(event)
            step = counts.get(key, 0)  # as the charts of ours count
            counts[key] = step + 1
        name = names.get(event.name) or accepted([clean(event.name)])[clean(event.name)]
        key = name if is_plain(event.replica) else f"{name}/{event.replica}"
        found.append(Point(key, event.value, int(event.time * 1000), _whole(step)))
    return found


def metric_names(state: JobState, clean: Callable[[str], str]) -> dict[str, str]:
    """Return the names at MLflow of the metrics that the job has told."""
    names = accepted(map(clean, state.metrics))
    return {name: names[clean(name)] for name in state.metrics}


def _plain_replica(spec: JobSpec) -> Callable[[str], bool]:
    """Return whether a replica is the job's first, or its only one."""
    names: list[str] = []
    with suppress(SpecError):
        names = [it.name for it in replicas(spec)]
    return lambda name: len(names) < 2 or name in ("", names[0])


def _metrics(folder: JobFolder, body: Mapping[str, Json]) -> Iterator[Metric]:
    start, end = body.get("from"), body.get("to")
    if not isinstance(start, int) or not isinstance(end, int):
        return
    lines, _ = folder.event_lines(start, limit=end - start)
    for line in lines:
        start += len(line) + 1
        if start > end:
            return
        if line.startswith(_START):
            with suppress(ValueError, RecursionError):
                event = event_from_json(json.loads(line))
                if isinstance(event, Metric):
                    yield event


def _whole(step: float) -> int:
    if not math.isfinite(step):
        return 0
    return max(-_LARGEST, min(_LARGEST, math.floor(step)))
