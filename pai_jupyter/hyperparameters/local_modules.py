"""Find the modules beside a script that it imports, and of each the part that the script can reach. No code is run.

    from options import get_args           the parser that `get_args` fills
    from arguments import ModelArguments   a class, for a parser of the script
    import config                          what the module does when it is imported, and functions that are named

Statements at the top level of a module are within reach; functions and classes only if an imported name leads to them. What
stands below `if __name__ == "__main__":` is not: it belongs to another program.

Rule: what is read is bounded by the number of modules and of characters; the nearest modules come first.
"""

import ast
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import TypeAlias

_MOST_MODULES = 30
_MOST_CHARACTERS = 300_000  # of all modules together: Python parses them in about 100 ms
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = Function | ast.ClassDef


@dataclass(frozen=True, kw_only=True)
class ReachableModule:
    """A module beside the script. `reached` is the part of its tree within reach; `line` the script's import that leads there.

    `names` are those that the import gives its definitions: `{"Args": "TrainArgs"}` for `from m import TrainArgs as Args`.
    """

    path: str
    source: str
    reached: ast.Module
    line: int
    names: dict[str, str]

    def definitions(self) -> Iterator[tuple[str, Definition]]:
        """Yield the functions and classes within reach by the names that the script may use."""
        own = {it.name: it for it in self.reached.body if isinstance(it, Definition)}
        yield from own.items()
        yield from ((local, own[name]) for local, name in self.names.items() if name in own)


@dataclass(frozen=True, kw_only=True)
class _Import:
    """One import; `names` with their local names: None for all of `from m import *`, {} for `import m`."""

    path: str
    level: int
    names: dict[str, str] | None
    bound: frozenset[str]
    line: int


@dataclass(frozen=True, kw_only=True)
class _WantedModule:
    """A module to look for: in `directory` (from the script), for these names; None: for all."""

    directory: str
    found: _Import
    names: frozenset[str] | None
    line: int


def read_local_modules(module: ast.Module, file: Callable[[str], str | None]) -> tuple[ReachableModule, ...]:
    """Read the modules that `module` imports, and those that they import; `file` returns the text of a file.

    A module that Python has too is looked for as well: one beside the script comes first.
    """
    finder = _ModuleFinder(file)
    finder.follow(module.body, directory="")
    return tuple(finder.read())


class _ModuleFinder:
    """Walks from import to import, breadth first."""

    def __init__(self, file: Callable[[str], str | None]) -> None:
        self._file = file
        self._todo: deque[_WantedModule] = deque()
        self._left = _MOST_CHARACTERS
        self._seen: dict[str, set[str] | None] = {}  # by path: the names that were wanted of it; None: all
        self._texts: dict[str, str | None] = {}

    def follow(self, body: Iterable[ast.stmt], *, directory: str, line: int | None = None) -> None:
        """Note the imports in `body`; `line` is that of the script's import, None in the script itself."""
        nodes = [node for statement in body for node in ast.walk(statement)]
        attributes = frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute))
        for found in _imports(nodes):
            names = attributes if found.names == {} else None if found.names is None else frozenset(found.names)
            self._todo.append(_WantedModule(directory=directory, found=found, names=names, line=line or found.line))

    def read(self) -> Iterator[ReachableModule]:
        while self._todo and len(self._seen) < _MOST_MODULES:
            wanted = self._todo.popleft()
            for path, names in self._places(wanted):
                yield from self._read(path, names, wanted)

    def _places(self, wanted: _WantedModule) -> Iterator[tuple[str, frozenset[str] | None]]:
        """Yield the files of an import, and what is wanted of each: of `from a import b` b may be a module itself."""
        for path in _candidates(wanted):
            if self._text(f"{path}.py") is not None:
                yield f"{path}.py", wanted.names
                return
            is_package = self._text(f"{path}/__init__.py") is not None
            if is_package:
                yield f"{path}/__init__.py", wanted.names
            inner = [name for name in wanted.found.names or () if self._text(f"{path}/{name}.py") is not None]
            yield from ((f"{path}/{name}.py", None) for name in inner)
            if is_package or inner:
                return

    def _read(self, path: str, names: frozenset[str] | None, wanted: _WantedModule) -> Iterator[ReachableModule]:
        known: set[str] | frozenset[str] | None = self._seen.get(path, frozenset())
        if known is None or (names is not None and names <= known):
            return
        self._seen[path] = None if names is None else {*names, *known}
        source = self._text(path) or ""
        tree = _parsed(source) if len(source) <= self._left else None
        if tree is None:
            return
        self._left -= len(source)
        body = _within_reach(tree, names)
        self.follow(_followed(body, names, path), directory=dirname(path), line=wanted.line)
        aliases = {local: name for name, local in (wanted.found.names or {}).items() if local != name}
        reached = ast.Module(body=body, type_ignores=[])
        yield ReachableModule(path=path, source=source, reached=reached, line=wanted.line, names=aliases)

    def _text(self, path: str) -> str | None:
        place = normpath(path)
        if place not in self._texts:
            self._texts[place] = self._file(place)
        return self._texts[place]


