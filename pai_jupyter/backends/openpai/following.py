"""Follow one job: how it stands, what its tasks print, its end.

Rule 1: the terminal status comes last, when every task's log has been read to its end: twice in a row nothing new.
Rule 2: what cannot be reached is asked again with growing pauses, and announced once.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from pai_jupyter.backends.openpai.rest.connection import ClusterConnection
from pai_jupyter.backends.openpai.rest.jobs import ClusterJobs, JobAnswer, TaskAnswer
from pai_jupyter.backends.openpai.rest.logs import TaskLog
from pai_jupyter.errors import AuthError, BackendError, NotFoundError, ProtocolError
from pai_jupyter.events import Event, LogChunk, Notice, Position, ReplicaChanged, Status, StatusChanged
from pai_jupyter.store.attention import is_looked_at

SHORTEST, LONGEST = 1.0, 30.0  # seconds between two looks
GROWTH = 1.5
FIRST_LOOK = 10.0  # seconds in which a job counts as looked at
RETRY = 1.0  # seconds, growing
DRAIN_PAUSE = 0.3  # seconds between two looks for the last bytes


async def follow(connection: ClusterConnection, name: str, folder: Path, after: Position) -> AsyncIterator[Event]:
    """Yield the job's events after `after` until its end."""
    followed, begun, pause, retry, is_announced = (
        FollowedTasks(connection, after),
        time.monotonic(),
        SHORTEST,
        RETRY,
        False,
    )
    jobs = ClusterJobs(connection)
    while True:
        try:
            job = await jobs.get(name)
            for event in followed.changes(job, again=is_announced):
                yield event
            async for chunk in followed.chunks(job):
                yield chunk
            if job.report.status.is_terminal:
                async for chunk in followed.drain(job):
                    yield chunk
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
        self._logs: dict[str, TaskLog] = {}
        self._status: Status | None = None
        self._told: set[tuple[str, Status]] = set()

    def changes(self, job: JobAnswer, *, again: bool) -> Iterator[Event]:
        """Yield how job and tasks stand, if that is new; a job that has ended was running before."""
        status = Status.RUNNING if job.report.status.is_terminal else job.report.status
        has_run = status is not Status.RUNNING or job.report.started is not None or bool(job.tasks)
        if has_run and (again or status is not self._status):
            self._status = status
            yield StatusChanged(status=status, time=job.report.started or time.time())
        if len(job.tasks) > 1:
            for task in job.tasks:
                if task.status not in (Status.QUEUED, Status.UNKNOWN) and (task.replica, task.status) not in self._told:
                    self._told.add((task.replica, task.status))
                    yield ReplicaChanged(
                        replica=task.replica,
                        status=task.status,
                        time=job.report.ended or time.time(),
                        exit_code=task.exit_code if task.status.is_terminal else None,
                    )

    async def chunks(self, job: JobAnswer) -> AsyncIterator[LogChunk]:
        """Yield what is new in the tasks' logs."""
        for task in job.tasks:
            if task.log is not None:
                while data := await self._log(task).read(self._cursors.get(task.replica, 0)):
                    self._cursors[task.replica] = cursor = self._cursors.get(task.replica, 0) + len(data)
                    yield LogChunk(replica=task.replica, data=data, cursor=cursor, time=time.time())

    async def drain(self, job: JobAnswer) -> AsyncIterator[LogChunk]:
        """Yield the last bytes, until nothing new comes twice."""
        quiet = 0
        while quiet < 2 and any(task.log for task in job.tasks):
            before = dict(self._cursors)
            async for chunk in self.chunks(job):
                yield chunk
            quiet = quiet + 1 if self._cursors == before else 0
            if quiet < 2:
                await asyncio.sleep(DRAIN_PAUSE)

    def _log(self, task: TaskAnswer) -> TaskLog:
        place = str(task.log)
        if task.replica not in self._logs or self._logs[task.replica].place != place:
            self._logs[task.replica] = TaskLog(self._connection, place)
        return self._logs[task.replica]


def _is_watched(folder: Path) -> bool:
    return not folder.is_dir() or is_looked_at(folder)


def _status(job: JobAnswer) -> StatusChanged:
    report = job.report
    return StatusChanged(
        status=report.status, time=report.ended or time.time(), reason=report.reason, exit_code=report.exit_code
    )
