"""What settings need to know about the installed backends, which are in a higher layer.

That package is imported by name, like a plug-in, and only for the few settings that need it: `<backend>.max_parallel`, and the
backend of jobs while an emulator is active.
"""

from importlib import import_module
from typing import Any


def backends_with_slots() -> tuple[str, ...]:
    """Return the backends whose parallel jobs the setting `<backend>.max_parallel` limits."""
    return tuple(info.name for info in _infos() if info.has_slots)


def emulated_backend() -> str | None:
    """Return the name of the backend that an emulator stands for."""
    return next((info.name for info in _infos() if info.emulator), None)


def _infos() -> tuple[Any, ...]:  # Any: `backends.BackendInfo`, which this package cannot import
    found: tuple[Any, ...] = import_module("pai_jupyter.backends").infos()
    return found
