"""train.py of a completed cell: the statements of other cells, then the cell; and where each of its lines is from.

Rule 1: the cell's own lines stay as they are, below. `LineMap` leads from a line of train.py to the cell that it is from.
Rule 2: `from __future__` must come first in a file, so it moves to the top; its line in the cell becomes a comment.
"""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from pai_jupyter.cell.completion import Completion, TakenStatement
from pai_jupyter.cell.notebook import needed_at_once, parsed
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import Fields

_HEAD = "# What the cell below uses from other cells of its notebook."
_CELL = "# the cell"


@dataclass(frozen=True, kw_only=True)
class CellLines:
    """`count` lines of train.py from line `at` (from 1), which are lines of cell [`cell`] from its line `line`."""

    at: int
    count: int
    cell: int
    line: int


@dataclass(frozen=True, kw_only=True)
class LineMap:
    """Where the lines of a train.py are from: `before` lines, some of them of other cells; then the cell's own."""

    before: int = 0
    parts: tuple[CellLines, ...] = ()

    def origin(self, line: int) -> tuple[int | None, int]:
        """Return the number of the other cell that a line of train.py is from (None: the cell itself), and its line there."""
        if line > self.before:
            return None, line - self.before
        for part in self.parts:
            if line < part.at + part.count:
                return part.cell, part.line + max(line - part.at, 0)
        return None, 1

    def words(self, line: int) -> str:
        """Say where a line of train.py is from: "in cell [7], line 1", and of the cell itself "on cell line 2"."""
        cell, own = self.origin(line)
        return f"on cell line {own}" if cell is None else f"in cell [{cell}], line {own}"

    def numbers(self) -> Iterator[int]:
        """Yield, for each line before the cell, its number in the cell that it is from; 0 for a line that no cell has."""
        given = {part.at + n: part.line + n for part in self.parts for n in range(part.count)}
        yield from (given.get(line, 0) for line in range(1, self.before + 1))

    def to_json(self) -> dict[str, Json]:
        parts: list[Json] = [{"at": it.at, "count": it.count, "cell": it.cell, "line": it.line} for it in self.parts]
        return {"before": self.before, "parts": parts}

    @classmethod
    def from_json(cls, given: Fields) -> Self:
        """Read what `to_json` wrote.

        Raises:
            FieldError: it is damaged.
        """
        parts = [
            CellLines(**{name: Fields.of(each, path).whole(name) for name in ("at", "count", "cell", "line")})
            for each, path in given.items("parts")
        ]
        return cls(before=given.whole("before"), parts=tuple(parts))


OWN_LINES = LineMap()
"""All lines are the cell's own."""


@dataclass(frozen=True, kw_only=True)
class CompletedScript:
    """The text of train.py, and where its lines are from."""

    source: str
    lines: LineMap = OWN_LINES


def complete_script(
    source: str, completion: Completion, *, head: Sequence[str] = (), between: tuple[int, str] | None = None
) -> CompletedScript:
    """Put what a cell needs before it; without anything to put, the cell stays as it is.

    `head` are further lines for the top of train.py, which no cell has; `between` is one for the place before a statement.
    """
    if not completion.taken and not head and not completion.future:
        return CompletedScript(source=source)
    future = [f"from __future__ import {', '.join(completion.future)}"] if completion.future else []
    lines = [_HEAD, *future, *head]
    parts = []
    for at, each in enumerate(completion.taken):
        if between is not None and between[0] == at:
            lines.append(between[1])
        if at == 0 or completion.taken[at - 1].cell != each.cell:
            lines.append(f"# from cell [{each.cell}]")
        parts.append(_part(each, len(lines) + 1))
        lines += each.text.split("\n")
    lines.append(_CELL)
    body = _without_future(source) if future else source
    return CompletedScript(source="\n".join([*lines, body]), lines=LineMap(before=len(lines), parts=tuple(parts)))


def _part(taken: TakenStatement, at: int) -> CellLines:
    return CellLines(at=at, count=taken.text.count("\n") + 1, cell=taken.cell, line=taken.line)


def _without_future(source: str) -> str:
    """Comment out the `from __future__` lines of a cell; its other lines keep their numbers."""
    tree, lines = parsed(source), source.split("\n")
    for node in tree.body if tree else ():
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            segment = ast.get_source_segment(source, node) or ""
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            if "\n".join(lines[first : last + 1]).split("#")[0].strip() == segment:
                lines[first : last + 1] = [f"# {line}" for line in lines[first : last + 1]]
            else:
                lines[first] = lines[first].replace(segment, "pass", 1)
    return "\n".join(lines)


def after_names(completion: Completion, names: Collection[str]) -> tuple[Completion, int]:
    """Move what needs one of `names` when it runs behind all others; return where those begin.

    A default argument or a base class is needed so, what the body of a function uses is not.
    """
    late, first, last = set(names) - set(completion.names), [], []
    for each in completion.taken:
        tree = parsed(each.text)
        needed = {name for node in (tree.body if tree else ()) for name in needed_at_once(node)}
        if needed & late:
            late |= set(each.names)
            last.append(each)
        else:
            first.append(each)
    return replace(completion, taken=(*first, *last)), len(first)
