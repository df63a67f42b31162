"""Queue a job for a slot or start it: the queue of a home's containers (backends/local/slots/pool.py).

With a free slot the submitter starts the containers. Without one a process in its own session (`starter`) waits and starts
them, so it survives the kernel. Running containers hold their job's slot by a label, so no process has to live that long.
Rule: starting, stopping and giving up a job require run/submit.lock and a check of run/start under it. So a job that was
stopped, or recorded as never started, is never started later.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pai_jupyter.backends.docker import containers, starter
from pai_jupyter.backends.docker.deployment import JOB_LABEL, Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.outcome import ReplicaExit, save_exit
from pai_jupyter.backends.local import disk_errors, slots
from pai_jupyter.backends.local.parallel import SlotOrder, pool_label, waiting_reason
from pai_jupyter.backends.local.slots.pool import Pool, is_held
from pai_jupyter.errors import BackendError, UnavailableError
from pai_jupyter.events import Status, StatusChanged
from pai_jupyter.store import JobStore

SLOT_LABEL = "pai_jupyter.slot"  # label of containers that hold a slot: the home
LOOK = 0.25  # seconds between two checks of a queued job
STARTER_LOOK = 2.0  # seconds between two checks that its starter lives
_SECONDS = 30  # seconds; a starter needs 40 ms to queue
_LOCKED = 30.0  # seconds to wait for another process that acts on the job
_START = (
    "import sys; sys.path += sys.argv.pop(1), sys.argv.pop(1); from starter.main import main; main()"  # as in `launch`
)


@contextmanager
def alone(job: Deployment, *, seconds: float = -1) -> Iterator[None]:
    """Hold the lock to start, stop or give up the job; wait at most `seconds` for it (-1 = no limit).

    Raises:
        UnavailableError: another process holds it.
    """
    try:
        with FileLock(job.run / "submit.lock").acquire(timeout=seconds):
            yield
    except Timeout as exc:
        raise UnavailableError(f"job {job.job_id} is being started right now. Try again in a moment.") from exc


def labels(slot: SlotOrder | None) -> dict[str, str]:
    """Return the slot label for a job's containers; {} if the job takes no slot."""
    return {SLOT_LABEL: pool_label(JobStore().home)} if slot else {}


def begin(client: Client, job: Deployment, replicas: Sequence[str], slot: SlotOrder | None) -> None:
    """Start these containers if there is a free slot, else queue them. The caller holds `alone`.

    Raises:
        BackendError: neither was possible.
    """
    if _is_ordered(job):
        revive(job)
        return
    if slot is None or not replicas:
        containers.start(client, job, replicas)
        return
    pool = Pool(slot["folder"], job.job_id, slot["limit"], others=lambda: _running_jobs(client))
    if not slot["gpus"] and pool.take():  # GPUs are held by a starter as long as the containers run
        try:
            containers.start(client, job, replicas)
        finally:
            pool.release()  # from here on the containers hold the slot
        return
    _order(job, replicas, slot)
    _spawn(job)


def is_waiting(job: Deployment) -> bool:
    """Return whether the job is queued for a slot."""
    return _is_ordered(job) and not (job.run / "began").exists()


def reason(job: Deployment) -> str:
    """Return why a queued job has not started yet."""
    with suppress(OSError):
        return waiting_reason("docker", (job.run / "place").read_text())
    return waiting_reason("docker", "")


async def until_its_turn(job: Deployment) -> AsyncIterator[StatusChanged]:
    """Yield the queue position until the containers are started; restart a dead starter."""
    reported, due = None, 0.0
    while _is_ordered(job):
        if is_waiting(job) and (words := reason(job)) != reported:
            reported = words
            yield StatusChanged(status=Status.QUEUED, time=time.time(), reason=words)
        if time.monotonic() >= due:
            with suppress(BackendError):  # no process can be started now; try again later
                await asyncio.to_thread(revive, job)
            due = time.monotonic() + STARTER_LOOK
        await asyncio.sleep(LOOK)


def revive(job: Deployment) -> bool:
    """Restart the starter of a queued or half-started job if it is dead; return whether the job is queued."""
    if _is_ordered(job) and not is_held(str(job.run / "starter.lock")):
        _spawn(job)
    return _is_ordered(job)


def cancel(job: Deployment, mark: Path, connect: Callable[[], Client]) -> bool:
    """Remove the job from the queue and create `mark`; return whether it was queued; if not, the caller stops it.

    Replicas that are not started now are recorded as ended and will never start.
    """
    if not _is_ordered(job):
        return False
    with alone(job, seconds=_LOCKED):
        if not _is_ordered(job):
            return False  # it has just started
        was_waiting = is_waiting(job)
        rest = list(job.replicas)
        if not was_waiting:  # its starter was killed while starting
            rest = [name for name, state in containers.look(connect(), job).items() if state.started is None]
        with disk_errors(mark):
            mark.touch()
            for replica in rest:
                save_exit(job.run, replica, ReplicaExit(code=None, ended=time.time()))
        call_off(job)
    return was_waiting


def call_off(job: Deployment) -> None:
    """Prevent any later start of the job. The caller holds `alone`, or the job is not known elsewhere."""
    (job.run / "start").unlink(missing_ok=True)


def _is_ordered(job: Deployment) -> bool:
    return (job.run / "start").exists()


def _order(job: Deployment, replicas: Sequence[str], slot: SlotOrder) -> None:
    order = {
        "job": job.job_id,
        "slot": slot,
        "label": f"{SLOT_LABEL}={pool_label(JobStore().home)}",
        "job_label": JOB_LABEL,
        "socket": job.engine.removeprefix("unix://"),
        "containers": {replica: job.container(replica) for replica in replicas},
    }
    with disk_errors(job.run):
        for replica in replicas:
            (job.run / f"{replica}.phases").write_text("")  # it waits, so it is not in preparation
        draft = job.run / "start.tmp"
        draft.write_text(json.dumps(order))
        draft.replace(job.run / "start")


def _spawn(job: Deployment) -> None:
    """Run the starter; return once it is queued."""
    code = [str(Path(file).parent.parent) for file in (starter.__file__, slots.__file__)]
    words = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *code, str(job.folder)]
    errors = job.run / "starter.err"
    try:
        with errors.open("wb") as file:
            subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # the starter closes its end once it is queued
                stderr=file,
                env={},
                cwd="/",
                timeout=_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise UnavailableError(f"cannot start a process on this machine: {exc}.") from exc
    if _is_ordered(job) and not is_held(str(job.run / "starter.lock")):
        said = errors.read_text(errors="replace").strip().splitlines() or ["it ended without a message"]
        if _is_ordered(job):
            raise BackendError(f"the job cannot wait for its turn: {said[-1]}.")


def _running_jobs(client: Client) -> set[str]:
    """Return the jobs of this home whose containers hold a slot."""
    with engine_errors("asking what runs"):
        found = client.containers(filters={"label": f"{SLOT_LABEL}={pool_label(JobStore().home)}"})
    return {container["Labels"][JOB_LABEL] for container in found}
