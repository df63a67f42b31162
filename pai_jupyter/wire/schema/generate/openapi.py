"""Fill the declarations into tests/openapi.json. Its addresses and error responses are written by hand.

An operation with `x-query` gets the query parameters of that kind from `rest.QUERIES`. The component schemas are replaced
by the declarations that the file refers to, directly or indirectly.
"""

import json
import re
from typing import Any, get_args, get_origin

from pai_jupyter.wire.schema.generate.declared import DeclaredField, declarations, fields_of
from pai_jupyter.wire.schema.generate.json_schema import Schema, definition, schema_of
from pai_jupyter.wire.schema.rest import QUERIES
from pai_jupyter.wire.schema.values import Truth

_REFERENCE = re.compile(r'"#/components/schemas/(\w+)"')
_METHODS = ("get", "post", "put", "delete")


def described(before: Schema) -> Schema:
    """Return the OpenAPI document with updated schemas and query parameters."""
    paths = {address: _item(item) for address, item in before["paths"].items()}
    others = {name: value for name, value in before["components"].items() if name != "schemas"}
    known = {name: definition(declared) for name, declared in declarations()}
    wanted = _referenced({"paths": paths, "components": others}, known)
    schemas = {name: schema for name, schema in known.items() if name in wanted}
    return {**before, "paths": paths, "components": {**others, "schemas": schemas}}


def _item(item: Schema) -> Schema:
    return {name: _operation(value) if name in _METHODS else value for name, value in item.items()}


def _operation(operation: Schema) -> Schema:
    """Fill in the query parameters of an operation that has `x-query`."""
    kind = operation.get("x-query")
    if kind is None:
        return operation
    parameters = [_parameter(field) for field in fields_of(QUERIES[kind])]
    first: Schema = {name: operation[name] for name in ("summary", "x-query") if name in operation}
    others = {name: value for name, value in operation.items() if name not in (*first, "parameters")}
    return {**first, "parameters": parameters, **others}


def _parameter(field: DeclaredField) -> Schema:
    return {
        "name": field.name,
        "in": "query",
        **({"description": field.comment} if field.comment else {}),
        **({"required": True} if field.is_required else {}),
        "schema": schema_of(Truth if _base(field.hint) is bool else field.hint),
    }


def _base(hint: Any) -> Any:  # Any: a type
    return get_args(hint)[0] if get_origin(hint) is not None and get_args(hint) else hint


def _referenced(value: object, known: dict[str, Schema]) -> set[str]:
    """Return the names that `value` refers to, and those that these refer to in turn."""
    found, new = set[str](), set(_REFERENCE.findall(json.dumps(value)))
    while new:
        found |= new
        new = {name for each in new for name in _REFERENCE.findall(json.dumps(known[each]))} - found
    return found
