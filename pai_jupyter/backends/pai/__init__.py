"""Jobs of PAI's training service, and of DLC where roles differ; or of the emulator that rehearses both on this machine.

    backend           the class; info: what it is and takes; health: whether jobs can run there, asked once
    submission        checks, uploads, the body of the request, one job of the service for one of ours
    following         a job as events: status, logs, metrics, usage
    services          the training service and DLC: connections, status, logs, what a `JobRef` holds
    outputs           an output channel comes down
    remote_listing    jobs submitted from other machines; spec_from_remote: a job's spec, as far as the service tells
    tensorboards      TensorBoard apps as the boards of this backend

The packages depend one way: both submission and following on services (import-linter holds it).

A backend remembers nothing: a job is found by its service's id, or by the label that it carries. Where it was created,
it is asked for with the keys that there are now.

Rule 1: nothing is created before all that it needs is uploaded, and nothing twice.
Rule 2: a service that cannot be reached ends nothing: following goes on when it can.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pai_jupyter.backends.pai.info import INFO

if TYPE_CHECKING:
    from pai_jupyter.backends.pai.backend import PaiBackend

__all__ = ["INFO", "PaiBackend"]

_LATE = {"PaiBackend": "backend"}  # imported when asked for: `INFO` costs little


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
