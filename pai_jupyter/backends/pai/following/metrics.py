"""Read metrics that only the service has: names that the job did not define and that are not in the log.

Metrics that a job defines are parsed from its log by the same regexes, at once and with their lines. The service's other
metrics are requested; each value is yielded once, even if another process continues following.
"""

import math

from pai_jupyter.backends.pai.services.job import folder_of
from pai_jupyter.backends.pai.services.status_map import Fields, objects, read_time, write_time
from pai_jupyter.cloud.client import Client, paistudio
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Metric
from pai_jupyter.store import JobFolder


class ServiceMetrics:
    """The metric values of one job that were not yielded yet."""

    def __init__(self, client: Client, job: str, job_id: str) -> None:
        self._client = client
        self._job = job
        self._newest = _recorded(job_id)

    async def news(self, fields: Fields) -> list[Metric]:
        """Return new values of metrics that the job did not define; `fields` is the full job description."""
        algorithm = fields.get("AlgorithmSpec")
        defined = {
            each.get("Name") for each in objects(algorithm if isinstance(algorithm, dict) else {}, "MetricDefinitions")
        }
        latest = {str(each.get("Name")): read_time(each.get("Timestamp")) for each in objects(fields, "LatestMetrics")}
        found: list[Metric] = []
        for name, at in latest.items():
            if name not in defined and (at or 0.0) > self._newest.get(name, 0.0):
                found += await self._values(name)
        return sorted(found, key=lambda metric: metric.time)

    async def _values(self, name: str) -> list[Metric]:
        since = self._newest.get(name, 0.0)
        query = {"Name": name, "Order": "ASC", **({"StartTime": write_time(since)} if since else {})}
        found = []
        async for items in self._client.pages(
            paistudio.LIST_TRAINING_JOB_METRICS, path={"training_job_id": self._job}, query=query
        ):
            for item in objects({"Items": items}, "Items"):
                at, value = read_time(item.get("Timestamp")), item.get("Value")
                if at is not None and at > since and isinstance(value, int | float) and math.isfinite(value):
                    found.append(Metric(name=name, value=float(value), time=at))
        self._newest[name] = max((metric.time for metric in found), default=since)
        return found


def _recorded(job_id: str) -> dict[str, float]:
    """Return the time of the last recorded value of each service metric; metrics of a log have a replica."""
    try:
        events, _ = JobFolder(folder_of(job_id)).events()
    except PaiJupyterError:
        return {}
    return {event.name: event.time for event in events if isinstance(event, Metric) and not event.replica}
