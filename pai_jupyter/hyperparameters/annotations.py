"""Type annotations as types of hyperparameters: `float`, `int | None`, `Literal["a", "b"]`, `list[int]`, `Annotated[...]`."""

import ast
from dataclasses import dataclass, replace

from pai_jupyter.hyperparameters.hyperparameter import HyperparameterType
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import Scalar

_TYPES: dict[str, HyperparameterType] = {
    "int": "Int",
    "float": "Float",
    "str": "String",
    "bool": "Bool",
    **dict.fromkeys(("list", "List", "tuple", "Tuple", "dict", "Dict", "Sequence", "Mapping"), "Json"),
}
_SEQUENCES = ("list", "List", "tuple", "Tuple", "Sequence")
_CONSTANTS = ("Final", "ClassVar")


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """What a type annotation says of the values.

    `is_constant`: that it is not meant to be changed. `item_type` is that of each item of a list or tuple (`is_sequence`).
    `class_name` is the class where it is none of Python's own.
    """

    type: HyperparameterType | None = None
    choices: tuple[Scalar, ...] = ()
    is_constant: bool = False
    nullable: bool = False
    item_type: HyperparameterType | None = None
    is_sequence: bool = False
    class_name: str = ""


def read_annotation(node: ast.expr) -> Annotation:
    """Read the type from an annotation; the result is empty for an unknown one."""
    match node:
        case ast.Constant(value=str() as text):
            try:
                return read_annotation(ast.parse(text, mode="eval").body)
            except (SyntaxError, ValueError):
                return Annotation()
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _named(name)
        case ast.BinOp(op=ast.BitOr()):
            return _only_one([node.left, node.right])
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            return _subscript(name, inner.elts if isinstance(inner, ast.Tuple) else [inner])
        case _:
            return Annotation()


def _subscript(name: str, inner: list[ast.expr]) -> Annotation:
    if name == "Optional":
        return replace(_only_one(inner), nullable=True)
    if name == "Union":
        return _only_one(inner)
    if name == "Annotated" and inner:
        return read_annotation(inner[0])
    if name == "Literal":
        return _literal(inner)
    found = _named(name)
    items = {read_annotation(node).type for node in inner if not _is_ellipsis(node)} if found.is_sequence else set()
    return replace(found, item_type=items.pop() if len(items) == 1 else None)


def _named(name: str) -> Annotation:
    return Annotation(
        type=_TYPES.get(name),
        is_constant=name in _CONSTANTS,
        is_sequence=name in _SEQUENCES,
        class_name="" if name in _TYPES else name,
    )


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _only_one(nodes: list[ast.expr]) -> Annotation:
    """`float | None` is a float; `int | str` says nothing that could be checked, `int | float` is a float."""
    found = [read_annotation(node) for node in nodes if not (isinstance(node, ast.Constant) and node.value is None)]
    nullable = len(found) < len(nodes) or any(it.nullable for it in found)
    if {it.type for it in found} == {"Int", "Float"}:
        return Annotation(type="Float", nullable=nullable)
    return replace(found[0], nullable=nullable) if len(found) == 1 else Annotation()


def _literal(nodes: list[ast.expr]) -> Annotation:
    try:
        choices = tuple(read_literal(node) for node in nodes)
    except NotLiteralError:
        return Annotation()
    types = {type_of(choice) for choice in choices}
    return Annotation(type=types.pop(), choices=choices) if len(types) == 1 else Annotation()
