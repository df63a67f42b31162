"""A literal of a script that may be offered: its name, its place, its type. Which literals are looked at: suggestions.py.

Rule: no secret, no document and nothing that a form could not show is offered.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pai_jupyter.hyperparameters.annotations import read_annotation
from pai_jupyter.hyperparameters.declaration import with_choices
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, span_of
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import Scalar

_SECRET = re.compile(r"(?i)token|secret|passw|api_?key|access_?key|credential")
_LONGEST = 200  # characters of a text: what is longer is a document
_MOST_ITEMS = 32  # of a list


@dataclass(frozen=True, kw_only=True)
class OfferedValue:
    """A value with its place; `holder` has it, "" where it is a constant."""

    holder: str
    name: str
    declared: Hyperparameter

    @property
    def full_name(self) -> str:
        return f"{self.holder}.{self.name}" if self.holder else self.name


def offered_value(holder: str, name: str, node: ast.expr, annotation: ast.expr | None = None) -> Iterator[OfferedValue]:
    """Yield the value of a literal, nothing where `node` is none or is not to be offered."""
    try:
        default = read_literal(node)
    except NotLiteralError:
        return
    if not _is_offered(name, default):
        return
    said = read_annotation(annotation) if annotation is not None else None
    kind = said.type if said is not None and said.type is not None else type_of(default)
    if said is not None and said.is_constant:
        return
    declared = Hyperparameter(
        name=name,
        type="Float" if kind == "Int" and isinstance(default, float) else kind,
        default=float(default) if kind == "Float" and isinstance(default, int) else default,
        origin="dict" if holder else "assignment",
        nullable=said is not None and said.nullable and kind != "String",
        line=node.lineno,
        places=(span_of(node),),
    )
    if said is not None and default in said.choices:
        declared = with_choices(declared, said.choices)
    yield OfferedValue(holder=holder, name=name, declared=declared)


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` of such an expression; "" of any other."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{dotted(value)}.{attr}"
        case _:
            return ""


def _is_offered(name: str, default: Scalar) -> bool:
    match default:
        case None | dict():
            return False
        case str():
            return len(default) <= _LONGEST and "\n" not in default and not _SECRET.search(name)
        case list():
            return 0 < len(default) <= _MOST_ITEMS and not any(isinstance(item, list | dict | None) for item in default)
        case _:
            return True
