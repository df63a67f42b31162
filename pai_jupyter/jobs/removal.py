"""Deleting what is recorded of a job on this machine: its folder, with logs and outputs. What a service has of it stays there.

A job whose folder somebody else deletes while it runs goes on; it is found, and ended, by its id alone.
"""

from contextlib import suppress

from pai_jupyter.backends import StopsRemoved, backend_names, get_backend
from pai_jupyter.errors import BackendError, NotFoundError, PaiJupyterError
from pai_jupyter.jobs.pending import check_known
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.store import JobFolder


def remove(job_id: str) -> None:
    """Delete the folder of a job that has ended. Blocking: there may be much in it.

    Raises:
        NotFoundError: there is no such job.
        PaiJupyterError: it has not ended, or something in its folder cannot be deleted.
    """
    store = job_store()
    folder = store.open(job_id)
    check_known(folder, "deleted")
    if _goes_on(folder):
        raise PaiJupyterError(f"job {job_id} has not ended, so it cannot be deleted. Stop it first: %pai_stop {job_id}")
    lock = folder.try_lock()
    if lock is None:
        raise PaiJupyterError(f"job {job_id} has ended, and its last lines are being recorded. Try again in a moment.")
    with lock:
        store.remove(job_id)


def stop_removed(job_id: str) -> str:
    """End what still runs on this machine of a job whose record is gone; returns a sentence about it.

    Raises:
        NotFoundError: nothing runs under this id.
    """
    job_store().path(job_id)  # whatever is no id is refused here
    if not runtime().run(end_by_id(job_id)):
        raise NotFoundError(
            f"there is no job {job_id!r}, and no process of one runs here. Type %pai_jobs to see the jobs."
        )
    return f"job {job_id} was removed; its processes were stopped."


async def end_by_id(job_id: str) -> bool:
    """End whatever runs on this machine under this id; whether anything did, as far as the backends can tell."""
    found = False
    for name in backend_names():
        with suppress(BackendError):  # it is not installed, or no engine answers
            backend = get_backend(name)
            if isinstance(backend, StopsRemoved):
                found |= await backend.stop_removed(job_id)
    return found


def _goes_on(folder: JobFolder) -> bool:
    """Return whether the job is recorded as unfinished; False if the record is unreadable."""
    with suppress(PaiJupyterError):
        return not folder.read().state.status.is_terminal
    return False
