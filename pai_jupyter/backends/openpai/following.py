"""Follow one job: how it stands, what its tasks print, its end.

Rule 1: the terminal status comes last, when every task's log has been read to its end: twice in a row nothing new.
Rule 2: what cannot be reached is asked again with growing pauses, and announced once.
Rule 3: a cluster starts failed jobs and tasks again, each attempt with a log of its own. Ours has them one behind the other, so a
    cursor is the number of an attempt and a byte of its log (`ATTEMPT`).
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path

from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.backends.openpai.rest.jobs import TASK_ATTEMPTS, ClusterJobs, JobAnswer, TaskAnswer, log_of
from pai_jupyter.backends.openpai.rest.logs import ManagedLog, TaskLog
from pai_jupyter.backends.openpai.rest.page_log import PageLog
from pai_jupyter.errors import AuthError, BackendError, NotFoundError, ProtocolError
from pai_jupyter.events import Event, Link, LogChunk, Notice, Position, ReplicaChanged, Status, StatusChanged
from pai_jupyter.store.attention import is_looked_at

SHORTEST, LONGEST = 1.0, 30.0  # seconds between two looks
GROWTH = 1.5
FIRST_LOOK = 10.0  # seconds in which a job counts as looked at
RETRY = 1.0  # seconds, growing
DRAIN_PAUSE = 0.3  # seconds between two looks for the last bytes
ATTEMPT = 2**40  # of a cursor: more bytes than a log has
_AGAIN = "the cluster has started the job again: attempt {attempt}. Attempts are not listed here; the job's page at the portal has them."
_TORN = "a part of the log is lost: the cluster keeps only the last two pieces of a long log."


async def follow(
    connection: ClusterConnection, name: str, folder: Path, after: Position
) -> AsyncGenerator[Event, None]:
    """Yield the job's events after `after` until its end."""
    jobs, followed, begun = ClusterJobs(connection), FollowedTasks(connection, after), time.monotonic()
    pause, retry, is_announced, is_linked = SHORTEST, RETRY, False, False
    while True:
        try:
            job = await jobs.get(name)
            if not is_linked:
                yield Link(name="page", url=jobs.page(name))
                is_linked = True
            for event in followed.changes(job, again=is_announced):
                yield event
            async for event in followed.chunks(job):
                yield event
            if job.report.status.is_terminal:
                async for event in followed.drain(job):
                    yield event
                yield _status(job)
                return
            retry, is_announced = RETRY, False
        except (AuthError, NotFoundError, ProtocolError):
            raise
        except BackendError as exc:
            if not is_announced:
                text = f"{exc} It is tried again and again; the job itself goes on."
                yield Notice(text=text, time=time.time(), level="warning")
            yield StatusChanged(status=Status.UNKNOWN, time=time.time(), reason=f"{exc} The job itself goes on.")
            is_announced = True
            await asyncio.sleep(retry)
            retry = min(2 * retry, LONGEST)
            continue
        is_new = time.monotonic() - begun < FIRST_LOOK
        pause = SHORTEST if is_new or await asyncio.to_thread(_is_watched, folder) else min(GROWTH * pause, LONGEST)
        await asyncio.sleep(pause)


