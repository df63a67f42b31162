"""OpenPAI, a cluster of one's own, of either generation: its job files, and jobs there.

job_file    checks, warnings, what is filled in before a job file is sent
clusters    the clusters that this user has, and what logs in there   cluster_check  one of them, asked who it is
rest        the servers: login, jobs, logs
submission  a job as a job file; prologue, epilogue: what it needs around the command of a cell
job_folder  the files that travel with a job file; code: on their way into HDFS   outputs  on the way back
following   a job as events          backend  the class; info: its properties
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pai_jupyter.backends.openpai.info import INFO

if TYPE_CHECKING:
    from pai_jupyter.backends.openpai.backend import OpenPaiBackend
    from pai_jupyter.backends.openpai.job_file import lint, validate

__all__ = ["INFO", "OpenPaiBackend", "lint", "validate"]

_LATE = {"OpenPaiBackend": "backend", "lint": "job_file", "validate": "job_file"}  # on demand: `INFO` costs little


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
