"""What a panel does with components of pipelines that are saved on this machine, as JSON: list, run, delete.

Rule: nothing is checked here but types; sentences are those of components and of plans, each at the input that it is about.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import DeclaredArtifact, DeclaredParameter
from pai_jupyter.spec import Json
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.run_view.inputs import given_texts, input_rows, problem_rows
from pai_jupyter.wire.schema.rest import StepComponentRunAsked
from pai_jupyter.workflow.artifact import PipelineArtifact
from pai_jupyter.workflow.assignment import assigned
from pai_jupyter.workflow.component_store import ComponentVersion, HomeStore
from pai_jupyter.workflow.documents import inside
from pai_jupyter.workflow.planning_bodies import IMPLICIT
from pai_jupyter.workflow.registered_component import RegisteredComponent

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.components import ComponentsDeleted, StepComponentRow
    from pai_jupyter.wire.schema.run import RunAgain, RunInputsAnswer

MAX_ABOUT = 300  # characters
MOST_NAMES = 20


def step_components() -> "list[StepComponentRow]":
    """List the components, each with its versions, the newest first.

    Raises:
        SpecError: a file is damaged.
    """
    versions: dict[str, list[ComponentVersion]] = {}
    for it in sorted(HomeStore().list(), key=lambda it: it.saved, reverse=True):
        versions.setdefault(it.identifier, []).append(it)
    return [_row(found) for found in versions.values()]


def _row(versions: list[ComponentVersion]) -> "StepComponentRow":
    newest = RegisteredComponent(versions[0])
    document = versions[0].documents[-1]
    container = inside(inside(document, "spec"), "container")
    told = inside(container, "envs")
    steps = inside(document, "spec").get("pipelines")
    parts: list[Json]
    if isinstance(steps, list):
        parts = [str(inside(it, "metadata").get("name", "")) for it in steps if isinstance(it, dict)]
    elif told.get("CUSTOM_JOB_MODE"):
        parts = [told.get(f"CUSTOM_JOB_{name}") for name in ("TYPE", "IMAGE_URI", "ENTRY_POINT", "COMMAND")]
    else:
        parts = [container.get("image")]
    return {
        "name": newest.identifier,
        "versions": [it.version for it in versions],
        "kind": "pipeline" if isinstance(steps, list) else "job" if told.get("CUSTOM_JOB_MODE") else "container",
        "about": " · ".join(str(part) for part in parts if part and part != "None")[:MAX_ABOUT],
        "inputs": [it.name for it in newest.inputs][:MOST_NAMES],
        "outputs": [it.name for it in newest.outputs][:MOST_NAMES],
    }


def step_component_inputs(name: str, version: str) -> "RunInputsAnswer":
    """Return what a run of it can be given."""
    parameters, artifacts = _declared(_found(name, version))
    return {"inputs": input_rows(parameters, artifacts, {}), "steps": []}


def step_component_delete(name: str, version: str) -> "ComponentsDeleted":
    """Delete a version; runs of it stay."""
    _found(name, version).delete()
    return {"deleted": [version]}


def step_component_run(body: Mapping[str, object]) -> "RunAgain":
    """Run it on this machine; nothing starts with a wrong value."""
    fields = RequestFields(body, StepComponentRunAsked)
    component = _found(fields.text("name"), fields.text("version"))
    values = body.get("parameters") or {}
    if not isinstance(values, Mapping):
        raise SpecError("`parameters` must be an object of values by name.", field="parameters")
    given = given_texts(*_declared(component), cast("Mapping[str, Json]", values))  # parsed from JSON
    given = {name: value for name, value in given.items() if value is not None}
    problems = _problems(component, given)
    try:
        run = None if problems else component.local_run(component.identifier, arguments=given, wait=False)
    except SpecError as exc:
        if exc.field not in component.inputs:
            raise
        problems[str(exc.field)] = str(exc)
        run = None
    if run is None:
        return {"run": "", "name": "", "problems": problem_rows(problems)}
    return {"run": run.id, "name": run.name, "problems": []}


def _problems(component: RegisteredComponent, given: Mapping[str, Json]) -> dict[str, str]:
    found = {}
    for name, value in given.items():
        try:
            assigned(component.inputs[name], value, step=component.title)
        except SpecError as exc:
            found[name] = str(exc).removeprefix(f"{component.title}: ")  # it stands at the field
    return found


def _found(name: str, version: str) -> RegisteredComponent:
    return RegisteredComponent(HomeStore().get(name, version=version))


def _declared(component: RegisteredComponent) -> tuple[list[DeclaredParameter], list[DeclaredArtifact]]:
    """Return the inputs, those that every custom job has last."""
    own = [it for it in component.inputs.parameters if it.name not in IMPLICIT]
    implicit = [it.declared for it in component.inputs.parameters if it.name in IMPLICIT]
    parameters = [replace(it.declared, required=it.required) for it in own] + implicit
    return parameters, [_artifact(it) for it in component.inputs.artifacts]


def _artifact(it: PipelineArtifact) -> DeclaredArtifact:
    return DeclaredArtifact(name=it.name, required=it.required, repeated=it.repeated)