def _candidates(wanted: _WantedModule) -> Iterator[str]:
    """Yield where a module may lie: beside what imports it, beside the script, and one directory above, a project's root."""
    found = wanted.found
    if found.level:
        above = normpath(join(wanted.directory, *[".."] * (found.level - 1)))
        yield join(above, found.path) if found.path else above
        return
    for directory in dict.fromkeys(("", "..", wanted.directory)):
        yield join(directory, found.path)


def _imports(nodes: Iterable[ast.AST]) -> Iterator[_Import]:
    for node in nodes:
        match node:
            case ast.Import(names=aliases, lineno=line):
                for alias in aliases:
                    bound = frozenset({alias.asname or alias.name.partition(".")[0]})
                    yield _Import(path=alias.name.replace(".", "/"), level=0, names={}, bound=bound, line=line)
            case ast.ImportFrom(module=name, names=aliases, level=level, lineno=line):
                names = {alias.name: alias.asname or alias.name for alias in aliases}
                is_all = "*" in names
                yield _Import(
                    path=(name or "").replace(".", "/"),
                    level=level or 0,
                    names=None if is_all else names,
                    bound=frozenset(names.values()),
                    line=line,
                )


def _within_reach(tree: ast.Module, names: Collection[str] | None) -> list[ast.stmt]:
    """Return the statements that run on import, and the definitions that `names` or these statements lead to."""
    definitions = {it.name: it for it in tree.body if isinstance(it, Definition)}
    running = [it for it in tree.body if not isinstance(it, Definition) and not _is_own_program(it)]
    registered = {name: _used(it.decorator_list) for name, it in definitions.items() if it.decorator_list}
    kept: set[str] = set()
    todo = [*(definitions if names is None else names), *_used(running)]
    while todo:
        name = todo.pop()
        if name not in definitions or name in kept:
            continue
        kept.add(name)
        todo += _used([definitions[name]])
        todo += (other for other, names_of in registered.items() if name in names_of)  # @cli.command()
    return [it for it in tree.body if (it.name in kept if isinstance(it, Definition) else not _is_own_program(it))]


def _followed(body: Iterable[ast.stmt], names: frozenset[str] | None, path: str) -> Iterator[ast.stmt]:
    """Yield the statements whose imports matter: those that bind a name that is used here or wanted from here."""
    statements = list(body)
    used = {*_used(statements), *(names or ())}
    for statement in statements:
        is_import = isinstance(statement, ast.Import | ast.ImportFrom)
        bound = {name for found in _imports([statement]) for name in found.bound} if is_import else set()
        if not is_import or names is None or "*" in bound or bound & used:
            yield statement


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names and attributes that are read."""
    found: set[str] = set()
    for node in (each for top in nodes for each in ast.walk(top)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
    return found


def _is_own_program(statement: ast.stmt) -> bool:
    """Return whether this is `if __name__ == "__main__":`."""
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case _:
            return False


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about the user's code are not shown
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
