"""What executed cells of a notebook bind: their top-level statements, by name.

Rule 1: cells are parsed only when a name may be bound in them: a notebook of 300 cells is searched in milliseconds.
Rule 2: a line of IPython syntax stays a line; what is assigned from one counts as the result of a call.
Rule 3: a cell that is no Python (`%%bash`, `%%writefile`, `%%pai_train`), or no valid code, binds nothing.
"""

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pai_jupyter.cell.names import read_names
from pai_jupyter.cell.read import read_cell
from pai_jupyter.cell.scopes import Certainty, read_scopes

_LINE_END = re.compile(r"\r\n|\r")
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_RUNS_IN_KERNEL = frozenset({"time", "capture", "prun"})  # cell magics whose body runs in the notebook's namespace
_IPYTHON_LINE = re.compile(r"^\s*[%!]|[%!?]\s*$|=\s*[%!]|^\s*[?,;/]", re.MULTILINE)
_FROM_IPYTHON = re.compile(r"(?<== )None(?=  # )")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NEAR = 300  # characters of a line that are looked at on either side of a name
_BEFORE_NAME = re.compile(r"\b(?:def|class|as|import|del|global|case)\b")
_FOR, _IN = re.compile(r"\bfor\b"), re.compile(r"\bin\b")
_ASSIGNED = re.compile(r"(?<![=!<>])=(?!=)")
_LONG_TARGETS = re.compile(r"\bimport\s*\(|^\s*[\])]\s*=(?!=)", re.MULTILINE)
_CHANGES = "append|extend|insert|update|setdefault|pop|popitem|clear|remove|discard|add|sort|reverse"
_SOFT = re.compile(r"[A-Za-z_][\w.]*(?:\[.*\])?(?: *\|.*)?")


@dataclass(frozen=True, kw_only=True)
class ExecutedCell:
    """A cell that ran in the kernel, in the order of `In`.

    `succeeded` is None if that is unknown; `id` is the cell's in the notebook, "" if unknown.
    """

    code: str
    number: int
    succeeded: bool | None = True
    id: str = ""


class NotebookStatement:
    """A top-level statement of a cell: the names it binds and needs, and its text."""

    def __init__(self, node: ast.stmt, lines: Sequence[str], *, is_alone: bool, has_ipython: bool) -> None:
        self.node = node
        self.has_ipython = has_ipython
        self.line = first_line(node)
        self._lines = lines
        self._is_alone = is_alone

    @cached_property
    def text(self) -> str:
        """The statement as written, with the comments of its lines if no other statement shares them."""
        if self._is_alone:
            return "\n".join(self._lines[self.line - 1 : self.node.end_lineno])
        return ast.get_source_segment("\n".join(self._lines), self.node) or ast.unparse(self.node)

    @cached_property
    def binds(self) -> frozenset[str]:
        """The names that it binds in the module when it runs."""
        node = self.node
        if isinstance(node, _DEFINITIONS):
            return frozenset((node.name,))
        if isinstance(node, ast.Import | ast.ImportFrom):
            return frozenset(bound_by(alias) for alias in node.names)
        if isinstance(node, ast.Expr) and ":=" not in self.text:
            return frozenset()
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return frozenset()  # `x: int` says what x is, and binds nothing
        return frozenset(read_scopes(ast.Module([node], [])).all[0].bound) - self.deletes

    @cached_property
    def deletes(self) -> frozenset[str]:
        if not isinstance(self.node, ast.Delete):
            return frozenset()
        return frozenset(each.id for each in self.node.targets if isinstance(each, ast.Name))

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names of the module or of Python that it uses, at once or when it is called."""
        return free_names(ast.Module([self.node], []))

    @cached_property
    def needs_at_once(self) -> frozenset[str]:
        """Those of `needs` that it uses while it runs, not only in the body of a function."""
        return self.needs & needed_at_once(self.node)

    @cached_property
    def uses_itself(self) -> bool:
        """Whether its value or condition reads a name that it binds: `x = x + 1`."""
        read = getattr(self.node, "value", None) or getattr(self.node, "test", None)
        nodes = evaluated(read) if isinstance(read, ast.expr) else ()
        return any(isinstance(each, ast.Name) and each.id in self.binds for each in nodes)

    @cached_property
    def hints(self) -> frozenset[str]:
        """Names in annotations that are strings, which only some libraries read."""
        return hinted_names(self.node)


@dataclass(frozen=True, kw_only=True)
class Binder:
    """A statement that binds or deletes a name; `index` is its cell's place in the history, `place` its own there."""

    index: int
    place: int
    cell: ExecutedCell
    statement: NotebookStatement


