"""A client of the wire for tests, and jobs whose folders the test itself writes."""

import asyncio
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Self, cast

from pai_jupyter.events import Event, JobState, LogChunk, Status, StatusChanged, event_from_json
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import FollowLock, JobFolder, JobRecord, JobStore, JobWriter
from pai_jupyter.wire import Feed, Message, to_frame
from pai_jupyter.wire.schema.values import WireError
from tests.support.declared import ANSWERS, assert_declared, assert_declared_push
from tests.support.started import DEADLINE

REPLICA = "master-0"
BUDGET = 256 * 1024  # bytes of one push at most


class Client:
    """The other end of a feed: what has come, in order, and when. While it is not `is_free`, it takes nothing more.

    Whatever has come must be as it is declared.
    """

    def __init__(self, language: str = "en") -> None:
        self.messages: list[Message] = []
        self.times: list[float] = []
        self.is_free = asyncio.Event()
        self.is_free.set()
        self.feed = Feed(self.take, language=language)
        self._asked = 0

    async def take(self, message: Message) -> None:
        self.messages.append(message)
        self.times.append(time.monotonic())
        await self.is_free.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.is_free.set()
        await self.feed.aclose()
        for message in self.messages if kind is None else ():  # not as they come: it would take their time
            if "seq" in message.body:
                assert_declared_push(message.body)

    async def ask(self, kind: str, job: str, **parameters: Any) -> Message:
        """The answer to a request."""
        self._asked += 1
        own_id = f"q{self._asked}"
        await self.feed.receive({"id": own_id, "kind": kind, "job": job, **parameters})
        answer = next(message for message in self.messages if message.body.get("id") == own_id)
        if "error" in answer.body:
            assert_declared(WireError, answer.body["error"])
        return answer

    async def ok(self, kind: str, job: str, **parameters: Any) -> Any:
        answer = await self.ask(kind, job, **parameters)
        assert "error" not in answer.body, answer.body["error"]
        if kind in ANSWERS:
            assert_declared(ANSWERS[kind], answer.body["ok"])
        return answer.body["ok"]

    async def hello(self, job: str, view: str = "v", **parameters: Any) -> dict[str, Any]:
        """Mount a view; returns its snapshot."""
        before = len(self.pushes(view))
        assert await self.ok("hello", job, view=view, **parameters) == {"api": 1}
        pushes = await self.until(lambda: self.pushes(view)[before:])
        return cast(dict[str, Any], pushes[0])

    def pushes(self, view: str = "v", kind: str | None = None) -> list[dict[str, Any]]:
        bodies = [dict(message.body) for message in self.messages if message.body.get("view") == view]
        return [body for body in bodies if kind in (None, body["kind"])]

    async def until(self, condition: Callable[[], Any]) -> Any:
        """What `condition` says as soon as it says something."""
        async with asyncio.timeout(DEADLINE):
            while not (found := condition()):  # noqa: ASYNC110  it may be a condition of files
                await asyncio.sleep(0.01)
        return found


class RecordedJob:
    """A job that the test records itself, holding its lock as a follower does."""

    def __init__(
        self, job_id: str = "j1", *, ref: JobRef | None = None, record: Mapping[str, Any] | None = None, **spec: Any
    ) -> None:
        """`record` gives fields of the record; a server that lists jobs reads it once, and not again if it is changed."""
        wanted = JobSpec(**{"name": "训练 a", "command": "python train.py", **spec})
        given = {"backend": "fake", "created": 1.0, **(record or {})}
        self.folder: JobFolder = JobStore().create(JobRecord(id=job_id, spec=wanted, **given))
        self.folder.start(ref or JobRef(backend="fake", job_id=job_id), self.folder.read().state)
        self.lock: FollowLock | None = self.folder.try_lock()
        self.writer: JobWriter = self.folder.writer("service")
        self._cursors: dict[str, int] = {}

    @property
    def id(self) -> str:
        return self.folder.id

    @property
    def job(self) -> Job:
        return Job(self.folder)

    def record(self, *events: Event) -> None:
        for event in events:
            self.writer.record(event)
        self.writer.commit()

    def print(self, data: bytes | str, replica: str = REPLICA) -> None:
        data = data.encode() if isinstance(data, str) else data
        cursor = self._cursors[replica] = self._cursors.get(replica, 0) + len(data)
        self.record(LogChunk(replica=replica, data=data, cursor=cursor, time=7.0))

    def status(self, status: Status, **more: Any) -> None:
        self.record(StatusChanged(status=status, time=5.0, **more))

    def release(self) -> None:
        """What a follower does at the very end."""
        self.writer.close()
        if self.lock:
            self.lock.__exit__(None, None, None)
        self.lock = None


def state_of(pushes: list[dict[str, Any]]) -> dict[str, Any]:
    """The job's state as a client has it that folds what it is told."""
    state = JobState()
    for push in pushes:
        if "state" in push:
            state = JobState.from_json(push["state"])
        for item in push.get("events", ()):
            event = event_from_json(item)
            assert event is not None
            state = state.apply(event)
    return state.to_json()


def lines_of(pushes: list[dict[str, Any]]) -> dict[int, str]:
    """The lines as a client has them that keeps what it is told, by number."""
    tails = [push["tail"] for push in pushes if "tail" in push]
    return {tail["start"] + at: line for tail in tails for at, line in enumerate(tail["lines"])}


def assert_in_order(pushes: list[dict[str, Any]]) -> None:
    assert [push["seq"] for push in pushes] == list(range(len(pushes)))
    assert pushes[0]["kind"] == "snapshot"


def assert_polite(client: Client) -> None:
    """At most 5 pushes a second and 256 KB each."""
    came = [
        (at, to_frame(message))
        for at, message in zip(client.times, client.messages, strict=True)
        if "seq" in message.body
    ]
    assert max(len(frame if isinstance(frame, bytes) else frame.encode()) for _, frame in came) <= BUDGET
    assert all(later - earlier > 0.19 for (earlier, _), (later, _) in pairwise(came))
