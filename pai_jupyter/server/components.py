"""Custom components over REST: what the panel lists, shows, checks, saves, registers, runs and deletes.

    GET    components?saved=                             saved ones and those of the workspace, or the former alone
    POST   components {form, files_of?, register?}       save a version; with `register`, register it first
    GET    component?name=&version=&registered=          a version with its form; DELETE deletes it, or all of them
    POST   component/problems {form, files_of?}          every problem by its field; nothing is changed or sent
    POST   component/register {name, version?}           register a saved version
    POST   component/run {name, version?, registered?, ...}   start a job of it
    GET    component/step?name=&version=                 what a run of a component of pipelines can be given; DELETE deletes it
    POST   component/step/run {name, version, parameters?}   run it here; or `problems`

Rule 1: sentences are those of `pai_jupyter.component`, unchanged; nothing is checked here but types.
Rule 2: relative paths start at the server's root directory.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pai_jupyter.component import panel
from pai_jupyter.component.addresses import source_kind
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.server.answers import started
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.spec import Json
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import ComponentNamed, ComponentRunAsked, ComponentSaveAsked
from pai_jupyter.workflow.panel import (
    step_component_delete,
    step_component_inputs,
    step_component_run,
    step_components,
)

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.components import (
        ComponentAnswer,
        ComponentProblems,
        ComponentsAnswer,
        ComponentSaved,
        ComponentsDeleted,
        StepComponentRow,
    )
    from pai_jupyter.wire.schema.panel import SubmitAnswer


def components(*, saved: bool = False) -> "ComponentsAnswer":
    """List all components, or those that are saved here."""
    answer = panel.component_list(is_saved=saved)
    steps: list[StepComponentRow] = []
    problems = [answer["problem"]]
    try:
        steps = step_components()
    except PaiJupyterError as exc:  # the others are listed
        problems.append(str(exc))
    return {**answer, "steps": steps, "problem": " ".join(filter(None, problems))}


def component(name: str, version: str | None = None, *, registered: bool = False) -> "ComponentAnswer":
    """Return a version of a component, default the newest."""
    return panel.component_show(name, version or None, is_registered=registered)


def delete(name: str, version: str | None = None, *, registered: bool = False) -> "ComponentsDeleted":
    """Delete a version of a component, or without one all of them."""
    return panel.component_delete(name, version or None, is_registered=registered)


def check(body: Mapping[str, object], root: str) -> "ComponentProblems":
    """Return what is wrong with a form."""
    return panel.component_check(_form(body, root), _files_of(body))


def save(body: Mapping[str, object], root: str) -> "ComponentSaved":
    """Save a form as a version, and register it if asked to."""
    is_registered = RequestFields(body, ComponentSaveAsked).flag("register")
    return panel.component_new(_form(body, root), _files_of(body), is_registered=is_registered)


def register(body: Mapping[str, object]) -> "ComponentSaved":
    """Register a version of a saved component."""
    fields = RequestFields(body, ComponentNamed)
    return panel.component_register(fields.text("name"), fields.text("version", default="") or None)


def run(body: Mapping[str, object], root: str) -> "SubmitAnswer":
    """Start a job of a component."""
    is_registered = RequestFields(body, ComponentRunAsked).flag("registered")
    request = cast("Mapping[str, Json]", {**body, "is_registered": is_registered})  # parsed from JSON
    job, notes = panel.component_run(request, base=Path(root).expanduser())
    return started(job, notes)


def _form(body: Mapping[str, object], root: str) -> Mapping[str, Json]:
    """Return the form with a relative directory from `root`."""
    form = body.get("form")
    if not isinstance(form, dict):
        raise SpecError('`form` must be a JSON object, e.g. {"name": "iris"}.', field="form")
    source = form.get("source")
    if isinstance(source, str) and source.strip() and source_kind(source) == "directory" and source[0] != "~":
        return {**form, "source": str(Path(root).expanduser() / source)}
    return form


def _files_of(body: Mapping[str, object]) -> tuple[str, str] | None:
    """Return name and version of the saved component whose own files the form keeps."""
    value = body.get("files_of")
    if value is None:
        return None
    if not isinstance(value, dict):
        raise SpecError(
            '`files_of` must be a JSON object, e.g. {"name": "iris", "version": "1.0.0"}.', field="files_of"
        )
    fields = RequestFields(value, ComponentNamed)
    return fields.text("name"), fields.text("version", default="")


LISTED = {
    "get": ApiRoute(kind="components", answer=components),
    "post": ApiRoute(kind="component_save", answer=save, has_body=True, has_root=True),
}
ONE = {
    "get": ApiRoute(kind="component", answer=component, needs=("name",)),
    "delete": ApiRoute(kind="component", answer=delete, needs=("name",)),
}
CHECKED = {"post": ApiRoute(kind="component_problems", answer=check, has_body=True, has_root=True)}
REGISTERED = {"post": ApiRoute(kind="component_register", answer=register, has_body=True)}
STEP = {
    "get": ApiRoute(kind="step_component", answer=step_component_inputs, needs=("name", "version")),
    "delete": ApiRoute(kind="step_component", answer=step_component_delete, needs=("name", "version")),
}
STEP_STARTED = {"post": ApiRoute(kind="step_component_run", answer=step_component_run, has_body=True)}
STARTED = {"post": ApiRoute(kind="component_run", answer=run, has_body=True, has_root=True)}
