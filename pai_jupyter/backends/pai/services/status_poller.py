"""Poll the statuses of all followed jobs of one session in batches.

Every follower registers a `PolledJob` with the time of its next answer. The first one due asks for itself and for all others
whose pause is at least half over, so jobs with the same pace are soon asked together. A single job is requested by Get, which
also returns instances; several by a list of the newest jobs, one page or more.

Rule 1: there is no background task. If the asking follower is cancelled, the next one asks.
Rule 2: an error is an answer for all jobs of the batch, so a dead network is tried once, not once per job.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pai_jupyter.backends.pai.services.job_service import JobService
from pai_jupyter.backends.pai.services.status_map import Fields, read_time
from pai_jupyter.errors import NotFoundError, PaiJupyterError

WINDOW = 90 * 24 * 3600.0  # seconds; how far back to list if a job's creation time is unknown
MARGIN = 24 * 3600.0  # seconds of tolerance, since clocks differ


@dataclass(eq=False)
class PolledJob:
    """A follower's registration for one job. `due` is on the monotonic clock; `pause` is the time since the last answer."""

    id: str
    due: float = 0.0
    pause: float = 0.0
    created: float | None = None
    answer: Fields | PaiJupyterError | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    def rest(self, pause: float) -> None:
        """Ask again after `pause` seconds."""
        self.pause, self.due = pause, time.monotonic() + pause

    def is_worth_asking(self, now: float) -> bool:
        return self.answer is None and self.due - now <= self.pause / 2

    def deliver(self, answer: Fields | PaiJupyterError) -> None:
        if not isinstance(answer, PaiJupyterError):
            self.created = read_time(answer.get("GmtCreateTime")) or self.created
        self.answer = answer
        self.answered.set()

    def take(self) -> Fields:
        answer, self.answer = self.answer, None
        self.answered.clear()
        self.due = math.inf  # until the follower sets the next pause
        if isinstance(answer, PaiJupyterError):
            raise answer
        assert answer is not None, "only an answer wakes"
        return answer


class StatusPoller:
    """Polls the watched jobs of one service in one workspace."""

    def __init__(self, service: JobService) -> None:
        self._service = service
        self._watches: list[PolledJob] = []
        self._asking = asyncio.Lock()

    @contextmanager
    def watch(self, job: str) -> Iterator[PolledJob]:
        """Register a watch on the job with the service's id `job` while the block runs."""
        watch = PolledJob(id=job)
        self._watches.append(watch)
        try:
            yield watch
        finally:
            self._watches.remove(watch)

    async def look(self, watch: PolledJob) -> Fields:
        """Wait until `watch` is due and return the job's fields; a batched answer has no instances.

        Raises:
            PaiJupyterError: the service does not answer or rejects the request.
        """
        try:
            async with asyncio.timeout(max(0.0, watch.due - time.monotonic())):
                await watch.answered.wait()
        except TimeoutError:
            async with self._asking:
                if watch.answer is None:
                    now = time.monotonic()
                    await self._ask([each for each in self._watches if each is watch or each.is_worth_asking(now)])
        return watch.take()

    async def _ask(self, watches: Sequence[PolledJob]) -> None:
        try:
            async for job, fields in self._answers(watches):
                for watch in watches:
                    if watch.id == job:
                        watch.deliver(fields)
        except PaiJupyterError as exc:
            for watch in watches:
                if watch.answer is None:
                    watch.deliver(exc)

    async def _answers(self, watches: Sequence[PolledJob]) -> AsyncIterator[tuple[str, Fields | PaiJupyterError]]:
        missing = dict.fromkeys(watch.id for watch in watches)
        if len(missing) > 1:
            async for fields in self._listed(watches, missing):
                job = str(fields.get("TrainingJobId"))
                if job in missing:
                    del missing[job]
                    yield job, fields
        for job in missing:
            try:
                yield job, await self._service.get(job)
            except NotFoundError as exc:
                yield job, exc

    async def _listed(self, watches: Iterable[PolledJob], missing: dict[str, None]) -> AsyncIterator[Fields]:
        """Yield the newest jobs page by page, until at most as many jobs are missing as pages were read."""
        now = time.time()
        since = min(watch.created - MARGIN if watch.created else now - WINDOW for watch in watches)
        pages = 0
        async for jobs in self._service.newest(since):
            pages += 1
            for fields in jobs:
                yield fields
            if len(missing) <= pages:
                return
