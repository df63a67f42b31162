"""Run notebook cells as training jobs: in a local process, in Docker, on Alibaba Cloud PAI.

A cell becomes a `JobSpec`; a `Backend` runs it and yields events; a job folder stores the events; every view shows the
`JobState` computed from these events.

     cell text
        │ magics: parse
     TrainOptions ── hyperparameters: read ─► Schema ─ form ─► values
        └──────────────┬─────────────────────────────────────────┘
                    JobSpec ── package: build ─► Package (tar.gz)
                       └──────── jobs: submit ──► Backend ──► JobRef
     Backend.follow(ref, after) ─► StatusChanged LogChunk Metric Link …
                       │                            stored in a job folder (store) by the process that holds follow.lock
                       ▼
                JobState.apply(event) ──► view: MIME bundle, HTML, text
                       └──► wire ──► server (REST, WebSocket) or widget (comm) ──► labextension/src/jobview.ts, live

Packages, from the model up; each imports only those listed above it (checked by import-linter, also inside large packages):

    model      errors spec events hyperparameters contract cell     the standard library only, no I/O
               money cost                                           amounts, prices of machines, what a job costs
               typed_json callbacks                                 JSON read by type and limit; hooks set by upper layers
    I/O        path_guard                                           opens files in directories that a job writes, safely
               config package stacks storage store tfevents         one kind of I/O each
               cloud                                                Alibaba Cloud: client, session, images, ...
               tensorboard                                          the `Board` protocol: a local process or a service's app
    backends   the protocol, `BackendInfo`, capabilities; implementations process, docker, pai, found by entry point
    life       jobs                                                 submit, follow, stop, wait, list; one runtime thread
               training estimator                                   a magic's options; `Estimator`, `CustomJob`
               runs                                                 several jobs as one: plan, conditions, fold, next acts
               delivery                                             alerts, and jobs tracked at MLflow: by a process of its own
               component                                            custom components: checked, saved, registered, run
       workflow                                             components joined to pipelines: manifests, plans, PAIFlow
               diagnostics                                          checks of this machine and account
    front end  wire                                                 requests, answers and pushes of live views; their types
               form view                                            widgets, the cell's output
               emulator                                             PAI and OSS on this machine, with checked signatures
               report                                               several jobs in one HTML file or notebook
               server magics                                        Jupyter server, IPython

`static`, `labextension` and `locale` are built from the directory labextension/ of the repository.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pai_jupyter import callbacks

if TYPE_CHECKING:
    from pai_jupyter.cloud.images import ImageScope, list_images, retrieve
    from pai_jupyter.cloud.session import Session, get_default_session, setup_default_session
    from pai_jupyter.component import Component
    from pai_jupyter.errors import JobDetached, JobFailed, JobStopped, PaiJupyterError
    from pai_jupyter.estimator import CustomJob, Estimator, JobConfig
    from pai_jupyter.jobs import Job, attach, list_jobs, submit
    from pai_jupyter.jobs.table import runs
    from pai_jupyter.report import write_report
    from pai_jupyter.runs import Run, attach_run, list_runs
    from pai_jupyter.spec import JobSpec, MetricDefinition
    from pai_jupyter.storage import parse_oss_url
    from pai_jupyter.workflow import (
        ArtifactMetadataUtils,
        ContainerComponent,
        CustomJobComponent,
        CustomJobOperator,
        LoopItem,
        Pipeline,
        PipelineArtifact,
        PipelineParameter,
        RegisteredComponent,
        SavedOperator,
    )

__version__ = "0.1.0"

__all__ = [
    "ArtifactMetadataUtils",
    "Component",
    "ContainerComponent",
    "CustomJob",
    "CustomJobComponent",
    "CustomJobOperator",
    "Estimator",
    "ImageScope",
    "Job",
    "JobConfig",
    "JobDetached",
    "JobFailed",
    "JobSpec",
    "JobStopped",
    "LoopItem",
    "MetricDefinition",
    "PaiJupyterError",
    "Pipeline",
    "PipelineArtifact",
    "PipelineParameter",
    "RegisteredComponent",
    "Role",
    "Run",
    "SavedOperator",
    "Session",
    "__version__",
    "attach",
    "attach_run",
    "get_default_session",
    "list_images",
    "list_jobs",
    "list_runs",
    "parse_oss_url",
    "retrieve",
    "runs",
    "setup_default_session",
    "submit",
    "write_report",
]

_MODULES = {
    "ArtifactMetadataUtils": "workflow",
    "Component": "component",
    "ContainerComponent": "workflow",
    "CustomJob": "estimator",
    "CustomJobComponent": "workflow",
    "CustomJobOperator": "workflow",
    "Estimator": "estimator",
    "ImageScope": "cloud.images",
    "Job": "jobs",
    "JobConfig": "estimator",
    "JobDetached": "errors",
    "JobFailed": "errors",
    "JobSpec": "spec",
    "JobStopped": "errors",
    "LoopItem": "workflow",
    "MetricDefinition": "spec",
    "PaiJupyterError": "errors",
    "Pipeline": "workflow",
    "PipelineArtifact": "workflow",
    "PipelineParameter": "workflow",
    "RegisteredComponent": "workflow",
    "Role": "spec",
    "Run": "runs",
    "SavedOperator": "workflow",
    "Session": "cloud.session",
    "attach": "jobs",
    "attach_run": "runs",
    "get_default_session": "cloud.session",
    "list_images": "cloud.images",
    "list_jobs": "jobs",
    "list_runs": "runs",
    "parse_oss_url": "storage",
    "retrieve": "cloud.images",
    "setup_default_session": "cloud.session",
    "submit": "jobs",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:  # Any: the named object; imported on first use
    if name == "runs":  # the package of this name can be called
        return import_module(f"{__name__}.runs")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _MODULES[name] in ("component", "estimator", "jobs", "workflow"):
        _show_in_notebook()
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def _show_in_notebook() -> None:
    """Show jobs as cell output in a kernel, also without `%load_ext`."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        from pai_jupyter.view import install_run_formatter, install_view

        install_view(shell)
        install_run_formatter(shell)


