"""All runs of a home as rows, how those that nobody drives go on, and how one is deleted."""

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.runs.driving import DriverKeeper
from pai_jupyter.runs.reading import RunReader
from pai_jupyter.runs.rows import RunRow, read_row, row_of_state, unreadable_row
from pai_jupyter.runs.run_folder import RunFolder, open_run_folder, run_folders, runs_directory
from pai_jupyter.runs.state import RunStatus
from pai_jupyter.store import JobStore

_NEW = 60.0  # seconds in which who has started a run starts its driver, with secrets that others lack
_keepers: dict[Path, DriverKeeper] = {}  # of listed runs that go on


def list_runs(*, home: Path | None = None) -> list[RunRow]:
    """Return a row for each run, newest first; one that cannot be read has the status "unknown".

    Raises:
        PaiJupyterError: the directory of runs cannot be read.

    Example:
        >>> from pai_jupyter import CustomJobComponent, Pipeline
        >>> step = CustomJobComponent(command="true").as_step("only")
        >>> run = Pipeline(steps=[step]).local_run("demo", backend="process")
        >>> [(row.name, row.status) for row in list_runs()]
        [('demo', 'succeeded')]
    """
    return [_row(folder) for folder in run_folders(home)]


def _row(folder: RunFolder) -> RunRow:
    found = read_row(folder)
    if found is not None:
        return found
    try:
        reader = RunReader(folder)
        reader.refresh()
        return row_of_state(folder, reader.state())
    except PaiJupyterError as exc:
        return unreadable_row(folder, exc)


def keep_driven(rows: Iterable[RunRow], *, home: Path | None = None) -> None:
    """Start the drivers of listed runs that nobody drives, as after a reboot. One that cannot be driven spoils no list."""
    for row in rows:
        folder = RunFolder(runs_directory(home) / row.id)
        if row.status != RunStatus.RUNNING:
            _keepers.pop(folder.path, None)
        elif time.time() - row.created >= _NEW:
            with suppress(PaiJupyterError):
                _keepers.setdefault(folder.path, DriverKeeper(folder)).keep(is_blocked=False)


def delete_run(run_id: str, *, home: Path | None = None) -> None:
    """Delete the folder of a run; its jobs stay.

    Raises:
        NotFoundError: there is no such run.
        PaiJupyterError: it is being driven, or one of its jobs has not ended, or a file cannot be deleted.
    """
    folder = open_run_folder(run_id, home)
    lock = folder.try_lock()
    if lock is None:
        raise PaiJupyterError(f"run {folder.id} has not ended, so it cannot be deleted. Stop it first.")
    with lock:
        job_id = _unfinished_job(folder)
        if job_id is not None:
            raise PaiJupyterError(
                f"job {job_id} of run {folder.id} has not ended, so the run cannot be deleted. Stop the job first: "
                f"%pai_stop {job_id}"
            )
        folder.delete()


def _unfinished_job(folder: RunFolder) -> str | None:
    """Return a job of the run that has not ended; None also if the run is too damaged to know its jobs."""
    with suppress(PaiJupyterError):
        reader, store = RunReader(folder), JobStore(folder.home)
        reader.refresh()
        for job_id in reader.job_ids():
            with suppress(NotFoundError):
                if not store.open(job_id).read().state.status.is_terminal:
                    return job_id
    return None
