"""Yield the events of a job in containers: running, usage, notices, and the end. `backends.local.following` yields its log.

Rule 1: an engine that does not answer is asked again with growing pauses, with one notice.
Rule 2: first the end is recorded and outputs are handed over, then containers are removed, then the end is yielded.
Rule 3: several processes may follow one job, so every step is idempotent.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from pai_jupyter.backends.docker import containers, ownership, peers, queueing
from pai_jupyter.backends.docker.changes import ReplicaChanges, dismissed
from pai_jupyter.backends.docker.containers import ContainerState
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.outcome import (
    ExitFacts,
    ReplicaExit,
    Verdict,
    explain,
    full_disk,
    read_usage,
    save_exit,
    verdict,
)
from pai_jupyter.backends.docker.usage import UsageSampler
from pai_jupyter.backends.docker.watch import EngineWatch
from pai_jupyter.backends.local import disk_errors, misplaced, unreturned, written_beside
from pai_jupyter.backends.process.supervisor.shards import fault, refusal
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
    pause, samples, changes = SHORTEST, UsageSampler(), ReplicaChanges(job)
    with watch.ends_of(job.job_id) as changed:
        while True:
            changed.clear()
            try:
                events = await asyncio.to_thread(_step, connect, job, samples, changes)
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


def _step(
    connect: Callable[[], Client], job: Deployment, samples: UsageSampler, changes: ReplicaChanges
) -> list[Event]:
    """Check the job once, finish it if its replicas have ended, and return the new events. Blocking."""
    client = connect()
    states = known_states(client, job)
    if due := _overdue(job, states, decide(job, ends_in(states))):
        containers.stop(client, job, due)
        states |= {replica: state for replica, state in known_states(client, job).items() if replica in due}
    exits = ends_in(states)
    is_stopped = (job.run / STOP_MARK).exists()
    changed: list[Event] = [*_running(states), *changes.read(states, decide(job, exits), is_stopped=is_stopped)]
    if len(exits) == len(states):
        return [*changed, *_finish(client, job, exits)]
    return [*changed, *samples.take(client, job, states)]


def decide(job: Deployment, exits: Mapping[str, ReplicaExit]) -> Verdict | None:
    """Derive the job's outcome from the exits so far; None while it is undecided."""
    done = None
    if job.all_done is not None:
        with suppress(OSError):  # they are not
            done = job.all_done.lstat().st_mtime
    decision = verdict(exits, job.deciding, completions=job.completions, dismissed=dismissed(job), done=done)
    if decision is None and len(exits) == len(job.replicas):  # the job told its scripts of an end that never was
        decision = verdict(exits, job.deciding, completions=job.completions)
    return _with_shards(job, decision, is_ill=any(item.code for item in exits.values()))


def _with_shards(job: Deployment, decision: Verdict | None, *, is_ill: bool) -> Verdict | None:
    """Return the outcome, which is a failure if shards are left at the end, or were refused; `is_ill`: a replica failed."""
    all_done = None if job.all_done is None else str(job.all_done)
    is_success = decision is not None and decision.status is Status.SUCCEEDED
    look = fault if is_success else refusal
    reason = look(all_done) if is_success or is_ill else ""
    if not reason:
        return decision
    return replace(decision or Verdict(status=Status.FAILED), status=Status.FAILED, exit_code=None, reason=reason)


def _overdue(job: Deployment, states: Mapping[str, ContainerState], decision: Verdict | None) -> Sequence[str]:
    """Return the replicas that still run though the job is decided, and may do so no longer."""
    running = [replica for replica, state in states.items() if state.exit is None]
    if decision is None or decision.status is Status.FAILED:
        return running if decision is not None else []
    since = time.time() if decision.since is None else time.time() - decision.since
    lasts = {replica: job.lasts.get(replica, 0.0) for replica in running}
    return [replica for replica, seconds in lasts.items() if seconds is not None and since >= seconds]


def known_states(client: Client, job: Deployment) -> dict[str, ContainerState]:
    """Return each replica's state; one whose container was removed otherwise counts as ended.

    Raises:
        NotFoundError: the job was never here.
    """
    states = containers.look(client, job)
    lost = [replica for replica, state in states.items() if not state.is_made]
    if len(lost) == len(states) and not any((job.run / f"{replica}.phases").exists() for replica in lost):
        raise NotFoundError(f"backend 'docker' knows no job {job.job_id}.")
    return states | {replica: ContainerState(exit=ReplicaExit(code=None, is_gone=True)) for replica in lost}


def ends_in(states: Mapping[str, ContainerState]) -> dict[str, ReplicaExit]:
    return {replica: state.exit for replica, state in states.items() if state.exit is not None}


def end_of(job: Deployment, exits: Mapping[str, ReplicaExit]) -> StatusChanged:
    """Build the terminal status of a job whose replicas have all ended."""
    decision = decide(job, exits)
    assert decision is not None, "every replica has ended"
    ended = max((item.ended for item in exits.values() if item.ended is not None), default=time.time())
    status, reason, exit_code = decision.status, "", decision.exit_code
    if status is Status.FAILED and (job.run / STOP_MARK).exists():
        status = Status.STOPPED
    elif status is Status.FAILED:
        reason = decision.reason or _explanation(job, exits, decision.replica)
        exit_code = None if decision.replica and exits[decision.replica].is_lost else exit_code
    return StatusChanged(status=status, time=ended, reason=reason, exit_code=exit_code)


def _explanation(job: Deployment, exits: Mapping[str, ReplicaExit], replica: str) -> str:
    reason = explain(exits[replica], _circumstances(job, replica))
    return f"{replica}: {reason}" if len(exits) > 1 else reason


def _circumstances(job: Deployment, replica: str) -> ExitFacts:
    phases = ""
    with suppress(OSError, PaiJupyterError):  # the container may have written anything there
        phases = read_plain(job.run / f"{replica}.phases").decode(errors="replace")
    return ExitFacts(
        image=job.images[replica],
        memory=job.memory,
        max_run_time=job.max_run_time,
        has_run="running" in phases,
        full_disk=full_disk(job.folder),
    )


def _running(states: Mapping[str, ContainerState]) -> Iterator[StatusChanged]:
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
    for sentence in (*misplaced(job.folder), *unreturned(job.folder)):
        yield Notice(text=sentence, time=time.time(), level="warning")
    for sentence in written_beside(job.folder):
        yield Notice(text=sentence, time=time.time())
    containers.remove(client, job)
    peers.remove_pipes(job)
    for replica in job.replicas:
        usage = read_usage(job.run, replica, end.time)
        if usage is not None:
            yield usage
    yield end
