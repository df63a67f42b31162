"""The protocol of backends, which run jobs, and their discovery.

    Backend        the protocol of every backend; its contract is below
    info           `BackendInfo`: a backend's properties, known without loading it  health   its checks
    capabilities   optional abilities, one small protocol each                     reports  job reports
    guard          makes a `BackendError` of whatever a third party's backend raises

No code decides by a backend's name: add a field or a capability here instead (tests/repository/test_backend_names.py). A third party's
backend, installed by an entry point, has all features of ours.

A backend keeps no state of jobs. It finds a job by its `JobRef` alone, in any process, after any restart.

The contract of `follow`, which tests/backends/test_contract.py checks for every backend:
- **suffix**: everything after the position, in order per replica, without gaps; repetitions are allowed.
- **finite**: ends by itself after the terminal status and the last log byte, by draining with a deadline.
  The terminal `StatusChanged` is the last event.
- **deterministic cursors**: a position always means the same place in the log.
- **robust**: transport errors are retried inside, with growing pauses, announced once by a `Notice`; only `AuthError`,
  `NotFoundError` and `ProtocolError` escape. After a failed try yield `StatusChanged(unknown, reason)`; after the next
  success yield the real status.
- **cancellable** at any await; the caller closes the generator (`aclose`). Neither touches the job.
- **replicas** in events and positions are named as `contract.replicas` does: `master-0` if there is only one.
- **polite**: the request rate does not grow with the number of followed jobs.
"""

import logging
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol, cast

from pai_jupyter.backends.capabilities import (
    HasTensorBoard,
    HoldsOutputs,
    Inherits,
    Listable,
    LooksIntoImages,
    LosesJobs,
    Previewable,
    RecordsVariables,
    Recoverable,
    RunsComponents,
    ShowsNodes,
    StopsRemoved,
    TakesSource,
)
from pai_jupyter.backends.guard import GuardedBackend
from pai_jupyter.backends.health import Check, Health
from pai_jupyter.backends.info import LOCAL_TYPES, BackendInfo, BackendOption, ImageNames
from pai_jupyter.backends.reports import ImageFacts, RemoteJob, StatusReport
from pai_jupyter.errors import BackendError, PaiJupyterError, SpecError, cause_of
from pai_jupyter.events import Event, Position
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Json

__all__ = [
    "Backend",
    "BackendInfo",
    "BackendOption",
    "Check",
    "HasTensorBoard",
    "Health",
    "HoldsOutputs",
    "ImageFacts",
    "ImageNames",
    "Inherits",
    "LOCAL_TYPES",
    "Listable",
    "LogHome",
    "LooksIntoImages",
    "LosesJobs",
    "Previewable",
    "RecordsVariables",
    "Recoverable",
    "RemoteJob",
    "RunsComponents",
    "ShowsNodes",
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
    "read_only_infos",
    "request_option",
    "request_options",
]

_GROUP = "pai_jupyter.backends"
_READ_ONLY = "pai_jupyter.read_only_backends"  # they show jobs that others start, and are no target of new ones
_log = logging.getLogger(__name__)


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


def backend_names() -> list[str]:
    """Return the names of the installed backends, sorted; without those that are read-only."""
    return sorted({point.name for point in _points()})


@cache
def get_backend(name: str) -> Backend:
    """Return the backend `name`, loaded once per process; what the code of a third party's raises is a `BackendError`.

    Raises:
        SpecError: no backend has this name.
        BackendError: it is installed but cannot be loaded.
    """
    point = _point(name)
    with _loading(point):
        backend: Backend = point.load()()
    return backend if _is_ours(point) else cast(Backend, GuardedBackend(backend, name=name, package=_package(point)))


@cache
def get_info(name: str) -> BackendInfo:
    """Return the info of the backend of this name, if possible without importing its class.

    A backend without info counts as a plain remote service.

    Raises:
        SpecError: no backend has this name.
        BackendError: it is installed but cannot be loaded.
    """
    point = _point(name)
    with _loading(point):
        found = getattr(import_module(point.module), "INFO", None) if isinstance(point, EntryPoint) else None
        found = found or getattr(point.load(), "info", None) or getattr(get_backend(name), "info", None)
    return replace(found, name=name) if isinstance(found, BackendInfo) else BackendInfo(name=name, title=name)


