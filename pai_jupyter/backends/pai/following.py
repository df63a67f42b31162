"""One training job as events, from the answers of its service: what it says of the job, its logs, and how it ended.

Rule 1: the terminal status comes last, when the log is complete: its end mark was read (contract/launcher.py). A job
    that was killed leaves none; then whatever comes within `QUIET` seconds of silence still counts.
Rule 2: what the service does not answer is asked again, at growing pauses, and that is said once. Answers that are
    courtesies (usage, metrics, events) may be missing.
Rule 3: several may follow one job, and each begins where it likes. What is told again is told in the same words.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

from pai_jupyter.backends.pai import words
from pai_jupyter.backends.pai.board import DEADLINE
from pai_jupyter.backends.pai.instances import replicas_of
from pai_jupyter.backends.pai.job import PaiJob, folder_of
from pai_jupyter.backends.pai.line import Line
from pai_jupyter.backends.pai.logs import LogReader
from pai_jupyter.backends.pai.metrics import ServiceMetrics
from pai_jupyter.backends.pai.pace import Pace
from pai_jupyter.backends.pai.usage import Monitoring
from pai_jupyter.backends.pai.words import Fields
from pai_jupyter.cloud.client import paistudio
from pai_jupyter.errors import AuthError, NotFoundError, PaiJupyterError, ProtocolError, SpecError
from pai_jupyter.events import (
    Event,
    Link,
    LogChunk,
    Notice,
    Phase,
    PhaseChanged,
    Position,
    Progress,
    Status,
    StatusChanged,
    Usage,
)
from pai_jupyter.spec import Json

RETRY, LONGEST_RETRY = 1.0, 30.0  # seconds between two tries when the service does not answer
LATE = 60.0  # seconds after which nobody waits for lines of a job that has ended
QUIET = 4.0  # seconds without a new line, after which a log without an end mark is complete
DRAIN_PAUSE = 0.3  # seconds between two looks for the last lines
DETAILS_EVERY = 60.0  # seconds; lists of jobs do not tell instances and progress
COURTESIES_EVERY = 30.0  # seconds between two looks for events and metrics
AT_ONCE = 8  # replicas of which the log is read in one tick; of more, some in each


async def follow(line: Line, job: PaiJob, after: Position) -> AsyncIterator[Event]:
    """Everything that happens to the job behind `after`, until its end."""
    pace, pause, is_announced = Pace(folder_of(job.job_id)), RETRY, False
    story = Story(line, job, after, pace)
    with line.board.watch(job.id) as watch:
        while not story.is_over:
            try:
                await pace.rest(watch)
                fields = await line.board.look(watch)
                watch.rest(pace.pause())
                async for event in story.news(fields):
                    yield event
                pause, is_announced = RETRY, False
            except (AuthError, NotFoundError, ProtocolError):
                raise
            except SpecError as exc:
                raise ProtocolError(f"the service refuses to tell of job {job.job_id}: {exc}") from exc
            except PaiJupyterError as exc:
                watch.rest(pause)
                pause = min(2 * pause, LONGEST_RETRY)
                if not is_announced:
                    text = f"{exc} It is tried again and again; the job itself goes on."
                    yield Notice(text=text, time=time.time(), level="warning")
                is_announced = True


class Story:
    """What has been told of one job, and what there is to tell."""

    def __init__(self, line: Line, job: PaiJob, after: Position, pace: Pace) -> None:
        self.is_over = False
        self._line = line
        self._job = job
        self._after = after
        self._pace = pace
        self._replicas: dict[str, str] = {}
        self._readers: dict[str, LogReader] = {}
        self._turn = 0
        self._told: set[Event] = set()
        self._details_at = self._courtesies_at = 0.0
        self._monitoring = Monitoring(line.client, job.id)
        self._metrics = ServiceMetrics(line.client, job.id, job.job_id)

    async def news(self, fields: Fields) -> AsyncIterator[Event]:
        """What `fields` say beyond what was told, the new lines of the logs, and whatever belongs to them."""
        status = words.status_of(fields)
        if self._lacks_details(fields, status):
            fields = await self._line.board.get(self._job.id)
            status = words.status_of(fields)
        self._learn(fields)
        for event in self._facts(fields, status):
            yield event
        if status is Status.RUNNING:
            async for chunk in self._lines(AT_ONCE):
                yield chunk
            for sample in await self._usage(fields):
                yield sample
        for told in await self._courtesies(fields, status):
            yield told
        if status is not None and status.is_terminal:
            async for event in self._finish(fields, status):
                yield event
            self.is_over = True

    def _facts(self, fields: Fields, status: Status | None) -> Iterator[Event]:
        """What follows from the answer itself; each fact once."""
        for event in facts_of(fields, status):
            if event not in self._told:
                self._told.add(event)
                yield event

    def _lacks_details(self, fields: Fields, status: Status | None) -> bool:
        if "Instances" in fields or status in (None, Status.QUEUED):
            return False
        return not self._replicas or time.monotonic() - self._details_at > DETAILS_EVERY

    def _learn(self, fields: Fields) -> None:
        """Take over what instances the job has; one that was seen is kept."""
        if "Instances" not in fields:
            return
        self._details_at = time.monotonic()
        for replica, instance in replicas_of(words.objects(fields, "Instances")).items():
            if self._replicas.setdefault(replica, instance) == instance and replica not in self._readers:
                self._readers[replica] = self._reader(replica, instance)

    def _reader(self, replica: str, instance: str) -> LogReader:
        async def ask(number: int, size: int) -> dict[str, Json]:
            return await self._line.client.call(
                paistudio.LIST_TRAINING_JOB_LOGS,
                path={"training_job_id": self._job.id},
                query={"InstanceId": instance, "PageNumber": number, "PageSize": size},
                deadline=DEADLINE,
            )

        return LogReader(self._job.job_id, ask, cursor=self._after.get(replica, 0))

    async def _lines(self, count: int) -> AsyncIterator[LogChunk]:
        """The new lines of the next `count` replicas."""
        names = list(self._readers)
        count = min(count, len(names))
        chosen = [names[(self._turn + number) % len(names)] for number in range(count)]
        self._turn += count
        for replica in chosen:
            async for found in self._readers[replica].read():
                yield LogChunk(replica=replica, data=found.data, cursor=found.cursor, time=time.time())

    async def _finish(self, fields: Fields, status: Status) -> AsyncIterator[Event]:
        """The last lines, and how the job ended."""
        async for chunk in self._drain(fields):
            yield chunk
        for event in await self._explanation(fields, status):
            yield event

    async def _drain(self, fields: Fields) -> AsyncIterator[LogChunk]:
        """All lines that there will be."""
        last_news = time.monotonic()
        while self._readers or words.has_run(fields):
            async for chunk in self._lines(len(self._readers)):
                last_news = time.monotonic()
                yield chunk
            if self._is_complete or self._ended_long_ago(fields) or time.monotonic() - last_news > QUIET:
                return
            await asyncio.sleep(DRAIN_PAUSE)
            if not self._readers:
                self._learn(await self._line.board.get(self._job.id))

    @property
    def _is_complete(self) -> bool:
        return bool(self._readers) and all(reader.is_complete for reader in self._readers.values())

    def _ended_long_ago(self, fields: Fields) -> bool:
        ended = words.ended(fields)
        return ended is not None and time.time() + self._line.client.clock_skew - ended > LATE

    async def _explanation(self, fields: Fields, status: Status) -> list[Event]:
        """The terminal status with what the service says of it, and before it what comes of the job."""
        at, reason, code = words.ended(fields) or time.time(), words.reason_of(fields), words.exit_code_of(fields)
        before: list[Event] = []
        if status is Status.FAILED:
            reason = reason or await self._error_info()
            said, code = reason, self._exit_code() or code
            if code is not None and (own := self._own_reason(code)):
                reason = own
                before += [Notice(text=said, time=at, level="error")] if said and said != own else []
            else:
                before += await self._events(fields)
        elif status is Status.SUCCEEDED:
            reason = ""
            if not self._line.session.is_emulator:
                before.append(Link(name="deploy", url=self._deploy_page()))
        return [*before, StatusChanged(status=status, time=at, reason=reason, exit_code=code)]

    def _exit_code(self) -> int | None:
        """The exit code of the replica that failed, where its log tells one."""
        return next((reader.exit_code for reader in self._readers.values() if reader.exit_code), None)

    def _own_reason(self, code: int) -> str:
        """The plain reason, whose cause is in the log; empty where the log does not tell who failed."""
        for replica, reader in self._readers.items():
            if reader.exit_code == code:
                return f"exit code {code}" if len(self._readers) == 1 else f"{replica}: exit code {code}"
        return ""

    async def _error_info(self) -> str:
        with suppress(PaiJupyterError):
            answer = await self._line.client.call(
                paistudio.GET_TRAINING_JOB_ERROR_INFO, path={"training_job_id": self._job.id}, deadline=DEADLINE
            )
            info = answer.get("ErrorInfo")
            if isinstance(info, dict):
                return words.line(info.get("Message") or info.get("Code"))
        return ""

    def _deploy_page(self) -> str:
        """The console's page from where a model is deployed."""
        site = self._job.site
        return f"https://pai.console.aliyun.com/?regionId={site.region}&workspaceId={site.workspace}#/eas"

    async def _usage(self, fields: Fields) -> list[Usage]:
        return await self._monitoring.samples(fields, self._replicas) if self._pace.is_watched else []

    async def _courtesies(self, fields: Fields, status: Status | None) -> list[Event]:
        """Events of a job that waits for long, and metrics that no log tells; now and then, and at the end."""
        is_over = status is not None and status.is_terminal
        if not is_over and time.monotonic() - self._courtesies_at < COURTESIES_EVERY:
            return []
        is_first, self._courtesies_at = self._courtesies_at == 0.0, time.monotonic()
        found: list[Event] = []
        with suppress(PaiJupyterError):
            if status is Status.QUEUED and not is_first:
                found += await self._events(fields)
            found += await self._metrics.news(fields)
        return found

    async def _events(self, fields: Fields) -> list[Event]:
        """What happened to the job, as its service tells it; nothing where it does not."""
        events: Json = None
        with suppress(PaiJupyterError):
            answer = await self._line.client.call(
                paistudio.LIST_TRAINING_JOB_EVENTS,
                path={"training_job_id": self._job.id},
                query={"PageSize": 100},
                deadline=DEADLINE,
            )
            events = answer.get("Events")
        texts = [words.line(each) for each in events] if isinstance(events, list) else []
        notices = [notice_of(text, default=words.read_time(fields.get("GmtCreateTime")) or 0.0) for text in texts]
        new = [notice for notice in notices[-MAX_EVENTS:] if notice not in self._told]
        self._told.update(new)
        return [*new]


