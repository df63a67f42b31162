"""Import a job that was recorded elsewhere: with a folder here it is like any other job.

Its record is reconstructed from the service's answer; its cell and package stay where it was submitted.
"""

from contextlib import suppress

from pai_jupyter.backends import RemoteJob
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.job_index.index import get_job_index
from pai_jupyter.jobs.job_index.remote_jobs import listing_backend
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobFolder, JobRecord


async def adopt(job_id: str) -> Job:
    """Open a job by id, importing it into a folder here if needed; runs on the runtime's loop.

    Raises:
        NotFoundError: there is no such job, here or elsewhere.
        PaiJupyterError: its service does not answer, or the disk is full.
    """
    store = job_store()
    with suppress(NotFoundError):
        return Job(store.open(job_id))
    name, job = await _find(job_id)
    imported = import_job(name, job, await listing_backend(name).recall(job.ref))
    get_job_index().stir()
    return imported


def import_job(backend: str, job: RemoteJob, spec: JobSpec, *, run: str = "", step: str = "") -> Job:
    """Create the folder of a job that a service runs, unless it is there. `run`, `step`: what it is a try of.

    Raises:
        PaiJupyterError: the disk is full.
    """
    store, job_id = job_store(), job.ref.job_id
    with suppress(NotFoundError):  # imported meanwhile
        return Job(store.open(job_id))
    record = JobRecord(id=job_id, spec=spec, backend=backend, created=job.created, place=job.place, run=run, step=step)
    try:
        folder = store.create(record)
    except PaiJupyterError:
        with suppress(NotFoundError):  # another process was first
            return Job(store.open(job_id))
        raise
    _start(folder, job)
    return Job(folder)


async def _find(job_id: str) -> tuple[str, RemoteJob]:
    """Find a job in its service's list, refreshed if needed; return the backend's name and the job."""
    elsewhere = get_job_index().elsewhere
    if (known := elsewhere.find(job_id)) is not None:
        return known
    await elsewhere.ask()
    if (found := elsewhere.find(job_id)) is not None:
        return found
    sentence = f"there is no job {job_id!r}, neither here nor among the newest ones that were recorded elsewhere."
    raise NotFoundError(" ".join([sentence, *elsewhere.notes]))


def _start(folder: JobFolder, job: RemoteJob) -> None:
    """Record where the job is; its follower gets the status from the service."""
    lock = folder.try_lock()
    if lock is None:  # its follower already finds out where it is
        return
    state = JobState().apply(StatusChanged(status=Status.CREATED, time=job.created))
    with lock:
        folder.start(job.ref, state.apply(StatusChanged(status=Status.QUEUED, time=job.created)))
