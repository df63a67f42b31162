"""absl and the flags of TensorFlow 1: `flags.DEFINE_float("lr", 0.1, "learning rate")`.

A value goes back as `--lr 0.1`, a truth value as `--amp` or `--noamp`, a list as `--layers=64,32`, a flag that may be given
several times once per value.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.declaration import with_choices, with_default
from pai_jupyter.hyperparameters.expressions import constant, is_literal, keywords, last_part, text, unparsed
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType
from pai_jupyter.hyperparameters.readers.reader import Found, ScriptText, declared_by_parser
from pai_jupyter.hyperparameters.syntax import nodes_on_lines
from pai_jupyter.spec import ArgumentStyle, Scalar, is_hyperparameter_name

_DEFINE = re.compile(r"\b(DEFINE_\w+|mark_flags?_as_required)\s*\(")
_KINDS: Mapping[str, tuple[HyperparameterType, ArgumentStyle | None]] = {
    "string": ("String", None),
    "float": ("Float", None),
    "integer": ("Int", None),
    "bool": ("Bool", "no_prefix"),
    "boolean": ("Bool", "no_prefix"),
    "enum": ("String", None),
    "enum_class": ("String", None),
    "list": ("Json", "commas"),
    "spaceseplist": ("String", None),
    "multi_string": ("Json", "repeat"),
    "multi_integer": ("Json", "repeat"),
    "multi_float": ("Json", "repeat"),
    "multi_enum": ("Json", "repeat"),
}
_ITEMS: Mapping[str, HyperparameterType] = {"multi_integer": "Int", "multi_float": "Float"}
_BOUNDS = ("lower_bound", "upper_bound")


def read_absl(script: ScriptText) -> Found | None:
    """Read the calls that define flags."""
    if not _DEFINE.search(script.source):
        return None
    found: dict[str, Hyperparameter] = {}
    required: set[Scalar] = set()
    for node in nodes_on_lines(script.module, script.source, _DEFINE):
        if isinstance(node, ast.Call) and last_part(node.func).startswith("mark_flag"):
            required.update(_marked(node))
        elif isinstance(node, ast.Call):
            found.update({it.name: it for it in _flag(node, last_part(node.func))})
    declared = [replace(it, required=it.required or it.name in required) for it in found.values()]
    declared.sort(key=lambda it: it.line or 1)
    return Found(declarations=tuple(map(declared_by_parser, declared)))


def _marked(call: ast.Call) -> Iterator[str]:
    for node in call.args:
        names = constant(node)
        yield from (name for name in (names if isinstance(names, list) else [names]) if isinstance(name, str))


def _flag(call: ast.Call, function: str) -> Iterator[Hyperparameter]:
    """Describe the flag of `DEFINE_float("lr", 0.1, "help")`; nothing where its name is made while the script runs."""
    kind = function.removeprefix("DEFINE_")
    parts = ("name", "default", "enum_values" if kind in ("enum", "multi_enum") else "help", "help")
    given = {**dict(zip(parts, call.args, strict=False)), **keywords(call)}
    for old, new in (("flag_name", "name"), ("default_value", "default"), ("docstring", "help")):  # of TensorFlow 1
        given.setdefault(new, given[old]) if old in given else None
    name = constant(given.get("name"))
    if kind not in _KINDS or not isinstance(name, str) or not is_hyperparameter_name(name):
        return
    kind_of_value, style = _KINDS[kind]
    declared = Hyperparameter(
        name=name,
        type=kind_of_value,
        style=style,
        line=call.lineno,
        help=text(given.get("help")),
        required=constant(given.get("required")) is True,
        item_type=_ITEMS.get(kind, "String") if kind_of_value == "Json" else None,
        may_be_empty=kind_of_value == "Json",
    )
    yield _with_default(_constrained(declared, given), given.get("default"))


def _constrained(declared: Hyperparameter, given: Mapping[str, ast.expr]) -> Hyperparameter:
    low, high = (constant(given.get(each)) for each in _BOUNDS)
    if declared.type in ("Int", "Float"):
        declared = replace(
            declared,
            minimum=low if isinstance(low, int | float) else None,
            maximum=high if isinstance(high, int | float) else None,
        )
    values = constant(given.get("enum_values"))
    if isinstance(values, list) and values and declared.type == "String":
        try:
            return with_choices(declared, values)
        except SpecError:
            return declared
    return declared


def _with_default(declared: Hyperparameter, node: ast.expr | None) -> Hyperparameter:
    if node is None or not is_literal(node):
        return declared if node is None else replace(declared, default_text=unparsed(node))
    value = constant(node)
    if declared.style == "commas" and isinstance(value, str):
        value = [*value.split(",")] if value and '"' not in value else None
    if declared.style == "repeat":
        is_empty = value in (None, [])
        return replace(declared, default_text="" if is_empty else unparsed(node), may_be_empty=is_empty)
    if declared.type == "Bool" and not isinstance(value, bool):
        return replace(declared, default_text="" if value is None else unparsed(node))
    return with_default(declared, value or None if declared.style == "commas" else value, unparsed(node))