def binders(name: str, cells: Sequence[ExecutedCell]) -> Iterator[Binder]:
    """Yield the statements that bind or delete `name` at the top level, the last one first."""
    for index in range(len(cells) - 1, -1, -1):
        cell = cells[index]
        if name not in cell.code or not may_bind(name, cell.code):
            continue
        statements = statements_of(cell.code)
        for place in range(len(statements) - 1, -1, -1):
            statement = statements[place]
            if name in statement.binds or name in statement.deletes:
                yield Binder(index=index, place=place, cell=cell, statement=statement)


def star_imports(cells: Sequence[ExecutedCell]) -> Iterator[Binder]:
    """Yield the `from x import *` of all cells, the last one first."""
    for index in range(len(cells) - 1, -1, -1):
        if re.search(r"import\s*\(?\s*\*", cells[index].code) is None:
            continue
        for place, statement in enumerate(statements_of(cells[index].code)):
            if is_star(statement.node):
                yield Binder(index=index, place=place, cell=cells[index], statement=statement)


def first_line(node: ast.stmt) -> int:
    """Return the line of the statement, or of its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def is_changed_later(name: str, binder: Binder, cells: Sequence[ExecutedCell]) -> bool:
    """Return whether a later statement changes what this one defined: `Net.f = g`, `config["lr"] = 1`, `@f.register`."""
    change = re.compile(
        rf"(?<![\w.]){name}(?:\.[\w.]+|\[[^\n]*?\])\s*[-+*/|&^%]?=(?!=)|(?<![\w.]){name}\.(?:{_CHANGES})\("
        rf"|\bsetattr\(\s*{name}\b|\bdel\s+{name}\[|^@{name}\.",
        re.MULTILINE,
    )
    for index in range(binder.index, len(cells)):
        code = cells[index].code
        if name not in code or cells[index].succeeded is False or change.search(code) is None:
            continue
        later = statements_of(code)[binder.place + 1 if index == binder.index else 0 :]
        if any(not isinstance(each.node, ast.Import | ast.ImportFrom) and change.search(each.text) for each in later):
            return True
    return False


def is_star(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)


def bound_by(alias: ast.alias) -> str:
    """Return the name that an import binds: `np`, or `os` for `import os.path`."""
    return alias.asname or alias.name.partition(".")[0]


def full_name(node: ast.stmt, name: str) -> str | None:
    """Return the full name of what an import binds to `name`: `numpy` for `np`; None for another statement."""
    if isinstance(node, ast.ImportFrom):
        found = next((alias for alias in node.names if (alias.asname or alias.name) == name), None)
        return f"{node.module}.{found.name}" if found and not node.level else None
    if isinstance(node, ast.Import):
        return next((alias.name for alias in node.names if alias.asname == name), name)
    return None


def dotted(node: ast.expr) -> list[str]:
    """Return the parts of `a.b.c`; [] for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []


@lru_cache(maxsize=4096)  # a kernel completes cell after cell over the same history
def statements_of(code: str) -> tuple[NotebookStatement, ...]:
    """Return the top-level statements of a cell; () if it is no valid Python."""
    source, from_ipython = python_of(code)
    tree = parsed(source)
    if tree is None:
        return ()
    lines = source.split("\n")
    spans = [(first_line(node), node.end_lineno or node.lineno, node) for node in tree.body]
    found = []
    for at, (start, end, node) in enumerate(spans):
        is_alone = (at == 0 or spans[at - 1][1] < start) and (at + 1 == len(spans) or spans[at + 1][0] > end)
        has_ipython = any(start <= line <= end for line in from_ipython)
        found.append(NotebookStatement(node, lines, is_alone=is_alone, has_ipython=has_ipython))
    return tuple(found)


def needed_at_once(statement: ast.stmt) -> frozenset[str]:
    """Return the names that are read or bound while a statement runs, not only in the body of a function."""
    return frozenset(node.id for node in evaluated(statement) if isinstance(node, ast.Name))


