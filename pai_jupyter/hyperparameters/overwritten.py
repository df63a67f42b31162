"""Find hyperparameters that the script reassigns before it reads them, so that a given value has no effect."""

import ast
from collections.abc import Iterable, Iterator

from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, Note

_READ_ALL = ("globals", "locals", "vars", "exec", "eval")


def notes_on_overwritten(module: ast.Module, declared: Iterable[Hyperparameter]) -> Iterator[Note]:
    """Yield a note for each top-level `lr = 0.2` after `lr: float = 0.1` without a read between them."""
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
                f"`{name}` is assigned again before anything reads it, so its value above has no effect; "
                "delete one of the two"
            )
            yield Note(line=statement.lineno, text=text)


def _first_reads(module: ast.Module) -> dict[str, int]:
    """Return the first line that reads each variable; reads in functions count, since they may be called in between."""
    first: dict[str, int] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            first[node.id] = min(node.lineno, first.get(node.id, node.lineno))
    return first
