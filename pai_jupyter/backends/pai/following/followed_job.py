"""Follow one job by its service's answers: job description, logs, and end, as events.

Rule 1: the terminal status comes last, once the log is complete, i.e. its end mark was read (contract/launcher.py). A killed
    job leaves no mark; its log is complete after `QUIET` seconds without new lines.
Rule 2: failed requests are repeated with growing pauses and one notice. Optional answers (usage, metrics, events) may be
    missing.
Rule 3: several followers may start anywhere. A repeated event equals the first one.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress

from pai_jupyter.backends.local import beside_sentence
from pai_jupyter.backends.pai.following.events_from_remote import facts_of, lost_outputs, notices_of, saves_beside
from pai_jupyter.backends.pai.following.log_readers import LogReaders
from pai_jupyter.backends.pai.following.metrics import ServiceMetrics
from pai_jupyter.backends.pai.following.poll_schedule import PollSchedule
from pai_jupyter.backends.pai.following.replica_events import replica_events
from pai_jupyter.backends.pai.following.usage import Monitoring
from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.backends.pai.services.connections import ServiceConnection
from pai_jupyter.backends.pai.services.job import PaiJob, folder_of
from pai_jupyter.backends.pai.services.status_map import Fields
from pai_jupyter.errors import AuthError, NotFoundError, PaiJupyterError, ProtocolError, SpecError
from pai_jupyter.events import Event, Link, LogChunk, Notice, Position, Status, StatusChanged

RETRY, LONGEST_RETRY = 1.0, 30.0  # seconds between two tries if the service does not answer
LATE = 20 * 60.0  # seconds after a job's end when no more lines are expected; clocks may differ by 15 minutes
QUIET = 4.0  # seconds without a new line, after which a log without an end mark is complete
DRAIN_PAUSE = 0.3  # seconds between two requests for the last lines
DETAILS_EVERY = 60.0  # seconds, while viewed; lists of jobs lack instances and progress
DETAILS_SELDOM = 600.0  # seconds, while not viewed
COURTESIES_EVERY = 30.0  # seconds between two requests of events and metrics
AT_ONCE = 8  # replicas whose log is read per tick, in turn


async def follow(connection: ServiceConnection, job: PaiJob, after: Position) -> AsyncIterator[Event]:
    """Yield the job's events after `after` until its end."""
    schedule, poller = PollSchedule(folder_of(job.job_id)), connection.pollers[job.kind]
    pause, is_announced = RETRY, False
    followed = FollowedJob(connection, job, after, schedule)
    with poller.watch(job.id) as watch:
        while not followed.is_over:
            try:
                await schedule.rest(watch)
                fields = await poller.look(watch)
                watch.rest(schedule.pause())
                async for event in followed.news(fields):
                    yield event
                if is_announced and not followed.is_over and followed.status is not None:
                    yield followed.status
                pause, is_announced = RETRY, False
            except (AuthError, NotFoundError, ProtocolError):
                raise
            except SpecError as exc:
                raise ProtocolError(f"the service rejects requests about job {job.job_id}: {exc}") from exc
            except PaiJupyterError as exc:
                watch.rest(pause)
                pause = min(2 * pause, LONGEST_RETRY)
                if not is_announced:
                    text = f"{exc} It is tried again and again; the job itself goes on."
                    yield Notice(text=text, time=time.time(), level="warning")
                yield StatusChanged(status=Status.UNKNOWN, time=time.time(), reason=f"{exc} The job itself goes on.")
                is_announced = True


