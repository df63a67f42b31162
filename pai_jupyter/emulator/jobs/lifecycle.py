"""The lifecycle of a job: one task per job, resumed after a restart. A service provides a `JobVocabulary` and a `JobLifecycle`.

    create ─► the service's own steps to submission (`_begin`) ─► Running ─► one of the terminal statuses
                       └─► a terminal status

The state of a job is its record, and the job of `world.runner` with the same id. From these a resumed task knows what to do:
a job that was not submitted starts over, any other is followed to its end.

Rule 1: a terminal status is entered once, after the outputs are completely in OSS and the log is completely in its file.
Rule 2: records are changed only on the event loop, so changes never overlap.
"""

import asyncio
import logging
import traceback
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.jobs.channels import Channels
from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.faults import FaultName, fault_words
from pai_jupyter.emulator.state.records import HIDDEN, new_id
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Status
from pai_jupyter.spec import Json

if TYPE_CHECKING:
    from pai_jupyter.jobs import Job

TROUBLE = (PaiJupyterError, ApiRefusal, OSError)  # errors of the job, of OSS, of the disk
_SAVE_PAUSE = 2.0  # seconds between two saves of a running job's outputs
_ID_LENGTH = 16
_MOST_NOTES = 20  # sentences about the outputs of one job
_LOST_SECRETS = (
    "the emulator restarted before the job began, and does not store secret variables. Create the job again."
)

_log = logging.getLogger(__name__)
_tasks: set[asyncio.Task[None]] = set()


@dataclass(frozen=True, kw_only=True)
class JobVocabulary:
    """The names that one service uses for its jobs' fields and statuses."""

    records: str
    id: str  # the field with a job's id, which begins with `prefix`
    prefix: str
    history: str  # the field with the list of past statuses
    before: frozenset[str]  # statuses of a job that does not run yet
    underway: frozenset[str]  # statuses of a running job
    ends: Mapping[Status, tuple[str, str]]  # our terminal status -> the service's status and reason code
    other_ends: frozenset[str] = frozenset()  # terminal statuses before submission
    not_saved: str  # reason code of a job whose outputs could not be stored in OSS
    times: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # status -> fields with the time it was entered

    @property
    def terminal(self) -> frozenset[str]:
        return self.other_ends | {status for status, _ in self.ends.values()}

    @property
    def statuses(self) -> frozenset[str]:
        return self.before | self.underway | self.terminal


