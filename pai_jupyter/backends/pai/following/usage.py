"""Convert the service's monitoring of a job's instances to `Usage`.

The service returns percentages of a machine, and of disk and network bytes per second, one call per kind; cores and bytes
follow from the machine's size, which is requested once.

Rule 1: usage is optional. It is requested only while the job is viewed, and a kind that the job lacks only once.
Rule 2: errors are ignored; the next poll of the job reports problems.
Rule 3: all kinds are requested up to the same second; else a sample that comes between two requests would be told without the kinds
    requested before it, and be known from then on.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from pai_jupyter.backends.pai.services.job_service import DEADLINE
from pai_jupyter.backends.pai.services.status_map import Fields, objects, read_time, write_time
from pai_jupyter.cloud.client import Client, Query, dlc, paistudio
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Usage

EVERY = 10.0  # seconds
BEFORE = 120.0  # seconds before the first request that it also covers
GB = 1024**3
# Beginnings of kinds that a job may lack -> empty answers until they are not requested any more.
_PATIENCE = {"Gpu": 1, "Dis": 6, "Net": 6}

# The service's kinds -> fields of `Usage`.
KINDS = {
    "CpuCoreUsage": "cpu",
    "MemoryUsage": "memory",
    "GpuCoreUsage": "gpu",
    "GpuMemoryUsage": "gpu_memory",
    "DiskReadRate": "read_rate",
    "DiskWriteRate": "write_rate",
    "NetworkInputRate": "receive_rate",
    "NetworkOutputRate": "send_rate",
}
LIMITS = {
    "cpu": "cores",
    "memory": "memory_limit",
    "gpu_memory": "gpu_memory_limit",
}  # of a machine -> fields of `Usage`


class Monitoring:
    """The usage samples of one job, requested when due."""

    def __init__(self, client: Client, job: str) -> None:
        self._client = client
        self._job = job
        self._due = 0.0
        self._since = time.time() - BEFORE
        self._kinds = list(KINDS)
        self._empty = dict.fromkeys(KINDS, 0)  # kind -> answers in a row without a value
        self._machine: Mapping[str, float] | None = None
        self._newest: dict[str, float] = {}  # replica -> time of the last sample

    async def samples(self, fields: Fields, replicas: Mapping[str, str]) -> list[Usage]:
        """Return new samples, [] if none are due; `fields` describe a running job."""
        if time.monotonic() < self._due or not replicas:
            return []
        self._due = time.monotonic() + EVERY
        try:
            if self._machine is None:
                self._machine = await self._ask_machine(fields)
            until = time.time()
            series = [(kind, await self._ask(kind, until)) for kind in list(self._kinds)]
        except PaiJupyterError:
            return []
        names = {instance: replica for replica, instance in replicas.items()}
        return list(self._new(merged(series, names, self._machine)))

    async def _ask(self, kind: str, until: float) -> list[Fields]:
        span = {"StartTime": write_time(self._since), "EndTime": write_time(until)}
        query = {"MetricType": kind, "TimeStep": "10s", **span}
        answer = await self._client.call(
            paistudio.LIST_TRAINING_JOB_INSTANCE_METRICS,
            path={"training_job_id": self._job},
            query=query,
            deadline=DEADLINE,
        )
        found = objects(answer, "InstanceMetrics")
        self._empty[kind] = 0 if any(objects(each, "Metrics") for each in found) else self._empty[kind] + 1
        if self._empty[kind] == _PATIENCE.get(kind[:3], 0):
            self._kinds.remove(kind)
        return found

    async def _ask_machine(self, fields: Fields) -> Mapping[str, float]:
        resource = fields.get("ComputeResource")
        if not isinstance(resource, dict):
            return {}
        if kind := resource.get("EcsSpec"):
            query: Query = {"InstanceTypes": str(kind), "PageSize": 10}
            answer = await self._client.call(dlc.LIST_ECS_SPECS, query=query, deadline=DEADLINE)
            for spec in objects(answer, "EcsSpecs"):
                if spec.get("InstanceType") == kind:
                    return machine_of(spec)
        share = resource.get("InstanceSpec")
        return machine_of(share if isinstance(share, dict) else {})

    def _new(self, samples: list[Usage]) -> Iterator[Usage]:
        for sample in samples:
            if sample.time > self._newest.get(sample.replica, 0.0):
                self._newest[sample.replica] = sample.time
                self._since = max(self._since, sample.time - EVERY)
                yield sample


def machine_of(spec: Fields) -> Mapping[str, float]:
    """Return a machine's cores and bytes by `Usage` field, without those that are not given."""
    said = {
        "cpu": _number(spec.get("Cpu", spec.get("CPU"))),
        "memory": _number(spec.get("Memory")) * GB,
        "gpu_memory": _number(spec.get("GpuMemory")) * GB,
    }
    return {name: value for name, value in said.items() if value}


def merged(
    series: list[tuple[str, list[Fields]]], replicas: Mapping[str, str], machine: Mapping[str, float]
) -> list[Usage]:
    """Merge the series of all kinds into samples ordered by time; shares of unknown totals are dropped."""
    found: dict[tuple[float, str], dict[str, Any]] = {}  # Any: fields of a Usage
    for kind, instances in series:
        field = KINDS[kind]
        whole = {"gpu": 1.0, **machine}.get(
            field, 100.0 if field.endswith("_rate") else None
        )  # a rate is no percentage
        for instance in instances:
            replica = replicas.get(str(instance.get("InstanceId")))
            for point in objects(instance, "Metrics"):
                at, share = read_time(point.get("Time")), _number(point.get("Value")) / 100
                if replica is not None and at is not None and whole is not None:
                    value = share * whole
                    found.setdefault((at, replica), {})[field] = int(value) if "memory" in field else value
    limits: dict[str, Any] = {  # Any: as above
        LIMITS[name]: int(whole) if "memory" in name else whole for name, whole in machine.items()
    }
    return [Usage(replica=replica, time=at, **values, **limits) for (at, replica), values in sorted(found.items())]


def _number(text: object) -> float:
    """Parse the number in `4`, `"8Gi"` or `32.0`; return 0 if there is none."""
    digits = str(text or "").lower().removesuffix("gib").removesuffix("gi").removesuffix("g").strip()
    try:
        return float(digits)
    except ValueError:
        return 0.0
