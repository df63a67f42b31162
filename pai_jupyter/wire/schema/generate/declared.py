"""Read the declarations for the generator: objects, named types, fields and their comments."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from pai_jupyter.wire.schema import asked, components, form, job, listing, panel, rest, run, table, tabs, values
from pai_jupyter.wire.schema.limits import Named

MODULES: tuple[ModuleType, ...] = (values, asked, rest, job, tabs, listing, table, panel, components, run, form)


@dataclass(frozen=True, kw_only=True)
class DeclaredField:
    """One field of a declared object; `hint` is its type without `NotRequired`."""

    name: str
    hint: Any  # a type
    is_required: bool
    is_own: bool  # not inherited
    comment: str


def declarations() -> Iterator[tuple[str, Any]]:  # Any: a type
    """Yield all declared objects and named types with their names, in source order."""
    for module in MODULES:
        for value in vars(module).values():
            if is_typeddict(value) and value.__module__ == module.__name__:
                yield name_of(value), value
            elif (named := named_by(value)) is not None and _is_own(module, value):
                yield named.name, value


def name_of(declared: type) -> str:
    """Return the generated name: the class name without the suffix `Json`, which avoids a second class of that name."""
    return declared.__name__.removesuffix("Json")


def named_by(hint: Any) -> Named | None:  # Any: a type
    """Return the `Named` annotation of a type, if it has one."""
    metadata = hint.__metadata__ if get_origin(hint) is Annotated else ()
    return next((each for each in metadata if isinstance(each, Named)), None)


def is_open(declared: type) -> bool:
    """Return whether undeclared fields are allowed, as they are in requests."""
    return declared.__module__ in (asked.__name__, rest.__name__)


def fields_of(declared: type) -> list[DeclaredField]:
    """Return the fields of a declared object, inherited ones first."""
    hints = get_type_hints(declared, include_extras=True)
    own = _comments(inspect.getmodule(declared) or values)[declared.__name__]
    return [
        DeclaredField(
            name=name,
            hint=get_args(hint)[0] if get_origin(hint) is NotRequired else hint,
            is_required=get_origin(hint) is not NotRequired,
            is_own=name in own,
            comment=own.get(name, ""),
        )
        for name, hint in hints.items()
    ]


def bases_of(declared: type) -> list[str]:
    """Return the names of the declared objects that this one inherits from; Python 3.11 keeps no bases of a `TypedDict`."""
    module = inspect.getmodule(declared) or values
    found = next(node for node in _classes(module) if node.name == declared.__name__)
    names = [base.id for base in found.bases if isinstance(base, ast.Name)]
    return [name_of(vars(module)[name]) for name in names if is_typeddict(vars(module)[name])]


def doc_of(declared: Any) -> str:  # Any: a type
    """Return the description of a declared type."""
    named = named_by(declared)
    return named.doc if named else inspect.getdoc(declared) or ""


def _is_own(module: ModuleType, value: object) -> bool:
    """Return whether `module` defines this type rather than importing it."""
    first = next(each for each in MODULES if any(value is other for other in vars(each).values()))
    return first is module


@cache
def _comments(module: ModuleType) -> Mapping[str, Mapping[str, str]]:
    """Return the end-of-line comments of fields, by class and field; inherited fields have theirs in the base class."""
    lines = inspect.getsource(module).encode().splitlines()
    found = dict[str, dict[str, str]]()
    for node in _classes(module):
        own = found[node.name] = {}
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                behind = lines[(item.end_lineno or item.lineno) - 1][item.end_col_offset or 0 :].decode()
                own[item.target.id] = behind.strip().removeprefix("#").strip()
    return found


@cache
def _classes(module: ModuleType) -> list[ast.ClassDef]:
    return [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)]
