"""Jobs of PAI's training service, of DLC (jobs with several roles), or of the local emulator of both.

    backend           the class; info: its properties; health: checks whether jobs can run there
    submission        checks, uploads, the body of the request, one job of the service for one of ours
    following         a job as events: status, logs, metrics, usage
    services          the training service and DLC: connections, status, logs, what a `JobRef` holds
    outputs           download an output channel
    remote_listing    jobs submitted from other machines; spec_from_remote: a job's spec, as far as the service tells
    tensorboards      TensorBoard apps as the boards of this backend

The packages depend one way: both submission and following on services (import-linter holds it).

A backend keeps no state: a job is found by its service's id or by its label, at the place where it was created, with the
current keys.

Rule 1: a job is created only after everything it needs is uploaded, and never twice.
Rule 2: an unreachable service ends nothing: following continues when it answers again.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pai_jupyter.backends.pai.info import INFO

if TYPE_CHECKING:
    from pai_jupyter.backends.pai.backend import PaiBackend

__all__ = ["INFO", "PaiBackend"]

_LATE = {"PaiBackend": "backend"}  # imported on demand: `INFO` costs little


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
