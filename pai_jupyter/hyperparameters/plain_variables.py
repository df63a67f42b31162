"""Find variables that look like hyperparameters but are not declared as such, to explain a rejected value.

    lr = 0.1                          at the top level, without a type
    if __name__ == "__main__":
        lr: float = 0.1               not at the top level
    def main():
        lr = 0.1

The source is searched only when a value is rejected.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.hyperparameters.syntax import parse
from pai_jupyter.hyperparameters.values import type_of
from pai_jupyter.spec import Scalar

_BLOCKS = ("body", "cases", "handlers", "orelse", "finalbody")  # nested blocks, outermost first
_TYPES = {"Int": "int", "Float": "float", "String": "str", "Bool": "bool"}
_LONGEST = 40  # characters of a literal in a sentence


@dataclass(frozen=True, kw_only=True)
class PlainVariable:
    """A variable with a literal value. `block` is the header of its outermost block; "" at the top level."""

    line: int
    block: str
    declaration: str


def find_plain_variable(name: str, source: str) -> PlainVariable | None:
    """Return the first assignment of a literal to this name; None if there is none.

    Raises:
        SpecError: `source` is not valid Python.
    """
    for node, block in _assignments(parse(source), name):
        if node.value is None:
            continue
        try:
            value = read_literal(node.value)
        except NotLiteralError:
            continue
        return PlainVariable(line=node.lineno, block=block, declaration=declaration(name, value))
    return None


def declaration(name: str, value: Scalar) -> str:
    """Return the line that declares a hyperparameter with this default: `lr: float = 0.1`."""
    kind = type(value).__name__ if isinstance(value, list | dict) else _TYPES[type_of(value)]
    text = repr(value)
    return f"{name.replace('-', '_').replace('.', '_')}: {kind} = {text if len(text) <= _LONGEST else '...'}"


def _assignments(module: ast.Module, name: str) -> Iterator[tuple[ast.Assign | ast.AnnAssign, str]]:
    """Yield each assignment to `name` in source order, with its outermost block ("" at top level)."""
    todo: list[tuple[ast.AST, str]] = [(node, "") for node in reversed(module.body)]
    while todo:
        node, block = todo.pop()
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                yield node, block
        inside = block or _block(node)
        todo += [(each, inside) for part in reversed(_BLOCKS) for each in reversed(getattr(node, part, ()))]


def _block(node: ast.AST) -> str:
    """Return the header of a block, shortened, such as `def main`; "" for other nodes."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return f"def {name}"
        case ast.ClassDef(name=name):
            return f"class {name}"
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return 'if __name__ == "__main__":'
        case ast.If() | ast.For() | ast.While() | ast.With() | ast.Try() | ast.Match():
            return type(node).__name__.lower()
        case _:
            return ""
