"""Start the run of a record, end it, delete its files. Each blocks in a thread of its own."""

import asyncio
from contextlib import suppress

from pai_jupyter.emulator import RUNNERS
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.flow.following import RUNS
from pai_jupyter.emulator.flow.manifests import read_arguments
from pai_jupyter.emulator.flow.planning import plan_run
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.errors import NotFoundError, PaiJupyterError

# Of `pai_jupyter.runs` what is needed is imported where it is needed: few emulators run pipelines.
# The cloud has no queue: the limit of a run alone says how many of its jobs there are.
_NO_QUEUE = {f"PAI_JUPYTER_{backend.upper()}_MAX_PARALLEL": "64" for backend in RUNNERS}


async def start(world: EmulatorContext, record: Fields) -> None:
    """Start the run of a record.

    Raises:
        ApiRefusal: it cannot be started.
    """
    try:
        engine = await asyncio.to_thread(_start, world, record)
    except PaiJupyterError as exc:
        raise ApiRefusal(400, "InvalidParameter", str(exc)) from exc
    world.records(RUNS).change(str(record["RunId"]), Engine=engine, Status="Running")


def _start(world: EmulatorContext, record: Fields) -> str:
    parameters, artifacts = read_arguments(str(record["Arguments"]))
    planned = plan_run(
        world, str(record["Name"]), items_of(record, "Documents"), parameters=parameters, artifacts=artifacts
    )
    environment = {**planned.secrets, **_NO_QUEUE}
    from pai_jupyter.runs import start_run

    return start_run(planned.plan, packages=planned.packages, environment=environment).id


async def terminate(world: EmulatorContext, record: Fields) -> None:
    """Stop a run; one that was not started has ended at once."""
    engine = str(record.get("Engine") or "")
    if not engine:
        world.records(RUNS).change(str(record["RunId"]), Status="Terminated")
        return
    from pai_jupyter.runs import attach_run

    await asyncio.to_thread(lambda: attach_run(engine).stop())


async def delete(world: EmulatorContext, record: Fields) -> None:
    """Delete the files of a run that has ended, and its jobs."""
    engine = str(record.get("Engine") or "")
    if not engine:
        return
    from pai_jupyter.runs import attach_run, delete_run

    with suppress(NotFoundError):
        jobs = await asyncio.to_thread(lambda: [job.id for job in attach_run(engine).jobs])
        await asyncio.to_thread(delete_run, engine)
        for job_id in jobs:
            await world.runner.remove(job_id)
