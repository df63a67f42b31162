"""The names under which the values of a script are offered, and under which they are reached.

    config = {"layers": 5}      `layers`, and `config.layers` as well
    other = {"layers": 3}       two have the key: `config.layers` and `other.layers`, and `layers` alone is refused

An entry of any dict at the top level is reached by its dotted name; only what looks like a configuration is offered.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, span_of
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.hyperparameters.module_scope import bindings, plain_statements
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import env_name, is_hyperparameter_name

_CHANGED = re.compile(
    r"\b(\w+)(?:\s{0,9}\[[^\]\n]{0,200}\]){1,9}\s{0,9}(?:[-+*/%|]|//|\*\*)?=(?!=)|\b(\w+)\s{0,9}\.\s{0,9}update\b"
)
_DEEPEST = 4  # levels of dicts within dicts


class NamedValue(Protocol):
    """A value of the script with the name of its holder, "" if it is a constant."""

    @property
    def holder(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def full_name(self) -> str: ...
    @property
    def declared(self) -> Hyperparameter: ...


def name_values(
    found: Sequence[NamedValue], *, taken: Collection[str], entries: Collection[Hyperparameter] = ()
) -> tuple[Hyperparameter, ...]:
    """Return the values under names that are unique as variables, too; `taken` are variables of what is declared.

    `entries` are those of all dicts under their dotted names: a key that another has, too, is not clear.
    """
    places = {place for held in found for place in held.declared.places}
    times = Counter(env_name(held.name) for held in found)
    times.update(env_name(it.name.partition(".")[2]) for it in entries if not places.intersection(it.places))
    named: dict[str, Hyperparameter] = {}
    for held in found:
        is_clear = times[env_name(held.name)] == 1 or not held.holder
        name = held.name if is_clear and env_name(held.name) not in taken else held.full_name
        key = env_name(name)
        if key not in taken and key not in named and is_hyperparameter_name(name):
            aliases = () if name == held.full_name else (held.full_name,)
            named[key] = replace(held.declared, name=name, aliases=aliases)
    return tuple(named.values())


def read_dict_entries(
    module: ast.Module, source: str, *, declared: Collection[Hyperparameter]
) -> tuple[Hyperparameter, ...]:
    """Return the literals in dicts at the top level under their dotted names, without what is `declared`."""
    places = {place for it in declared for place in it.places}
    bound = bindings(module, source)
    found = []
    changed = {name for pair in _CHANGED.findall(source) for name in pair}
    for name, node in _dicts(module):
        if bound.get(name) == 1 and name not in changed:
            found += [it for it in _entries(name, node) if not places.intersection(it.places)]
    return tuple(found)


def without_places(
    entries: Collection[Hyperparameter], others: Collection[Hyperparameter]
) -> tuple[Hyperparameter, ...]:
    """Return the entries that none of `others` stands for."""
    places = {place for it in others for place in it.places}
    return tuple(it for it in entries if not places.intersection(it.places))


def ambiguous_names(name: str, declared: Collection[Hyperparameter]) -> list[str]:
    """Return the dotted names of which `name` is the key, if there are several."""
    names = [it.name for it in declared if it.name.partition(".")[2] == name]
    return names if len(names) > 1 else []


def _dicts(module: ast.Module) -> Iterator[tuple[str, ast.Dict]]:
    for statement in plain_statements(module):
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as node)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as node)
            ):
                yield name, node


def _entries(prefix: str, node: ast.Dict) -> Iterator[Hyperparameter]:
    keys = Counter(it.value for it in node.keys if isinstance(it, ast.Constant))
    for key, value in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str) and keys[key.value] == 1):
            continue
        name = f"{prefix}.{key.value}"
        if isinstance(value, ast.Dict) and value.keys and name.count(".") < _DEEPEST:
            yield from _entries(name, value)
            continue
        try:
            default = read_literal(value)
        except NotLiteralError:
            continue
        if default is not None and is_hyperparameter_name(name):
            places = (span_of(value),)
            yield Hyperparameter(
                name=name, type=type_of(default), default=default, origin="dict", line=value.lineno, places=places
            )
