"""Notebook cells as training jobs: in a local process, in Docker, on Alibaba Cloud PAI.

A cell becomes a `JobSpec`; a `Backend` runs it and yields events; the events are kept in a job folder; everything on
screen is a drawing of the `JobState` that one gets by folding those events.

     cell text
        │ magics: parse
     TrainOptions ── hyperparameters: read ─► Schema ─ form ─► values
        └──────────────┬─────────────────────────────────────────┘
                    JobSpec ── package: build ─► Package (tar.gz)
                       └──────── jobs: submit ──► Backend ──► JobRef
     Backend.follow(ref, after) ─► StatusChanged LogChunk Metric Link …
                       │                            kept in a job folder (store), by whoever holds follow.lock
                       ▼
                JobState.apply(event) ──► view: MIME bundle, HTML, text
                       └──► wire ──► server (REST, WebSocket) or widget (comm) ──► labextension/src/jobview.ts, live

Rooms, and who may know whom (import-linter holds it): words ◄ hands ◄ backends ◄ jobs ◄ estimator, wire ◄ surfaces.

    words     errors spec hyperparameters contract cell events     standard library only, no I/O
              typed_json                                           JSON that somebody may have changed, by type and limit
    guard     path_guard                                           directories that a job writes, reached by handles
              path_guard                                           the one way into a directory that a job writes
    hands     config package storage store tfevents tensorboard    one kind of I/O each
              cloud                                                what Alibaba Cloud answers: client, session, images, ...
    backends  backends/process docker pai                          behind one protocol, found by entry point
    jobs      the life of a job; one runtime thread with one asyncio loop per process
    estimator `Estimator`, `CustomJob`, as the documents show them
    wire      what a live view asks of a job, and what it is told, whatever carries it
    surfaces  form view magics server, and the emulator: a PAI on this machine to rehearse with

Three rules carry it. Left of the job folder nothing knows of widgets; right of it nothing knows of backends. A log is a
file with a line index: readers ask for windows of lines, nobody ships a whole log anywhere. Only `jobs.Runtime` owns
concurrency.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pai_jupyter import callbacks

if TYPE_CHECKING:
    from pai_jupyter.cloud.images import ImageScope, list_images, retrieve
    from pai_jupyter.cloud.session import Session, get_default_session, setup_default_session
    from pai_jupyter.errors import JobDetached, JobFailed, JobStopped, PaiJupyterError
    from pai_jupyter.estimator import CustomJob, Estimator, JobConfig
    from pai_jupyter.jobs import Job, attach, list_jobs, submit
    from pai_jupyter.spec import JobSpec, MetricDefinition
    from pai_jupyter.storage import parse_oss_url

__version__ = "0.1.0"

__all__ = [
    "CustomJob",
    "Estimator",
    "ImageScope",
    "Job",
    "JobConfig",
    "JobDetached",
    "JobFailed",
    "JobSpec",
    "JobStopped",
    "MetricDefinition",
    "PaiJupyterError",
    "Session",
    "__version__",
    "attach",
    "get_default_session",
    "list_images",
    "list_jobs",
    "parse_oss_url",
    "retrieve",
    "setup_default_session",
    "submit",
]

_ROOMS = {
    "CustomJob": "estimator",
    "Estimator": "estimator",
    "ImageScope": "cloud.images",
    "Job": "jobs",
    "JobConfig": "estimator",
    "JobDetached": "errors",
    "JobFailed": "errors",
    "JobSpec": "spec",
    "JobStopped": "errors",
    "MetricDefinition": "spec",
    "PaiJupyterError": "errors",
    "Session": "cloud.session",
    "attach": "jobs",
    "get_default_session": "cloud.session",
    "list_images": "cloud.images",
    "list_jobs": "jobs",
    "parse_oss_url": "storage",
    "retrieve": "cloud.images",
    "setup_default_session": "cloud.session",
    "submit": "jobs",
}


def __getattr__(name: str) -> Any:  # Any: whatever the name stands for; imported when it is first used
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _ROOMS[name] in ("estimator", "jobs"):
        _show_in_notebook()
    return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)


def _show_in_notebook() -> None:
    """Have jobs show themselves as cell output in a kernel, also without `%load_ext`."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        from pai_jupyter.view import install_view

        install_view(shell)


def _in_language(sentence: str, language: str) -> str:
    from pai_jupyter.view import in_language

    return in_language(sentence, "zh" if language == "zh" else "en")


callbacks.translator = _in_language


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """`%load_ext pai_jupyter`."""
    from pai_jupyter.magics import load_ipython_extension as load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """`%unload_ext pai_jupyter`: stops following; jobs go on."""
    from pai_jupyter.magics import unload_ipython_extension as unload

    unload(shell)
