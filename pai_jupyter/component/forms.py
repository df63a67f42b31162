"""Components as JSON, for files and the panel. Pure.

It has only what differs from the defaults; names that a newer version wrote are ignored.
"""

import base64
import binascii
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import cast, get_args

from pai_jupyter.component.component import (
    ANY_SOURCE,
    Component,
    ComponentInput,
    ComponentOutput,
    TrainingConstraint,
)
from pai_jupyter.hyperparameters import Hyperparameter, HyperparameterType
from pai_jupyter.spec import JobType, Json, Scalar
from pai_jupyter.typed_json import FieldError, Fields, check_depth, line_of, number_of, text_of

_BOUNDS = ("minimum", "maximum")
_FIELDS = frozenset(
    {
        *("name", "version", "description", "version_description", "job_type", "image", "command"),
        *("source", "branch", "commit", "files", "inputs", "outputs", "parameters", "constraint"),
    }
)
_PARTS = {
    "inputs": frozenset({"name", "sources", "required", "description"}),
    "outputs": frozenset({"name", "storage", "description"}),
    "parameters": frozenset(
        {
            *("name", "type", "default", "choices", "required", "description"),
            *(*_BOUNDS, "open_minimum", "open_maximum"),
        }
    ),
}


def to_json(component: Component) -> dict[str, Json]:
    """Return a component as JSON values; `from_json` gives an equal one, without a login."""
    found: dict[str, Json] = {
        "name": component.name,
        "version": component.version,
        **{name: getattr(component, name) for name in ("description", "version_description")},
        "job_type": component.job_type,
        "image": component.image_uri,
        "command": component.command,
        **{name: getattr(component, name) for name in ("source", "branch", "commit")},
        "files": {name: _file_json(content) for name, content in component.files.items()},
        "inputs": [_input_json(each) for each in component.inputs],
        "outputs": [_output_json(each) for each in component.outputs],
        "parameters": [_parameter_json(each) for each in component.parameters],
        "constraint": _constraint_json(component.constraint),
    }
    return filled(found)


def from_json(value: object) -> Component:
    """Read what `to_json` wrote.

    Raises:
        FieldError: a field is missing or has the wrong type.
    """
    check_depth(value, "component")
    given = Fields.of(value, "")
    return Component(
        name=given.line("name"),
        version=_version(given),
        image_uri=given.optional_line("image"),
        job_type=cast(JobType, given.line("job_type", "PyTorchJob")),  # `problems` says if it is none
        command=given.text("command", ""),
        files={name: _file(content, f"files.{name}") for name, content, _ in given.inside("files").all()},
        inputs=tuple(_input(Fields.of(item, path)) for item, path in given.items("inputs")),
        outputs=tuple(_output(Fields.of(item, path)) for item, path in given.items("outputs")),
        parameters=tuple(_parameter(Fields.of(item, path)) for item, path in given.items("parameters")),
        constraint=_constraint(given.inside("constraint")) if given.has("constraint") else None,
        description=given.text("description", ""),
        version_description=given.text("version_description", ""),
        source=given.optional_line("source"),
        branch=given.optional_line("branch"),
        commit=given.optional_line("commit"),
    )


def unknown_fields(value: Mapping[object, object], others: Collection[str] = ()) -> list[str]:
    """Return the names in a component's JSON, but `others`, that are no fields of it, with where they are: `inputs[0].kind`."""
    found = [str(name) for name in value if name not in _FIELDS and name not in others]
    for part, known in _PARTS.items():
        rows = value.get(part)
        for number, row in enumerate(rows if isinstance(rows, list) else ()):
            found += (
                [f"{part}[{number}].{name}" for name in row if name not in known] if isinstance(row, Mapping) else []
            )
    constraint = value.get("constraint")
    if isinstance(constraint, Mapping):
        machines = {each.name for each in fields(TrainingConstraint)}
        found += [f"constraint.{name}" for name in constraint if name not in machines]
    return found


def _input_json(channel: ComponentInput) -> Json:
    sources: list[Json] = [*channel.sources]
    return filled(
        {
            "name": channel.name,
            "sources": [] if channel.sources == ANY_SOURCE else sources,
            "required": None if channel.required else False,
            "description": channel.description,
        }
    )


