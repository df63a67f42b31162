"""Attributes of a class to which the call that makes the object gives another value: `Config(lr=0.7)`, `Config(0.7)`.

What the class says is then a default that nobody uses. Where one call makes all objects of the class, its literal is the
value; where several do, no literal is.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pai_jupyter.hyperparameters.expressions import calls, last_part
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, span_of
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.hyperparameters.offered_names import NamedValue


@dataclass(frozen=True, kw_only=True)
class ConstructedValue:
    """A value of a class as the call gives it."""

    holder: str
    name: str
    declared: Hyperparameter

    @property
    def full_name(self) -> str:
        return f"{self.holder}.{self.name}"


def as_constructed(module: ast.Module, found: Sequence[NamedValue]) -> Iterator[NamedValue]:
    """Yield `found`, and for attributes that calls give what these give, if it is known."""
    classes = {it.name: it for it in ast.walk(module) if isinstance(it, ast.ClassDef)}
    held_classes = {it.holder for it in found} & set(classes)
    if not held_classes:
        yield from found
        return
    made = [it for it in calls(module) if isinstance(it.func, ast.Name) and it.func.id in held_classes]
    given: dict[str, list[Mapping[str, ast.expr]]] = defaultdict(list)
    for call in made:
        given[last_part(call.func)].append(_given(call, classes[last_part(call.func)]))
    names = {holder: {name for use in uses for name in use} for holder, uses in given.items()}
    at_calls = {it.declared.places: it for it in found}
    times = Counter((it.holder, it.name) for it in found)
    for held in found:
        if held.name not in names.get(held.holder, ()):
            yield held
        elif len(given[held.holder]) == 1:
            value = _with_literal(held.declared, given[held.holder][0][held.name])
            if value is None:
                continue
            other = at_calls.get(value.places)  # the same literal, found as an argument
            if other is held and times[held.holder, held.name] == 1:
                yield held
            elif other is None or (other is not held and (other.holder, other.name) == (held.holder, held.name)):
                yield ConstructedValue(holder=held.holder, name=held.name, declared=value)  # of the class's type


def _given(call: ast.Call, made: ast.ClassDef) -> Mapping[str, ast.expr]:
    """Return the attributes that a call gives: those by name, and those by their place among the fields."""
    by_name = {it.arg: it.value for it in call.keywords if it.arg}
    has_init = any(isinstance(it, ast.FunctionDef) and it.name == "__init__" for it in made.body)
    if has_init or made.bases or any(isinstance(it, ast.Starred) for it in call.args):
        return by_name
    fields = [it.target.id for it in made.body if isinstance(it, ast.AnnAssign) and isinstance(it.target, ast.Name)]
    return {**dict(zip(fields, call.args, strict=False)), **by_name}


def _with_literal(declared: Hyperparameter, node: ast.expr) -> Hyperparameter | None:
    try:
        value = read_literal(node)
    except NotLiteralError:
        return None
    if declared.type == "Float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    return None if value is None else replace(declared, default=value, line=node.lineno, places=(span_of(node),))
