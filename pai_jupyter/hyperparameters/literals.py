"""Convert Python literals to values and back: JSON types, nan and the infinities."""

import ast
import math
from typing import cast

from pai_jupyter.spec import Scalar

_LARGEST = 10**400  # Python converts no integer of more than 4,300 digits to text
_NOT_A_NUMBER = {"inf": math.inf, "nan": math.nan}


class NotLiteralError(ValueError):
    """The expression is not a literal, so only running it would tell its value."""


def read_literal(node: ast.expr) -> Scalar:
    """Evaluate a literal: a constant, signed number, list, tuple, dict, `float("inf")` or `math.nan`.

    Raises:
        NotLiteralError: it is anything else.
    """
    match node:
        case ast.Constant(value=int() as value) if abs(value) >= _LARGEST:
            raise NotLiteralError
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            number = read_literal(operand)
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise NotLiteralError
            return -number if isinstance(sign, ast.USub) else number
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [read_literal(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): read_literal(item) for key, item in zip(keys, values, strict=True)}
        case ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr="inf" | "nan" as name):
            return _NOT_A_NUMBER[name]
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)], keywords=[]):
            return _float(text)
        case _:
            raise NotLiteralError


def write_literal(value: Scalar, *, as_tuple: bool = False) -> str:
    """Write `value` as one line of Python; `as_tuple` writes a list as a tuple."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, list):
        items = [write_literal(item) for item in value]
        if as_tuple:
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        return f"[{', '.join(items)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {write_literal(item)}" for key, item in value.items()) + "}"
    return repr(value)


def _key(node: ast.expr | None) -> str:
    match node:
        case ast.Constant(value=str() as key):
            return key
        case _:
            raise NotLiteralError  # JSON has no other keys; None is `**other`


def _float(text: str) -> Scalar:
    try:
        return cast(Scalar, float(text))
    except ValueError as exc:
        raise NotLiteralError from exc


_MOST = 10**12  # of a part of an expression, so that no power takes long


def read_arithmetic(node: ast.expr) -> Scalar:
    """Evaluate a literal, or arithmetic of literal numbers: `5 * 8`, `2**10`.

    Raises:
        NotLiteralError: it is anything else, or no number comes out.
    """
    if not isinstance(node, ast.BinOp):
        return read_literal(node)
    left, right = read_arithmetic(node.left), read_arithmetic(node.right)
    if not isinstance(left, int | float) or not isinstance(right, int | float) or max(abs(left), abs(right)) > _MOST:
        raise NotLiteralError
    try:
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case ast.FloorDiv():
                return left // right
            case ast.Pow() if abs(right) <= 64:
                return cast(Scalar, left**right)
    except (ArithmeticError, ValueError) as exc:
        raise NotLiteralError from exc
    raise NotLiteralError
