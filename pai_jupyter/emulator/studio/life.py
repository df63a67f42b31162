"""How a training job lives (`emulator.life`), and the way to its submission.

Creating ─► Created ─► Initializing ─► Submitted ─► Running ─► Succeed | Failed | Terminated
    └─► CreateFailed        └─► InitializeFailed
"""

import asyncio

from pai_jupyter.emulator.channels import Channels
from pai_jupyter.emulator.faults import FaultName
from pai_jupyter.emulator.fields import mapping_of
from pai_jupyter.emulator.life import TROUBLE, Kind, Life
from pai_jupyter.emulator.studio.order import TRAINING_JOB, job_spec, training_job_json
from pai_jupyter.emulator.studio.places import resolve
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Status

KIND = Kind(
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


class TrainingLife(Life):
    """The life of a training job."""

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
        """Bring what the job needs and start it, unless somebody has stopped it meanwhile."""
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
