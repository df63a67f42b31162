"""Convert a declared type to JSON Schema as in OpenAPI 3.1; named types become references."""

import types
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, is_typeddict

from pai_jupyter.wire.schema.generate.declared import doc_of, fields_of, is_open, name_of, named_by
from pai_jupyter.wire.schema.limits import Items, Limit, Number, Text, Words

Schema: TypeAlias = dict[str, Any]  # Any: JSON values

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}


def definition(declared: Any) -> Schema:  # Any: a type
    """Return the schema of a named type itself, not a reference to it."""
    doc = doc_of(declared)
    about = {"description": doc} if doc else {}
    if not is_typeddict(declared):
        return {**about, **_limited(declared)}
    fields = fields_of(declared)
    required = [field.name for field in fields if field.is_required]
    return {
        **about,
        "type": "object",
        **({} if is_open(declared) else {"additionalProperties": False}),
        **({"required": required} if required else {}),
        "properties": {field.name: schema_of(field.hint) for field in fields},
    }


def schema_of(hint: Any) -> Schema:  # Any: a type
    """Return the schema of a type; for a named type, a reference."""
    if (named := named_by(hint)) is not None:
        return _reference(named.name)
    if is_typeddict(hint):
        return _reference(name_of(hint))
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _limited(hint)
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _any_of([schema_of(argument) for argument in arguments])
    if origin is list:
        items = schema_of(arguments[0])
        return {"type": "array", **({"items": items} if items else {})}
    if origin is tuple:
        return _tuple([schema_of(argument) for argument in arguments])
    if origin is dict:
        return _record(*map(schema_of, arguments))
    return {} if hint is object else {"type": _PLAIN[hint]}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _limited(hint: Any) -> Schema:  # Any: an `Annotated`
    schema = schema_of(hint.__origin__)
    for limit in hint.__metadata__:
        if isinstance(limit, Words):
            return {"enum": [str(word) for word in limit.words]}
        if isinstance(limit, Limit):
            schema |= {name: value for name, value in _bounds(limit).items() if value not in (None, "")}
    return schema


def _bounds(limit: Limit) -> Schema:
    match limit:
        case Text():
            return {"minLength": limit.least or None, "maxLength": limit.most, "pattern": limit.pattern}
        case Number():
            return {"minimum": limit.least, "maximum": limit.most}
        case Items():
            return {"minItems": limit.least or None, "maxItems": limit.most}
        case Words():
            return {"enum": list(limit.words)}


def _any_of(schemas: list[Schema]) -> Schema:
    """Return one schema with several types if at most one has limits, else `oneOf`."""
    if all(isinstance(each.get("type"), str) for each in schemas) and sum(len(each) > 1 for each in schemas) <= 1:
        merged: Schema = {name: value for each in schemas for name, value in each.items() if name != "type"}
        return {"type": [each["type"] for each in schemas], **merged}
    return {"oneOf": schemas}


def _tuple(parts: list[Schema]) -> Schema:
    size = {"minItems": len(parts), "maxItems": len(parts)}
    if all(part == parts[0] for part in parts):
        return {"type": "array", "items": parts[0], **size}
    return {"type": "array", "prefixItems": parts, **size}


def _record(names: Schema, items: Schema) -> Schema:
    known = {} if names == {"type": "string"} else {"propertyNames": names}
    return {"type": "object", **known, **({"additionalProperties": items} if items else {})}
