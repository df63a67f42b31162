"""Write the names that a script imports from libraries for command lines in full, so that a reader knows one form of each.

    from typer import run      run(main)           typer.run(main)
    import tyro as t           t.cli(Args)         tyro.cli(Args)

Rule: only a name that nothing else in the script binds is written in full; places and line numbers stay.
"""

import ast
import re

_LIBRARIES = r"(?:tyro|typer|fire|draccus|pyrallis|simple_parsing|jsonargparse|transformers|trl)"
_IMPORTS = re.compile(rf"^[ \t]*(?:from\s+{_LIBRARIES}\s+import\b|import\s[^\n]*\b{_LIBRARIES}\s+as\b)", re.MULTILINE)
_LIBRARY = re.compile(_LIBRARIES)


def with_full_names(module: ast.Module, source: str) -> ast.Module:
    """Return `module`, or a tree of its own of `source` with the names in full."""
    if not _IMPORTS.search(source):
        return module
    names = _imported(module)
    bound = {it.name for it in module.body if isinstance(it, ast.FunctionDef | ast.ClassDef)}
    names = {local: name for local, name in names.items() if local not in bound and local != name}
    return _FullNames(names).visit(ast.parse(source)) if names else module


def _imported(module: ast.Module) -> dict[str, str]:
    """Return the full names by their local names."""
    names: dict[str, str] = {}
    for node in module.body:
        match node:
            case ast.Import(names=aliases):
                names.update(
                    {it.asname: it.name for it in aliases if it.asname is not None and _LIBRARY.fullmatch(it.name)}
                )
            case ast.ImportFrom(module=str(library), names=aliases, level=0) if _LIBRARY.fullmatch(library):
                names.update({it.asname or it.name: f"{library}.{it.name}" for it in aliases})
    return names


class _FullNames(ast.NodeTransformer):
    """Replaces names; the tree is the caller's own."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        full = self._names.get(node.id)
        if full is None or not isinstance(node.ctx, ast.Load):
            return node
        library, _, name = full.partition(".")
        whole = ast.copy_location(ast.Name(id=library, ctx=ast.Load()), node)
        return ast.copy_location(ast.Attribute(value=whole, attr=name, ctx=node.ctx), node) if name else whole
