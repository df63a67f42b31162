"""Parse a script and quickly find the few nodes that matter.

A walk over all nodes of a long script takes longer than parsing it. Only nodes on lines with one of our keywords matter, so all
others are skipped with their children.
"""

import ast
import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.comments import NEWLINE

_WORD = re.compile(r"\.\s*(?:add_argument|set_defaults|parse_args|parse_known_args)\b|#\s*hp:")


def parse(source: str) -> ast.Module:
    """Parse without running.

    Raises:
        SpecError: with `line`, if it is not valid Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about the user's code (invalid escapes) are not shown
            return ast.parse(source)
    except SyntaxError as exc:
        where = f"line {exc.lineno}: " if exc.lineno else ""
        raise SpecError(f"{where}Invalid Python: {exc.msg}", line=exc.lineno) from exc
    except (ValueError, RecursionError, MemoryError) as exc:  # a NUL character, a lone surrogate, nesting without end
        raise SpecError(f"the code cannot be read as Python: {str(exc) or type(exc).__name__}. Correct it.") from exc


def relevant_nodes(module: ast.Module, source: str) -> Iterator[ast.stmt | ast.expr]:
    """Yield the statements and expressions on lines that may declare something, in no particular order."""
    return nodes_on_lines(module, source, _WORD)


def nodes_on_lines(module: ast.Module, source: str, word: re.Pattern[str]) -> Iterator[ast.stmt | ast.expr]:
    """Yield the statements and expressions that span a line matching `word`, in no particular order."""
    lines = _lines_of(word, source)
    todo: list[ast.AST] = [module] if lines else []
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt | ast.expr):
            at = bisect_left(lines, _first_line(node))
            if at == len(lines) or lines[at] > (node.end_lineno or node.lineno):
                continue
            yield node
        todo.extend(ast.iter_child_nodes(node))


def _first_line(node: ast.stmt | ast.expr) -> int:
    decorators = getattr(node, "decorator_list", None)
    return min(node.lineno, *(it.lineno for it in decorators)) if decorators else node.lineno


def _lines_of(word: re.Pattern[str], source: str) -> list[int]:
    ends = [found.end() for found in NEWLINE.finditer(source)]
    return [bisect_left(ends, found.end()) + 1 for found in word.finditer(source)]
