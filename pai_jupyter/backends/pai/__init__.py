"""Jobs of PAI's training service, and of DLC where roles differ; or of the emulator that rehearses both on this machine.

    backend      the class; info: what it is and takes; health: whether jobs can run there, asked once
    checking     what PAI cannot honour; input_check: whether data in OSS are there at all
    uploads      code and data into the bucket, under names of their content
    request      the body of CreateTrainingJob; dlc_request: that of DLC's CreateJob. Pure
    service      what both services are asked; dlc: DLC's answers in the other's form
    creation     one job of the service for one of ours, whatever gets lost
    job          what a JobRef holds, and the note that is made before a job is
    connections  a client for each session, while somebody uses it
    status_poller, pace  how the jobs stand: asked for all at once; how often
    following    a job as events        status_map, facts, instances, logs, log_readers, usage, metrics
    outputs      an output channel comes down; transfers: work in a thread that can be called off
    tensorboards TensorBoard apps as the boards of this backend
    remote_listing  jobs submitted from other machines; spec_from_remote: a job's spec, as far as the service tells

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
