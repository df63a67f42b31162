"""Find literals that look like secrets in statements of other cells, which nobody chose to send.

Rule 1: in doubt it is a secret, but not where the text cannot be one: short words and marks such as `<pad>`.
"""

import ast
import re
from collections.abc import Sequence

from pai_jupyter.cell.calls import named_values
from pai_jupyter.cell.nodes import text
from pai_jupyter.contract import is_secret

_NO_SECRET = re.compile(r".{0,7}|.*[<>{}$ ].*|[xX*.]+|(?i:your).*", re.DOTALL)


def holds_secret(node: ast.stmt) -> bool:
    """Return whether a text in this statement is a secret by its form, or by the name it is given to."""
    nodes: Sequence[ast.AST] = list(ast.walk(node))
    texts = [value for each in nodes if (value := text(each))]
    if any(is_secret("", value) for value in texts):
        return True
    named = [*named_values(nodes), *_defaults(nodes)]
    return any(
        is_secret(given) and not _NO_SECRET.fullmatch(value)
        for given, literal in named
        if (value := text(literal)) is not None
    )


def _defaults(nodes: Sequence[ast.AST]) -> list[tuple[str, ast.expr]]:
    """Return the default values of functions by the names of their arguments."""
    found: list[tuple[str, ast.expr]] = []
    for node in nodes:
        if isinstance(node, ast.arguments):
            given = [*node.posonlyargs, *node.args]
            found += [(arg.arg, value) for arg, value in zip(given[::-1], node.defaults[::-1], strict=False)]
            found += [(arg.arg, value) for arg, value in zip(node.kwonlyargs, node.kw_defaults, strict=True) if value]
    return found
