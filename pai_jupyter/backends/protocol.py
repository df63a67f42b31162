"""What every backend does: `Backend`. The contract of `follow` is in the package's docstring."""

from collections.abc import AsyncGenerator
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pai_jupyter.backends.info import BackendInfo
from pai_jupyter.backends.reports import StatusReport
from pai_jupyter.events import Event, Position
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec


class LogHome(StrEnum):
    """Who stores the log that a backend yields as `LogChunk`s."""

    SERVICE = "service"  # a remote service: the follower copies every byte into the job folder
    FOLDER = "folder"  # the job writes into the job folder itself, cursor = byte offset: the follower only indexes
    INDEXED = "indexed"  # the job's supervisor writes log and index: the follower only reads


class Backend(Protocol):
    """One place where jobs run. tests/fakes/backend.py is a small example, tests/fakes/farm_backend a complete one."""

    log_home: LogHome
    """Who writes the log into the job folder: a backend whose logs lie elsewhere has `LogHome.SERVICE`."""

    @property
    def info(self) -> BackendInfo:
        """The backend's properties; a class attribute, available without an instance."""
        ...

    def check(self, spec: JobSpec) -> list[str]:
        """Return the reasons why this backend cannot run `spec`, as sentences for the user; [] if none.

        A sentence that begins with "note: " is shown but does not stop the job.
        """
        ...

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        """Start the job. The same `job_id` twice gives the same job.

        Raises:
            UncertainError: it may or may not have been started; `Recoverable.find` or `status` tells later.
            BackendError: nothing was started, and nothing is left behind.
        """
        ...

    async def status(self, ref: JobRef) -> StatusReport:
        """Return the job's status; raise `NotFoundError` if this backend does not know the job.

        A `ref` without `data` means the submitter died before it saved one. For it, raise `NotFoundError` only if the job
        does not run and can no longer start (stop a starter first); the caller then marks the job failed. If you cannot be
        sure, raise `UnavailableError`.
        """
        ...

    def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        """Yield all events after the position until the job's end (see the contract above).

        It is an async generator (`async def` with `yield`): callers close it.

        Raises:
            NotFoundError: this backend does not know the job.
            AuthError, ProtocolError: asking again will not help.
        """
        ...

    async def stop(self, ref: JobRef) -> None:
        """Request the stop of the job. Stopping an ended job does nothing.

        Raises:
            NotFoundError: this backend does not know the job.
        """
        ...

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        """Copy an output channel into the directory `to` and return its path.

        Raises:
            NotFoundError: this backend does not know the job, or the job has no such output; `to` is not created.
        """
        ...

    async def aclose(self) -> None:
        """Close connections; jobs are not affected."""
        ...
