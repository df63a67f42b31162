"""A training job from its creation to its end, one task for each, over restarts of the emulator.

    Creating ─► Created ─► Initializing ─► Submitted ─► Running ─► Succeed | Failed | Terminated
        └─► CreateFailed        └─► InitializeFailed

What is known of a job is its record; what runs is a job of `world.runner` with the same id. A task that begins finds out
from these two where it is: a job that nobody has submitted yet begins anew, any other is followed to its end.

Rule 1: a terminal status is entered once, after the last byte of the outputs is in OSS and of the log in its file.
Rule 2: a record is changed in the event loop alone, so no two changes cross.
"""

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.emulator.api import Fields, Refusal
from pai_jupyter.emulator.checks import stamp
from pai_jupyter.emulator.faults import FaultName
from pai_jupyter.emulator.studio.channels import Channels, resolve
from pai_jupyter.emulator.studio.order import job_spec
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Status
from pai_jupyter.spec import Json

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World
    from pai_jupyter.jobs import Job

KIND = "trainingjobs"
TERMINAL = frozenset({"Succeed", "Failed", "Terminated", "CreateFailed", "InitializeFailed"})
STATUSES = frozenset({"Creating", "Created", "Initializing", "Submitted", "Running"}) | TERMINAL
_ENDS = {Status.SUCCEEDED: "Succeed", Status.FAILED: "Failed", Status.STOPPED: "Terminated"}
_CODES = {"Failed": "AlgorithmError", "Terminated": "StoppedByUser"}
_SAVE_PAUSE = 2.0  # seconds between two looks at what a running job has put out

_TROUBLE = (PaiJupyterError, Refusal, OSError)  # of the job, of OSS, of the disk

_log = logging.getLogger(__name__)
_tasks: dict[str, asyncio.Task[None]] = {}


@asynccontextmanager
async def followed(world: "World") -> AsyncIterator[None]:
    """Follow every job that has not ended, and those that begin, until the emulator ends. The jobs go on."""
    for record in world.records(KIND).all():
        if record["Status"] not in TERMINAL:
            follow(world, str(record["TrainingJobId"]))
    try:
        yield
    finally:
        tasks = [*_tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def follow(world: "World", job_id: str) -> None:
    """Have the job of this record live its life."""
    task = _tasks[job_id] = asyncio.get_running_loop().create_task(_Life(world, job_id).run())
    task.add_done_callback(lambda _: _tasks.pop(job_id, None))


def enter(world: "World", job_id: str, status: str, code: str = "", message: str = "") -> None:
    """Note that the job has entered a status."""
    record, now = world.records(KIND).get(job_id), stamp()
    if record is None or record["Status"] in TERMINAL:
        return
    kept = record["StatusTransitions"]
    assert isinstance(kept, list)
    transitions: list[Json] = [dict(each) for each in kept if isinstance(each, dict)]
    if transitions and isinstance(transitions[-1], dict):
        transitions[-1]["EndTime"] = now
    transitions.append(
        {"Status": status, "StartTime": now, "EndTime": "", "ReasonCode": code, "ReasonMessage": message}
    )
    world.records(KIND).change(
        job_id,
        Status=status,
        ReasonCode=code,
        ReasonMessage=message,
        StatusTransitions=transitions,
        GmtModifiedTime=now,
    )


def folder_of(world: "World", job_id: str) -> Path:
    """Where the job's code, inputs and outputs lie while it runs."""
    return world.data / "work" / job_id


class _Life:
    def __init__(self, world: "World", job_id: str) -> None:
        self._world = world
        self._id = job_id
        self._is_saved = False

    async def run(self) -> None:
        try:
            if self._world.runner.job(self._id) is None:
                await self._begin()
            job = self._world.runner.job(self._id)
            if job is not None:
                await self._go_on(job)
        except Exception as exc:  # noqa: BLE001  the end of a task; its message may hold what a job must not tell
            where = "".join(traceback.format_tb(exc.__traceback__))
            _log.error("job %s: %s in\n%s", self._id, type(exc).__name__, where)
            self._enter("Failed", "InternalError", f"the emulator failed ({type(exc).__name__}).")

    async def _begin(self) -> None:
        """Do all that comes before the job runs; without a submission it has ended."""
        try:
            self._strike(FaultName.CREATE_FAILED)
            channels = self._channels()
        except PaiJupyterError as exc:
            self._enter("CreateFailed", "InvalidParameter", str(exc))
            return
        self._enter("Created")
        self._enter("Initializing")
        try:
            self._strike(FaultName.INITIALIZE_FAILED)
            directories = await asyncio.to_thread(channels.bring, self._body)
            self._world.records(KIND).change(self._id, Notes=[*channels.notes])
            algorithm = self._fields("Algorithm")
            image = self._world.runner.image(str(algorithm["Image"]))
            spec = job_spec(self._body, algorithm, directories, job_id=self._id, image=image)
            if self._record["IsStopped"]:
                self._end("Terminated")
                channels.forget()
                return
            await self._world.runner.submit(spec, channels.source, job_id=self._id)
        except _TROUBLE as exc:
            self._enter("InitializeFailed", "InitializeFailed", str(exc))
            channels.forget()
            return
        self._enter("Submitted")

    async def _go_on(self, job: "Job") -> None:
        channels = self._channels()
        saving = asyncio.create_task(self._save_now_and_then(channels))
        try:
            if self._record["IsStopped"]:
                await self._world.runner.stop(self._id)
            state = await self._world.runner.follow(job, self._note)
        finally:
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
        try:
            await asyncio.to_thread(channels.save)
        except _TROUBLE as exc:
            self._enter("Failed", "OutputNotSaved", str(exc))
        self._note(state)
        self._end(_ENDS[state.status], state.reason)
        await asyncio.to_thread(channels.forget)

    async def _save_now_and_then(self, channels: Channels) -> None:
        while True:
            await asyncio.sleep(_SAVE_PAUSE)
            with suppress(*_TROUBLE):  # a file that is gone again; at the end it is said
                await asyncio.to_thread(channels.save)

    def _note(self, state: JobState) -> None:
        """Note that the job runs, as soon as it does."""
        if str(Status.RUNNING) in state.entered and self._record["Status"] != "Running":
            self._enter("Running")

    def _end(self, status: str, reason: str = "") -> None:
        self._enter(status, _CODES.get(status, ""), reason)

    def _strike(self, fault: FaultName) -> None:
        if str(fault) in self._fields("Faults"):
            raise PaiJupyterError(f"the emulator was asked for the fault {fault}.")

    def _channels(self) -> Channels:
        places = resolve(self._world, self._body, self._fields("Algorithm"))
        return Channels(self._world, folder_of(self._world, self._id), places)

    def _enter(self, status: str, code: str = "", message: str = "") -> None:
        enter(self._world, self._id, status, code, message)

    @property
    def _record(self) -> Fields:
        return self._world.records(KIND).get(self._id) or {"Status": "Terminated", "IsStopped": True}

    @property
    def _body(self) -> Fields:
        return self._fields("Body")

    def _fields(self, name: str) -> Fields:
        value = self._record.get(name)
        return value if isinstance(value, dict) else {}
