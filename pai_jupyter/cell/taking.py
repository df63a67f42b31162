"""The definitions found for a cell, as statements of train.py in an order that runs.

Rule 1: a statement is taken once, for all names that are wanted of it, and as it was written.
Rule 2: it is shortened only where it binds more than is wanted: the rest of an import, or a name that another cell defines.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pai_jupyter.cell.completion import DefinitionKind
from pai_jupyter.cell.notebook import Binder, bound_by


@dataclass(frozen=True, kw_only=True)
class FoundDefinition:
    """A statement that may be taken, for one name."""

    binder: Binder
    name: str
    imported_name: str = ""  # `from x import name`, where the statement was `from x import *`

    @property
    def at(self) -> tuple[int, int]:
        return self.binder.index, self.binder.place


def future_features(node: ast.stmt) -> list[str]:
    is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return [alias.name for alias in node.names] if is_future and isinstance(node, ast.ImportFrom) else []


def in_order(
    by_place: Mapping[tuple[int, int], Sequence[FoundDefinition]], gives: Mapping[str, tuple[int, int]]
) -> list[tuple[int, int]]:
    """Sort statements as they ran, each after those that it needs at once."""
    done: dict[tuple[int, int], None] = {}
    open_: set[tuple[int, int]] = set()
    todo = [(at, False) for at in sorted(by_place, reverse=True)]
    while todo:
        at, is_ready = todo.pop()
        if is_ready:
            done[at] = None
        elif at not in done and at not in open_:
            open_.add(at)
            todo.append((at, True))
            needed = {gives[name] for name in by_place[at][0].binder.statement.needs_at_once if name in gives}
            todo += [(each, False) for each in sorted(needed - {at}, reverse=True)]
    return list(done)


def imports_part(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.Import) and any(not a.asname and bound_by(a) == name for a in node.names)


def kind_of(node: ast.stmt) -> DefinitionKind:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "import"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "function"
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return "function" if isinstance(node.value, ast.Lambda) else "constant"
    return "class" if isinstance(node, ast.ClassDef) else "block"


def text_of(binder: Binder, names: Sequence[str], imported: Sequence[str], *, rewrites: bool) -> str:
    """Return the statement as written, or with only `names` where it would bind more than is wanted."""
    node = binder.statement.node
    if imported and isinstance(node, ast.ImportFrom):
        return f"from {node.module} import {', '.join(imported)}"
    if isinstance(node, ast.Import | ast.ImportFrom) and any(alias.name != "*" for alias in node.names):
        kept = [alias for alias in node.names if bound_by(alias) in names]
        if len(kept) < len(node.names):
            reduced = (
                ast.Import(kept) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, kept, node.level)
            )
            return ast.unparse(reduced)
    if rewrites and isinstance(node, ast.Assign):
        targets = [each for each in node.targets if isinstance(each, ast.Name) and each.id in names]
        if targets:
            return "\n".join(f"{target.id} = {ast.unparse(node.value)}" for target in targets)
    return binder.statement.text
