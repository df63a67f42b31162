"""Jobs on the process backend for tests: scripts given as text, awaited with a deadline, stopped behind the test."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pai_jupyter.backends.process import ProcessBackend
from pai_jupyter.events import Event, LogChunk, StatusChanged
from pai_jupyter.package import build
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore
from tests.support.patience import DEADLINE


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A job at its end."""

    ref: JobRef
    folder: Path
    events: list[Event]

    @property
    def end(self) -> StatusChanged:
        last = self.events[-1]
        assert isinstance(last, StatusChanged)
        assert last.status.is_terminal
        return last

    def log(self, replica: str = "master-0") -> str:
        return b"".join(e.data for e in self.events if isinstance(e, LogChunk) and e.replica == replica).decode()


@dataclass
class LocalJobs:
    folder: Path
    backend: ProcessBackend = field(default_factory=ProcessBackend)
    refs: list[JobRef] = field(default_factory=list)
    name: str = field(default_factory=lambda: f"job-{secrets.token_hex(4)}")  # another run of the tests has other jobs

    async def start(self, script: str = "", *, files: dict[str, bytes] | None = None, **spec: Any) -> JobRef:
        """Submit `script` as train.py; `spec` has what differs from a plain job (Any: fields of a JobSpec)."""
        job_id = self.next_id
        content = {"train.py": script.encode(), **(files or {})}
        package = build(None, to=self.folder / f"{job_id}.tar.gz", files=content)
        self.refs.append(JobRef(backend="process", job_id=job_id))
        wanted = JobSpec(**{"name": "a job", "command": "python train.py $PAI_USER_ARGS", **spec})
        self.refs[-1] = await self.backend.submit(wanted, package, job_id=job_id)
        return self.refs[-1]

    @property
    def next_id(self) -> str:
        return f"{self.name}-{len(self.refs)}"

    async def finish(self, ref: JobRef) -> Ended:
        async with asyncio.timeout(DEADLINE):
            events = [event async for event in self.backend.follow(ref, {})]
        return Ended(ref=ref, folder=self.folder_of(ref), events=events)

    async def run(self, script: str = "", *, files: dict[str, bytes] | None = None, **spec: Any) -> Ended:
        return await self.finish(await self.start(script, files=files, **spec))

    async def printed(self, ref: JobRef, text: str, replica: str = "master-0") -> str:
        """The log of the job as soon as `text` is in a finished line of it.

        Without buffers, as jobs run, `print` writes its text and then the end of the line: a signal in between is handled
        before the line has ended.
        """
        path = self.folder_of(ref) / "logs" / f"{replica}.log"
        await until(lambda: path.exists() and text in path.read_text().rpartition("\n")[0])
        return path.read_text()

    def folder_of(self, ref: JobRef) -> Path:
        return JobStore().path(ref.job_id)

    async def end(self) -> None:
        """Stop, at once, whatever a test has left running."""
        self.backend.grace = 0.0
        for ref in self.refs:
            if (self.folder_of(ref) / "run" / "supervisor.json").exists():
                await self.backend.stop(ref)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110  other processes set no event
            await asyncio.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def naps(word: str) -> list[int]:
    """The processes that were started as `sleep WORD`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes() == f"sleep\0{word}\0".encode():
                found.append(int(path.parent.name))
    return found