class JobLifecycle(ABC):
    """The lifecycle of one job: changes its record and runs its task."""

    kind: ClassVar[JobVocabulary]
    is_resumed = False  # its record comes from an earlier emulator

    def __init__(self, world: EmulatorContext, job_id: str) -> None:
        self._world = world
        self._id = job_id

    @abstractmethod
    async def _begin(self) -> None:
        """Prepare and submit the job; if it is not submitted, enter a terminal status."""

    @abstractmethod
    def _channels(self) -> Channels:
        """Return the job's code, inputs and outputs."""

    def enter(self, status: str, code: str = "", message: str = "") -> None:
        """Record a new status; after a terminal one, do nothing."""
        records, now = self._world.records(self.kind.records), stamp()
        record = records.get(self._id)
        if record is None or record["Status"] in self.kind.terminal:
            return
        history: list[Json] = [*items_of(record, self.kind.history)]
        if history and isinstance(history[-1], dict):
            history[-1] = {**history[-1], "EndTime": now}
        reason: Fields = {"ReasonCode": code, "ReasonMessage": message}
        history.append({"Status": status, "StartTime": now, "EndTime": "", **reason})
        times: Fields = dict.fromkeys(("GmtModifiedTime", *self.kind.times.get(status, ())), now)
        records.change(self._id, Status=status, **reason, **times, **{self.kind.history: history})

    async def run(self) -> None:
        """Run the job from its current status to its end."""
        try:
            if self._world.runner.job(self._id) is None:
                if self.is_resumed and self._has_lost_secrets():
                    self.enter("Failed", "InternalError", _LOST_SECRETS)
                    return
                await self._begin()
            job = self._world.runner.job(self._id)
            if job is not None:
                await self._go_on(job)
        except Exception as exc:  # noqa: BLE001  nobody awaits this task; its message may contain secrets
            where = "".join(traceback.format_tb(exc.__traceback__))
            _log.error("job %s: %s in\n%s", self._id, type(exc).__name__, where)
            self.enter("Failed", "InternalError", f"the emulator failed ({type(exc).__name__}).")

    async def _go_on(self, job: "Job") -> None:
        channels = self._channels()
        saving = asyncio.create_task(_save_periodically(channels))
        try:
            if self._record["IsStopped"]:
                await self._world.runner.stop(self._id)
            state = await self._world.runner.follow(job, self._note)
        finally:
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
        try:
            self._add_notes(await asyncio.to_thread(channels.save))
        except TROUBLE as exc:
            self.enter("Failed", self.kind.not_saved, str(exc))
        self._note(state)
        self._end(state.status, state.reason)
        await asyncio.to_thread(channels.forget)

    def _add_notes(self, notes: list[str]) -> None:
        """Record which outputs were not stored in OSS, e.g. links to other directories."""
        records = self._world.records(self.kind.records)
        record = records.get(self._id)
        if notes and record is not None:
            records.change(self._id, Notes=[*_list(record.get("Notes")), *notes[:_MOST_NOTES]])

    def _note(self, state: JobState) -> None:
        """Enter `Running` as soon as the job runs."""
        if str(Status.RUNNING) in state.entered and self._record["Status"] in self.kind.before:
            self.enter("Running")

    def _end(self, status: Status, reason: str = "") -> None:
        word, code = self.kind.ends[status]
        self.enter(word, code, reason)

    def _strike(self, *faults: FaultName) -> None:
        """Raise an error if the job was created with one of these faults."""
        for fault in faults:
            if str(fault) in mapping_of(self._record, "Faults"):
                raise PaiJupyterError(f"the emulator was asked for the fault {fault}.")

    def _has_lost_secrets(self) -> bool:
        """Return whether the record was restored without its secret variables, which are never written."""
        variables = [*mapping_of(self._body, "Envs").values(), *mapping_of(self._body, "Environments").values()]
        return HIDDEN in variables

    @property
    def _folder(self) -> Path:
        """Directory of the job's code, inputs and outputs while it runs."""
        return self._world.data / "work" / self._id

    @property
    def _record(self) -> Fields:
        """The job's record; that of a stopped job if it was deleted meanwhile."""
        gone: Fields = {"Status": self.kind.ends[Status.STOPPED][0], "IsStopped": True}
        return self._world.records(self.kind.records).get(self._id) or gone

    @property
    def _body(self) -> Fields:
        return mapping_of(self._record, "Body")


def create(call: ApiCall, lives: type[JobLifecycle], name: str, fields: Fields) -> str:
    """Create the record of a job, with the service's own `fields`, start its task, and return its id."""
    kind, now = lives.kind, stamp()
    job_id = new_id(kind.prefix)[:_ID_LENGTH] + fault_words(name)
    record: Fields = {
        kind.id: job_id,
        **fields,
        "UserId": call.account,
        "Body": dict(call.body),
        "Status": "",
        kind.history: [],
        "GmtCreateTime": now,
        "GmtModifiedTime": now,
        "IsStopped": False,
        "Faults": call.world.faults.strike_job(call.operation.action, name),
    }
    call.world.records(kind.records).put(job_id, record)
    life = lives(call.world, job_id)
    life.enter("Creating")
    _follow(life)
    return job_id


@asynccontextmanager
async def followed(world: EmulatorContext, every: Iterable[type[JobLifecycle]]) -> AsyncIterator[None]:
    """Run the tasks of all unfinished and new jobs until the emulator ends; the jobs themselves go on."""
    for lives in every:
        for record in world.records(lives.kind.records).all():
            if record["Status"] not in lives.kind.terminal:
                life = lives(world, str(record[lives.kind.id]))
                life.is_resumed = True
                _follow(life)
    try:
        yield
    finally:
        tasks = [*_tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _follow(life: JobLifecycle) -> None:
    task = asyncio.get_running_loop().create_task(life.run())
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


async def _save_periodically(channels: Channels) -> None:
    while True:
        await asyncio.sleep(_SAVE_PAUSE)
        with suppress(*TROUBLE):  # e.g. a deleted file; the save at the job's end reports errors
            await asyncio.to_thread(channels.save)
