"""A job of DLC from its creation to its end, one task for each, over restarts of the emulator.

    Creating ─► Queuing ─► EnvPreparing ─► Running ─► Succeeded | Failed | Stopped
                                     Stopping ┘ (on its way there)

What is known of a job is its record; what runs is a job of `world.runner` with the same id, as for training jobs.

Rule: a terminal status is entered once, after the last byte of the data sources is in OSS and of the log in its file.
"""

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pai_jupyter.emulator.api import Fields, Refusal
from pai_jupyter.emulator.checks import stamp
from pai_jupyter.emulator.dlc.order import job_spec, mount_path
from pai_jupyter.emulator.faults import FaultName
from pai_jupyter.emulator.studio.channels import Channels, Places
from pai_jupyter.emulator.studio.wanted import items_of
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import JobState, Status
from pai_jupyter.spec import Json
from pai_jupyter.storage import OssUrl, parse_oss_url

if TYPE_CHECKING:
    from pai_jupyter.emulator.world import World
    from pai_jupyter.jobs import Job

KIND = "dlcjobs"
TERMINAL = frozenset({"Succeeded", "Failed", "Stopped"})
STATUSES = frozenset({"Creating", "Queuing", "EnvPreparing", "Running", "Stopping"}) | TERMINAL
_ENDS = {Status.SUCCEEDED: "Succeeded", Status.FAILED: "Failed", Status.STOPPED: "Stopped"}
_TIMES = {  # the field of a job that says when it has entered a status
    "Queuing": "GmtSubmittedTime",
    "Running": "GmtRunningTime",
    "Succeeded": "GmtSuccessedTime",
    "Failed": "GmtFailedTime",
    "Stopped": "GmtStoppedTime",
}
_SAVE_PAUSE = 2.0  # seconds between two looks at what a running job has written
_TROUBLE = (PaiJupyterError, Refusal, OSError)  # of the job, of OSS, of the disk

_log = logging.getLogger(__name__)
_tasks: dict[str, asyncio.Task[None]] = {}


@asynccontextmanager
async def followed(world: "World") -> AsyncIterator[None]:
    """Follow every job that has not ended, and those that begin, until the emulator ends. The jobs go on."""
    for record in world.records(KIND).all():
        if record["Status"] not in TERMINAL:
            follow(world, str(record["JobId"]))
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
    if record is None or record["Status"] in TERMINAL or record["Status"] == status:
        return
    history: list[Json] = [*items_of(record, "StatusHistory")]
    if history and isinstance(history[-1], dict):
        history[-1] = {**history[-1], "EndTime": now}
    history.append({"Status": status, "StartTime": now, "EndTime": "", "ReasonCode": code, "ReasonMessage": message})
    times: dict[str, Json] = {_TIMES[status]: now} if status in _TIMES else {}
    if status in TERMINAL:
        times["GmtFinishTime"] = now
    world.records(KIND).change(
        job_id,
        Status=status,
        ReasonCode=code,
        ReasonMessage=message,
        StatusHistory=history,
        GmtModifiedTime=now,
        **times,
    )


class _Life:
    def __init__(self, world: "World", job_id: str) -> None:
        self._world = world
        self._id = job_id

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
        self._enter("Queuing")
        self._enter("EnvPreparing")
        try:
            self._strike()
            channels = self._channels()
            await asyncio.to_thread(channels.bring, {})
            spec = job_spec(
                self._body,
                {name: (wanted, self._folder / "output" / name) for name, (wanted, _) in self._mounts().items()},
                job_id=self._id,
                image=self._world.runner.image,
                is_container=self._world.backend == "docker",
            )
            if self._record["IsStopped"]:
                self._enter("Stopped", "StoppedByUser")
                return
            await self._world.runner.submit(spec, channels.source, job_id=self._id)
        except _TROUBLE as exc:
            self._enter("Failed", "EnvPrepareFailed", str(exc))

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
            self._enter("Failed", "DataSourceNotSaved", str(exc))
        self._note(state)
        end = _ENDS[state.status]
        self._enter(end, "StoppedByUser" if end == "Stopped" else f"Job{end}", state.reason)
        await asyncio.to_thread(channels.forget)

    async def _save_now_and_then(self, channels: Channels) -> None:
        while True:
            await asyncio.sleep(_SAVE_PAUSE)
            with suppress(*_TROUBLE):  # a file that is gone again; at the end it is said
                await asyncio.to_thread(channels.save)

    def _note(self, state: JobState) -> None:
        """Note that the job runs, as soon as it does."""
        if str(Status.RUNNING) in state.entered and self._record["Status"] == "EnvPreparing":
            self._enter("Running")

    def _strike(self) -> None:
        faults = self._record.get("Faults")
        for fault in (FaultName.CREATE_FAILED, FaultName.INITIALIZE_FAILED):
            if isinstance(faults, dict) and str(fault) in faults:
                raise PaiJupyterError(f"the emulator was asked for the fault {fault}.")

    def _channels(self) -> Channels:
        places = {name: url for name, (_, url) in self._mounts().items()}
        return Channels(self._world, self._folder, Places(code=None, inputs={}, outputs=places))

    def _mounts(self) -> Mapping[str, tuple[str, OssUrl]]:
        """The data sources by names of our own: where the job wants them, and where they are in OSS."""
        mounts = {}
        for number, source in enumerate(items_of(self._body, "DataSources")):
            dataset = self._dataset(source)
            uri = str(source.get("Uri") or dataset.get("Uri"))
            if urlsplit(uri).scheme != "oss":
                raise SpecError(f"the emulator mounts nothing but oss://, and not {uri[:200]!r}.", field="DataSources")
            mounts[f"mount{number}"] = (mount_path(source, dataset), parse_oss_url(uri))
        return mounts

    def _dataset(self, source: Fields) -> Fields:
        if source.get("Uri"):
            return {}
        record = self._world.records("datasets").get(str(source["DataSourceId"]))
        if record is None:
            raise SpecError(f"there is no dataset {str(source['DataSourceId'])[:200]!r}.", field="DataSources")
        return record

    def _enter(self, status: str, code: str = "", message: str = "") -> None:
        enter(self._world, self._id, status, code, message)

    @property
    def _folder(self) -> Path:
        return self._world.data / "work" / self._id

    @property
    def _record(self) -> Fields:
        return self._world.records(KIND).get(self._id) or {"Status": "Stopped", "IsStopped": True, "Body": {}}

    @property
    def _body(self) -> Fields:
        body = self._record["Body"]
        return body if isinstance(body, dict) else {}
