"""Find the processes of a job's containers as this machine knows them.

The engine tells PIDs of the machine that it runs on. Where it runs elsewhere (Docker Desktop's virtual machine, an engine in a
container), they mean nothing here, or other processes.
"""

import os
from contextlib import suppress

from pai_jupyter.backends.docker import containers
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.outcome import read_time
from pai_jupyter.backends.process.supervisor.processes import stat_fields
from pai_jupyter.errors import BackendError, NotFoundError

_TICK = os.sysconf("SC_CLK_TCK")  # clock ticks per second
_CLOSE = 10.0  # seconds between two clocks that tell when a process was started


def host_processes(client: Client, job: Deployment) -> dict[str, list[int]]:
    """Return the PIDs of each running replica's processes.

    Raises:
        BackendError: they cannot be seen from here.
    """
    found = {}
    for replica in job.replicas:
        with suppress(NotFoundError):  # it is not there yet, or no longer
            pids = _pids(client, job, replica)
            if pids:
                found[replica] = pids
    return found


def _pids(client: Client, job: Deployment, replica: str) -> list[int]:
    container = job.container(replica)
    with engine_errors(f"looking at job {job.job_id}"):
        state = client.inspect_container(container)["State"]
        if not state.get("Running"):
            return []
        listed = client.top(container)
    first = state["Pid"]
    if not _is_that(first, read_time(state.get("StartedAt", ""))):
        raise BackendError(
            f"the processes of job {job.job_id} cannot be seen from here: its Docker engine runs in a virtual machine or in another "
            f"container. Where it runs, type: docker top {container}"
        )
    column = listed["Titles"].index("PID")
    return sorted({first, *(int(row[column]) for row in listed["Processes"])})


def _is_that(pid: int, started: float | None) -> bool:
    """Return whether the process of this number here was started at that time."""
    fields = stat_fields(pid)
    if fields is None or started is None:
        return False
    return abs(containers.booted() + int(fields[19]) / _TICK - started) < _CLOSE
