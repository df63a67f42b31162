"""Where jobs run: the protocol that every backend keeps, and how backends are found.

    Backend        what every backend does; its contract is below
    info           `BackendInfo`: what one is and takes, asked without loading it     health   what one has and lacks
    capabilities   what one can do besides, a small protocol each                     reports  what one tells of jobs

Nobody asks a backend for its name to decide something: whoever wants to know adds a field or a capability here
(tests/repository/test_backend_names.py). A third party's backend, installed by an entry point, has all that ours have.

A backend keeps no memory of jobs. A `JobRef` is all it needs, in any process, after any restart.

The contract of `follow`, which one conformance suite (tests/backends/test_contract.py) holds every backend to:
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

import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol

from pai_jupyter.backends.capabilities import (
    HoldsOutputs,
    Inherits,
    Listable,
    Previewable,
    RecordsVariables,
    Recoverable,
    StopsRemoved,
    TakesSource,
)
from pai_jupyter.backends.health import Check, Health
from pai_jupyter.backends.info import LOCAL_TYPES, BackendInfo, BackendOption, ImageNames
from pai_jupyter.backends.reports import RemoteJob, StatusReport
from pai_jupyter.errors import BackendError, PaiJupyterError, SpecError
from pai_jupyter.events import Event, Position
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json

__all__ = [
    "Backend",
    "BackendInfo",
    "BackendOption",
    "Check",
    "Health",
    "HoldsOutputs",
    "ImageNames",
    "Inherits",
    "LOCAL_TYPES",
    "Listable",
    "LogHome",
    "Previewable",
    "RecordsVariables",
    "Recoverable",
    "RemoteJob",
    "StatusReport",
    "StopsRemoved",
    "TakesSource",
    "backend_names",
    "find_backend",
    "find_info",
    "forget_backends",
    "get_backend",
    "get_info",
    "health_of",
    "infos",
    "is_local",
    "known_instances",
    "option_example",
    "plugin_titles",
    "request_option",
    "request_options",
]

_GROUP = "pai_jupyter.backends"
_log = logging.getLogger(__name__)


class LogHome(StrEnum):
    """Who keeps the log that a backend yields as `LogChunk`s."""

    SERVICE = "service"  # a remote service: the follower copies every byte into the job folder
    FOLDER = "folder"  # the job writes into the job folder itself, cursor = byte offset: the follower only indexes
    INDEXED = "indexed"  # the job's supervisor writes log and index: the follower only reads


class Backend(Protocol):
    """One place where jobs run. Forty lines are enough to implement it (tests/fakes/backend.py does)."""

    log_home: LogHome

    @property
    def info(self) -> BackendInfo:
        """What it is and takes; a class attribute, so that nobody has to make a backend to ask."""
        ...

    def check(self, spec: JobSpec) -> list[str]:
        """Return the reasons why this backend cannot run `spec`, as sentences for the user; [] if none.

        A sentence that begins with "note: " does not stop the job; it is shown beside it.
        """
        ...

    async def submit(self, spec: JobSpec, package: Package, *, job_id: str) -> JobRef:
        """Start the job. The same `job_id` twice gives the same job.

        Raises:
            UncertainError: nobody knows whether it was started; `Recoverable.find`, or `status`, tells later.
            BackendError: nothing was started, and nothing is left behind.
        """
        ...

    async def status(self, ref: JobRef) -> StatusReport:
        """Return the job's status; raise `NotFoundError` if this backend does not know the job.

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


def backend_names() -> list[str]:
    """Return the names of the installed backends, sorted."""
    return sorted({point.name for point in entry_points(group=_GROUP)})


@cache
def get_backend(name: str) -> Backend:
    """Return the backend `name`, loaded once per process.

    Raises:
        SpecError: no backend has this name.
        BackendError: it is there but cannot be loaded.
    """
    point = _point(name)
    with _loading(point):
        backend: Backend = point.load()()
    return backend


@cache
def get_info(name: str) -> BackendInfo:
    """Return what the backend of this name is and takes, without importing its class where that can be avoided.

    A backend that says nothing is a plain remote service.

    Raises:
        SpecError: no backend has this name.
        BackendError: it is there but cannot be loaded.
    """
    point = _point(name)
    with _loading(point):
        found = getattr(import_module(point.module), "INFO", None) if isinstance(point, EntryPoint) else None
        found = found or getattr(point.load(), "info", None) or getattr(get_backend(name), "info", None)
    return replace(found, name=name) if isinstance(found, BackendInfo) else BackendInfo(name=name, title=name)


