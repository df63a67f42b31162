"""Compare what a definition evaluated when its cell ran, defaults of arguments and attributes of a class, with its statement.

    THR = 3
    def g(n=THR): ...       the kernel's g() has 3 for good
    THR = 9                 and a job that takes both statements would have 9

Rule 1: only plain constants count: a list as a default may have been filled since, which is what it is for.
Rule 2: what cannot be told counts as the same.
"""

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import TypeGuard

from pai_jupyter.cell.plain_values import UndecidedError, evaluate, is_constant


def has_defaults(args: ast.arguments, function: FunctionType, namespace: Mapping[str, object]) -> bool:
    """Return whether a function's defaults are what its statement says with the names of now."""
    held = function.__defaults__ or ()
    named = function.__kwdefaults__ or {}
    if len(held) != len(args.defaults):
        return False
    pairs = [*zip(args.defaults, held, strict=True)]
    pairs += [
        (default, named[arg.arg])
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is not None and arg.arg in named
    ]
    return all(_may_be(written, value, namespace) for written, value in pairs)


def has_attributes(node: ast.ClassDef, held: Mapping[str, object], namespace: Mapping[str, object]) -> bool:
    """Return whether a class has the plain attributes, and its methods the defaults, that its statement gives.

    Attributes that a method assigns may change while the class is used: those are not compared.
    """
    pairs = [
        (name, value) for part in node.body for name, value in _assigned(part) if is_constant(held.get(name, held))
    ]
    methods = [part for part in node.body if isinstance(part, ast.FunctionDef) and not part.decorator_list]
    made = [(each.args, method) for each in methods if _is_function(method := held.get(each.name))]
    made = [(args, method) for args, method in made if args.defaults or args.kw_defaults]
    if not pairs and not made:
        return True
    nodes = list(ast.walk(node))
    stored = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    changed = {each.attr for each in nodes if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)}
    read = {each.id for each in nodes if isinstance(each, ast.Name)}
    outer = {name: namespace[name] for name in read.difference(stored) if name in namespace}
    compared = [pair for pair in pairs if pair[0] not in changed and stored.count(pair[0]) == 1]
    return all(_may_be(written, held[name], outer) for name, written in compared if not name.startswith("__")) and all(
        has_defaults(args, method, outer) for args, method in made
    )


def _assigned(part: ast.stmt) -> list[tuple[str, ast.expr]]:
    match part:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return [(name, value)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [(name, value)]
    return []


def _is_function(value: object) -> TypeGuard[FunctionType]:
    return type(value) is FunctionType


def _may_be(written: ast.expr, held: object, namespace: Mapping[str, object]) -> bool:
    """Return whether a plain value can be what an expression gives."""
    if not is_constant(held):
        return True
    try:
        said = evaluate(written, namespace)
    except UndecidedError:
        return True
    except (ArithmeticError, TypeError, ValueError, LookupError):
        return False
    return not is_constant(said) or (type(said) is type(held) and (said == held or said != said))
