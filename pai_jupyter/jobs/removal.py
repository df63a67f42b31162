"""Deleting what is recorded of a job on this machine: its folder, with logs and outputs. What a service has of it stays there."""

from contextlib import suppress

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.pending import check_known
from pai_jupyter.jobs.runtime import job_store
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


def _goes_on(folder: JobFolder) -> bool:
    """Whether the job runs, as far as its record says; one that cannot be read says nothing."""
    with suppress(PaiJupyterError):
        return not folder.read().state.status.is_terminal
    return False
