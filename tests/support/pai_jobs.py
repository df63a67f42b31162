"""PAI's backend beside a service of the tests: a session that points there, jobs that are followed with a deadline."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.backends.pai.following import followed_job, poll_schedule
from pai_jupyter.backends.pai.services.job import PaiJob
from pai_jupyter.backends.pai.submission import creation
from pai_jupyter.cloud.session import Site, default
from pai_jupyter.config import settings
from pai_jupyter.events import Event, LogChunk, Notice, Position, StatusChanged
from pai_jupyter.spec import JobRef
from tests.fakes.openapi import KEY, SECRET
from tests.fakes.studio import WORKSPACE, Studio, StudioJob
from tests.support import emulators
from tests.support.emulators import Emulator, emulator
from tests.support.patience import DEADLINE as DEADLINE

PLACE = {"region": "cn-test", "workspace": WORKSPACE, "bucket": "pai-test"}


@dataclass
class PaiJobs:
    """The backend, and the fake service that it talks to."""

    service: Studio
    backend: PaiBackend = field(default_factory=PaiBackend)

    def ref(self, job: StudioJob, job_id: str = "j1") -> JobRef:
        site = Site(region="cn-test", workspace=WORKSPACE, address=self.service.address)
        return PaiJob(job_id=job_id, kind="training", id=job.id, site=site).ref

    async def follow(self, ref: JobRef, after: Position | None = None) -> list[Event]:
        async with asyncio.timeout(DEADLINE):
            return [event async for event in self.backend.follow(ref, after or {})]

    @asynccontextmanager
    async def following(self, ref: JobRef, after: Position | None = None) -> AsyncIterator["Heard"]:
        """Follow in the background; what was heard so far can be waited for."""
        heard = Heard()
        task = asyncio.create_task(self._hear(ref, after or {}, heard))
        try:
            yield heard
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _hear(self, ref: JobRef, after: Position, heard: "Heard") -> None:
        try:
            async for event in self.backend.follow(ref, after):
                heard.add(event)
        finally:
            heard.is_over = True
            heard.changed.set()


@dataclass
class Heard:
    """The events of one follower, as they come."""

    events: list[Event] = field(default_factory=list)
    is_over: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.changed.set()

    async def until(self, *wanted: object) -> None:
        """Wait until an event of each of these kinds, or with each of these texts, was heard."""
        async with asyncio.timeout(DEADLINE):
            while not all(any(_fits(event, each) for event in self.events) for each in wanted):
                assert not self.is_over, self.events
                self.changed.clear()
                await self.changed.wait()

    async def end(self) -> None:
        async with asyncio.timeout(DEADLINE):
            while not self.is_over:
                self.changed.clear()
                await self.changed.wait()


@pytest.fixture
async def jobs(home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PaiJobs]:
    """The backend and a service; whoever tries again does so at once."""
    hurry(monkeypatch)
    async with Studio() as service:
        with session_at(service.address, home):
            jobs = PaiJobs(service)
            yield jobs
            await jobs.backend.aclose()


@pytest.fixture(scope="session")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    """The emulator of all tests."""
    with emulator(tmp_path_factory.mktemp("rehearsal") / "data") as running:
        yield running


@pytest.fixture
async def rehearsed(rehearsal: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PaiBackend]:
    """The backend at the emulator; processes that a test starts find it there, too."""
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", rehearsal.address)
    with session_at(rehearsal.address, home, key=(emulators.KEY, emulators.SECRET), values={}):
        backend = PaiBackend()
        yield backend
        await backend.aclose()


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pauses everywhere; what they are for stays as it is."""
    for name in ("SHORTEST", "SLICE"):
        monkeypatch.setattr(poll_schedule, name, 0.02)
    for name in ("RETRY", "DRAIN_PAUSE"):
        monkeypatch.setattr(followed_job, name, 0.02)
    monkeypatch.setattr(followed_job, "QUIET", 0.5)
    monkeypatch.setattr(creation, "PAUSES", (0.0, 0.01, 0.02))
    monkeypatch.setattr("pai_jupyter.cloud.client.retry._FIRST", 0.001)
    monkeypatch.setattr("pai_jupyter.cloud.client.retry._LONGEST", 0.002)


@contextmanager
def session_at(
    address: str, home: Path, *, key: tuple[str, str] = (KEY, SECRET), values: Mapping[str, str] = PLACE
) -> Iterator[None]:
    """The session of this kernel is at the service at `address`, and has its key."""
    (home / "emulator").mkdir(exist_ok=True)
    credentials = {"access_key_id": key[0], "access_key_secret": key[1]}
    (home / "emulator" / "credentials.json").write_text(json.dumps(credentials))
    forget()
    settings().use_emulator(address)
    settings().update(values)
    try:
        yield
    finally:
        forget()


def forget() -> None:
    """Let this process begin anew with its settings."""
    settings.cache_clear()
    default._last = None


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110  a service of the tests sets no event
            await asyncio.sleep(0.01)


def _fits(event: Event, wanted: object) -> bool:
    if isinstance(wanted, type):
        return isinstance(event, wanted)
    match event:
        case LogChunk(data=data):
            return isinstance(wanted, str) and wanted.encode() in data
        case StatusChanged(status=status):
            return status == wanted
        case _:
            return False


def log(events: Sequence[Event], replica: str = "master-0") -> str:
    return b"".join(e.data for e in events if isinstance(e, LogChunk) and e.replica == replica).decode()


def position(events: Sequence[Event]) -> Position:
    return {event.replica: event.cursor for event in events if isinstance(event, LogChunk)}


def statuses(events: Sequence[Event]) -> list[StatusChanged]:
    return [event for event in events if isinstance(event, StatusChanged)]


def notices(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