class FollowedTasks:
    """What has been told of a job's tasks so far."""

    def __init__(self, connection: ClusterConnection, after: Position) -> None:
        self._connection = connection
        self._cursors = dict(after)
        self._logs: dict[tuple[str, int], TaskLog] = {}  # by replica and attempt
        self._status: Status | None = None
        self._told: set[tuple[str, Status]] = set()
        self._retries = max(self._cursors.values(), default=0) // ATTEMPT // TASK_ATTEMPTS

    def changes(self, job: JobAnswer, *, again: bool) -> Iterator[Event]:
        """Yield how job and tasks stand, if that is new; a job that has ended was running before."""
        if job.retries > self._retries:
            self._retries = job.retries
            yield Notice(text=_AGAIN.format(attempt=job.retries + 1), time=time.time())
        status = Status.RUNNING if job.report.status.is_terminal else job.report.status
        has_run = status is not Status.RUNNING or job.report.started is not None or bool(job.tasks)
        if has_run and (again or status is not self._status):
            self._status = status
            yield StatusChanged(status=status, time=job.report.started or time.time())
        if len(job.tasks) > 1:
            yield from self._replicas(job)

    def _replicas(self, job: JobAnswer) -> Iterator[ReplicaChanged]:
        for task in job.tasks:
            if task.status not in (Status.QUEUED, Status.UNKNOWN) and (task.replica, task.status) not in self._told:
                self._told.add((task.replica, task.status))
                yield ReplicaChanged(
                    replica=task.replica,
                    status=task.status,
                    time=job.report.ended or time.time(),
                    exit_code=task.exit_code if task.status.is_terminal else None,
                )

    async def chunks(self, job: JobAnswer) -> AsyncIterator[LogChunk | Notice]:
        """Yield what is new in the tasks' logs."""
        for task in job.tasks:
            if task.log is None:
                continue
            begun = self._cursors.get(task.replica, 0) // ATTEMPT
            for attempt in _attempts(begun, task.attempt):
                is_over = attempt < task.attempt or task.status.is_terminal or job.report.status.is_terminal
                if (log := await self._log(task, attempt)) is not None:
                    async for event in self._of_attempt(task.replica, attempt, log, is_over=is_over):
                        yield event

    async def _of_attempt(
        self, replica: str, attempt: int, log: TaskLog, *, is_over: bool
    ) -> AsyncIterator[LogChunk | Notice]:
        while True:
            cursor = self._cursors.get(replica, 0)
            start = cursor % ATTEMPT if cursor // ATTEMPT == attempt else 0
            part = await log.read(start, is_over=is_over)
            if part.is_torn:
                yield Notice(text=_TORN, time=time.time(), level="warning")
            if not part.data:
                return
            self._cursors[replica] = end = attempt * ATTEMPT + part.end
            yield LogChunk(replica=replica, data=part.data, cursor=end, time=time.time())

    async def drain(self, job: JobAnswer) -> AsyncIterator[LogChunk | Notice]:
        """Yield the last bytes, until nothing new comes twice."""
        quiet = 0
        while quiet < 2 and any(task.log for task in job.tasks):
            before = dict(self._cursors)
            async for event in self.chunks(job):
                yield event
            quiet = quiet + 1 if self._cursors == before else 0
            if quiet < 2:
                await asyncio.sleep(DRAIN_PAUSE)

    async def _log(self, task: TaskAnswer, attempt: int) -> TaskLog | None:
        """Return the log of an attempt; None if only the cluster's older answers said where it is."""
        if (known := self._logs.get((task.replica, attempt))) is not None:
            return known
        place = task.log if attempt == task.attempt else log_of(str(task.log), attempt)
        if place is None:
            return None
        kind = PageLog if await self._connection.generation() == "yarn" else ManagedLog
        log = self._logs[task.replica, attempt] = kind(self._connection, place)
        return log


def _attempts(begun: int, now: int) -> list[int]:
    """Return the attempts from one on: of a job that was started again the first attempts of tasks, then its newest."""
    first, last = begun // TASK_ATTEMPTS, now // TASK_ATTEMPTS
    if first == last:
        return [*range(begun, now + 1)]
    return [
        begun,
        *range((first + 1) * TASK_ATTEMPTS, last * TASK_ATTEMPTS, TASK_ATTEMPTS),
        *range(last * TASK_ATTEMPTS, now + 1),
    ]


def _is_watched(folder: Path) -> bool:
    return not folder.is_dir() or is_looked_at(folder)


def _status(job: JobAnswer) -> StatusChanged:
    report = job.report
    return StatusChanged(
        status=report.status, time=report.ended or time.time(), reason=report.reason, exit_code=report.exit_code
    )
