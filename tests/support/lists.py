"""Jobs for tests of lists: folders as they lie there when their followers have gone, made in a moment."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pai_jupyter.events import Metric, Status, StatusChanged, StoredEvent
from pai_jupyter.jobs import JobIndex, JobRow, watching_all
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from tests.support.started import DEADLINE

BEGAN = 1_700_000_000.0


def record(
    job_id: str, *events: StoredEvent, status: Status = Status.SUCCEEDED, store: JobStore | None = None, **fields: Any
) -> JobFolder:
    """A job with this status, and whatever `events` add to it. (Any: fields of a record, and `name`)"""
    spec = JobSpec(
        name=fields.pop("name", f"name of {job_id}"), command="true", hyperparameters=fields.pop("values", {})
    )
    given = {"backend": "fake", "created": BEGAN, **fields}
    folder = (store or JobStore()).create(JobRecord(id=job_id, spec=spec, **given))
    if status is not Status.CREATED:
        note(folder, *events, StatusChanged(status=status, time=BEGAN + 60))
    return folder


def record_many(count: int, **fields: Any) -> list[str]:
    """Jobs that were created one a minute; their ids, the newest first. (Any: as above)"""
    ids = [f"j{number:05}" for number in range(count)]
    for number, job_id in enumerate(ids):
        record(job_id, created=BEGAN + 60 * number, **fields)
    return ids[::-1]


def note(folder: JobFolder, *events: StoredEvent) -> None:
    """Have happened to the job what `events` say, as a follower of another process notes it."""
    state = folder.read().state
    for event in events:
        state = state.apply(event)
    folder.start(JobRef(backend="fake", job_id=folder.id), state)


def is_free(folder: JobFolder) -> bool:
    """Whether nobody follows the job."""
    lock = folder.try_lock()
    if lock is None:
        return False
    with lock:
        return True


def loss(value: float, *, name: str = "loss", step: float = 1.0, replica: str = "") -> Metric:
    return Metric(name=name, value=value, time=BEGAN, step=step, replica=replica)


def running() -> StatusChanged:
    return StatusChanged(status=Status.RUNNING, time=BEGAN + 10)


class Watcher:
    """One who watches the list."""

    def __init__(self, catalogue: JobIndex, news: asyncio.Event) -> None:
        self.catalogue = catalogue
        self._news = news

    async def until(self, condition: Callable[[], Any]) -> Any:
        """What `condition` says as soon as it says something, asked whenever there is news."""
        async with asyncio.timeout(DEADLINE):
            while not (found := self.catalogue.is_current and condition()):
                await self._news.wait()
                self._news.clear()
        return found

    async def row(self, job_id: str, condition: Callable[[JobRow], Any] = lambda row: True) -> JobRow:
        """The row of this job as soon as it is there and `condition` holds."""
        await self.until(lambda: job_id in self.catalogue.rows and condition(self.catalogue.rows[job_id]))
        return self.catalogue.rows[job_id]

    async def whole(self) -> Sequence[str]:
        """The ids of all jobs that are listed, as soon as none is missing."""
        await self.until(lambda: self.catalogue.is_whole)
        return sorted(self.catalogue.rows, reverse=True)


@asynccontextmanager
async def watched() -> AsyncIterator[Watcher]:
    news = asyncio.Event()
    async with watching_all(news) as catalogue:
        yield Watcher(catalogue, news)
