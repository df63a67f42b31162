"""A backend whose jobs are files and take no time, unless they wait for a gate: for runs, which are driven by processes of their own.

What a job does is the JSON in its command: `mark` (a file that gets a line with its id), `out` (a file) and its `value`, `fail` (how
many jobs of this mark fail), `wait` (a file that it waits for). While `$INSTANT_DOWN` exists, the service does not answer,
or refuses the key if "denied" is written there, or the right to submit if "forbidden" is.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from pai_jupyter.backends import BackendInfo, LogHome, StatusReport
from pai_jupyter.errors import AuthError, NotFoundError, UnavailableError
from pai_jupyter.events import Event, Position, Status, StatusChanged
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore

PAUSE = 0.02  # seconds between two looks at a gate


class InstantBackend:
    """Keeps a job in its folder, as `instant.json`."""

    info = BackendInfo(name="instant", title="instant", instance_types=("instant",))
    log_home = LogHome.SERVICE

    def check(self, spec: JobSpec) -> list[str]:
        return []

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        if Path(os.environ.get("INSTANT_DOWN", "/nowhere")).exists():  # noqa: ASYNC240  files of a test
            if Path(os.environ["INSTANT_DOWN"]).read_text() == "denied":  # noqa: ASYNC240  as above
                raise AuthError("the service refuses this key.")
            if Path(os.environ["INSTANT_DOWN"]).read_text() == "forbidden":  # noqa: ASYNC240  as above
                raise AuthError("it takes the permission `pai:CreateJob`.", code="NoPermission")
            raise UnavailableError("the service does not answer.")
        self._begin(spec, job_id)
        return JobRef(backend=self.info.name, job_id=job_id)

    async def status(self, ref: JobRef) -> StatusReport:
        return self._report(ref.job_id)

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        report = await self.status(ref)
        yield StatusChanged(status=Status.RUNNING, time=time.time())
        while not report.status.is_terminal:
            await asyncio.sleep(PAUSE)
            report = await self.status(ref)
        yield StatusChanged(status=report.status, time=time.time(), reason=report.reason, exit_code=report.exit_code)

    async def stop(self, ref: JobRef) -> None:
        self._job(ref.job_id)
        self._path(ref.job_id).with_name("instant.stopped").touch()

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        raise NotFoundError(f"job {ref.job_id} has no output {channel!r}.")

    async def aclose(self) -> None: ...

    def _begin(self, spec: JobSpec, job_id: str) -> None:
        path, mark = self._path(job_id), Path(json.loads(spec.command)["mark"])
        path.with_suffix(".tmp").write_text(spec.command)
        path.with_suffix(".tmp").replace(path)  # before the mark: a test that sees it may kill this process at once
        if not mark.exists() or job_id not in mark.read_text().split():
            with mark.open("a") as file:
                file.write(f"{job_id}\n")

    def _report(self, job_id: str) -> StatusReport:
        job = self._job(job_id)
        if self._path(job_id).with_name("instant.stopped").exists():
            return StatusReport(status=Status.STOPPED, reason="stopped")
        if job.get("wait") and not Path(job["wait"]).exists():
            return StatusReport(status=Status.RUNNING)
        if "fail" in job and Path(job["mark"]).read_text().split().index(job_id) < job["fail"]:
            return StatusReport(status=Status.FAILED, reason="exit code 3", exit_code=3)
        if not Path(job["out"]).exists():
            Path(job["out"]).write_text(job["value"])
        return StatusReport(status=Status.SUCCEEDED, exit_code=0)

    def _path(self, job_id: str) -> Path:
        return JobStore().path(job_id) / "instant.json"

    def _job(self, job_id: str) -> dict[str, Any]:  # Any: JSON
        try:
            return dict(json.loads(self._path(job_id).read_text()))
        except FileNotFoundError as exc:
            raise NotFoundError(f"there is no job {job_id!r}.") from exc
