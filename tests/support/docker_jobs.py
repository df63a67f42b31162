"""Running jobs on the Docker backend, and reading what came of them."""

import asyncio
from collections.abc import Callable

from pai_jupyter.backends import StatusReport
from pai_jupyter.backends.docker import DockerBackend
from pai_jupyter.events import Event, LogChunk, StatusChanged
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore
from tests.support.patience import DEADLINE as DEADLINE


class Jobs:
    """Runs jobs on a backend, each under an id of its own."""

    def __init__(self, backend: DockerBackend, pack: Callable[..., Package]) -> None:
        self.backend = backend
        self._pack = pack
        self._count = 0

    async def start(self, spec: JobSpec, files: dict[str, str] | None = None) -> JobRef:
        self._count += 1
        return await self.backend.submit(spec, self._pack(files), job_id=f"job-{self._count}")

    async def events(self, ref: JobRef) -> list[Event]:
        async with asyncio.timeout(DEADLINE):
            return [event async for event in self.backend.follow(ref, {})]

    async def run(self, spec: JobSpec, files: dict[str, str] | None = None) -> list[Event]:
        return await self.events(await self.start(spec, files))


def log(events: list[Event], replica: str = "master-0") -> str:
    return b"".join(e.data for e in events if isinstance(e, LogChunk) and e.replica == replica).decode()


def end(events: list[Event]) -> StatusChanged:
    last = events[-1]
    assert isinstance(last, StatusChanged)
    assert last.status.is_terminal
    return last


def only(events: list[Event], kind: type) -> list[Event]:
    return [event for event in events if isinstance(event, kind)]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110  what happens in a container sets no event
            await asyncio.sleep(0.02)


async def log_has(ref: JobRef, text: str, replica: str = "master-0") -> None:
    path = JobStore().path(ref.job_id) / "logs" / f"{replica}.log"
    await until(lambda: path.exists() and text in path.read_text())


async def ended_by_itself(backend: DockerBackend, ref: JobRef) -> StatusReport:
    """The report of a job that nobody follows, at its end."""
    async with asyncio.timeout(DEADLINE):
        while not (report := await backend.status(ref)).status.is_terminal:  # noqa: ASYNC110  as above
            await asyncio.sleep(0.05)
    return report
