"""A backend that runs nothing: what a job "prints" is in its package. It is the measure of how wide the protocol is.

A package holds the files `before` (printed at once), `after` (printed when the file `open` is in the input `gate`, if the
job has such an input), `exit_code` and `model` (the output `model`). `tests/support/programs.py` makes packages that do just the
same when they are really run.
"""

import asyncio
import tarfile
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.backends import BackendInfo, LogHome, StatusReport
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Event, LogChunk, Notice, Position, Status, StatusChanged
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec


@dataclass
class FakeJob:
    files: dict[str, bytes]
    gate: Path | None
    is_stopped: bool = False

    @property
    def is_over(self) -> bool:
        return self.is_stopped or self.gate is None or (self.gate / "open").exists()

    @property
    def log(self) -> bytes:
        return self.files["before"] + (self.files["after"] if self.is_over and not self.is_stopped else b"")

    @property
    def end(self) -> StatusReport:
        code = int(self.files["exit_code"])
        status = Status.STOPPED if self.is_stopped else Status.FAILED if code else Status.SUCCEEDED
        return StatusReport(status=status, exit_code=None if self.is_stopped else code, reason=f"exit code {code}")


class FakeBackend:
    """Answers in pages of `page` bytes; of every `lossy` answers one is lost on the way (0: none is)."""

    info = BackendInfo(name="fake", title="fake")
    log_home = LogHome.SERVICE

    def __init__(self, *, page: int = 64 * 1024, lossy: int = 0) -> None:
        self.jobs: dict[str, FakeJob] = {}
        self._page, self._lossy, self._answers = page, lossy, 0

    def check(self, spec: JobSpec) -> list[str]:
        problems = [] if spec.instance_type == "local" else [f"there is no {spec.instance_type!r} here."]
        return [*problems, *(["only jobs of one machine run here."] if len(spec.roles) > 1 else [])]

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        with tarfile.open(package.path) as tar:
            files = {name: tar.extractfile(name) for name in tar.getnames()}
            content = {name: file.read() for name, file in files.items() if file}
        gate = spec.inputs.get("gate")
        self.jobs.setdefault(job_id, FakeJob(files=content, gate=Path(gate) if gate else None))
        return JobRef(backend=self.info.name, job_id=job_id)

    async def status(self, ref: JobRef) -> StatusReport:
        job = self._job(ref)
        return job.end if job.is_over else StatusReport(status=Status.RUNNING)

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        job, cursor, is_noticed = self._job(ref), after.get("master-0", 0), False
        yield StatusChanged(status=Status.RUNNING, time=time.time())
        while True:
            try:
                is_over, page = self._ask(job, cursor)
            except ConnectionError:
                if not is_noticed:
                    yield Notice(text="the connection was lost; trying again.", time=time.time(), level="warning")
                is_noticed = True
            else:
                cursor += len(page)
                if page:
                    yield LogChunk(replica="master-0", data=page, cursor=cursor, time=time.time())
                elif is_over:
                    break
            await asyncio.sleep(0.001 if not job.is_over else 0)
        yield StatusChanged(status=job.end.status, time=time.time(), reason=job.end.reason, exit_code=job.end.exit_code)

    async def stop(self, ref: JobRef) -> None:
        job = self._job(ref)
        job.is_stopped = not job.is_over or job.is_stopped

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        if channel not in self._job(ref).files:
            raise NotFoundError(f"job {ref.job_id} has no output {channel!r}.")
        await asyncio.to_thread(to.mkdir, parents=True)
        await asyncio.to_thread((to / f"{channel}.bin").write_bytes, self.jobs[ref.job_id].files[channel])
        return to

    async def aclose(self) -> None: ...

    def _job(self, ref: JobRef) -> FakeJob:
        if ref.job_id not in self.jobs:
            raise NotFoundError(f"there is no job {ref.job_id!r}.")
        return self.jobs[ref.job_id]

    def _ask(self, job: FakeJob, cursor: int) -> tuple[bool, bytes]:
        """One request to the service: whether the job is over, and a page of its log."""
        self._answers += 1
        if self._lossy and self._answers % self._lossy == 0:
            raise ConnectionError
        return job.is_over, job.log[cursor : cursor + self._page]