def find_info(name: str) -> BackendInfo | None:
    """Return the info of this backend; None if it is not installed or cannot be loaded."""
    try:
        return get_info(name)
    except PaiJupyterError:
        return None


@cache
def infos() -> tuple[BackendInfo, ...]:
    """Return the info of every installed backend that can be loaded.

    Sorted: local backends first; within each group those that take no images first, then ours, then by name.
    Cached per process; to use a backend installed later, restart the kernel.
    """
    ours = {point.name for point in _points() if _is_ours(point)}
    found = filter(None, map(find_info, backend_names()))
    return tuple(
        sorted(found, key=lambda info: (not info.is_local, info.takes_images, info.name not in ours, info.name))
    )


@cache
def read_only_infos() -> tuple[BackendInfo, ...]:
    """Return the info of every backend that only shows jobs that others start."""
    return tuple(filter(None, map(find_info, sorted(point.name for point in _read_only_points()))))


@cache
def plugin_titles() -> Mapping[str, str]:
    """Return name -> title of third parties' backends; front ends know the titles of ours."""
    return {info.name: info.title for info in infos() if not _is_ours(_point(info.name))}


def forget_backends() -> None:
    """Clear the cache of entry points, backends and infos."""
    for cached in (_points, _read_only_points, get_backend, get_info, infos, read_only_infos, plugin_titles):
        cached.cache_clear()


def is_local(name: str) -> bool:
    """Return whether jobs of this backend run on this machine; False if it is not installed."""
    info = find_info(name)
    return info is not None and info.is_local


def find_backend(name: str) -> object:
    """Return the backend of this name, for `isinstance` checks of capabilities; None if it cannot be loaded."""
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
    """List the instance types known by name: this machine's and those that backends list."""
    return [*LOCAL_TYPES, *(name for info in infos() for name in info.named_instances)]


def option_example() -> str:
    """Return an option as `--option` takes it, for sentences."""
    given = ((info, option) for info in infos() for option in info.options if option.example)
    return next((f"{info.full_name(option)}={option.example}" for info, option in given), "BACKEND.KEY=VALUE")


@cache
def _points() -> tuple[EntryPoint, ...]:
    """Return the entry points of backends; finding them reads the metadata of every installed package."""
    return tuple(entry_points(group=_GROUP))


@cache
def _read_only_points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=_READ_ONLY))


def _point(name: str) -> EntryPoint:
    for points in (_points, _read_only_points):
        if found := next((point for point in points() if point.name == name), None):
            return found
    _points.cache_clear()  # it may have been installed since
    if found := next((point for point in _points() if point.name == name), None):
        return found
    raise SpecError(f"there is no backend {name!r}; there are {', '.join(backend_names())}.", field="backend")


def health_of(info: BackendInfo, *, is_asked: bool = False) -> Health:
    """Check what jobs need on a backend; an exception in its check is reported as its health.

    Raises:
        PaiJupyterError: the settings are invalid.
    """
    try:
        return info.health(is_asked=is_asked)
    except PaiJupyterError:
        raise
    except Exception as exc:  # noqa: BLE001  a plug-in's code
        _log.info("backend %s: health", info.name, exc_info=exc)
        return Health.of([_broken(info.title, exc)])


def _broken(title: str, exc: Exception) -> Check:
    return Check(
        what=title, found=f"its check failed: {cause_of(exc)}", remedy="Update or remove its package.", is_good=False
    )


@contextmanager
def _loading(point: EntryPoint) -> Iterator[None]:
    """Translate exceptions of importing a backend, perhaps a third party's."""
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
        _log.info("backend %s: load", point.name, exc_info=exc)
        raise BackendError(
            f"backend {point.name!r} cannot be loaded: {cause_of(exc)}. Update or remove its package."
        ) from exc


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.name


def _is_ours(point: EntryPoint) -> bool:
    dist = getattr(point, "dist", None)
    return dist is None or dist.name.replace("-", "_") == "pai_jupyter"
