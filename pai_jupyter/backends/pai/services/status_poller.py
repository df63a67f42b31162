"""How the jobs of one session stand: one pacer, which asks for all of them at once.

Everybody who follows a job has a `PolledJob` here, and says when the next answer is due. Whoever's time has come asks,
for himself and for all others of whose pause half has passed: so watches of the same pace come to be asked together.
One job is a Get, which also tells its instances; several are a list of the newest jobs, a page or more.

Rule 1: nothing runs in the background. If the one who asks is cancelled, the next one asks.
Rule 2: an error is an answer: it goes to all for whom was asked, so that a dead network is tried once and not by each.
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

WINDOW = 90 * 24 * 3600.0  # seconds; how far back jobs are looked for of which nobody knows when they were created
MARGIN = 24 * 3600.0  # seconds that a job may seem older than it is: clocks differ


@dataclass(eq=False)
class PolledJob:
    """One who wants to know of one job. `due` is a time of the monotonic clock, `pause` what was between it and the last."""

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

    def tell(self, answer: Fields | PaiJupyterError) -> None:
        if not isinstance(answer, PaiJupyterError):
            self.created = read_time(answer.get("GmtCreateTime")) or self.created
        self.answer = answer
        self.answered.set()

    def take(self) -> Fields:
        answer, self.answer = self.answer, None
        self.answered.clear()
        self.due = math.inf  # until its owner says otherwise
        if isinstance(answer, PaiJupyterError):
            raise answer
        assert answer is not None, "only an answer wakes"
        return answer


class StatusPoller:
    """The watches over jobs of one service in one workspace."""

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
            PaiJupyterError: the service gave no answer, or refused.
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
                        watch.tell(fields)
        except PaiJupyterError as exc:
            for watch in watches:
                if watch.answer is None:
                    watch.tell(exc)

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
        """Yield the newest jobs page by page, until no more jobs are missing than pages were read."""
        now = time.time()
        since = min(watch.created - MARGIN if watch.created else now - WINDOW for watch in watches)
        pages = 0
        async for jobs in self._service.newest(since):
            pages += 1
            for fields in jobs:
                yield fields
            if len(missing) <= pages:
                return