def find_info(name: str) -> BackendInfo | None:
    """Return the info of this backend; None where it is not installed or cannot be loaded."""
    try:
        return get_info(name)
    except PaiJupyterError:
        return None


@cache
def infos() -> tuple[BackendInfo, ...]:
    """Return the info of every installed backend that can be loaded: this machine's first, those without images before.

    Ours come before those of others. Looked up once in a process; to use a backend installed later, restart the kernel.
    """
    ours = {point.name for point in entry_points(group=_GROUP) if _is_ours(point)}
    found = filter(None, map(find_info, backend_names()))
    return tuple(
        sorted(found, key=lambda info: (not info.is_local, info.takes_images, info.name not in ours, info.name))
    )


@cache
def plugin_titles() -> Mapping[str, str]:
    """Return name -> title of the backends that others have made; a front end knows the titles of ours by itself."""
    return {info.name: info.title for info in infos() if not _is_ours(_point(info.name))}


def forget_backends() -> None:
    """Look up again which backends there are, and what they say."""
    for cached in (get_backend, get_info, infos, plugin_titles):
        cached.cache_clear()


def is_local(name: str) -> bool:
    """Tell whether jobs of this backend run on this machine; False for one that is not installed."""
    info = find_info(name)
    return info is not None and info.is_local


def find_backend(name: str) -> object:
    """Return the backend of this name, to ask for a capability with `isinstance`; None where it cannot be loaded."""
    try:
        return get_backend(name)
    except PaiJupyterError:
        return None


def request_options(spec: JobSpec) -> dict[str, Json]:
    """Return the options of `spec` that are fields of the training request, by their own names."""
    found: dict[str, Json] = {}
    if spec.options:
        for info in infos():
            found |= spec.backend_options.get(info.name, {}) if info.fills_request else {}
    return found


def request_option(name: str) -> str:
    """Return the full name of an option that is a field of the training request, e.g. of `priority`.

    Raises:
        SpecError: no installed backend has it.
    """
    for info in infos():
        if info.fills_request and any(option.name == name for option in info.options):
            return f"{info.name}.{name}"
    raise SpecError(f"no installed backend has the option {name!r}.", field="options")


def known_instances() -> list[str]:
    """List the machines that everybody can name: this one's, and those that backends name one by one."""
    return [*LOCAL_TYPES, *(name for info in infos() for name in info.named_instances)]


def option_example() -> str:
    """Return an option as `--option` takes it, for sentences."""
    given = ((info, option) for info in infos() for option in info.options if option.example)
    return next((f"{info.full_name(option)}={option.example}" for info, option in given), "BACKEND.KEY=VALUE")


def _point(name: str) -> EntryPoint:
    for point in entry_points(group=_GROUP, name=name):
        return point
    raise SpecError(f"there is no backend {name!r}; there are {', '.join(backend_names())}.", field="backend")


def health_of(info: BackendInfo, *, is_asked: bool = False) -> Health:
    """Check what jobs need on a backend; whatever goes wrong inside it is its health, and hides no other one.

    Raises:
        PaiJupyterError: the settings say something impossible.
    """
    try:
        return info.health(is_asked=is_asked)
    except PaiJupyterError:
        raise
    except Exception as exc:  # noqa: BLE001  a plug-in ends here
        _log.exception("backend %s cannot say how it is", info.name)
        return Health.of([_broken(info.title, exc)])


def _broken(title: str, exc: Exception) -> Check:
    return Check(what=title, found=f"its check failed: {exc}", remedy="Update or remove its package.", is_good=False)


@contextmanager
def _loading(point: EntryPoint) -> Iterator[None]:
    """Translate what importing a backend raises; it may be anybody's."""
    try:
        yield
    except PaiJupyterError:
        raise
    except ImportError as exc:
        wanted = f"'pai_jupyter[{point.name}]'" if _is_ours(point) else exc.name
        raise BackendError(
            f"backend {point.name!r} needs the package {exc.name!r}. Type: %pip install {wanted}"
        ) from exc
    except Exception as exc:
        _log.exception("backend %s cannot be loaded", point.name)
        raise BackendError(f"backend {point.name!r} cannot be loaded: {exc}. Update or remove its package.") from exc


def _is_ours(point: EntryPoint) -> bool:
    dist = getattr(point, "dist", None)
    return dist is None or dist.name.replace("-", "_") == "pai_jupyter"