def parsed(source: str) -> ast.Module | None:
    """Parse code quietly; None if it is invalid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


@dataclass(frozen=True, kw_only=True)
class WantedNames:
    """The names that code uses and does not bind: `guarded` are those whose absence it expects.

    `possible` are those that it binds only on some ways to where it uses them.
    """

    certain: frozenset[str]
    guarded: frozenset[str]
    possible: frozenset[str]


def wanted_names(tree: ast.Module) -> WantedNames:
    names = read_names(tree)
    return WantedNames(
        certain=frozenset(node.id for node in names.builtins).union(
            node.id for node, care in names.undefined if care is not Certainty.GUARDED
        ),
        guarded=frozenset(node.id for node, care in names.undefined if care is Certainty.GUARDED),
        possible=frozenset(node.id for node in names.possible),
    )


def free_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that the code uses and does not bind."""
    return wanted_names(tree).certain


def hinted_names(tree: ast.AST) -> frozenset[str]:
    """Return the names in annotations that are written as strings."""
    found: set[str] = set()
    for node in ast.walk(tree):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            for part in ast.walk(annotation) if isinstance(annotation, ast.expr) else ():
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and _SOFT.fullmatch(part.value):
                    tree_of = parsed(part.value)
                    found.update(free_names(tree_of) if tree_of else ())
    return frozenset(found)


def evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run when `node` does: bodies of functions are left out."""
    todo: list[ast.AST] = [node]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            todo += [*node.decorator_list, *parts_of_signature(node.args), *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.Lambda):
            todo += [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
        else:
            todo += ast.iter_child_nodes(node)


def parts_of_signature(args: ast.arguments) -> Iterator[ast.expr]:
    """Yield the defaults and annotations of a function's arguments."""
    yield from args.defaults
    yield from (each for each in args.kw_defaults if each)
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None and arg.annotation is not None:
            yield arg.annotation


def python_of(code: str) -> tuple[str, frozenset[int]]:
    """Return a cell as Python with the same lines, and the numbers of lines that ran IPython's own syntax."""
    text = _LINE_END.sub("\n", code)
    if magic := _CELL_MAGIC.match(text):
        if magic[1] not in _RUNS_IN_KERNEL:
            return "", frozenset()
        head, _, body = text.partition("%%")
        text = f"{head}# %%{body}"
    if text[:1].isspace():
        text = textwrap.dedent(text)
    if _IPYTHON_LINE.search(text) is None or parsed(text) is not None:
        return text, frozenset()
    read = read_cell(text)
    lines = read.source.split("\n")
    ran = frozenset(finding.line for finding in read.findings if finding.code == "ipython-syntax")
    for number in ran:
        lines[number - 1] = _FROM_IPYTHON.sub("get_ipython()", lines[number - 1], count=1)
    return "\n".join(lines), ran


@lru_cache(maxsize=1024)
def _occurrences(name: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(name)}(?!\w)")  # begins with plain text, which `re` finds fastest


def may_bind(name: str, code: str) -> bool:
    """Return whether a cell may bind `name`, looking only at the lines that have it; most uses are told from bindings."""
    for found in _occurrences(name).finditer(code):
        start, end = found.span()
        if start and (code[start - 1].isalnum() or code[start - 1] in "_.@"):
            continue
        line_start, line_end = code.rfind("\n", 0, start) + 1, code.find("\n", end)
        before = code[max(line_start, start - _NEAR) : start]
        after = code[end : min(line_end if line_end >= 0 else len(code), end + _NEAR)]
        if _binds_here(before, after, code, line_start):
            return True
    return False


def _binds_here(before: str, after: str, code: str, line_start: int) -> bool:
    rest = after.lstrip()
    if _BEFORE_NAME.search(before) or (_IN.search(after) and _FOR.search(before)):
        return True
    if rest[:1] != "(" and _ASSIGNED.search(after):
        return True
    if rest[:1] in ("", ",", ")", "#", ";", "]", "\\") and (
        _LONG_TARGETS.search(code) or code[:line_start].endswith("\\\n")
    ):
        return True  # one of several lines of an import or of targets
    return rest[:1] == ":" and not before
