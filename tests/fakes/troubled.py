"""A fake backend with troubles of its service: errors before it follows, a submission that takes its time or fails."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import Any

import pytest

from pai_jupyter.backends import Backend, StatusReport, forget_backends
from pai_jupyter.errors import BackendError
from pai_jupyter.events import Event, Position
from pai_jupyter.jobs import close_runtime
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec
from tests.fakes.backend import FakeBackend


class TroubledBackend(FakeBackend):
    """Raises each of `troubles` once, at the beginning of a `follow`, each of `doubts` in `status`; `refusal` is of `submit`.

    With `holds_submissions`, a submission starts the job and returns only when it is cancelled, which ends the job again.
    """

    def __init__(self) -> None:
        super().__init__()
        self.troubles: list[BackendError | OSError] = []
        self.doubts: list[BackendError] = []
        self.refusal: BackendError | None = None
        self.holds_submissions = False
        self.submitted: list[str] = []

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        if self.refusal is not None:
            raise self.refusal
        ref = await super().submit(spec, package, job_id=job_id)
        self.submitted.append(job_id)
        if self.holds_submissions:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.05)  # taking a job back takes a service its time
                del self.jobs[job_id]
        return ref

    async def status(self, ref: JobRef) -> StatusReport:
        if self.doubts:
            raise self.doubts.pop(0)
        return await super().status(ref)

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        if self.troubles:
            raise self.troubles.pop(0)
        async for event in super().follow(ref, after):
            yield event


@contextmanager
def installed(backend: Backend, name: str = "fake") -> Iterator[None]:
    """Within this block `backend` is the installed backend of this `name`, beside the real ones."""
    point = SimpleNamespace(name=name, module=type(backend).__module__, load=lambda: lambda: backend)

    def with_ours(**query: Any) -> Any:  # Any: what importlib.metadata has
        real = [] if query.get("name") == name else list(entry_points(**query))
        return real if query.get("name", name) != name else [*real, point]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pai_jupyter.backends.installed.entry_points", with_ours)
        forget_backends()
        try:
            yield
        finally:
            close_runtime()
            forget_backends()
