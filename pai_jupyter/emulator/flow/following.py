"""The runs of this emulator as they stand, and the process that drives each.

A run of the service is a run of this package in the emulator's home; its driver outlives the emulator. The record has the id of
that run (`Engine`); `state_of` reads how it stands, which starts a driver again where none is at work.

Rule: reading is cheap for a run that has not changed, so that a client may ask as often as it likes.
"""

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from threading import Lock

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.flow.statuses import TERMINAL, of_run
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.steps.builder import work_folder
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.runs import RunWatcher
from pai_jupyter.runs.state import RunState

RUNS = "flowruns"
_PAUSE = 1.0  # seconds between two looks at all runs
_log = logging.getLogger(__name__)


@dataclass
class _Watched:
    """A run that was asked about, with its last state."""

    watcher: RunWatcher
    state: RunState | None = None
    lock: Lock = field(default_factory=Lock)

    def poll(self) -> RunState | None:
        with self.lock:
            self.state = self.watcher.poll() or self.state
            return self.state


_watched: dict[str, _Watched] = {}  # by the id of the engine's run


def run_record(world: EmulatorContext, run_id: str) -> Fields:
    """Return the record of a run, which must exist.

    Raises:
        ApiRefusal: there is no such run.
    """
    record = world.records(RUNS).get(run_id)
    if record is None:
        raise ApiRefusal(404, "RunNotFound", f"there is no run {run_id[:100]!r}")
    return record


async def state_of(record: Fields) -> RunState | None:
    """Return how a run stands; None if it was not started yet, or its files are gone."""
    engine = str(record.get("Engine") or "")
    if not engine:
        return None
    try:
        if engine not in _watched:
            _watched[engine] = _Watched(await asyncio.to_thread(RunWatcher, engine))
        return await asyncio.to_thread(_watched[engine].poll)
    except NotFoundError:
        return None
    except PaiJupyterError as exc:
        _log.warning("run %s cannot be read: %s", engine, exc)
        return _watched[engine].state if engine in _watched else None


async def refreshed(world: EmulatorContext, record: Fields) -> Fields:
    """Return the record with the status in which the run is now."""
    if record["Status"] in TERMINAL or not record.get("Engine"):
        return record
    changes = {name: value for name, value in _standing(await state_of(record)).items() if record.get(name) != value}
    if changes and world.records(RUNS).get(str(record["RunId"])) is not None:
        world.records(RUNS).change(str(record["RunId"]), **changes)
        if changes.get("Status") in TERMINAL:
            await asyncio.to_thread(shutil.rmtree, work_folder(world.data, str(record["Engine"])), ignore_errors=True)
    return {**record, **changes}


def _standing(state: RunState | None) -> Fields:
    if state is None:
        return {"Status": "Unknown", "Message": "its files cannot be read"}
    return {
        "Status": of_run(state),
        "Message": state.reason or "",
        "Started": state.created,
        "Ended": state.ended,
    }


async def refresh_all(world: EmulatorContext) -> None:
    """Bring the records of all runs that have not ended up to date."""
    for record in list(world.records(RUNS).all()):
        await refreshed(world, record)


def forget(engine: str) -> None:
    """Drop what is known of a run that is deleted."""
    _watched.pop(engine, None)


@asynccontextmanager
async def followed_runs(world: EmulatorContext) -> AsyncIterator[None]:
    """Look after all runs until the emulator ends: a driver that is gone is started again. The runs go on after that."""
    task = asyncio.create_task(_follow(world))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        _watched.clear()


async def _follow(world: EmulatorContext) -> None:
    while True:
        await refresh_all(world)
        await asyncio.sleep(_PAUSE)
