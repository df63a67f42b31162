"""Inspect, start, stop and remove the containers of a job. Blocking; callers run it in a thread.

Every function is idempotent and may be called by several followers at once.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.backends.docker import script
from pai_jupyter.backends.docker.deployment import JOB_LABEL, Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.outcome import ReplicaExit, read_exit, read_time
from pai_jupyter.errors import NotFoundError

_AT_ONCE = 8  # parallel calls to the engine per job


@dataclass(frozen=True, kw_only=True)
class ContainerState:
    """The state of one replica: missing, created (`is_made`), running since `started`, or ended with `exit`."""

    is_made: bool = False
    started: float | None = None
    exit: ReplicaExit | None = None

    @property
    def is_running(self) -> bool:
        return self.started is not None and self.exit is None


def look(client: Client, job: Deployment) -> dict[str, ContainerState]:
    """Return each replica's state, from its exit record, else from its container."""
    return {replica: _look_at(client, job, replica) for replica in job.replicas}


def _look_at(client: Client, job: Deployment, replica: str) -> ContainerState:
    ended = read_exit(job.run, replica)
    if ended is None:
        try:
            with engine_errors(f"looking at job {job.job_id}"):
                state = client.inspect_container(job.container(replica))["State"]
        except NotFoundError:
            ended = read_exit(job.run, replica)  # another follower may have just recorded and removed it
            if ended is None:
                return ContainerState()
        else:
            if state["Status"] not in ("exited", "dead"):
                return ContainerState(is_made=True, started=read_time(state.get("StartedAt", "")))
            ended = ReplicaExit.from_state(state, booted=booted())
    return ContainerState(is_made=True, started=ended.started, exit=ended)


def booted() -> float:
    """Return when this machine was started, in seconds since the epoch; 0 if that is not known."""
    with suppress(OSError, ValueError), Path("/proc/stat").open() as file:
        return next((float(line.split()[1]) for line in file if line.startswith("btime ")), 0.0)
    return 0.0


def start(client: Client, job: Deployment, replicas: Iterable[str]) -> None:
    """Start containers that were created and have never run."""

    def start_one(replica: str) -> None:
        with engine_errors(f"starting image {job.images[replica]!r}"):
            client.start(job.container(replica))

    _for_each(start_one, replicas)


def stop(client: Client, job: Deployment, replicas: Iterable[str]) -> None:
    """Send TERM to all processes in the containers, KILL after the grace period, and wait until they have ended."""

    def stop_one(replica: str) -> None:
        with suppress(NotFoundError), engine_errors(f"stopping job {job.job_id}"):
            client.stop(job.container(replica), timeout=script.GRACE + 2)  # the script needs its own grace first

    _for_each(stop_one, replicas)


def remove(client: Client, job: Deployment) -> None:
    """Remove every container and the network of the job, running or not."""

    def remove_one(replica: str) -> None:
        with engine_errors(f"removing a container of job {job.job_id}"), _gone_or_going():
            client.remove_container(job.container(replica), force=True, v=True)

    _for_each(remove_one, job.replicas)
    if job.network is not None:
        with engine_errors(f"removing the network of job {job.job_id}"), _gone_or_going():
            client.remove_network(job.network)


def end_labelled(client: Client, job_id: str) -> bool:
    """Stop and remove the containers labelled with a job whose record was deleted; return whether there were any."""
    wanted = {"label": f"{JOB_LABEL}={job_id}"}
    with engine_errors(f"looking for job {job_id}"):
        found = [item["Id"] for item in client.containers(all=True, filters=wanted)]
        networks = [item["Id"] for item in client.networks(filters=wanted)]

    def end_one(container: str) -> None:
        with suppress(NotFoundError), engine_errors(f"stopping job {job_id}"), _gone_or_going():
            client.stop(container, timeout=script.GRACE + 2)
            client.remove_container(container, force=True, v=True)

    _for_each(end_one, found)
    for network in networks:
        with suppress(NotFoundError), engine_errors(f"removing the network of job {job_id}"), _gone_or_going():
            client.remove_network(network)
    return bool(found)


def _for_each(action: Callable[[str], None], replicas: Iterable[str]) -> None:
    """Run `action` for all replicas in parallel; finish all of them before raising the first error."""
    names = list(replicas)
    if len(names) == 1:
        action(names[0])
        return
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        pending = [pool.submit(action, name) for name in names]
    for item in pending:
        item.result()


@contextmanager
def _gone_or_going() -> Iterator[None]:
    """Ignore errors about a container or network that is already removed or being removed."""
    from docker.errors import APIError

    try:
        yield
    except APIError as exc:
        if exc.status_code not in (403, 404, 409):
            raise
