"""Delete a job's folder on this machine, with logs and outputs. Data at a service stay there.

A job whose folder is deleted otherwise while it runs goes on; it can be found and ended by its id.
"""

from contextlib import suppress

from pai_jupyter import callbacks
from pai_jupyter.backends import StopsRemoved, backend_names, get_backend
from pai_jupyter.errors import BackendError, NotFoundError, PaiJupyterError
from pai_jupyter.jobs.pending import check_known
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.store import JobFolder
from pai_jupyter.values import sweep_values


def remove(job_id: str) -> None:
    """Delete the folder of an ended job. Blocking: it may be large.

    Raises:
        NotFoundError: there is no such job.
        PaiJupyterError: it has not ended, a run still needs it, or a file in its folder cannot be deleted.
    """
    store = job_store()
    folder = store.open(job_id)
    check_known(folder, "deleted")
    if _goes_on(folder):
        raise PaiJupyterError(f"job {job_id} has not ended, so it cannot be deleted. Stop it first: %pai_stop {job_id}")
    _check_unneeded(folder)
    lock = folder.try_lock()
    if lock is None:
        raise PaiJupyterError(f"job {job_id} has ended, and its last lines are being recorded. Try again in a moment.")
    with lock:
        store.remove(job_id)
    sweep_values(store.home)


def stop_removed(job_id: str) -> str:
    """End the processes on this machine of a job without a record; return a sentence about it.

    Raises:
        NotFoundError: nothing runs under this id.
    """
    job_store().path(job_id)  # raises for an invalid id
    if not runtime().run(end_by_id(job_id)):
        raise NotFoundError(
            f"there is no job {job_id!r}, and no process of one runs here. Type %pai_jobs to see the jobs."
        )
    return f"job {job_id} was removed; its processes were stopped."


async def end_by_id(job_id: str) -> bool:
    """End everything that runs on this machine under this id; return whether anything did."""
    found = False
    for name in backend_names():
        with suppress(BackendError):  # the backend is not installed, or no engine answers
            backend = get_backend(name)
            if isinstance(backend, StopsRemoved):
                found |= await backend.stop_removed(job_id)
    return found


def _check_unneeded(folder: JobFolder) -> None:
    """Reject the removal of a job that an unfinished run needs.

    Raises:
        PaiJupyterError: with the run.
    """
    own = ""
    with suppress(PaiJupyterError):
        own = folder.record.run
    if callbacks.run_that_needs is None or not (own and (run := callbacks.run_that_needs(folder.id, own))):
        return
    raise PaiJupyterError(
        f"job {folder.id} cannot be deleted yet: run {run} needs it and has not ended. Stop the run first: %pai_runs --stop {run}"
    )


def _goes_on(folder: JobFolder) -> bool:
    """Return whether the job is recorded as unfinished; False if the record is unreadable."""
    with suppress(PaiJupyterError):
        return not folder.read().state.status.is_terminal
    return False
