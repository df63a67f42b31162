"""Find jobs by their exact id; all views of a process share one object per job.

So what was read once, such as the length of a log of 10,000,000 lines, is not read again for another view.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from pai_jupyter.errors import NotFoundError
from pai_jupyter.jobs import Job
from pai_jupyter.store import JobStore
from pai_jupyter.wire.protocol.messages import Message

KEPT = 64  # jobs
ALL = "*"  # stands for all replicas of a job where a log is asked for; no replica has this name
Parameters: TypeAlias = Mapping[str, object]  # of a request, not validated
Handler: TypeAlias = Callable[[Job, Parameters], Message]
"""A function that answers one kind of request about a job."""

_jobs: OrderedDict[Path, Job] = OrderedDict()
_lock = Lock()


def find_job(job_id: str) -> Job:
    """Find the job with exactly this id.

    Raises:
        NotFoundError: there is no such job, or `job_id` is not a valid id.
    """
    folder = JobStore().open(job_id)
    with _lock:
        job = _jobs.setdefault(folder.path, Job(folder))
        _jobs.move_to_end(folder.path)
        if len(_jobs) > KEPT:
            _jobs.popitem(last=False)
        return job


def replicas_of(job: Job) -> list[str]:
    """Return the names of the job's replicas: the planned ones, then others that have a log.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    return job.replicas


def replica_of(job: Job, replica: str | None) -> str:
    """Validate the name of a replica and return it; None stands for the first replica, `ALL` for all of several.

    Raises:
        NotFoundError: the job has no such replica.
        PaiJupyterError: its record cannot be read.
    """
    known = replicas_of(job)
    if replica is not None and (replica in known or (replica == ALL and len(known) > 1)):
        return replica
    if replica is None and known:
        return known[0]
    shown = ", ".join(known[:10]) or "none yet"
    raise NotFoundError(f"job {job.id} has no replica {replica or ''!r}; it has {shown}.")
