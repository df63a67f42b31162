"""Write values into the literals of a source; nothing else changes.

Rule 1: line numbers do not change, so that tracebacks point to the user's lines. A literal of several lines is replaced by one
    in parentheses with as many line ends.
Rule 2: a literal that has the value already stays as written: `1e-4`, not `0.0001`.
Rule 3: columns are counted in UTF-8 bytes, as `ast` counts them.
"""

import ast
import re
from collections.abc import Iterable
from typing import cast

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.comments import NEWLINE
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, Span
from pai_jupyter.hyperparameters.literals import read_literal, write_literal
from pai_jupyter.hyperparameters.syntax import parse
from pai_jupyter.hyperparameters.values import check, same
from pai_jupyter.spec import Scalar, env_name

Edit = tuple[Span, Hyperparameter, Scalar]


def write_values(source: str, edits: Iterable[Edit]) -> str:
    """Replace each literal by its value, unless it has that value already."""
    ordered = sorted(
        edits, key=lambda edit: (edit[0].line, edit[0].column), reverse=True
    )  # from the end, so that no span moves
    if not ordered:
        return source
    text = source.encode()
    starts = _line_starts(source)
    for place, declared, value in ordered:
        start, end = starts[place.line - 1] + place.column, starts[place.end_line - 1] + place.end_column
        text = text[:start] + _rewritten(text[start:end].decode(), declared, value).encode() + text[end:]
    return text.decode()


def read_from_variables(source: str, declared: Iterable[Hyperparameter]) -> str:
    """Let each literal that declares a hyperparameter read the variable `PAI_HPS_<NAME>`, and be its default.

    For code whose values are given later and elsewhere, where nobody writes them into it.
    """
    places = sorted(
        ((place, it) for it in declared for place in it.places), key=lambda each: (each[0].line, each[0].column)
    )
    text, starts = source.encode(), _line_starts(source)
    for place, it in reversed(places):
        start, end = starts[place.line - 1] + place.column, starts[place.end_line - 1] + place.end_column
        text = text[:start] + _reading(it, text[start:end].decode()).encode() + text[end:]
    return text.decode()


def _reading(declared: Hyperparameter, literal: str) -> str:
    variable = f'__import__("os").environ.get("PAI_HPS_{env_name(declared.name)}", ({literal}))'
    match declared.type:
        case "Int":
            return f"int({variable})"
        case "Float":
            return f"float({variable})"
        case "Bool":
            return f'(str({variable}).lower() in ("true", "yes", "1"))'
        case _:
            return variable


def _line_starts(source: str) -> list[int]:
    """Return the byte offset of each line."""
    starts = [0]
    for piece in re.split("(?<=\n)|(?<=\r)(?!\n)", source):
        starts.append(starts[-1] + len(piece.encode()))
    return starts


def _rewritten(literal: str, declared: Hyperparameter, value: Scalar) -> str:
    node = cast(ast.Expr, parse(f"({literal})").body[0]).value  # in parentheses it may span lines, or be a bare tuple
    if _says_already(node, declared, value):
        return literal
    text = write_literal(value, as_tuple=isinstance(node, ast.Tuple))
    line_ends = NEWLINE.findall(literal)
    return f"({text}{''.join(line_ends)})" if line_ends else text


def _says_already(node: ast.expr, declared: Hyperparameter, value: Scalar) -> bool:
    try:
        return same(check(declared, read_literal(node)), value)
    except SpecError:
        return False
