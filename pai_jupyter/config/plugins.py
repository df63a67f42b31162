"""What settings need to know of the installed backends, whose package lies above this one.

It is asked by name, as a plug-in is, and only for what few settings depend on: `<backend>.max_parallel`, and the backend
that jobs go to while an emulator is in force.
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
