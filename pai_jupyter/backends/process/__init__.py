"""Jobs as local processes, each under a supervisor that outlives the notebook.

    submit ─► prepare the tree ─► order ─► supervisor ─► replicas        supervisor/  its program (stdlib only)
    follow ─► logs, phases (files) + exit.json                           report       reads its files
                                                                         changes      reads those that grow
                                                                         addresses    where replicas reach each other

The kernel is never the parent of a job and keeps no state: everything is in the job folder, and any process may follow, stop or
fetch. PAI_JUPYTER_ML=bwrap|proot|plain|auto selects how a job gets its /ml (see `isolation`). `backend` has the class, `info`
its properties.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pai_jupyter.backends.process.info import INFO

if TYPE_CHECKING:
    from pai_jupyter.backends.process.backend import ProcessBackend

__all__ = ["INFO", "ProcessBackend"]

_LATE = {"ProcessBackend": "backend"}  # imported on demand: `INFO` costs little


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
