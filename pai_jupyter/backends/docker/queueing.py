"""A job that waits for its slot, or takes it: the line before the containers of a home (backends/local/slots/pool.py).

With a free slot they are started right here, by whoever submits. Without one a process in a session of its own waits and
starts them (`starter`), so a kernel that is killed meanwhile changes nothing. A running container holds its job's slot, by
a label: there is no process that would have to live as long.
Rule: whoever starts, stops or gives up a job holds run/submit.lock, and looks at run/start once he has it. So a job that
    is stopped, or noted as never started, is started by nobody any more.
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

SLOT_LABEL = "pai_jupyter.slot"  # of containers that take a slot: which home's
LOOK = 0.25  # seconds between two looks at a job in line
STARTER_LOOK = 2.0  # seconds between two looks at whether its starter lives
_SECONDS = 30  # a starter takes 40 ms to get in line
_LOCKED = 30.0  # seconds that one waits for somebody else who acts on the job
_START = "import sys; sys.path += sys.argv.pop(1), sys.argv.pop(1); from starter.main import main; main()"  # as `launch` has it


@contextmanager
def alone(job: Deployment, *, seconds: float = -1) -> Iterator[None]:
    """Be the only one who starts, stops or gives up the job; wait for that for `seconds`, or as long as it takes.

    Raises:
        UnavailableError: somebody else is.
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
    """Start these containers if there is a free slot, else have them started when it is their turn. Only when alone.

    Raises:
        BackendError: neither could be done.
    """
    if _is_ordered(job):
        revive(job)
        return
    if slot is None or not replicas:
        containers.start(client, job, replicas)
        return
    pool = Pool(slot["folder"], job.job_id, slot["limit"], others=lambda: _running_jobs(client))
    if pool.take():
        try:
            containers.start(client, job, replicas)
        finally:
            pool.release()  # from here on the containers hold it
        return
    _order(job, replicas, slot)
    _spawn(job)


def is_waiting(job: Deployment) -> bool:
    """Return whether the job is queued for a slot."""
    return _is_ordered(job) and not (job.run / "began").exists()


def reason(job: Deployment) -> str:
    """Why a job that is in line has not begun yet."""
    with suppress(OSError):
        return waiting_reason("docker", (job.run / "place").read_text())
    return waiting_reason("docker", "")


async def until_its_turn(job: Deployment) -> AsyncIterator[StatusChanged]:
    """Tell how far the job is while it is in line, until its containers are started; see that its starter lives."""
    told, due = None, 0.0
    while _is_ordered(job):
        if is_waiting(job) and (words := reason(job)) != told:
            told = words
            yield StatusChanged(status=Status.QUEUED, time=time.time(), reason=words)
        if time.monotonic() >= due:
            with suppress(BackendError):  # no process can be started now; it is tried again
                await asyncio.to_thread(revive, job)
            due = time.monotonic() + STARTER_LOOK
        await asyncio.sleep(LOOK)


def revive(job: Deployment) -> bool:
    """Have the job started that is in line, or half started, should its starter be dead; whether it is so."""
    if _is_ordered(job) and not is_held(str(job.run / "starter.lock")):
        _spawn(job)
    return _is_ordered(job)


def cancel(job: Deployment, mark: Path, connect: Callable[[], Client]) -> bool:
    """Take the job out of the line and leave `mark`; whether it was in line: else what runs of it is to be stopped.

    What is not started now ends here, as is noted for it, and nobody starts it any more.
    """
    if not _is_ordered(job):
        return False
    with alone(job, seconds=_LOCKED):
        if not _is_ordered(job):
            return False  # it has just begun
        was_waiting = is_waiting(job)
        rest = list(job.replicas)
        if not was_waiting:  # its starter was killed when it had begun to start
            rest = [name for name, state in containers.look(connect(), job).items() if state.started is None]
        with disk_errors(mark):
            mark.touch()
            for replica in rest:
                save_exit(job.run, replica, ReplicaExit(code=None, ended=time.time()))
        call_off(job)
    return was_waiting


def call_off(job: Deployment) -> None:
    """Let nobody start the job any more. Only when alone, or for one that nobody knows of."""
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
            (job.run / f"{replica}.phases").write_text("")  # it is not being prepared, it waits
        draft = job.run / "start.tmp"
        draft.write_text(json.dumps(order))
        draft.replace(job.run / "start")


def _spawn(job: Deployment) -> None:
    """Run the starter; returns once it is in line."""
    code = [str(Path(file).parent.parent) for file in (starter.__file__, slots.__file__)]
    words = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *code, str(job.folder)]
    errors = job.run / "starter.err"
    try:
        with errors.open("wb") as file:
            subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # the starter lets go of it when it is in line
                stderr=file,
                env={},
                cwd="/",
                timeout=_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise UnavailableError(f"cannot start a process on this machine: {exc}.") from exc
    if _is_ordered(job) and not is_held(str(job.run / "starter.lock")):
        said = errors.read_text(errors="replace").strip().splitlines() or ["it ended without a word"]
        if _is_ordered(job):
            raise BackendError(f"the job cannot wait for its turn: {said[-1]}.")


def _running_jobs(client: Client) -> set[str]:
    """Return the jobs of this home whose running containers hold a slot."""
    with engine_errors("asking what runs"):
        found = client.containers(filters={"label": f"{SLOT_LABEL}={pool_label(JobStore().home)}"})
    return {container["Labels"][JOB_LABEL] for container in found}
