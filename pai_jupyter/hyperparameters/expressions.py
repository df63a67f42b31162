"""Expressions of declarations: names, constants, keyword arguments; what cannot be known without running is None."""

import ast
from collections.abc import Iterator, Mapping

from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.spec import Scalar


def dotted(node: ast.expr | None) -> str:
    """Return `a.b.c` of names and attributes; what is no name in it is left out."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{dotted(value)}.{attr}"
        case ast.Call(func=function):
            return dotted(function)
        case _:
            return ""


def last_part(node: ast.expr | None) -> str:
    """Return `c` of `a.b.c`."""
    return dotted(node).rpartition(".")[2]


def constant(node: ast.expr | None) -> Scalar:
    """Return the literal's value; None where it is no literal."""
    try:
        return None if node is None else read_literal(node)
    except NotLiteralError:
        return None


def is_literal(node: ast.expr) -> bool:
    try:
        read_literal(node)
    except NotLiteralError:
        return False
    return True


def text(node: ast.expr | None) -> str:
    """Return a text, its white space folded; "" where it is none."""
    value = constant(node)
    return " ".join(value.split()) if isinstance(value, str) else ""


def keywords(call: ast.Call) -> Mapping[str, ast.expr]:
    """Return the keyword arguments by name."""
    return {each.arg: each.value for each in call.keywords if each.arg}


def unparsed(node: ast.expr | ast.stmt) -> str:
    """Return the source of an expression or a statement; "..." if Python cannot say it."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return "..."


def calls(module: ast.AST) -> Iterator[ast.Call]:
    """Yield every call below a node."""
    return (node for node in ast.walk(module) if isinstance(node, ast.Call))