class FollowedJob:
    """The follower's state of one job: what was yielded and what is new."""

    def __init__(self, connection: ServiceConnection, job: PaiJob, after: Position, schedule: PollSchedule) -> None:
        self.is_over = False
        self.status: StatusChanged | None = None  # the last yielded status
        self._connection = connection
        self._job = job
        self._schedule = schedule
        self._service = connection.services[job.kind]
        self._logs = LogReaders(self._service, job, after)
        self._saves_beside = False
        self._yielded: set[Event] = set()
        self._replicas_told: set[tuple[str, Status, int]] = set()
        self._details_at = 0.0
        self._courtesies_at = 0.0
        self._monitoring = Monitoring(connection.client, job.id)
        self._metrics = ServiceMetrics(connection.client, job.id, job.job_id)

    async def news(self, fields: Fields) -> AsyncIterator[Event]:
        """Yield the new events in `fields`, new log lines and, after a terminal status, the job's end."""
        if self._lacks_details(fields):
            fields = await self._service.get(self._job.id)
        status = status_map.status_of(fields)
        self._learn(fields)
        for event in self._new(facts_of(fields, status)):
            self.status = event if isinstance(event, StatusChanged) else self.status
            yield event
        if status is Status.RUNNING:
            for event in self._replicas(fields):
                yield event
            async for chunk in self._logs.read(AT_ONCE):
                yield chunk
        for event in await self._courtesies(fields, status):
            yield event
        if status is not None and status.is_terminal:
            async for chunk in self._drain(fields):
                yield chunk
            for event in self._replicas(await self._with_instances(fields)):
                yield event
            for text in self._lost(fields, status):
                yield Notice(text=text, time=status_map.ended(fields) or time.time(), level="warning")
            number, names = self._logs.saved
            if number:
                yield Notice(text=beside_sentence(names, number), time=status_map.ended(fields) or time.time())
            for event in await self._end(fields, status):
                yield event
            self.is_over = True

    def _replicas(self, fields: Fields) -> list[Event]:
        """Return what is new of the replicas of a job that has several; their times may be those of the requests."""
        found = replica_events(fields, self._logs.instances, self._logs.exit_codes, now=time.time())
        new = {(each.replica, each.status, each.attempt): each for each in found}
        told = [each for key, each in new.items() if key not in self._replicas_told]
        self._replicas_told.update(new)
        return [*told]

    async def _with_instances(self, fields: Fields) -> Fields:
        """Return the ended job's fields, having learned how its instances ended; a list of jobs lacks them."""
        if "Instances" not in fields and len(self._logs) > 1:
            with suppress(PaiJupyterError):
                self._learn(await self._service.get(self._job.id))
        return fields

    def _new(self, events: Iterable[Event]) -> list[Event]:
        """Return the events that were not reported before, and remember them."""
        new = [event for event in events if event not in self._yielded]
        self._yielded.update(new)
        return new

    def _lacks_details(self, fields: Fields) -> bool:
        if "Instances" in fields or status_map.status_of(fields) in (None, Status.QUEUED):
            return False
        patience = DETAILS_EVERY if self._schedule.is_looked_at else DETAILS_SELDOM
        return not self._logs or time.monotonic() - self._details_at > patience

    def _learn(self, fields: Fields) -> None:
        self._saves_beside = self._saves_beside or saves_beside(fields)
        if "Instances" in fields:
            self._details_at = time.monotonic()
            self._logs.learn(fields)

    async def _drain(self, fields: Fields) -> AsyncIterator[LogChunk]:
        """Yield the remaining log lines until the log is complete or silent for `QUIET` s, or too old."""
        last_news = time.monotonic()
        while self._logs or status_map.has_run(fields):
            async for chunk in self._logs.read(len(self._logs)):
                last_news = time.monotonic()
                yield chunk
            if self._logs.are_complete or self._ended_long_ago(fields) or time.monotonic() - last_news > QUIET:
                return
            await asyncio.sleep(DRAIN_PAUSE)
            if not self._logs:
                self._learn(await self._service.get(self._job.id))

    def _lost(self, fields: Fields, status: Status) -> Iterator[str]:
        may_be_more = self._may_have_lost_outputs(fields, status)
        return lost_outputs(self._logs.left, self._logs.unsaved, may_be_more=may_be_more)

    def _may_have_lost_outputs(self, fields: Fields, status: Status) -> bool:
        """Return whether a killed launcher may have left outputs unsaved, while its log is still available."""
        if not self._saves_beside or self._logs.are_complete or status is Status.SUCCEEDED:
            return False
        return status_map.has_run(fields) and not self._ended_long_ago(fields)

    def _ended_long_ago(self, fields: Fields) -> bool:
        ended = status_map.ended(fields)
        return ended is not None and time.time() + self._connection.client.clock_skew - ended > LATE

    async def _end(self, fields: Fields, status: Status) -> list[Event]:
        """Return the terminal status, preceded by the events that belong to it."""
        at = status_map.ended(fields) or time.time()
        match status:
            case Status.FAILED:
                return await self._failure(fields, at)
            case Status.SUCCEEDED:
                end = StatusChanged(status=status, time=at, exit_code=0)
                is_emulator = self._connection.session.is_emulator
                return [end] if is_emulator else [Link(name="deploy", url=self._deploy_page()), end]
            case _:
                return [StatusChanged(status=status, time=at, reason=status_map.reason_of(fields))]

    async def _failure(self, fields: Fields, at: float) -> list[Event]:
        """Return the failure with the plain reason from the logs; without one, all that the service reports."""
        said = status_map.reason_of(fields)
        if not said:
            with suppress(PaiJupyterError):
                said = status_map.line(await self._service.error_info(self._job.id))
        if (failure := self._logs.failure) is not None:
            code, reason = failure
            before: list[Event] = [Notice(text=said, time=at, level="error")] if said not in ("", reason) else []
            return [*before, StatusChanged(status=Status.FAILED, time=at, reason=reason, exit_code=code)]
        end = StatusChanged(status=Status.FAILED, time=at, reason=said, exit_code=status_map.exit_code_of(fields))
        return [*await self._events(fields), end]

    def _deploy_page(self) -> str:
        """Return the URL of the console's EAS page, where models are deployed."""
        site = self._job.site
        return f"https://pai.console.aliyun.com/?regionId={site.region}&workspaceId={site.workspace}#/eas"

    async def _courtesies(self, fields: Fields, status: Status | None) -> list[Event]:
        """Return usage while the job is viewed, and periodically events of a waiting job and metrics not in the log."""
        found: list[Event] = []
        if status is Status.RUNNING and self._schedule.is_looked_at and self._job.kind == "training":
            found += await self._monitoring.samples(fields, self._logs.replicas)
        is_over = status is not None and status.is_terminal
        if not is_over and time.monotonic() - self._courtesies_at < COURTESIES_EVERY:
            return found
        is_first, self._courtesies_at = self._courtesies_at == 0.0, time.monotonic()
        if status is Status.QUEUED and not is_first:
            found += await self._events(fields)
        with suppress(PaiJupyterError):
            found += await self._metrics.news(fields)
        return found

    async def _events(self, fields: Fields) -> list[Event]:
        """Return the service's new events of the job as notices; [] if the service does not answer."""
        with suppress(PaiJupyterError):
            return self._new(notices_of(await self._service.events(self._job.id), fields))
        return []
