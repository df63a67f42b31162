"""Run a component or a pipeline: on this machine, or on PAIFlow. The place is chosen as for jobs.

A machine of PAI (`ecs.*`) in a `job_config` means PAIFlow; machines of this one (`local`) mean here. Pipelines whose steps are at
mixed places run only here: PAIFlow cannot start jobs on this machine.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pai_jupyter.backends import LOCAL_TYPES, find_info
from pai_jupyter.cloud.flow import SavedPipeline, provider_of
from pai_jupyter.cloud.session import Session, need_session
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import print_line
from pai_jupyter.runs import Run
from pai_jupyter.runs.present import show_while_waiting
from pai_jupyter.runs.references import as_text
from pai_jupyter.spec import Json
from pai_jupyter.workflow.artifact import PipelineArtifact
from pai_jupyter.workflow.assignment import assigned
from pai_jupyter.workflow.component_store import lookup
from pai_jupyter.workflow.document_secrets import unset_variables
from pai_jupyter.workflow.documents import MADE_UP, Document, inside
from pai_jupyter.workflow.executor import in_region
from pai_jupyter.workflow.io_spec import InputsSpec
from pai_jupyter.workflow.local_run import local_run
from pai_jupyter.workflow.preflight import check_values
from pai_jupyter.workflow.remote import RemoteRun, run_remote, run_saved


class Runnable(Protocol):
    """What running needs of a component; `ComponentBase` has it."""

    inputs: InputsSpec

    @property
    def title(self) -> str: ...
    def documents(self) -> list[Document]: ...
    def registered(self) -> list[Document]: ...
    def as_saved(self) -> SavedPipeline | None: ...
    def keep_run(self, run: Any) -> None: ...  # Any: a `Run` or one of PAIFlow


def run(
    component: Runnable,
    name: str | None,
    arguments: Mapping[str, object] | None,
    *,
    wait: bool = True,
    show_outputs: bool = True,
    backend: str | None = None,
    parallel: int | None = None,
    fail_fast: bool = False,
) -> Any:  # Any: a `Run` or one of PAIFlow
    """Run where its machines say; see `ComponentBase.run`."""
    info = find_info(backend) if backend is not None else None
    given = checked_arguments(component, arguments)
    machines = machines_of(component.documents(), given)
    all_here = bool(machines) and all(it.is_here for it in machines)
    if (info is not None and info.is_local) or (backend is None and all_here):
        return run_here(component, name, given, wait=wait, backend=backend, parallel=parallel, fail_fast=fail_fast)
    for field, value in (("parallel", parallel), ("fail_fast", fail_fast or None)):
        if value is not None:
            raise SpecError(
                f"`{field}` is for runs on this machine. Leave it out, or type .local_run(NAME, {field}={value}).",
                field=field,
            )
    started = _start_there(component, name or component.title, given)
    component.keep_run(started)
    for note in started.notes:
        print_line(f"note: {note}")
    print_line(f"run {started.id} {name or component.title} runs on PAIFlow {started.url}".rstrip())
    if wait:
        is_shown = show_while_waiting(started)
        state = started.wait()
        if show_outputs and state.parameters and not is_shown:
            print_line(", ".join(f"{key}={as_text(value)}" for key, value in state.parameters.items()))
    return started


def _start_there(component: Runnable, name: str, given: Mapping[str, Any]) -> RemoteRun:  # Any: values, paths
    session = need_session()
    artifacts = {key: it for key, it in given.items() if isinstance(component.inputs[key], PipelineArtifact)}
    parameters = {key: it for key, it in given.items() if key not in artifacts}
    check_values(component.documents(), parameters, artifacts, registered=component.registered())
    if (saved := component.as_saved()) is not None:
        return run_saved(saved, name=name, parameters=parameters, artifacts=artifacts, session=session)
    documents = component.documents()
    check_for_pai(documents, given)
    _check_secrets_saved(component.registered(), session)
    return run_remote(
        in_region(documents, session.region_id), name=name, parameters=parameters, artifacts=artifacts, session=session
    )


def _check_secrets_saved(registered: Sequence[Document], session: Session) -> None:
    """Refuse steps of components that PAIFlow runs as they are saved, without the values of their secrets."""
    for it in registered:
        metadata, names = inside(it, "metadata"), unset_variables(it)
        if names and metadata.get("provider") == provider_of(session):
            raise SpecError(
                f"the saved component `{metadata.get('identifier')}` has no value of {names[0]}, since secrets are not saved, and "
                "PAIFlow runs a step of it without one. Make the step of the component that it was saved from.",
                field=names[0],
            )


def check_for_pai(documents: Sequence[Document], arguments: Mapping[str, object]) -> None:
    """Refuse what PAIFlow cannot start.

    Raises:
        SpecError: steps are for this machine, or a custom job has no machines.
    """
    here = next((it for it in machines_of(documents, arguments) if it.is_here), None)
    if here is not None:
        raise SpecError(
            f"input `{here.name}` is for this machine and others are for PAI. Such a pipeline runs here alone: .local_run(NAME)"
            if here.is_input
            else f"step `{here.name}` is for this machine and others are for PAI. Such a pipeline runs here alone: .local_run(NAME)",
            field="job_config",
        )
    for name in steps_without_machines(documents):
        raise SpecError(
            f"step `{name}` has no `job_config`, and jobs on PAI need one. Give inputs={{'job_config': "
            "JobConfig.create(worker_count=1, worker_instance_type='ecs.c6.large').to_dict(), ...}",
            field="job_config",
        )


def run_here(
    component: Runnable,
    name: str | None,
    arguments: Mapping[str, object] | None,
    *,
    wait: bool = True,
    backend: str | None = None,
    parallel: int | None = None,
    fail_fast: bool = False,
) -> Any:  # Any: a `Run`
    """Run on this machine; see `ComponentBase.local_run`."""

    def begun(run: Run) -> None:
        component.keep_run(run)
        if wait:
            show_while_waiting(run)

    return local_run(
        component.documents(),
        name or component.title,
        backend=backend,
        arguments=checked_arguments(component, arguments),
        parallel=parallel,
        fail_fast=fail_fast,
        wait=wait,
        lookup=lookup,
        started=begun,
    )


def checked_arguments(
    component: Runnable, arguments: Mapping[str, object] | None
) -> dict[str, Any]:  # Any: values, paths
    """Return the values of a run's inputs.

    Raises:
        SpecError: one is unknown, missing, or does not fit.
    """
    given, what = dict(arguments or {}), _named(component)
    checked = check_given(component, given)
    for it in component.inputs:
        if isinstance(it, PipelineArtifact) and it.required and given.get(it.name) is None and it.value is None:
            raise SpecError(
                f"{what} needs the artifact `{it.name}`. Add it: arguments={{'{it.name}': PATH}}; of %%pai_pipeline: -p {it.name}=PATH",
                field=it.name,
            )
    # places stay as they are: each place of a run writes them in its own form
    return {
        name: _place(given[name]) if isinstance(component.inputs[name], PipelineArtifact) else it
        for name, it in checked.items()
    }


def check_given(component: Runnable, given: Mapping[str, object]) -> dict[str, object]:
    """Return the values of inputs as manifests have them.

    Raises:
        SpecError: one is unknown, or does not fit.
    """
    what = _named(component)
    for name in given:
        if name not in component.inputs:
            known = ", ".join(f"`{it.name}`" for it in component.inputs) or "none"
            raise SpecError(f"{what} has no input `{name}`. Its inputs: {known}.", field=str(name))
    return {name: assigned(component.inputs[name], value, step=what).given for name, value in given.items()}


def _named(component: Runnable) -> str:
    """Return what sentences call a component; a name that was made for it says nothing to anybody."""
    if not component.title.startswith(MADE_UP):
        return f"component `{component.title}`"
    return "the pipeline" if inside(component.documents()[-1], "spec").get("pipelines") else "the component"


def _place(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_place(it) for it in value]
    return str(value.expanduser().absolute()) if isinstance(value, Path) else value


def _machines(value: object) -> Iterator[Json]:
    if isinstance(value, Mapping):
        for name, it in value.items():
            if name == "EcsSpec":
                yield it
            else:
                yield from _machines(it)
    elif isinstance(value, list | tuple):
        for it in value:
            yield from _machines(it)


class Machines(NamedTuple):
    """The machines that a step, or an input of a run, names. `is_here`: all of them are of this one."""

    name: str
    is_here: bool
    is_input: bool = False


def machines_of(documents: Sequence[Document], arguments: Mapping[str, object]) -> list[Machines]:
    """Return the machines of a run by steps, those of pipelines within each other included, and by inputs."""
    defaults = {str(it.get("name")): it.get("value") for it in _parameters(inside(documents[-1], "spec"), "inputs")}
    steps = [(_name_of(it), list(_machines(it)), False) for document in documents for it in _steps(document)]
    inputs = [(name, list(_machines(value)), True) for name, value in {**defaults, **arguments}.items()]
    return [
        Machines(name, all(kind in LOCAL_TYPES for kind in kinds), is_input)
        for name, kinds, is_input in (*steps, *inputs)
        if kinds
    ]


def steps_without_machines(documents: Sequence[Document]) -> list[str]:
    """Return the steps that run a custom job and give it no `job_config`."""
    custom = {
        str(inside(it, "metadata").get("guid"))
        for it in documents
        if inside(inside(inside(it, "spec"), "container"), "envs").get("CUSTOM_JOB_MODE") == "1"
    }
    found = []
    for step in (step for it in documents for step in _steps(it)):
        given = _parameters(inside(step, "spec"), "arguments")
        if str(inside(step, "metadata").get("guid")) in custom and "job_config" not in [it.get("name") for it in given]:
            found.append(_name_of(step))
    return found


def _steps(document: Document) -> list[Document]:
    steps = inside(document, "spec").get("pipelines")
    return [it for it in steps if isinstance(it, dict)] if isinstance(steps, list) else []


def _name_of(step: Document) -> str:
    return str(inside(step, "metadata").get("name"))


def _parameters(spec: Document, section: str) -> list[Document]:
    """Return the parameters that a section of a specification declares or gives."""
    found = inside(spec, section).get("parameters")
    return [it for it in found if isinstance(it, dict)] if isinstance(found, list) else []
