"""What a panel does with components, as JSON: list, show, new, new version, register, run, delete.

Rule 1: a form without a command has the default one.
Rule 2: a new version keeps the files of the one that it was made of (`files_of`), which no browser needs.
"""

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pai_jupyter.cloud.session import get_default_session
from pai_jupyter.component import registry, saved
from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.code import directory_problem
from pai_jupyter.component.component import Component, default_command
from pai_jupyter.component.entry import missing_code, missing_script
from pai_jupyter.component.forms import from_json, to_json
from pai_jupyter.component.names import component_name_problem, newest_of, next_of, shown, version_problem
from pai_jupyter.component.problems import problems
from pai_jupyter.component.recheck import check_unchanged
from pai_jupyter.component.registry import RegisteredComponent
from pai_jupyter.component.running import ComponentRun, start, start_registered
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields
from pai_jupyter.wire.protocol.value_rows import value_row

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.components import (
        ComponentAnswer,
        ComponentForm,
        ComponentProblemRow,
        ComponentProblems,
        ComponentRow,
        ComponentSaved,
        ComponentsDeleted,
        JobComponentsAnswer,
    )

SCRIPT = "main.py"  # of the default command, as in PAI's documents
_ROW = re.compile(r"(?P<field>\w+)\[(?P<index>\d+)\]")
_FORM_FIELDS = {"image_uri": "image"}


def component_list(*, is_saved: bool = False) -> "JobComponentsAnswer":
    """List the user's saved components and those of the workspace; `problem` says why the latter are missing.

    With `is_saved` only the saved ones, and no service is asked.
    """
    versions, registered, problem = saved.saved_versions(), list[RegisteredComponent](), ""
    try:
        if not is_saved and _has_session():
            registered = registry.list_newest()
    except PaiJupyterError as exc:
        problem = str(exc)
    known = {name: [*found] for name, found in versions.items()}
    for each in registered:
        known.setdefault(each.name, []).extend(each.versions)
    rows = [_saved_row(name, found) for name, found in versions.items()]
    rows += [_registered_row(each) for each in registered]
    return {"components": [{**row, "next_version": next_of(known[row["name"]])} for row in rows], "problem": problem}


def component_show(name: str, version: str | None = None, *, is_registered: bool = False) -> "ComponentAnswer":
    """Return a version of a component, default the newest, with its form.

    Raises:
        NotFoundError: there is no such component or version.
    """
    if is_registered:
        registered = registry.read(name, version)
        component, versions = registered.component, registered.versions
        known = [*versions, *saved.saved_versions().get(name, ())]
    else:
        component, versions = saved.load_named(name, version).component, tuple(saved.saved_versions()[name])
        known = [*versions]
    return {
        "name": name,
        "version": component.version,
        "versions": [*versions],
        "next_version": next_of(known),
        "is_registered": is_registered,
        "form": _form(component),
        "files": sorted(component.files),
        "values": [value_row(each) for each in component.parameters if each.name],
    }


def component_check(form: Mapping[str, Json], files_of: tuple[str, str] | None = None) -> "ComponentProblems":
    """Return every problem of a component in a form, by its field, the version that is proposed, and the default command."""
    try:
        component = _read(form, files_of)
    except FieldError as exc:
        return {"problems": [_field_row(exc)], "next_version": "", "command": ""}
    found: list[ComponentProblemRow] = [
        {
            "field": _FORM_FIELDS.get(each.field, each.field),
            "index": each.index,
            "text": each.text,
            "severity": each.severity,
            "on_pai": each.on_pai,
        }
        for each in problems(component, region=registry.region_of_registry())
    ]
    found += [_error_row("version", text) for text in _taken(component)]
    if component.source and component.source.strip() and source_kind(component.source) == "directory":
        found += [_error_row("source", text) for text in directory_problem(component.source)]
    found += [_error_row("source", text) for text in missing_code(component)]
    found += [{**_error_row("command", text), "severity": "warning"} for text in missing_script(component)]
    return {
        "problems": found,
        "next_version": next_saved_version(component.name),
        "command": _default_command(component),
    }


def component_new(
    form: Mapping[str, Json], files_of: tuple[str, str] | None = None, *, is_registered: bool = False
) -> "ComponentSaved":
    """Save a component, or a new version of one, and with `is_registered` register it first.

    Raises:
        SpecError: it is invalid, or has this version already. PackageError: its code is not there.
    """
    try:
        component = _read(form, files_of)
    except FieldError as exc:
        raise SpecError(str(exc), field=exc.field) from exc
    for text in _taken(component):
        raise SpecError(text, field="version")
    for text in missing_code(component):
        raise SpecError(text, field="source")
    notes = [*registry.register(component).notes] if is_registered else []
    stored = saved.store(component)
    return {
        "name": component.name,
        "version": component.version,
        "path": str(stored.path),
        "notes": [*notes, *stored.notes],
    }


def component_register(name: str, version: str | None = None) -> "ComponentSaved":
    """Register a version of a saved component, default the newest.

    Raises:
        SpecError, BackendError: it cannot be registered, or has changed since it was saved. NotFoundError: it is not saved.
    """
    found = saved.load_named(name, version)
    check_unchanged(found, is_accepted=False)
    component = found.component
    notes = [*found.notes, *registry.register(component).notes]
    return {"name": component.name, "version": component.version, "path": "", "notes": notes}


