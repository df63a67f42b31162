"""Values that a backend reports about its jobs: a status, and a job in a service's list."""

from dataclasses import dataclass
from typing import Literal

from pai_jupyter.events import Status
from pai_jupyter.spec import JobRef


@dataclass(frozen=True, kw_only=True)
class StatusReport:
    """The current status of a job. Times are seconds since the epoch."""

    status: Status
    reason: str = ""
    exit_code: int | None = None
    started: float | None = None
    ended: float | None = None


@dataclass(frozen=True, kw_only=True)
class RemoteJob:
    """A job of ours (by its label) in a service's list, submitted from any machine.

    `place` is the target shown in a header; `created` is in seconds since the epoch.
    """

    ref: JobRef
    name: str
    place: str
    report: StatusReport
    created: float
    url: str = ""  # page in the service's console


@dataclass(frozen=True, kw_only=True)
class KnownCluster:
    """A cluster that this user has, and where its password is: in this process, in a file, or "" where there is none."""

    name: str
    address: str
    user: str
    password_in: Literal["", "memory", "file"] = ""


@dataclass(frozen=True, kw_only=True)
class ClusterReport:
    """What a cluster answers when it is asked: facts about it in words; and a sentence about what is wrong, "" if nothing is."""

    facts: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class ImageFacts:
    """What an engine says of an image: its digests, that of its registry first, and which of sh, python and pip it lacks.

    `python`: the version that the image itself names; "" if it names none.
    """

    digests: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    python: str = ""
