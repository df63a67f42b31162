"""Give a cell's script what its code has in a notebook: `display`, `get_ipython`, figures, notebook bars.

    from _pai_notebook import display, get_ipython      on a line that is there already, so that line N stays line N

Rule 1: only a script that may use one of them gets it, and with it the files of `in_job`.
Rule 2: docstring and `from __future__` stay first.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

PACKAGE = "_pai_notebook"
_HOOK = f"from {PACKAGE} import display, get_ipython"
_NAMES = frozenset({"display", "get_ipython", "tqdm_notebook", "tnrange"})
_MODULES = re.compile(r"(?:matplotlib|pylab|seaborn|plotnine|shap|IPython)\b|tqdm\.notebook\b")
_METHODS = re.compile(r"plot(?:_\w+)?|hist|boxplot")  # of tables and models, which import matplotlib themselves


def hooked(source: str, modules: Iterable[str] = ()) -> str:
    """Add the import to a script that needs it, itself or by the sources of local `modules`; invalid code stays."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    if _HOOK in source or not (_needs(tree) or any(_needs_text(module) for module in modules)):
        return source
    return _inserted(source, tree)


def support_files(source: str) -> Mapping[str, bytes]:
    """Return the files that a script with the import needs beside it, by name."""
    return _files() if _HOOK in source else {}


@cache
def _files() -> Mapping[str, bytes]:
    folder = Path(__file__).parent / "in_job"
    names = {"__init__.py": "notebook.py", "pai_figures.py": "figures.py", "pai_pictures.py": "pictures.py"}
    return {f"{PACKAGE}/{name}": (folder / file).read_bytes() for name, file in names.items()}


def _needs_text(source: str) -> bool:
    try:
        return _needs(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _needs(tree: ast.Module) -> bool:
    return any(map(_uses_notebook, ast.walk(tree)))


def _uses_notebook(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return name in _NAMES
        case ast.Import() | ast.ImportFrom():
            return any(_MODULES.match(name) or name.rpartition(".")[2] in _NAMES for name in _imported(node))
        case ast.Call(func=ast.Attribute(attr=name)):
            return _METHODS.fullmatch(name) is not None
    return False


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    prefix = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
    return (prefix + alias.name for alias in node.names)


def _inserted(source: str, tree: ast.Module) -> str:
    lines = source.split("\n")
    head = [node for number, node in enumerate(tree.body) if _must_be_first(node, number)]
    if head:
        at, column = (head[-1].end_lineno or 1) - 1, head[-1].end_col_offset or 0
        line = lines[at].encode()
        lines[at] = f"{line[:column].decode()}; {_HOOK}{line[column:].decode()}"
    elif not lines[0].strip() or lines[0].startswith("#"):
        lines[0] = f"{_HOOK}  {lines[0]}".rstrip()
    elif isinstance(tree.body[0], ast.stmt) and not hasattr(tree.body[0], "body"):
        lines[tree.body[0].lineno - 1] = f"{_HOOK}; {lines[tree.body[0].lineno - 1]}"
    else:  # a script that begins with a block has no line for it
        lines.insert(0, _HOOK)
    return "\n".join(lines)


def _must_be_first(node: ast.stmt, number: int) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return number == 0
        case ast.ImportFrom(module="__future__"):
            return True
    return False
