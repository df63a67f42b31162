"""What a job's log has said of its metrics and its progress, by the algorithm's own definitions and no others."""

import math
from typing import TYPE_CHECKING

from pai_jupyter.emulator.api import Fields
from pai_jupyter.emulator.studio.order import PROGRESS, REMAINING
from pai_jupyter.emulator.times import written
from pai_jupyter.events import Metric

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World


def metrics_of(world: "World", job_id: str) -> list[Metric]:
    """Every value of every defined metric, as the log printed them. What is no number in JSON is not told."""
    job = world.runner.job(job_id)
    defined = {definition.name for definition in job.spec.metric_definitions} if job else set()
    if job is None or not defined:
        return []
    events, _ = job.folder.events()
    return [
        event for event in events if isinstance(event, Metric) and event.name in defined and math.isfinite(event.value)
    ]


def told(metric: Metric) -> Fields:
    return {"Name": metric.name, "Value": metric.value, "Timestamp": written(metric.time)}


def latest_metrics(world: "World", job_id: str, names: list[str] | None = None) -> list[Fields]:
    """The last value of each metric, or of each of `names`."""
    last = {metric.name: metric for metric in metrics_of(world, job_id) if metric.name not in (PROGRESS, REMAINING)}
    return [told(metric) for name, metric in last.items() if not names or name in names]


def latest_progress(world: "World", job_id: str) -> Fields:
    last = {metric.name: metric for metric in metrics_of(world, job_id)}
    found: Fields = {}
    if PROGRESS in last:
        found["OverallProgress"] = {"Value": last[PROGRESS].value, "Timestamp": written(last[PROGRESS].time)}
    if REMAINING in last:
        found["RemainingTime"] = {"Value": round(last[REMAINING].value), "Timestamp": written(last[REMAINING].time)}
    return found
