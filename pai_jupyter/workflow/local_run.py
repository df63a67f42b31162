"""Run a pipeline or its manifest on this machine: `local_run`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeAlias, cast, runtime_checkable

from pai_jupyter.config import refuse_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.runs import Run, start_run
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import Fields
from pai_jupyter.workflow.document_secrets import refuse_in_documents
from pai_jupyter.workflow.kernel_session import with_kernel_session
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning import Planned, plan_manifest
from pai_jupyter.workflow.planning_graph import Document, Lookup
from pai_jupyter.workflow.preflight import check_planned


@runtime_checkable
class HasDocuments(Protocol):
    """A pipeline or a component, which gives its manifest as documents."""

    def documents(self) -> Sequence[Document]: ...


@runtime_checkable
class _HasDict(Protocol):
    def to_dict(self) -> Mapping[str, Json]: ...


Runnable: TypeAlias = HasDocuments | Sequence[Document]


def local_run(
    pipeline: Runnable,
    name: str,
    *,
    backend: str | None = None,
    arguments: Mapping[str, object] | None = None,
    parallel: int | None = None,
    fail_fast: bool = False,
    wait: bool = True,
    lookup: Lookup | None = None,
    cell: str = "",
    notebook: str = "",
    started: Callable[[Run], None] = lambda run: None,
) -> Run:
    """Run a pipeline on this machine, each step as a job: in a container of its image where an engine answers, else as a process.

    `backend`: "process" or "docker" for all steps. `parallel`: jobs at the same time. `fail_fast`: stop all when a step fails.
    `started` is called with the run before it is waited for.

    Raises:
        SpecError: the pipeline, a value or an input is wrong, or a secret is missing; nothing was started.
        RunFailed, RunStopped: it failed or was stopped.
    """
    planned = plan_here(
        pipeline, name, backend=backend, arguments=arguments, parallel=parallel, fail_fast=fail_fast, lookup=lookup
    )
    run = start_run(planned.plan, packages=planned.packages, environment=planned.secrets, cell=cell, notebook=notebook)
    started(run)
    if wait:
        run.wait()
    return run


def plan_here(
    pipeline: Runnable,
    name: str,
    *,
    backend: str | None = None,
    arguments: Mapping[str, object] | None = None,
    parallel: int | None = None,
    fail_fast: bool = False,
    lookup: Lookup | None = None,
) -> Planned:
    """Return the checked plan of a pipeline on this machine; nothing is started.

    Raises:
        SpecError: as `local_run`.
    """
    if parallel is not None and (isinstance(parallel, bool) or not isinstance(parallel, int) or parallel < 1):
        raise SpecError(f"`parallel` is {parallel!r}; it is a number of jobs, from 1.", field="parallel")
    documents = manifest_of(pipeline)
    refuse_secrets([("name", name), *(arguments or {}).items()])
    parameters, artifacts = split_arguments(documents[-1], arguments or {})
    planned = plan_manifest(
        documents,
        name=name,
        parameters=parameters,
        artifacts=artifacts,
        place=RunPlace(backend),
        lookup=lookup,
        parallel=parallel,
        fail_fast=fail_fast,
    )
    refuse_in_documents(documents, more=planned.secrets.values())
    notes = (*planned.notes, *check_planned(planned))
    return with_kernel_session(replace(planned, plan=replace(planned.plan, notes=notes), notes=notes))


def manifest_of(pipeline: Runnable) -> Sequence[Document]:
    """Return the documents of a pipeline or a component.

    Raises:
        SpecError: it is none.
    """
    documents = pipeline.documents() if isinstance(pipeline, HasDocuments) else pipeline
    if isinstance(documents, Mapping):
        documents = [documents]
    if not isinstance(documents, list | tuple) or not documents or not all(isinstance(it, Mapping) for it in documents):
        raise SpecError(
            f"{type(pipeline).__name__} is neither a Pipeline nor the documents of a manifest. Give Pipeline(steps=[...]), or "
            "Pipeline.from_manifest(FILE).",
            field="pipeline",
        )
    return documents


def split_arguments(document: Document, arguments: Mapping[str, object]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Divide values into parameters and artifacts, as the entry of a manifest declares its inputs; unknown ones are parameters."""
    inputs = Fields.of(document).inside("spec").inside("inputs")
    names = {Fields.of(it, path).line("name") for it, path in inputs.items("artifacts")}
    parameters = {name: _plain(value) for name, value in arguments.items() if name not in names}
    return parameters, {name: _plain(value) for name, value in arguments.items() if name in names}


def _plain(value: object) -> Json:
    if isinstance(value, _HasDict) and not isinstance(value, Mapping):
        return dict(value.to_dict())
    return str(value) if isinstance(value, Path) else cast(Json, value)  # `plan_manifest` checks it