def _in_language(sentence: str, language: str) -> str:
    from pai_jupyter.view import in_language

    return in_language(sentence, "zh" if language == "zh" else "en")


def _run_that_needs(job_id: str, run_id: str) -> str | None:
    from pai_jupyter.runs.needed import run_that_needs

    return run_that_needs(job_id, run_id)


def _as_component(job: Any, inputs: Any, outputs: Any) -> Any:  # Any: types of packages that are imported late
    from pai_jupyter.component import Component
    from pai_jupyter.workflow.code_component import CodeComponent
    from pai_jupyter.workflow.custom_job_component import from_custom_job

    if isinstance(job, Component):
        return CodeComponent(job, outputs)
    return from_custom_job(job, inputs, outputs)


def _job_starts(job_id: str, home: Any, is_asked: bool | None) -> None:  # Any: a path, or None
    from pai_jupyter.delivery.starting import note_submission

    note_submission(job_id, home, is_asked)


def _job_annotated(folder: Any) -> None:  # Any: a `JobFolder`
    from pai_jupyter.delivery.starting import note_annotation

    note_annotation(folder)


def _keep_delivering(at_once: bool) -> None:
    from pai_jupyter.delivery.starting import keeper

    keeper.keep(at_once=at_once)


callbacks.translator = _in_language
callbacks.job_starts = _job_starts
callbacks.job_annotated = _job_annotated
callbacks.keep_delivering = _keep_delivering
callbacks.component_maker = _as_component
callbacks.run_that_needs = _run_that_needs


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Register the magics: `%load_ext pai_jupyter`."""
    from pai_jupyter.magics import load_ipython_extension as load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:  # Any: IPython is untyped
    """Remove the magics and stop following jobs, which go on: `%unload_ext pai_jupyter`."""
    from pai_jupyter.magics import unload_ipython_extension as unload

    unload(shell)
