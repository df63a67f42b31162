"""What settings need to know about the installed backends, which are in a higher layer.

That package is imported by name, like a plug-in, and only for what needs it: `<backend>.max_parallel`, the backend of jobs while
an emulator is active, and the secrets that backends hold.
"""

from contextlib import suppress
from importlib import import_module
from typing import Any

from pai_jupyter.errors import PaiJupyterError


def backends_with_slots() -> tuple[str, ...]:
    """Return the backends whose parallel jobs the setting `<backend>.max_parallel` limits."""
    return tuple(info.name for info in _infos() if info.has_slots)


def emulated_backend() -> str | None:
    """Return the name of the backend that an emulator stands for."""
    return next((info.name for info in _infos() if info.emulator), None)


def secrets_of_backends() -> frozenset[str]:
    """Return what this user logs in with at the services of the installed backends."""
    found: set[str] = set()
    for info in _infos():
        with suppress(PaiJupyterError):  # code that needs the invalid file reports it
            found.update(info.secrets())
    return frozenset(found)


def _infos() -> tuple[Any, ...]:  # Any: `backends.BackendInfo`, which this package cannot import
    found: tuple[Any, ...] = import_module("pai_jupyter.backends").infos()
    return found
