"""Add the lines that load and save values to a script, without moving a line of it. Pure but for `module_files`.

    import pai_values; X_train, y_train = pai_values.load("X_train", "y_train")     in place of the magic's line
    import pai_values; pai_values.save("model", "history")                          after the last line

Rule 1: `from __future__` imports must come first, so with those the loading follows the last of them, on its line.
Rule 2: a script that Python cannot parse stays as it is; the linter says why.
"""

import ast
from collections.abc import Sequence
from pathlib import Path

from pai_jupyter.values import pai_values

MODULE = "pai_values"


def module_files() -> dict[str, bytes]:
    """Return the files of the module `pai_values` by their names in a package."""
    folder = Path(pai_values.__file__).parent
    return {f"{MODULE}/{path.name}": path.read_bytes() for path in sorted(folder.glob("*.py"))}


def with_values(source: str, sent: Sequence[str], returned: Sequence[str]) -> str:
    """Return `source` with lines that load the names `sent` and save those `returned`."""
    if not sent and not returned:
        return source
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    if sent:
        source = _with_loading(source, tree, loading_line(sent))
    if returned:
        saving = " ".join(("import", f"{MODULE};", f"{MODULE}.save({_quoted(returned)})"))
        source = f"{source.rstrip()}\n{saving}\n"
    return source


def loading_line(sent: Sequence[str]) -> str:
    """Return the line that loads the names `sent`."""
    return " ".join(("import", f"{MODULE};", ", ".join(sent), "=", f"{MODULE}.load({_quoted(sent)})"))


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _with_loading(source: str, tree: ast.Module, statement: str) -> str:
    lines = source.split("\n")
    future = [it for it in tree.body if isinstance(it, ast.ImportFrom) and it.module == "__future__"]
    if future:
        number, column = (future[-1].end_lineno or 1) - 1, future[-1].end_col_offset or 0
        line = lines[number].encode()
        lines[number] = (line[:column] + f"; {statement}".encode() + line[column:]).decode()
        return "\n".join(lines)
    first = tree.body[0].lineno - 1 if tree.body else len(lines)
    free = [number for number, line in enumerate(lines[:first]) if not line.strip() or line.lstrip().startswith("#")]
    if not free:  # no cell: its first line is the magic's
        return f"{statement}\n{source}"
    lines[free[0]] = statement
    return "\n".join(lines)
