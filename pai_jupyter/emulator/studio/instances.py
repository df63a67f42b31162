"""The machines of a training job: `train129f212o89d-master-0`. They are there once the job runs."""

import time
from typing import TYPE_CHECKING

from pai_jupyter import contract
from pai_jupyter.emulator.api import Fields, Refusal
from pai_jupyter.emulator.faults import FaultName, late_by

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World

_STATUSES = {"Running": "Running", "Succeed": "Succeeded", "Failed": "Failed", "Terminated": "Terminated"}


def instances_of(world: "World", record: Fields) -> list[Fields]:
    """List the instances of a job."""
    return [
        {
            "Name": f"{record['TrainingJobId']}-{replica}",
            "Role": replica.rpartition("-")[0],
            "Status": _STATUSES.get(str(record["Status"]), "Unknown"),
        }
        for replica in _replicas(world, record)
    ]


def replica_of(world: "World", record: Fields, instance: str | None) -> str:
    """Return the replica of an instance; the first one where none is named.

    Raises:
        Refusal: there is no such instance, or not yet.
    """
    job_id, replicas = str(record["TrainingJobId"]), _replicas(world, record)
    name = (instance or "").removeprefix(f"{job_id}-")
    if not replicas or (instance and (name not in replicas or name == instance)):
        what = f"instance {instance!r}" if instance else "instance"
        raise Refusal(404, "TRAINING_JOB_INSTANCE_NOT_FOUND", f"training job {job_id} has no {what[:200]} yet")
    return name or replicas[0]


def _replicas(world: "World", record: Fields) -> list[str]:
    job = world.runner.job(str(record["TrainingJobId"]))
    if job is None or str(record["Status"]) not in _STATUSES:
        return []
    late = late_by(record, FaultName.LATE_INSTANCES)
    if late is not None:  # else nobody need look how the job stands
        began = job.state.entered.get("running")
        if began is None or time.time() < began + late:
            return []
    return [replica.name for replica in contract.replicas(job.spec)]
