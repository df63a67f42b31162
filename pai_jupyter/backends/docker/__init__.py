"""Jobs in containers of a local engine: one per replica, labelled with the job's id, on the job's own network.

    backend, info    the class; its properties
    engine, faults   the client; its exceptions as our errors
    deployment       the data of a JobRef; names of containers and networks
    script           the sh code around the user's command          peers  how containers end because of each other
    submission       tree, files and containers of a new job          images, ownership
    queueing         jobs that wait for a slot                         starter/  the process that starts them
    containers       inspect, start, stop, remove
    following        events until the end                             watch, outcome, usage, changes

The log is a file of the job folder, bound into the container, and the command begins with `exec >>FILE 2>&1`. So it is exact,
in program order, complete when the container ends, and no reader can stall the job. A backend keeps no state: containers are
found by name, in any process, after any restart of kernel or engine. The job's follower removes a container once its end is
recorded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pai_jupyter.backends.docker.info import INFO

if TYPE_CHECKING:
    from pai_jupyter.backends.docker.backend import DockerBackend
    from pai_jupyter.backends.docker.engine import EngineFacts, engine_address, engine_answers, engine_facts

__all__ = ["INFO", "DockerBackend", "EngineFacts", "engine_address", "engine_answers", "engine_facts"]

_LATE = {
    "DockerBackend": "backend",
    "EngineFacts": "engine",
    "engine_address": "engine",
    "engine_answers": "engine",
    "engine_facts": "engine",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
