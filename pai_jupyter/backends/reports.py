"""What a backend tells of its jobs, as values: how one stands, and one that a service lists."""

from dataclasses import dataclass

from pai_jupyter.events import Status
from pai_jupyter.spec import JobRef


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
