"""What a job's log has said of its metrics and its progress, by the algorithm's own definitions and no others."""

from typing import TYPE_CHECKING

from pai_jupyter.emulator.api import Fields
from pai_jupyter.emulator.studio.event_log import event_log
from pai_jupyter.emulator.studio.order import PROGRESS, REMAINING
from pai_jupyter.emulator.times import written
from pai_jupyter.events import Metric

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World


def last_metrics(world: "World", job_id: str) -> dict[str, Metric]:
    """Return the last value of each metric and of the progress, without values that JSON cannot write."""
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
