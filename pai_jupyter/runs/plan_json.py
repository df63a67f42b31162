"""A `Plan` as JSON, in run.json, and back. What equals its default is left out; reading is strict and ignores unknown fields.

Rule: a damaged plan gives one sentence (`FieldError`), which names the field.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from pai_jupyter.runs.plan import (
    Argument,
    DeclaredArtifact,
    DeclaredParameter,
    Graph,
    JobBody,
    Loop,
    ParameterType,
    Plan,
    Step,
)
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields, check_depth, line_of, text_of, whole_of

MAX_GRAPHS = 20  # pipelines within each other
_TYPES = ("Int", "Double", "String", "Bool", "Map", "Array")
_Read = TypeVar("_Read")


def plan_to_json(plan: Plan) -> dict[str, Json]:
    return _without_empty(
        {
            "name": plan.name,
            "graph": _graph_to_json(plan.graph),
            "parameters": dict(plan.parameters),
            "artifacts": dict(plan.artifacts),
            "fail_fast": plan.fail_fast,
            "parallel": dict(plan.parallel),
            "secrets": list(plan.secrets),
            "notes": list(plan.notes),
        }
    )


def plan_from_json(value: object) -> Plan:
    """Read a plan.

    Raises:
        FieldError: it is damaged.
    """
    fields = Fields.of(value, "plan")
    return Plan(
        name=fields.line("name"),
        graph=_graph(fields.inside("graph"), 1),
        parameters=json_object(fields, "parameters"),
        artifacts=json_object(fields, "artifacts"),
        fail_fast=fields.flag("fail_fast"),
        parallel={name: whole_of(count, path) for name, count, path in fields.inside("parallel").all()},
        secrets=_lines(fields, "secrets"),
        notes=tuple(text_of(note, path) for note, path in fields.items("notes")),
    )


def json_object(fields: Fields, name: str) -> dict[str, Json]:
    """Read an object of any JSON values, nested to a limit."""
    return {key: _any(value, path) for key, value, path in fields.inside(name).all()}


def _any(value: object, path: str) -> Json:
    check_depth(value, path)
    return cast(Json, value)  # parsed JSON holds nothing else


def _without_empty(values: dict[str, Json]) -> dict[str, Json]:
    return {
        key: value
        for key, value in values.items()
        if value is not None and value is not False and value not in ("", [], {})
    }


def _graph_to_json(graph: Graph) -> dict[str, Json]:
    return _without_empty(
        {
            "title": graph.title,
            "parameters": [_parameter_to_json(it) for it in graph.parameters],
            "artifacts": [_artifact_to_json(it) for it in graph.artifacts],
            "steps": [_step_to_json(step) for step in graph.steps],
            "output_parameters": _arguments_to_json(graph.output_parameters),
            "output_artifacts": _arguments_to_json(graph.output_artifacts),
        }
    )


def _step_to_json(step: Step) -> Json:
    return _without_empty(
        {
            "name": step.name,
            "job": _body_to_json(step.body) if isinstance(step.body, JobBody) else None,
            "pipeline": None if isinstance(step.body, JobBody) else _graph_to_json(step.body),
            "parameters": _arguments_to_json(step.parameters),
            "artifacts": _arguments_to_json(step.artifacts),
            "depends": list(step.depends),
            "condition": step.condition,
            "loop": _loop_to_json(step.loop) if step.loop else None,
            "retries": step.retries or None,
            "cache": step.cache,
        }
    )


def _body_to_json(body: JobBody) -> dict[str, Json]:
    return {
        "builder": body.builder,
        "title": body.title,
        "digest": body.digest,
        "data": dict(body.data),
        **_without_empty(
            {
                "parameters": [_parameter_to_json(it) for it in body.parameters],
                "artifacts": [_artifact_to_json(it) for it in body.artifacts],
                "output_parameters": [_parameter_to_json(it) for it in body.output_parameters],
                "output_artifacts": [_artifact_to_json(it) for it in body.output_artifacts],
            }
        ),
    }


def _loop_to_json(loop: Loop) -> dict[str, Json]:
    ends = {"items": loop.items, "start": loop.start, "end": loop.end}
    return {**{name: _argument_to_json(it) for name, it in ends.items() if it}, "parallelism": loop.parallelism}


def _arguments_to_json(arguments: Mapping[str, Argument]) -> dict[str, Json]:
    return {name: _argument_to_json(argument) for name, argument in arguments.items()}


def _argument_to_json(argument: Argument) -> Json:
    return {"template" if argument.is_template else "value": argument.value}


def _parameter_to_json(it: DeclaredParameter) -> Json:
    values: dict[str, Json] = {"name": it.name, "type": it.type}
    if it.default is not None:
        values["default"] = it.default
    return values | _without_empty({"required": it.required, "feasible": it.feasible, "choices": list(it.choices)})


def _artifact_to_json(it: DeclaredArtifact) -> Json:
    return _without_empty({"name": it.name, "required": it.required, "repeated": it.repeated, "kind": it.kind})


def _graph(fields: Fields, depth: int) -> Graph:
    if depth > MAX_GRAPHS:
        raise FieldError(fields.path[:100], f"is one of more than {MAX_GRAPHS} pipelines within each other")
    return Graph(
        steps=_each(fields, "steps", lambda inside: _step(inside, depth)),
        title=fields.line("title", ""),
        parameters=_each(fields, "parameters", _parameter),
        artifacts=_each(fields, "artifacts", _artifact),
        output_parameters=_arguments(fields, "output_parameters"),
        output_artifacts=_arguments(fields, "output_artifacts"),
    )


def _step(fields: Fields, depth: int) -> Step:
    is_pipeline = fields.has("pipeline")
    return Step(
        name=fields.line("name"),
        body=_graph(fields.inside("pipeline"), depth + 1) if is_pipeline else _body(fields.inside("job")),
        parameters=_arguments(fields, "parameters"),
        artifacts=_arguments(fields, "artifacts"),
        depends=_lines(fields, "depends"),
        condition=fields.text("condition") if fields.has("condition") else None,
        loop=_loop(fields.inside("loop")) if fields.has("loop") else None,
        retries=fields.whole("retries", 0),
        cache=fields.flag("cache"),
    )


def _body(fields: Fields) -> JobBody:
    return JobBody(
        builder=fields.line("builder"),
        data=json_object(fields, "data"),
        title=fields.line("title"),
        digest=fields.line("digest"),
        parameters=_each(fields, "parameters", _parameter),
        artifacts=_each(fields, "artifacts", _artifact),
        output_parameters=_each(fields, "output_parameters", _parameter),
        output_artifacts=_each(fields, "output_artifacts", _artifact),
    )


def _loop(fields: Fields) -> Loop:
    items, start, end = (
        _argument(fields.inside(name)) if fields.has(name) else None for name in ("items", "start", "end")
    )
    return Loop(items=items, start=start, end=end, parallelism=fields.whole("parallelism", 5, least=1))


def _arguments(fields: Fields, name: str) -> dict[str, Argument]:
    return {key: _argument(Fields.of(value, path)) for key, value, path in fields.inside(name).all()}


def _argument(fields: Fields) -> Argument:
    name = "template" if "template" in fields.values else "value"
    if name not in fields.values:
        raise FieldError(fields.path, "has neither a value nor a template")
    return Argument(value=_any(fields.values[name], f"{fields.path}.{name}"), is_template=name == "template")


def _parameter(fields: Fields) -> DeclaredParameter:
    type_name = fields.line("type", "String")
    if type_name not in _TYPES:
        raise FieldError(f"{fields.path}.type", f"must be one of {', '.join(_TYPES)}")
    return DeclaredParameter(
        name=fields.line("name"),
        type=cast(ParameterType, type_name),
        default=_any(fields.values.get("default"), f"{fields.path}.default"),
        required=fields.flag("required"),
        feasible=fields.optional_line("feasible"),
        choices=tuple(_any(choice, path) for choice, path in fields.items("choices")),
    )


def _artifact(fields: Fields) -> DeclaredArtifact:
    return DeclaredArtifact(
        name=fields.line("name"),
        required=fields.flag("required"),
        repeated=fields.flag("repeated"),
        kind=fields.line("kind", ""),
    )


def _lines(fields: Fields, name: str) -> tuple[str, ...]:
    return tuple(line_of(value, path) for value, path in fields.items(name))


def _each(fields: Fields, name: str, read: Callable[[Fields], _Read]) -> tuple[_Read, ...]:
    return tuple(read(Fields.of(value, path)) for value, path in fields.items(name))
