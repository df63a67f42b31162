"""Jobs in containers of a local engine: one per replica, labelled with the job's id, on a network of the job's own.

    backend, info    the class; what it is and takes
    engine, faults   the client, and what it raises in our words
    deployment       what a JobRef holds, and what things are called
    script           the lines of sh around the user's command
    submission       tree, files and containers of a new job          images, ownership
    queueing         the line of jobs that wait for a slot            starter/  a small world of its own
    containers       look, start, stop, remove
    following        events until the end                             watch, outcome, usage

The log is a file of the job folder, bound into the container, and the command begins with `exec >>FILE 2>&1`. So it is
exact, in program order and complete when the container ends, and no reader can stall the job.
A backend remembers nothing: containers are found by name, in any process, after any restart of kernel or engine. A
container is removed by whoever follows its job to the end, when the end is recorded; until then it stays.
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
