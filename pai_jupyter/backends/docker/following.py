"""Yield the events of a job in containers: running, usage, notices, and the end. `backends.local.following` yields its log.

Rule 1: an engine that does not answer is asked again with growing pauses, with one notice.
Rule 2: first the end is recorded and outputs are handed over, then containers are removed, then the end is yielded.
Rule 3: several processes may follow one job, so every step is idempotent.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress

from pai_jupyter.backends.docker import containers, ownership, queueing
from pai_jupyter.backends.docker.containers import ReplicaState
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.outcome import (
    Circumstances,
    ReplicaExit,
    explain,
    full_disk,
    read_usage,
    save_exit,
    verdict,
)
from pai_jupyter.backends.docker.usage import UsageSampler
from pai_jupyter.backends.docker.watch import EngineWatch
from pai_jupyter.backends.local import disk_errors, misplaced
from pai_jupyter.errors import AuthError, BackendError, NotFoundError, PaiJupyterError, ProtocolError, UnavailableError
from pai_jupyter.events import Event, Notice, Status, StatusChanged
from pai_jupyter.store.disk import read_plain

LOOK = 5.0  # seconds between two checks: the most that a lost wake-up costs
SHORTEST, LONGEST = 0.1, 10.0  # seconds between two tries if the engine does not answer
_NO_ROOM = (  # a container writes its log directly, so nothing can buffer it on a full disk
    "the disk that holds {} is full; what the job prints meanwhile may be missing from its log, and what it writes from its "
    "outputs."
)
STOP_MARK = "stopped"  # file in the job's run/: a stop was requested


async def life(job: Deployment, connect: Callable[[], Client], watch: EngineWatch) -> AsyncIterator[Event]:
    """Yield all events except the log, the terminal status last; `connect` returns an engine client."""
    async for waiting in queueing.until_its_turn(job):
        yield waiting
    is_known_to_run = is_announced = is_full = False
    pause, samples = SHORTEST, UsageSampler()
    with watch.ends_of(job.job_id) as changed:
        while True:
            changed.clear()
            try:
                events = await asyncio.to_thread(_step, connect, job, samples)
            except (AuthError, NotFoundError, ProtocolError):
                raise
            except BackendError as exc:
                if not is_announced:
                    yield Notice(
                        text=f"{exc} It is tried again and again; the job itself goes on.",
                        time=time.time(),
                        level="warning",
                    )
                yield StatusChanged(status=Status.UNKNOWN, time=time.time(), reason=f"{exc} The job itself goes on.")
                is_announced, is_known_to_run = True, False
                await _wait(changed, pause)
                pause = min(2 * pause, LONGEST)
                continue
            is_announced, pause = False, SHORTEST
            for event in events:
                if not (isinstance(event, StatusChanged) and event.status is Status.RUNNING and is_known_to_run):
                    yield event
                is_known_to_run = True
            if events and isinstance(events[-1], StatusChanged) and events[-1].status.is_terminal:
                return
            if is_full != (is_full := await asyncio.to_thread(full_disk, job.folder) is not None) and is_full:
                yield Notice(text=_NO_ROOM.format(job.folder), time=time.time(), level="warning")
            await _wait(changed, min(LOOK, samples.pause()))


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    """Wait for a change, at most `seconds`."""
    with suppress(TimeoutError):
        await asyncio.wait_for(changed.wait(), seconds)


def _step(connect: Callable[[], Client], job: Deployment, samples: UsageSampler) -> list[Event]:
    """Check the job once, finish it if its replicas have ended, and return the new events. Blocking."""
    client = connect()
    states = known_states(client, job)
    exits = ends_in(states)
    if len(exits) < len(states) and verdict(exits, job.deciding) is not None:
        containers.stop(client, job, set(states) - set(exits))
        exits = ends_in(known_states(client, job))
    if len(exits) == len(states):
        return [*_running(states), *_finish(client, job, exits)]
    return [*_running(states), *samples.take(client, job, states)]


def known_states(client: Client, job: Deployment) -> dict[str, ReplicaState]:
    """Return each replica's state; one whose container was removed otherwise counts as ended.

    Raises:
        NotFoundError: the job was never here.
    """
    states = containers.look(client, job)
    lost = [replica for replica, state in states.items() if not state.is_made]
    if len(lost) == len(states) and not any((job.run / f"{replica}.phases").exists() for replica in lost):
        raise NotFoundError(f"backend 'docker' knows no job {job.job_id}.")
    return states | {replica: ReplicaState(exit=ReplicaExit(code=None, is_gone=True)) for replica in lost}


def ends_in(states: Mapping[str, ReplicaState]) -> dict[str, ReplicaExit]:
    return {replica: state.exit for replica, state in states.items() if state.exit is not None}


def end_of(job: Deployment, exits: Mapping[str, ReplicaExit]) -> StatusChanged:
    """Build the terminal status of a job whose replicas have all ended."""
    decision = verdict(exits, job.deciding)
    assert decision is not None, "every replica has ended"
    ended = max((item.ended for item in exits.values() if item.ended is not None), default=time.time())
    status, reason = decision.status, ""
    if status is Status.FAILED and (job.run / STOP_MARK).exists():
        status = Status.STOPPED
    elif status is Status.FAILED:
        reason = explain(exits[decision.replica], _circumstances(job, decision.replica))
        reason = f"{decision.replica}: {reason}" if len(exits) > 1 else reason
    return StatusChanged(status=status, time=ended, reason=reason, exit_code=decision.exit_code)


def _circumstances(job: Deployment, replica: str) -> Circumstances:
    phases = ""
    with suppress(OSError, PaiJupyterError):  # the container may have written anything there
        phases = read_plain(job.run / f"{replica}.phases").decode(errors="replace")
    return Circumstances(
        image=job.images[replica],
        memory=job.memory,
        max_run_time=job.max_run_time,
        has_run="running" in phases,
        full_disk=full_disk(job.folder),
    )


def _running(states: Mapping[str, ReplicaState]) -> Iterator[StatusChanged]:
    started = [state.started for state in states.values() if state.started is not None]
    if started:
        yield StatusChanged(status=Status.RUNNING, time=min(started))


def _finish(client: Client, job: Deployment, exits: Mapping[str, ReplicaExit]) -> Iterator[Event]:
    """Record the end, give the outputs to the user, remove the containers."""
    end = end_of(job, exits)
    with disk_errors(job.run):
        for replica, item in exits.items():
            save_exit(job.run, replica, item)
    try:
        with disk_errors(job.folder):
            ownership.take_back(client, job)
    except UnavailableError:
        raise
    except BackendError as exc:
        yield Notice(text=f"the outputs are there, but {exc}", time=time.time(), level="warning")
    for sentence in misplaced(job.folder):
        yield Notice(text=sentence, time=time.time(), level="warning")
    containers.remove(client, job)
    for replica in job.replicas:
        usage = read_usage(job.run, replica, end.time)
        if usage is not None:
            yield usage
    yield end