def _version(given: Fields) -> str:
    value = given.values.get("version")
    if isinstance(value, int | float):  # as YAML reads 1.0
        raise FieldError("version", f"is the number {value}; it must be of the form x.y.z, e.g. 1.0.0")
    return given.line("version", "1.0.0")


def _input(given: Fields) -> ComponentInput:
    sources = tuple(line_of(item, path) for item, path in given.items("sources"))
    return ComponentInput(
        name=given.line("name"),
        sources=sources or ANY_SOURCE,
        required=given.flag("required", default=True),
        description=given.text("description", ""),
    )


def _output_json(channel: ComponentOutput) -> Json:
    storage = None if channel.storage == "OSS" else channel.storage
    return filled({"name": channel.name, "storage": storage, "description": channel.description})


def _output(given: Fields) -> ComponentOutput:
    return ComponentOutput(
        name=given.line("name"), storage=given.line("storage", "OSS"), description=given.text("description", "")
    )


def _parameter_json(parameter: Hyperparameter) -> Json:
    choices: list[Json] = [*parameter.choices]
    return filled(
        {
            "name": parameter.name,
            "type": parameter.type,
            "default": parameter.default,
            "minimum": parameter.minimum,
            "maximum": parameter.maximum,
            "open_minimum": parameter.open_minimum or None,
            "open_maximum": parameter.open_maximum or None,
            "choices": choices,
            "required": parameter.required or None,
            "description": parameter.help,
        },
        kept=("default",) if parameter.default == "" else (),
    )


def _parameter(given: Fields) -> Hyperparameter:
    kind = given.line("type", "String")
    if kind not in get_args(HyperparameterType):
        raise FieldError(
            f"{given.path}.type", f"is {kind!r}; it must be one of {', '.join(get_args(HyperparameterType)[:4])}"
        )
    bounds = {name: _bound(given, name) for name in _BOUNDS}
    choices = given.values.get("choices") or []
    if not isinstance(choices, list):
        raise FieldError(f"{given.path}.choices", "must be a list")
    return Hyperparameter(
        name=given.line("name"),
        type=cast(HyperparameterType, kind),
        default=_scalar(given.values.get("default"), f"{given.path}.default"),
        minimum=bounds["minimum"],
        maximum=bounds["maximum"],
        open_minimum=given.flag("open_minimum"),
        open_maximum=given.flag("open_maximum"),
        choices=tuple(_scalar(each, f"{given.path}.choices") for each in choices),
        required=given.flag("required"),
        help=given.text("description", ""),
    )


def _scalar(value: object, path: str) -> Scalar:
    if value is not None and not isinstance(value, str | int | float):  # e.g. a date, as YAML reads 2026-11-21
        raise FieldError(path, "must be text, a number, true or false")
    return value


def _bound(given: Fields, name: str) -> int | float | None:
    value = given.values.get(name)
    if value is None:
        return None
    number = number_of(value, f"{given.path}.{name}")
    return value if isinstance(value, int) else number


def _constraint_json(constraint: TrainingConstraint | None) -> Json:
    return None if constraint is None else {each.name: getattr(constraint, each.name) for each in fields(constraint)}


def _constraint(given: Fields) -> TrainingConstraint:
    return TrainingConstraint(
        machine=given.line("machine"),
        several_machines=given.flag("several_machines", default=True),
        several_cards=given.flag("several_cards"),
    )


def _file_json(content: bytes) -> Json:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _file(value: object, path: str) -> bytes:
    if isinstance(value, str):
        return text_of(value, path).encode()
    try:
        return base64.b64decode(Fields.of(value, path).text("base64"), validate=True)
    except (binascii.Error, ValueError) as exc:
        raise FieldError(path, "is neither text nor base64") from exc


def filled(given: Mapping[str, Json], *, kept: tuple[str, ...] = ()) -> dict[str, Json]:
    """Return the fields that are not empty, and those in `kept`."""
    return {name: value for name, value in given.items() if name in kept or value not in (None, "", [], {})}
