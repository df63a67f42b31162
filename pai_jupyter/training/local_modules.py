"""Find the modules of the user's own that a cell imports, and theirs in turn, so that they are sent along.

A module is the user's own if it lies beside the notebook, or below a path of `sys.path` (or of `sys.path.append("...")` in the
cell) inside the project: the nearest directory upwards with `.git`, `pyproject.toml` or `setup.py`, else the notebook's own.

Rule 1: modules are found as Python finds them, and never imported.
Rule 2: what lies in an environment's packages is installed, not sent. What is installed from a directory outside the project
    (an editable install) is named, since the job does not have it.
"""

import ast
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from pai_jupyter.cell import Finding
from pai_jupyter.errors import SpecError
from pai_jupyter.package.ignore import NEVER_PACKED, VENV_MARK

_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_MOST_FILES = 2_000  # files of a package that are read for their imports
_LARGEST = 1 << 20  # bytes of a file that is read
_OURS = frozenset({"pai_jupyter", "_pai_notebook"})


@dataclass(frozen=True, kw_only=True)
class LocalModule:
    """A file or directory `name` of `root`, which holds a module of the user's own."""

    root: Path
    name: str

    @property
    def path(self) -> Path:
        return self.root / self.name


@dataclass(frozen=True, kw_only=True)
class LocalModules:
    """The user's own modules that a cell needs, the texts of their files, and warnings about others."""

    modules: tuple[LocalModule, ...] = ()
    sources: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def note(self) -> str:
        """A sentence that names them; "" without any."""
        names = ", ".join(f"`{each.name}{'/' if each.path.is_dir() else ''}`" for each in self.modules)
        return f"sent along, since the cell imports it: {names}" if names else ""


def find_local_modules(source: str, base: Path, *, known: Collection[str], entry_point: str) -> LocalModules:
    """Find the user's own modules for a cell of the notebook in `base`.

    Args:
        source: the script.
        base: the notebook's directory.
        known: names of files and directories that are sent anyway.
        entry_point: the script's name in the package.

    Raises:
        SpecError: a module has the name of the script.
    """
    tree = _parsed(source)
    if tree is None:
        return LocalModules()
    search = _ModuleSearch(Path(os.path.realpath(base)), tree, known=known, entry_point=entry_point)
    search.run(tree)
    return LocalModules(
        modules=tuple(search.found.values()), sources=tuple(search.sources), findings=tuple(search.findings)
    )


class _ModuleSearch:
    def __init__(self, base: Path, tree: ast.Module, *, known: Collection[str], entry_point: str) -> None:
        self.found: dict[str, LocalModule] = {}
        self.sources: list[str] = []
        self.findings: list[Finding] = []
        self._known = {name.removesuffix(".py") for name in known}
        self._entry_point = entry_point
        project = _project(base)
        added = [os.path.realpath(base / path) for path in _added_paths(tree)]
        self._path = [str(base), *added, *(os.path.realpath(path) for path in sys.path if path)]
        inside = (Path(path) for path in self._path if Path(path).is_relative_to(project))
        self._roots = {path for path in inside if not _is_installed(path)} | {base}
        self._project = project
        self._seen: set[str] = set()

    def run(self, tree: ast.Module) -> None:
        pending = [(name, node.lineno) for name, node in _imports(tree)]
        while pending:
            name, line = pending.pop(0)
            if name in self._seen or name in self._known or name in _OURS:
                continue
            self._seen.add(name)
            module = self._module(name, line)
            if module is None:
                continue
            if module.name == self._entry_point:
                raise SpecError(
                    f"{module.name!r} beside the notebook is imported, and the cell's own file has that name. Give the cell's "
                    f"file another name: --entry-point cell_{module.name}",
                    field="entry_point",
                )
            self.found[module.name] = module
            for text in _texts(module.path):
                self.sources.append(text)
                inner = _parsed(text)
                pending += [(other, line) for other, _ in _imports(inner)] if inner else []

    def _module(self, name: str, line: int) -> LocalModule | None:
        if name in sys.stdlib_module_names and name in sys.modules:
            return None
        spec = _spec(name, self._path)
        place = _place(spec) if spec else None
        if place is None or _is_installed(place):
            return None
        if place.parent in self._roots or place.is_relative_to(self._project):
            return LocalModule(root=place.parent, name=place.name)
        if spec is not None and spec.submodule_search_locations is not None and spec.origin is None:
            return None  # a directory that happens to have the name
        message = (
            f"`{name}` is installed from {str(place.parent)!r}, which is not sent with the job. Send it along with "
            f"--include {place}, or name a published package: %pip install NAME"
        )
        self.findings.append(Finding(line=line, code="editable-install", severity="warning", message=message))
        return None


def _spec(name: str, path: Sequence[str]) -> ModuleSpec | None:
    with suppress(ImportError, ValueError, AttributeError, OSError):
        if found := PathFinder.find_spec(name, path):
            return found
    with suppress(ImportError, ValueError, AttributeError, OSError):
        return importlib.util.find_spec(name)  # editable installs have finders of their own
    return None


def _place(spec: ModuleSpec) -> Path | None:
    """Return the file of a module, or the directory of a package; None if it is built in."""
    if spec.submodule_search_locations is not None and (spec.origin is None or spec.origin.endswith("__init__.py")):
        places = [_named(place) for place in spec.submodule_search_locations]
        has_code = bool(places) and (spec.origin is not None or any(_python_files(places[0])))
        return places[0] if has_code else None
    return _named(spec.origin) if spec.origin and spec.has_location else None


def _named(path: str) -> Path:
    """Resolve the links of a path but the last, whose name is the module's."""
    return Path(os.path.realpath(os.path.dirname(path)), os.path.basename(path))  # noqa: PTH119, PTH120  as given


def _project(base: Path) -> Path:
    home = Path.home()
    for directory in (base, *base.parents):
        if directory in (home, Path(directory.anchor)):
            break
        if any((directory / mark).exists() for mark in _MARKS):
            return directory
    return base


def _is_installed(path: Path) -> bool:
    return (
        bool(_INSTALLED & set(path.parts))
        or any(path.is_relative_to(place) for place in _python_places())
        or any((parent / VENV_MARK).exists() for parent in path.parents)
    )


@cache
def _python_places() -> tuple[Path, ...]:
    return tuple(Path(os.path.realpath(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib"))


def _imports(tree: ast.Module) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    """Yield the top-level names of the modules that the code imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name.partition(".")[0], node) for alias in names)
            case ast.ImportFrom(module=str() as module, level=0):
                yield module.partition(".")[0], node
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str() as module), *_]):
                yield module.partition(".")[0], node


def _added_paths(tree: ast.Module) -> Iterator[str]:
    """Yield the literal paths of `sys.path.append("../src")` and `sys.path.insert(0, "../src")`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="append" | "insert", value=ast.Attribute(attr="path")),
                args=[*_, ast.Constant(value=str() as path)],
            ):
                yield path


def _texts(path: Path) -> Iterator[str]:
    for number, file in enumerate([path] if path.is_file() else _python_files(path)):
        if number == _MOST_FILES:
            return
        with suppress(OSError, ValueError):
            if file.suffix == ".py" and file.stat().st_size <= _LARGEST:
                yield file.read_text(encoding="utf-8-sig")


def _python_files(directory: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if name not in NEVER_PACKED)
        if VENV_MARK in names:
            folders[:] = []
            continue
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".py"))


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
