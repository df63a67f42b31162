"""The backends that are installed, ours and those of third parties: found by their entry points, loaded on first use."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from pai_jupyter.backends.guard import GuardedBackend
from pai_jupyter.backends.health import Check, Health
from pai_jupyter.backends.info import LOCAL_TYPES, BackendInfo
from pai_jupyter.backends.protocol import Backend
from pai_jupyter.errors import BackendError, PaiJupyterError, SpecError, cause_of
from pai_jupyter.spec import JobSpec, Json

_GROUP = "pai_jupyter.backends"
_READ_ONLY = "pai_jupyter.read_only_backends"  # they show jobs that others start, and are no target of new ones
_log = logging.getLogger(__name__)


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
        found = getattr(import_module(point.module), "INFO", None)
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
