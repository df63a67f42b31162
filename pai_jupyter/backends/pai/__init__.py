"""Jobs of PAI's training service, of DLC (jobs with several roles), or of the local emulator of both.

    backend      the class; info: its properties; health: checks whether jobs can run there
    checking     what PAI cannot run; input_check: whether inputs in OSS exist
    uploads      upload code and data to the bucket, under names derived from their content
    request      the body of CreateTrainingJob; dlc_request: of DLC's CreateJob. Pure
    service      the protocol of both services; dlc: DLC's answers in the training service's form
    creation     creates exactly one service job per job, even if answers are lost
    job          the data of a JobRef, and the note written before a job is created
    connections  a client per session, while it is used
    status_poller, pace  batched requests of job statuses; how often
    following    a job as events        status_map, facts, instances, logs, log_readers, usage, metrics
    outputs      download an output channel; transfers: cancellable work in a thread
    tensorboards TensorBoard apps as the boards of this backend
    remote_listing  jobs submitted from other machines; spec_from_remote: a job's spec, as far as the service tells

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
