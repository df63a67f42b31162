"""Find jobs by id, unique prefix or name, and list all, as objects or as rows.

A folder has the job's state when it was last followed. A listing asks the backends about jobs that had not ended and records
the end of those that have; it does not wait for a backend that is too slow.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from pai_jupyter import callbacks
from pai_jupyter.backends import get_backend
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.job_index import JobRow, all_rows, get_job_index
from pai_jupyter.jobs.job_index.row import with_state
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.store import JobFolder

REFRESHED_WITHIN = 1.0  # seconds
GOING = frozenset(status for status in Status if not status.is_terminal)


def attach(job: str) -> Job:
    """Find a job by id, unique id prefix or name (the newest of that name) and start following it.

    Raises:
        NotFoundError: there is no such job.
        SpecError: the prefix matches several.

    Example:
        >>> from pai_jupyter import JobSpec, submit
        >>> job = submit(JobSpec(name="demo", command="true"), backend="process").wait()
        >>> attach("demo").name
        'demo'
    """
    found = Job(job_store().find(job))
    if not found.status.is_terminal:
        with suppress(PaiJupyterError):  # a damaged record cannot be followed, but its log can be read
            runtime().follow(found.folder)
    return found


def list_jobs(
    *,
    status: str | None = None,
    notebook: str | None = None,
    limit: int | None = None,
    refresh: bool = True,
    on_damage: Callable[[str], object] = lambda sentence: None,
) -> list[Job]:
    """List this user's jobs, newest first; without `refresh` as recorded, without asking backends.

    `on_damage` is called with a sentence for each job that is left out because its record cannot be read.

    Raises:
        SpecError: there is no such status.

    Example:
        >>> from pai_jupyter import JobSpec, submit
        >>> job = submit(JobSpec(name="demo", command="true"), backend="process").wait()
        >>> [job.name for job in list_jobs(status="succeeded")]
        ['demo']
    """
    if status is not None and status not in [str(each) for each in Status]:
        raise SpecError(f"there is no state {status!r}; there are {', '.join(Status)}.", field="state")
    jobs = _jobs(notebook, lambda job_id, exc: on_damage(f"job {job_id}: {exc}"))
    if refresh:
        jobs = iter(_refreshed(list(jobs)))
    return list(islice((job for job in jobs if status in (None, str(job.status))), limit))


def list_rows(*, newest: int | None = None) -> list[JobRow]:
    """Return the rows of all jobs, unordered; ask the backends about jobs that have not ended.

    With `newest`, which is faster, at least so many of the newest, if there are as many.

    Raises:
        PaiJupyterError: the list cannot be read.
    """
    if callbacks.keep_delivering is not None:
        callbacks.keep_delivering(False)
    store = job_store()
    rows = runtime().run(all_rows(newest=newest))
    alive = [Job(JobFolder(store.path(row.id))) for row in rows if row.is_here and row.backend and row.status in GOING]
    if not alive:
        return rows
    _refreshed(alive)
    unreached = {job.id: job for job in alive if job.unreached is not None}
    return [
        _mark_unreached(row, unreached[row.id]) if row.id in unreached else row
        for row in runtime().run(all_rows(newest=newest))
    ]


def annotation_damages() -> Mapping[str, str]:
    """Return, by id, why the last list could not read the annotations of a job."""
    return runtime().run(_damages())


async def _damages() -> Mapping[str, str]:
    return get_job_index().damages


def _mark_unreached(row: JobRow, job: Job) -> JobRow:
    """Mark the row of a job whose backend did not answer."""
    with suppress(PaiJupyterError):
        return with_state(row, job.folder.read().state, job.unreached)
    return row


def _jobs(notebook: str | None, on_damage: Callable[[str, PaiJupyterError], object]) -> Iterator[Job]:
    for folder in job_store().folders(on_damage):
        if notebook is None or folder.record.notebook == notebook:
            yield Job(folder)


def follow_all(jobs: Sequence[Job]) -> None:
    """Start following these jobs; of those that have ended, record the end and the log, as far as a service gives them in a second."""
    for job in jobs:
        if not job.status.is_terminal:
            with suppress(PaiJupyterError):  # as in `attach`
                runtime().follow(job.folder)
    _refreshed(jobs)


def _refreshed(jobs: Sequence[Job]) -> Sequence[Job]:
    alive = [job for job in jobs if not job.status.is_terminal]
    if alive:
        runtime().run(_catch_up_with_all(alive))
    return jobs


async def _catch_up_with_all(jobs: Sequence[Job]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(REFRESHED_WITHIN):
            await asyncio.gather(*map(_catch_up, jobs))


async def _catch_up(job: Job) -> None:
    """Record the end of the job if it has ended."""
    try:
        has_ended = await _has_ended(job)
    except PaiJupyterError as exc:
        job.note_unreached(exc)
        return
    with suppress(PaiJupyterError):  # the job is listed as recorded
        if has_ended:
            await asyncio.wrap_future(runtime().follow(job.folder).ended)


async def _has_ended(job: Job) -> bool:
    ref = job.folder.read().ref
    if ref is None:  # submitting in another process, or interrupted: a follower finds out
        runtime().follow(job.folder)
        return False
    try:
        return (await get_backend(job.backend).status(ref)).status.is_terminal
    except NotFoundError:
        return True  # a follower records that it is lost
