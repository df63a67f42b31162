"""Steps of PAIFlow's runs, shown as jobs. Read-only: PAIFlow starts them, when their pipeline has come to them.

    backend     the class; info: its properties; health: checks whether PAIFlow answers
    node_job    a node of a run as a job: its ref, its spec, its id         status_map  PAIFlow's words as ours
    following   a node as events: status, log, end                          snapshots   a run's nodes, asked for once for all
    outputs     download what a node has written

Rule 1: a run's nodes are asked for together, at most once a second, however many of them are followed.
Rule 2: an unreachable service ends nothing: following continues when it answers again.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pai_jupyter.backends.flow.info import INFO

if TYPE_CHECKING:
    from pai_jupyter.backends.flow.backend import FlowBackend

__all__ = ["INFO", "FlowBackend"]

_LATE = {"FlowBackend": "backend"}  # imported on demand: `INFO` costs little


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
