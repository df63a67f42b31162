"""What is declared of the wire (`pai_jupyter.wire.schema`), to hold what is really sent against it."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, get_type_hints

import jsonschema_rs

from pai_jupyter.wire.schema.generate.declared import declarations
from pai_jupyter.wire.schema.generate.json_schema import Schema, definition, schema_of
from pai_jupyter.wire.schema.job import PointsNews, SnapshotJson, StateNews, TailNews
from pai_jupyter.wire.schema.listing import JobsPush, PanelAnswers
from pai_jupyter.wire.schema.run import RunChangesPush, RunPush, RunViewAnswers
from pai_jupyter.wire.schema.tabs import Answers

ANSWERS = {
    name: hint
    for declared in (RunViewAnswers, PanelAnswers, Answers)
    for name, hint in get_type_hints(declared, include_extras=True).items()
}
_PUSHES = {
    "snapshot": SnapshotJson,
    "state": StateNews,
    "tail": TailNews,
    "points": PointsNews,
    "jobs": JobsPush,
    "run": RunPush,
    "run_changes": RunChangesPush,
}


@cache
def _validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({**json.loads(schema), "components": {"schemas": {**schemas()}}})


@cache
def schemas() -> Mapping[str, Schema]:
    """The schema of each declared type, by its name."""
    return {name: definition(declared) for name, declared in declarations()}


def assert_declared(hint: Any, value: object) -> None:  # Any: a type
    """Nothing is missing, nothing more is there, and each field is what is declared."""
    _validator(json.dumps(schema_of(hint))).validate(value)


def assert_declared_push(body: Mapping[str, Any]) -> None:  # Any: JSON values
    push = _PUSHES[body["kind"]]
    envelope = {"view", "seq"} - set(get_type_hints(push))
    assert_declared(push, {name: value for name, value in body.items() if name not in envelope})
