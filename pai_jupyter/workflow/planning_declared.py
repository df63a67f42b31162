"""What manifests declare: parameters, artifacts, and the places that artifacts are. Pure.

A place is a text: `oss://bucket.endpoint/key`, `odps://project/tables/name` (MaxCompute), or a path of this machine.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import read_range, shown
from pai_jupyter.runs.plan import DeclaredArtifact, DeclaredParameter, ParameterType
from pai_jupyter.runs.references import references_in
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import Fields
from pai_jupyter.workflow.artifact_metadata import DataType, LocationArtifactMetadata

MAX_COMPUTE = "odps://"
_TYPES: Mapping[str, ParameterType] = {
    **dict.fromkeys(("int", "integer", "long", "bigint"), "Int"),
    **dict.fromkeys(("double", "float"), "Double"),
    **dict.fromkeys(("string", "str"), "String"),
    **dict.fromkeys(("bool", "boolean"), "Bool"),
    **dict.fromkeys(("map", "dict"), "Map"),
    **dict.fromkeys(("array", "list"), "Array"),
}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def declared_parameter(fields: Fields, *, is_output: bool = False) -> DeclaredParameter:
    """Read a parameter. As in PAI one without a value is required; an empty text is no number.

    Raises:
        SpecError: its type or its range is unknown.
    """
    name, text = fields.line("name"), fields.line("type", "String")
    kind = _TYPES.get(text.lower())
    if kind is None:
        known = ", ".join(dict.fromkeys(_TYPES.values()))
        raise SpecError(f"parameter `{name}` has the type {shown(text)}; it must be one of: {known}.", field=name)
    value = cast(Json, fields.values.get("value"))
    default = None if value == "" and kind != "String" else value
    return DeclaredParameter(
        name=name,
        type=kind,
        default=None if is_output else default,
        required=not is_output and value is None,
        feasible=_feasible(fields),
        choices=tuple(cast(Json, it) for it, _ in fields.inside("feasible").items("enum")),
    )


def _feasible(fields: Fields) -> str | None:
    text = fields.inside("feasible").optional_line("range")
    if text is None or text == "None":  # so PAI's SDK writes an `enum`
        return None
    read_range(text)
    return text


def declared_artifact(fields: Fields) -> DeclaredArtifact:
    return DeclaredArtifact(
        name=fields.line("name"),
        required=fields.flag("required"),
        repeated=fields.flag("repeated"),
        kind=_kind(fields.values.get("metadata")),
    )


def _kind(metadata: object) -> str:
    """Return the kind in PAI's `{"type": {"DataSet": {"locationType": "OSS"}}}`; "" for anything, and for what is not known."""
    try:
        found = LocationArtifactMetadata.from_dict(metadata)
    except SpecError:
        return ""
    return "" if found.data_type == DataType.Any else found.title


def is_template(value: Json) -> bool:
    """Return whether a value has references.

    Raises:
        SpecError: what begins like a reference is none.
    """
    return next(references_in(value), None) is not None


def place_of(value: object, what: str) -> Json:
    """Return the place, or the places of a repeated artifact, that a manifest or a user gives; None for nothing.

    Raises:
        SpecError: it is none.
    """
    if isinstance(value, Path):
        return str(value.expanduser().absolute())
    if isinstance(value, list | tuple):
        return [place_of(_inner(item), what) for item in value]
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if is_template(value):
            return value
        return _located(_json(value, what), what) if value.lstrip().startswith("{") else _absolute(value)
    return _located(cast(Json, value), what)


def _inner(item: Json) -> Json:
    """Return the value of an item of a repeated artifact, `{name: x_0, value: ...}`; PAI's SDK has a value within a value."""
    while isinstance(item, dict) and ("value" in item or "from" in item):
        item = item.get("from") or item.get("value")
    return item


def _absolute(text: str) -> str:
    if _SCHEME.match(text):
        return text
    try:
        return str(Path(text).expanduser().absolute())
    except RuntimeError:  # "~nobody/x": the backend reports it
        return text


def _json(text: str, what: str) -> Json:
    try:
        return cast(Json, json.loads(text))
    except (ValueError, RecursionError) as exc:
        raise _no_place(what) from exc


def _located(value: Json, what: str) -> str:
    """Turn PAI's `{"location": {...}}` into a place."""
    location = value.get("location") if isinstance(value, dict) else None
    if not isinstance(location, dict):
        raise _no_place(what)
    given = {name: text for name, text in location.items() if isinstance(text, str)}
    match given:
        case {"bucket": bucket, "key": key}:
            endpoint = given.get("endpoint", "").partition("://")
            host = (endpoint[2] or endpoint[0]).strip("/")
            return f"oss://{bucket}{'.' + host if host else ''}/{key.lstrip('/')}"
        case {"project": project, "table": table}:
            return "/".join([f"{MAX_COMPUTE}{project}/tables/{table}", *_part(given.get("partition"))])
        case {"project": project, "volume": volume}:
            parts = [*_part(given.get("volumePartition")), *_part(given.get("file"))]
            return "/".join([f"{MAX_COMPUTE}{project}/volumes/{volume}", *parts])
        case {"project": project, "name": name}:
            return f"{MAX_COMPUTE}{project}/offlinemodels/{name}"
        case {"path": path}:
            return _absolute(path)
    raise _no_place(what)


def _part(text: str | None) -> list[str]:
    return [text] if text else []


def _no_place(what: str) -> SpecError:
    return SpecError(
        f"artifact `{what}` must be a path, an oss:// address, or PAI's JSON with a `location`.", field=what
    )
