"""Compute plain expressions of a notebook's statements without running any code of the user.

Rule 1: constants, containers, arithmetic, names of the kernel and attributes of modules; all else raises `UndecidedError`.
Rule 2: nothing grows: no large powers, no long repetitions.
"""

import ast
import operator
import os.path
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from types import ModuleType
from typing import TypeGuard, cast

_SCALARS = frozenset({int, float, complex, bool, str, bytes, type(None), type(Ellipsis)})
_PATH = type(Path())
_OF_PATHS = (os.path.join, os.path.basename, os.path.dirname, os.path.normpath, Path, PurePath)  # without side effects
_SPEC = re.compile(
    r"[^\d{}]{0,4}\d{0,3}[,_]?(?:\.\d{1,2})?[A-Za-z%]?"
)  # of a format; a large width would fill the memory
_DEEPEST = 20
_MOST = 10_000  # items of a sequence that is multiplied, and bits of a power
_OPERATORS: Mapping[type[ast.operator], Callable[[object, object], object]] = cast(
    Mapping[type[ast.operator], Callable[[object, object], object]],
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: operator.mod,
        ast.Pow: operator.pow,
        ast.BitOr: operator.or_,
        ast.BitAnd: operator.and_,
        ast.LShift: operator.lshift,
        ast.RShift: operator.rshift,
    },
)


class UndecidedError(Exception):
    """The value of an expression is not known without running code."""


def is_constant(value: object) -> bool:
    """Return whether a value is a number, a text, None or `...`."""
    return type(value) in _SCALARS


def is_plain(value: object) -> bool:
    """Return whether a value is a number, a text, a path or a builtin container."""
    return type(value) in (*_SCALARS, list, tuple, dict, set, frozenset) or isinstance(value, PurePath)


def evaluate(node: ast.expr, namespace: Mapping[str, object], depth: int = 0) -> object:
    """Compute a plain expression; names are the kernel's.

    Raises:
        UndecidedError: it would run code.
    """
    if depth > _DEEPEST:
        raise UndecidedError

    def of(part: ast.expr) -> object:
        return evaluate(part, namespace, depth + 1)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in namespace:
            return namespace[name]
        case ast.Tuple(elts=items):
            return tuple(map(of, items))
        case ast.List(elts=items):
            return list(map(of, items))
        case ast.Set(elts=items):
            return {_plain(of(item)) for item in items}
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_plain(of(cast(ast.expr, key))): of(item) for key, item in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(op, _plain(of(operand)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _binary(op, of(left), of(right))
        case ast.Call(func=func, args=[*parts], keywords=[]):
            return _path_of(of(func), [of(part) for part in parts])
        case ast.Attribute(value=base, attr=attribute):
            return _attribute(of(base), attribute)
        case ast.JoinedStr(values=parts):
            return "".join(_formatted(part, of) for part in parts)
        case ast.Subscript(value=base, slice=key):
            held, at = of(base), of(key)
            if type(held) in (dict, list, tuple, str):
                return held[_plain(at)]  # type: ignore[index]  # one of the types that have items
    raise UndecidedError


def _path_of(function: object, parts: list[object]) -> object:
    """Call a function that joins or takes apart texts of paths."""
    found = next((each for each in _OF_PATHS if each is function), None)
    if found is None or not all(type(part) in (str, _PATH) for part in parts):
        raise UndecidedError
    return cast(Callable[..., object], found)(*parts)


def _formatted(part: ast.expr, of: Callable[[ast.expr], object]) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    if not isinstance(part, ast.FormattedValue):
        raise UndecidedError
    value = of(part.value)
    if part.conversion == ord("r"):
        value = repr(_plain(value))
    elif part.conversion != -1:
        raise UndecidedError
    spec = "".join(_formatted(each, of) for each in part.format_spec.values) if _is_joined(part.format_spec) else ""
    if type(value) is _PATH:
        value = str(value)
    if not _SPEC.fullmatch(spec):
        raise UndecidedError
    return format(_plain(value), spec)


def _is_joined(spec: ast.expr | None) -> TypeGuard[ast.JoinedStr]:
    return isinstance(spec, ast.JoinedStr)


def _attribute(held: object, name: str) -> object:
    if type(held) is ModuleType or isinstance(held, type):
        found = type.__getattribute__(held, "__dict__") if isinstance(held, type) else vars(held)
        if name in found:
            return found[name]
    raise UndecidedError


def _unary(op: ast.unaryop, value: object) -> object:
    number = cast(int, value)
    return (
        +number
        if isinstance(op, ast.UAdd)
        else -number
        if isinstance(op, ast.USub)
        else not value
        if isinstance(op, ast.Not)
        else ~number
    )


def _binary(op: ast.operator, left: object, right: object) -> object:
    if isinstance(op, ast.Div) and _PATH in (type(left), type(right)) and {type(left), type(right)} <= {str, _PATH}:
        return cast(Path, left) / cast(str, right)
    for value in (left, right):
        if type(value) not in (*_SCALARS, list, tuple):
            raise UndecidedError
        if (isinstance(value, int) and value.bit_length() > _MOST) or (
            isinstance(value, str | bytes | list | tuple) and len(value) > _MOST
        ):
            raise UndecidedError
    is_text = isinstance(left, str | bytes)
    grows = isinstance(op, ast.Pow | ast.LShift | ast.Mult)
    is_large = any(isinstance(value, int) and abs(value) > _MOST for value in (left, right))
    is_number = all(isinstance(value, int | float | complex) for value in (left, right))
    if (is_text and isinstance(op, ast.Mod)) or (grows and is_large and not (is_number and isinstance(op, ast.Mult))):
        raise UndecidedError
    return _OPERATORS[type(op)](left, right)


def _plain(value: object) -> object:
    if not is_constant(value) and not (type(value) is tuple and all(map(is_constant, value))):
        raise UndecidedError
    return value


def is_same(said: object, held: object, depth: int = 0) -> bool:
    """Compare without calling the methods of any class of the user."""
    if said is held:
        return True
    if type(said) is not type(held) or depth > _DEEPEST:
        return False
    if type(said) in _SCALARS or type(said) is _PATH:
        return said == held or said != said
    if isinstance(said, list | tuple) and type(said) in (list, tuple):
        other = cast(list[object], held)
        return len(said) == len(other) and all(is_same(a, b, depth + 1) for a, b in zip(said, other, strict=True))
    if isinstance(said, dict) and type(said) is dict:
        table = cast(dict[object, object], held)
        if len(said) != len(table) or any(type(key) not in (*_SCALARS, tuple) for key in table):
            return False
        return all(key in table and is_same(value, table[key], depth + 1) for key, value in said.items())
    if isinstance(said, set | frozenset) and type(said) in (set, frozenset):
        items = cast(set[object], held)
        return all(type(each) in (*_SCALARS, tuple) for each in items) and said == items
    return False