def component_run(request: Mapping[str, Json], *, base: Path = Path()) -> tuple[Job, list[str]]:
    """Start a component: `name`, `version`, `is_registered`, and the fields of `ComponentRun`; return the job and notes.

    Relative paths of channels start at `base`.
    """
    try:
        given = Fields.of(request, "")
        name, version = given.line("name"), given.optional_line("version")
        is_registered = given.flag("is_registered")
        run = ComponentRun(
            inputs=_placed(given.texts("inputs"), base),
            outputs=_placed(given.texts("outputs"), base),
            values={key: value for key, value, _ in given.inside("values").all()},
            name=given.optional_line("job_name"),
            backend=given.optional_line("backend"),
            instance_type=given.optional_line("instance_type"),
            instance_count=given.whole("instance_count", 1, least=1),
            output_path=given.optional_line("output_path"),
            accepts_changes=given.flag("accepts_changes"),
        )
    except FieldError as exc:
        raise SpecError(str(exc), field=exc.field) from exc
    if is_registered:
        return start_registered(name, version, run, tell=_tell_nobody)
    return start(saved.load_named(name, version), run, tell=_tell_nobody)


def component_delete(name: str, version: str | None = None, *, is_registered: bool = False) -> "ComponentsDeleted":
    """Delete a saved or registered version, or without one all of them; jobs stay."""
    if is_registered:
        registry.delete(name, version)
        return {"deleted": [version] if version else []}
    versions = [version] if version is not None else list(saved.saved_versions().get(name, ()))
    paths = [saved.saved_path(name, each) for each in versions] or [saved.saved_path(name, None)]
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as exc:
            raise PaiJupyterError(
                f"'{path}' cannot be deleted: {exc.strerror}. Look at what it is, and remove it yourself."
            ) from exc
    with suppress(OSError):  # other versions are there
        paths[0].parent.rmdir()
    return {"deleted": versions}


def next_saved_version(name: str) -> str:
    """Propose the version after the highest saved one."""
    return next_of(saved.saved_versions().get(name, ()))


def _tell_nobody(_: str) -> None:
    """Ignore progress: the panel shows the job as soon as it exists."""


def _has_session() -> bool:
    with suppress(SpecError):  # without settings there are only saved components
        return get_default_session() is not None
    return False


def _read(form: Mapping[str, Json], files_of: tuple[str, str] | None) -> Component:
    """Read a form; the name is cut to what a sentence shows only where it is shown."""
    component = from_json({name: value for name, value in form.items() if name != "files" or files_of is None})
    if files_of is not None:
        component = replace(component, files=saved.load_named(*files_of).component.files)
    return component if component.command.strip() else replace(component, command=_default_command(component))


def _default_command(component: Component) -> str:
    inputs, outputs = ([each.name for each in channels] for channels in (component.inputs, component.outputs))
    named = (tuple(name for name in names if name.strip()) for names in (inputs, outputs))
    return default_command(SCRIPT, inputs=next(named), outputs=next(named))


def _taken(component: Component) -> list[str]:
    """Return the sentence about a version that is saved already."""
    versions = saved.saved_versions().get(component.name, ())
    if component.version not in versions:
        return []
    return [
        f"{component.title} is saved already, and a version stays as it is. Give the next: {next_saved_version(component.name)}"
    ]


def _error_row(field: str, text: str) -> "ComponentProblemRow":
    return {"field": field, "index": None, "text": text, "severity": "error", "on_pai": False}


def _field_row(exc: FieldError) -> "ComponentProblemRow":
    if found := _ROW.match(exc.field):
        return {**_error_row(found["field"], str(exc)), "index": int(found["index"])}
    return _error_row(exc.field.partition(".")[0], str(exc))


def _form(component: Component) -> "ComponentForm":
    form = to_json(replace(component, files={}))
    return cast("ComponentForm", _finite(form))  # as `to_json` writes it; a test holds it against the declaration


def _finite(value: object) -> object:
    """Write numbers that JSON lacks as words; a file may have them."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list) else value


def _placed(places: Mapping[str, str], base: Path) -> dict[str, str]:
    """Return the places with relative paths from `base`; an address or the id of a dataset is kept."""
    return {
        name: place if "://" in place or place.startswith("d-") else str(_expanded(name, place, base))
        for name, place in places.items()
        if place.strip()
    }


def _expanded(name: str, place: str, base: Path) -> Path:
    try:
        return base / Path(place).expanduser()
    except (RuntimeError, ValueError) as exc:  # "~nobody/x"
        raise SpecError(
            f"{name!r} has the place {shown(place)}, which is no path of this machine.", field=name
        ) from exc


def _saved_row(name: str, versions: Sequence[str]) -> "ComponentRow":
    newest = newest_of(versions) or ""
    wrong = [component_name_problem(name), *(version_problem(version) for version in versions)]
    problem = " ".join(filter(None, wrong))
    try:
        component = saved.load_named(name, newest).component
    except SpecError as exc:
        return _row(name, versions, None, problem=problem or str(exc))
    return _row(name, versions, component, problem=problem)


def _registered_row(each: RegisteredComponent) -> "ComponentRow":
    row = _row(each.name, each.versions, each.read_component, problem=" ".join(each.notes))
    return {**row, "is_registered": True, "description": each.description}


def _row(name: str, versions: Sequence[str], component: Component | None, *, problem: str = "") -> "ComponentRow":
    return {
        "name": name,
        "version": newest_of(versions) or "",
        "versions": [*versions],
        "next_version": next_of(versions),
        "is_registered": False,
        "description": component.description if component else "",
        "job_type": component.job_type if component else "",
        "image": (component.image_uri or "") if component else "",
        "source": (component.source or "") if component else "",
        "problem": problem,
    }
