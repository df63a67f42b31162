"""Compare a definition of a notebook with what the kernel holds under its name.

The kernel decides what counts: a function may have been replaced, a list filled, a class patched since its cell ran.

Rule 1: no code of the user runs here: values of exact builtin types are compared item by item, all others by identity.
Rule 2: the answer is None where neither can be told.
"""

import ast
from collections.abc import Mapping
from copy import copy
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import cast

from pai_jupyter.cell.made_values import has_attributes, has_defaults
from pai_jupyter.cell.plain_values import UndecidedError, evaluate, is_same

_MISSING = object()


def is_as_defined(node: ast.stmt, name: str, namespace: Mapping[str, object]) -> bool | None:
    """Return whether the kernel's `name` is what this statement says; None if that cannot be told."""
    value = namespace.get(name, _MISSING)
    if value is _MISSING:
        return False
    match node:
        case ast.Import() | ast.ImportFrom():
            return _is_import(node, name, value)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _is_function(node, value, namespace)
        case ast.ClassDef():
            return _is_class(node, value, namespace)
        case ast.Assign() | ast.AnnAssign(value=ast.expr()):
            return _is_constant(node, name, value, namespace)
        case ast.If() | ast.Try():
            return _is_one_of(node, name, namespace)
    return None


def type_name(value: object) -> str:
    """Return the name of a value's type, as one says it: `DataFrame`, `list`."""
    kind = type(value)
    return kind.__name__ if isinstance(kind.__name__, str) else "object"


def _is_import(node: ast.Import | ast.ImportFrom, name: str, value: object) -> bool | None:
    if isinstance(node, ast.Import):
        return None if isinstance(value, ModuleType) else False
    return None


def _is_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, value: object, namespace: Mapping[str, object]
) -> bool | None:
    if node.decorator_list:
        return None  # the kernel holds what the decorator made of it
    if type(value) is not FunctionType:
        return False
    written = _code_in(node, node.name)
    if written is None:
        return None
    return _is_same_code(written, value.__code__) and has_defaults(node.args, value, namespace)


def _is_class(node: ast.ClassDef, value: object, namespace: Mapping[str, object]) -> bool | None:
    if not isinstance(value, type):
        return None if node.decorator_list else False
    held = type.__getattribute__(value, "__dict__")
    body = {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    for name, written in _plain_methods(node).items():
        method = held.get(_mangled(name, node.name))
        if type(method) is not FunctionType or not _is_same_code(written, method.__code__):
            return False
    if not has_attributes(node, held, namespace):
        return False
    known = {each.id for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name)}
    known |= {_mangled(name, node.name) for name in body}
    for name, item in held.items():
        is_added = type(item) is FunctionType and item.__module__ == "__main__" and name not in known
        if is_added and not name.startswith("__"):
            return False
    return None if node.decorator_list else True


def _plain_methods(node: ast.ClassDef) -> dict[str, CodeType]:
    """Return the code of the methods that the class binds once, without a decorator; {} with a metaclass."""
    code = _code_in(_undecorated(node), node.name)
    if code is None or node.keywords:
        return {}
    stored = [
        each.id for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name) and _is_stored(each)
    ]
    names = [name for part in node.body if isinstance(name := getattr(part, "name", None), str)]
    decorated = [part.name for part in node.body if isinstance(part, ast.FunctionDef) and part.decorator_list]
    codes = {each.co_name: each for each in code.co_consts if isinstance(each, CodeType)}
    return {
        name: codes[name]
        for name in names
        if name in codes and names.count(name) == 1 and name not in (*stored, *decorated)
    }


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _mangled(name: str, owner: str) -> str:
    """Return the name of an attribute as a class stores it: `_Net__x` for `__x`."""
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{owner.lstrip('_')}{name}" if is_private and owner.strip("_") else name


def _undecorated(node: ast.ClassDef) -> ast.ClassDef:
    bare = copy(node)
    bare.decorator_list = []
    return bare


def _is_one_of(node: ast.If | ast.Try, name: str, namespace: Mapping[str, object]) -> bool | None:
    """Return whether the kernel's value is that of one of the branches."""
    told = []
    for each in ast.walk(node):
        binds = isinstance(each, ast.FunctionDef | ast.ClassDef) and each.name == name
        if isinstance(each, ast.Assign):
            binds = any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
        if isinstance(each, ast.Import | ast.ImportFrom):
            binds = any((alias.asname or alias.name.partition(".")[0]) == name for alias in each.names)
        if binds:
            told.append(is_as_defined(cast(ast.stmt, each), name, namespace))
    return None if not told or None in told else any(told)


def _is_constant(
    node: ast.Assign | ast.AnnAssign, name: str, value: object, namespace: Mapping[str, object]
) -> bool | None:
    expression = cast(ast.expr, node.value)
    if isinstance(expression, ast.Lambda):
        written = _code_in(ast.Expr(expression), "<lambda>")
        return type(value) is FunctionType and written is not None and _is_same_code(written, value.__code__)
    try:
        if isinstance(expression, ast.Call) and type(value) is partial:
            return _is_partial(expression, value, namespace)
        said = evaluate(expression, namespace)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(is_same(part, value) for target in targets for part in _assigned(target, name, said))
    except UndecidedError:
        return None
    except (ArithmeticError, TypeError, ValueError, LookupError):
        return False


def _is_partial(call: ast.Call, held: "partial[object]", namespace: Mapping[str, object]) -> bool:
    """Return whether the kernel's `partial` has the function and the arguments that this call names."""
    said = [evaluate(each, namespace) for each in call.args]
    named = {each.arg: evaluate(each.value, namespace) for each in call.keywords}
    return is_same(said, [held.func, *held.args]) and is_same(named, dict(held.keywords))


def _assigned(target: ast.expr, name: str, value: object) -> list[object]:
    """Return what `name` gets when `value` is assigned to `target`."""
    if isinstance(target, ast.Name):
        return [value] if target.id == name else []
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, tuple | list):
        if any(isinstance(each, ast.Starred) for each in target.elts) or len(target.elts) != len(value):
            raise UndecidedError
        return [part for each, item in zip(target.elts, value, strict=True) for part in _assigned(each, name, item)]
    return []


def _code_in(node: ast.stmt, name: str) -> CodeType | None:
    """Compile a definition, without running it, and return the code object of `name`."""
    try:
        module = ast.fix_missing_locations(ast.Module([node], []))
        code = compile(module, "cell", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, TypeError):
        return None
    return next((each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name), None)


def _is_same_code(one: CodeType, other: CodeType) -> bool:
    return _shape(one) == _shape(other)


def _shape(code: CodeType) -> tuple[object, ...]:
    """Return what a code object does, without where it was written."""
    constants = tuple(
        _shape(each) if isinstance(each, CodeType) else (type(each).__name__, repr(each)) for each in code.co_consts
    )
    return (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        constants,
    )
