"""Jobs that are there: by id, by a unique prefix, by name, and all of them."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.runtime import job_store, runtime


def attach(job: str) -> Job:
    """The job of this id, unique prefix of an id, or name (the newest of that name); it is followed from now on.

    Raises:
        NotFoundError: there is none.
        SpecError: the prefix fits several.
    """
    found = Job(job_store().find(job))
    if not found.status.is_terminal:
        with suppress(PaiJupyterError):  # with a damaged record it cannot be followed; its log may still be read
            runtime().follow(found.folder)
    return found


def list_jobs(*, status: str | None = None, notebook: str | None = None, limit: int | None = None) -> list[Job]:
    """The jobs of this user, newest first.

    Raises:
        SpecError: there is no such status.
    """
    if status is not None and status not in [str(each) for each in Status]:
        raise SpecError(f"there is no state {status!r}; there are {', '.join(Status)}.", field="state")
    return list(islice((job for job in _jobs(notebook) if status in (None, str(job.status))), limit))


def _jobs(notebook: str | None) -> Iterator[Job]:
    for folder in job_store().folders():
        if notebook is None or folder.record.notebook == notebook:
            yield Job(folder)
