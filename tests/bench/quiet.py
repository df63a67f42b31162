"""A counting emulator whose jobs are no processes: each prints a line every ten seconds until it is stopped.

Two hundred real ones would leave no CPU for whoever is to be measured. Run as `tests.bench.counted` is.
"""

import asyncio
import sys
import time
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends import LogHome, StatusReport, process
from pai_jupyter.events import Event, LogChunk, Position, Status, StatusChanged
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from tests.bench import counted

LINE_EVERY = 10.0  # seconds
LINE = b"a line of a log as a training job prints\n"


class QuietBackend:
    """In the place of the one that runs processes."""

    info = process.INFO
    log_home = LogHome.SERVICE

    def __init__(self) -> None:
        self._stopped: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def check(self, spec: JobSpec) -> list[str]:
        return []

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        return JobRef(backend=self.info.name, job_id=job_id)

    async def status(self, ref: JobRef) -> StatusReport:
        return StatusReport(status=Status.STOPPED if self._stopped[ref.job_id].is_set() else Status.RUNNING)

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        yield StatusChanged(status=Status.RUNNING, time=time.time())
        stopped, cursor = self._stopped[ref.job_id], after.get("master-0", 0)
        while not stopped.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), LINE_EVERY)
            cursor += len(LINE)
            yield LogChunk(replica="master-0", data=LINE, cursor=cursor, time=time.time())
        yield StatusChanged(status=Status.STOPPED, time=time.time())

    async def stop(self, ref: JobRef) -> None:
        self._stopped[ref.job_id].set()

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        return to

    async def aclose(self) -> None: ...


if __name__ == "__main__":
    process.ProcessBackend = QuietBackend  # type: ignore[misc, assignment]
    sys.exit(counted.main())