MAX_EVENTS = 10  # of one answer; the oldest are of no interest any more


def facts_of(fields: Fields, status: Status | None) -> Iterator[Event]:
    """What an answer says of the job, but how it ended."""
    url = str(fields.get("TrainingJobUrl") or "")
    if url.startswith(("https://", "http://")):
        yield Link(name="console", url=url)
    prepared = words.entered(fields, "Initializing")
    if prepared is not None:
        yield PhaseChanged(phase=Phase.PREPARING, time=prepared)
    if status is Status.QUEUED:
        since = words.began(fields, Status.QUEUED) or words.read_time(fields.get("GmtCreateTime"))
        yield StatusChanged(status=status, time=since or time.time(), reason=words.reason_of(fields))
    started = words.began(fields, Status.RUNNING)
    if started is not None:
        yield StatusChanged(status=Status.RUNNING, time=started)
        yield PhaseChanged(phase=Phase.RUNNING, time=started)
    yield from _progress(fields)


def notice_of(text: str, *, default: float) -> Notice:
    """An event of the service; its time stands in front of it, as a rule."""
    first, _, rest = text.partition(" ")
    at = words.read_time(first) if first[:1].isdigit() else None
    level = "warning" if "warning" in text.lower() or "failed" in text.lower() else "info"
    return Notice(text=rest if at is not None and rest else text, time=at or default, level=level)


def _progress(fields: Fields) -> Iterator[Progress]:
    """How far the job is, by the definitions that it was given; the service tells shares of 1 or of 100."""
    latest = fields.get("LatestProgress")
    overall = latest.get("OverallProgress") if isinstance(latest, dict) else None
    if isinstance(overall, dict) and isinstance(value := overall.get("Value"), int | float) and value >= 0:
        at = words.read_time(overall.get("Timestamp"))
        yield Progress(done=float(value), total=1.0 if value <= 1 else 100.0, time=at or time.time())
