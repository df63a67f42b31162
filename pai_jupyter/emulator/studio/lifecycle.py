"""Statuses of a training job, its way to submission (see `jobs.lifecycle`), and its instances.

Creating ─► Created ─► Initializing ─► Submitted ─► Running ─► Succeed | Failed | Terminated
    └─► CreateFailed        └─► InitializeFailed

Its instances (e.g. `train129f212o89d-master-0`) exist once it runs.
"""

import asyncio
import time

from pai_jupyter import contract
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.jobs.channels import Channels
from pai_jupyter.emulator.jobs.lifecycle import TROUBLE, JobLifecycle, JobVocabulary
from pai_jupyter.emulator.protocol.fields import mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.state.faults import FaultName, late_by
from pai_jupyter.emulator.studio.locations import resolve
from pai_jupyter.emulator.studio.request_mapping import TRAINING_JOB, job_spec, training_job_json
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Status

KIND = JobVocabulary(
    records="trainingjobs",
    id="TrainingJobId",
    prefix="train",
    history="StatusTransitions",
    before=frozenset({"Creating", "Created", "Initializing", "Submitted"}),
    underway=frozenset({"Running"}),
    ends={
        Status.SUCCEEDED: ("Succeed", ""),
        Status.FAILED: ("Failed", "AlgorithmError"),
        Status.STOPPED: ("Terminated", "StoppedByUser"),
    },
    other_ends=frozenset({"CreateFailed", "InitializeFailed"}),
    not_saved="OutputNotSaved",
)
_INSTANCE_STATUSES = {"Running": "Running", "Succeed": "Succeeded", "Failed": "Failed", "Terminated": "Terminated"}


class TrainingLifecycle(JobLifecycle):
    """The lifecycle of a training job."""

    kind = KIND

    async def _begin(self) -> None:
        try:
            self._strike(FaultName.CREATE_FAILED)
            channels = self._channels()
        except PaiJupyterError as exc:
            self.enter("CreateFailed", "InvalidParameter", str(exc))
            return
        self.enter("Created")
        self.enter("Initializing")
        try:
            self._strike(FaultName.INITIALIZE_FAILED)
            is_submitted = await self._submit(channels)
        except TROUBLE as exc:
            self.enter("InitializeFailed", "InitializeFailed", str(exc))
            channels.forget()
            return
        if is_submitted:
            self.enter("Submitted")
        else:
            self._end(Status.STOPPED)
            channels.forget()

    async def _submit(self, channels: Channels) -> bool:
        """Copy code and inputs and submit the job; return False if it was stopped meanwhile."""
        directories = await asyncio.to_thread(channels.bring, {TRAINING_JOB: training_job_json(self._body)})
        self._world.records(KIND.records).change(self._id, Notes=[*channels.notes])
        algorithm = mapping_of(self._record, "Algorithm")
        image = self._world.runner.image(str(algorithm["Image"]))
        work = None if self._world.backend == "docker" else self._folder
        spec = job_spec(self._body, algorithm, directories, job_id=self._id, image=image, work=work)
        if self._record["IsStopped"]:
            return False
        await self._world.runner.submit(spec, channels.source, job_id=self._id)
        return True

    def _channels(self) -> Channels:
        places = resolve(self._world, self._body, mapping_of(self._record, "Algorithm"))
        return Channels(self._world, self._folder, places)


def instances_of(world: EmulatorContext, record: Fields) -> list[Fields]:
    """List the instances of a job."""
    return [
        {
            "Name": f"{record['TrainingJobId']}-{replica}",
            "Role": replica.rpartition("-")[0],
            "Status": _INSTANCE_STATUSES.get(str(record["Status"]), "Unknown"),
        }
        for replica in _replicas(world, record)
    ]


def replica_of(world: EmulatorContext, record: Fields, instance: str | None) -> str:
    """Return the replica of an instance, by default the first.

    Raises:
        ApiRefusal: there is no such instance, or not yet.
    """
    job_id, replicas = str(record["TrainingJobId"]), _replicas(world, record)
    name = (instance or "").removeprefix(f"{job_id}-")
    if not replicas or (instance and (name not in replicas or name == instance)):
        what = f"instance {instance!r}" if instance else "instance"
        raise ApiRefusal(404, "TRAINING_JOB_INSTANCE_NOT_FOUND", f"training job {job_id} has no {what[:200]} yet")
    return name or replicas[0]


def _replicas(world: EmulatorContext, record: Fields) -> list[str]:
    job = world.runner.job(str(record["TrainingJobId"]))
    if job is None or str(record["Status"]) not in _INSTANCE_STATUSES:
        return []
    late = late_by(record, FaultName.LATE_INSTANCES)
    if late is not None:  # the job's state is needed only for this fault
        began = job.state.entered.get("running")
        if began is None or time.time() < began + late:
            return []
    return [replica.name for replica in contract.replicas(job.spec)]
