"""Hyperparameters whose declared value the script replaces before anything reads it, so that no value reaches it."""

import ast
from collections.abc import Iterable, Iterator

from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, Note

_READ_ALL = ("globals", "locals", "vars", "exec", "eval")


def notes_on_overwritten(module: ast.Module, declared: Iterable[Hyperparameter]) -> Iterator[Note]:
    """Return a note for each `lr = 0.2` at the top level that follows `lr: float = 0.1`; with a read before it, none."""
    last = {it.name: max(place.end_line for place in it.places) for it in declared if it.places}
    again: dict[str, ast.Assign] = {}
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if statement.lineno > last.get(name, statement.lineno):
                again.setdefault(name, statement)
    read = _first_reads(module) if again else {}
    for name, statement in again.items():
        end = statement.end_lineno or statement.lineno
        first = min(read.get(it, end + 1) for it in (name, *_READ_ALL))
        if first > end:
            text = (
                f"`{name}` is assigned again before anything reads it, so the value of line {last[name]} has no effect; "
                "delete one of the two"
            )
            yield Note(line=statement.lineno, text=text)


def _first_reads(module: ast.Module) -> dict[str, int]:
    """Return the first line that names each variable to read it; a function above may be called between."""
    first: dict[str, int] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            first[node.id] = min(node.lineno, first.get(node.id, node.lineno))
    return first
