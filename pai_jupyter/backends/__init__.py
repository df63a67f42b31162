"""Where jobs run: the protocol that every backend keeps, and how backends are found.

A backend keeps no memory of jobs. A `JobRef` is all it needs, in any process, after any restart.

The contract of `follow`, which one conformance suite (tests/test_backend_contract.py) holds every backend to:
- **suffix**: everything after the position, in order per replica, with no gap; it may repeat, it may not skip.
- **finite**: ends by itself after the terminal status and the last log byte, by draining with a deadline.
  The terminal `StatusChanged` is the last event.
- **deterministic cursors**: the same position always means the same place in the log.
- **robust**: transport errors are retried inside, with growing pauses, announced once by a `Notice`; only `AuthError`,
  `NotFoundError` and `ProtocolError` escape. A try that failed is a `StatusChanged` to `unknown`, with its reason, and the
  first that succeeds behind it a `StatusChanged` to what the job is: so everybody sees that nobody knows meanwhile.
- **cancellable** at any await; cancelling never touches the job.
- **polite**: however many jobs are followed, the service is asked at one pace.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, runtime_checkable

from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.events import Event, Position, Status
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json


class LogHome(StrEnum):
    """Who keeps the log that a backend yields as `LogChunk`s."""

    SERVICE = "service"  # a remote service: the follower copies every byte into the job folder
    FOLDER = "folder"  # the job writes into the job folder itself, cursor = byte offset: the follower only indexes
    INDEXED = "indexed"  # the job's supervisor writes log and index: the follower only reads


@dataclass(frozen=True, kw_only=True)
class StatusReport:
    """How a job stands now. Times are seconds since the epoch."""

    status: Status
    reason: str = ""
    exit_code: int | None = None
    started: float | None = None
    ended: float | None = None


@dataclass(frozen=True, kw_only=True)
class RemoteJob:
    """A job as its service lists it: one of ours, by the id that it carries, whatever machine it was submitted from.

    `place` is what a header says of it; `created` is in seconds since the epoch.
    """

    ref: JobRef
    name: str
    place: str
    report: StatusReport
    created: float
    url: str = ""  # of the service's console


class Backend(Protocol):
    """One place where jobs run. Forty lines are enough to implement it (tests/fakes/backend.py does)."""

    name: str
    log_home: LogHome

    def check(self, spec: JobSpec) -> list[str]:
        """What this backend cannot honour, as sentences for the user, before anything is started. Empty: it can.

        A sentence that begins with "note: " does not stop the job; it is shown beside it.
        """
        ...

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        """Start the job. The same `job_id` twice gives the same job.

        Raises:
            UncertainError: nobody knows whether it was started; `RemoteBackend.find`, or `status`, tells later.
            BackendError: nothing was started, and nothing is left behind.
        """
        ...

    async def status(self, ref: JobRef) -> StatusReport:
        """How the job stands; `NotFoundError` when this backend knows no such job.

        A `ref` without `data` is that of a submission whose outcome nobody could note. Of such a one `NotFoundError` is a
        proof, after which it is noted as failed: a starter that still lives has been told to end. Where that cannot be
        made sure now, it is an `UnavailableError`.
        """
        ...

    def follow(self, ref: JobRef, after: Position) -> AsyncIterator[Event]:
        """Everything that happens after the position, until the end of the job (see the contract above)."""
        ...

    async def stop(self, ref: JobRef) -> None:
        """Stop the job; returns when that is under way. Stopping an ended job does nothing."""
        ...

    async def fetch(self, ref: JobRef, channel: str, to: Path) -> Path:
        """Bring an output channel into the directory `to` and return where it lies."""
        ...

    async def aclose(self) -> None:
        """Let go of connections; jobs are not touched."""
        ...


@runtime_checkable
class RemoteBackend(Protocol):
    """What a backend has besides whose jobs run in a cloud: code that lies in OSS is passed on, and outputs lie there."""

    def output_path(self, job_id: str) -> str:
        """Where the outputs of a job lie that names no place for them; may ask the cloud for it."""
        ...

    async def find(self, job_id: str) -> JobRef:
        """The job that was created under this id, by whoever could not say so any more.

        Raises:
            NotFoundError: none was.
        """
        ...

    async def recorded(self) -> list[RemoteJob]:
        """The newest jobs of this user that the service knows of; none where nothing is configured. One list, a page of it.

        Raises:
            PaiJupyterError: the service gave no answer, or refused.
        """
        ...

    async def recall(self, ref: JobRef) -> JobSpec:
        """What was asked for, as far as the service tells; `NotFoundError` when it knows no such job."""
        ...

    def request(self, spec: JobSpec, *, job_id: str) -> Mapping[str, Json]:
        """What would be sent, as far as it is known before anything is uploaded, for a person to read; asks nobody."""
        ...


@runtime_checkable
class Inherits(Protocol):
    """What a backend has besides whose jobs have the variables of whoever submits them, less those that may be secrets."""

    def held_back(self, spec: JobSpec) -> list[str]:
        """The names of the variables that the job does not get because they may be secrets."""
        ...


@runtime_checkable
class StopsRemoved(Protocol):
    """What a backend of this machine has besides: a job can be ended although its record is gone."""

    async def stop_removed(self, job_id: str) -> bool:
        """End whatever runs under this id; returns, when that is under way, whether anything did.

        Raises:
            BackendError: nobody can tell.
        """
        ...


def backend_names() -> list[str]:
    """The backends installed here, sorted."""
    return sorted({point.name for point in entry_points(group="pai_jupyter.backends")})


@cache
def get_backend(name: str) -> Backend:
    """The backend of this name; one object per process.

    Raises:
        SpecError: no backend has this name.
        BackendError: it is there but cannot be loaded.
    """
    for point in entry_points(group="pai_jupyter.backends", name=name):
        try:
            backend: Backend = point.load()()
        except ImportError as exc:
            raise BackendError(
                f"backend {name!r} needs the package {exc.name!r}. Type: %pip install 'pai_jupyter[{name}]'"
            ) from exc
        return backend
    raise SpecError(f"there is no backend {name!r}; there are {', '.join(backend_names())}.", field="backend")
