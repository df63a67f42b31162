"""Jobs grouped by a column. Pure.

Rule 1: of a column of numbers a group has mean and standard deviation (of a sample: n - 1) of the jobs that have a number; nan is
    none. Of one job there is no deviation.
Rule 2: of any other column it has what all its jobs have in common, else nothing.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import mul

from pai_jupyter.jobs.job_index.facts import Cell
from pai_jupyter.jobs.job_index.row import JobRow
from pai_jupyter.jobs.table.columns import TableColumn
from pai_jupyter.jobs.table.order import sorted_by


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Mean and standard deviation of `count` numbers."""

    mean: float
    deviation: float | None
    count: int


@dataclass(frozen=True, kw_only=True)
class JobGroup:
    """The jobs that have `cell` in common; `key` names it."""

    key: str
    cell: Cell
    rows: Sequence[JobRow]
    _told: dict[str, Summary | Cell] = field(
        default_factory=dict, compare=False, repr=False
    )  # by the key of the column

    def summary(self, column: TableColumn) -> Summary | Cell:
        """Return what the group has of a column (rules 1 and 2)."""
        if column.key not in self._told:
            self._told[column.key] = self._summary(column)
        return self._told[column.key]

    def _summary(self, column: TableColumn) -> Summary | Cell:
        cells = [*map(column.read, self.rows)]
        if column.kind in ("number", "seconds"):
            return summary_of(cell for cell in cells if cell is not None)  # type: ignore[misc]  # as the kind says
        first = cells[0]
        return first if all(cell == first for cell in cells) else None


def grouped(rows: Iterable[JobRow], by: TableColumn, sort: TableColumn, *, is_descending: bool) -> list[JobGroup]:
    """Group rows, which keep their order, and sort the groups: by what they have of `sort`, else by what they are grouped by."""
    found: dict[str, tuple[Cell, list[JobRow]]] = {}
    for row in rows:
        cell = by.read(row)
        found.setdefault(key_of(cell), (cell, []))[1].append(row)
    groups = [JobGroup(key=key, cell=cell, rows=members) for key, (cell, members) in found.items()]
    if sort.kind in ("number", "seconds") and sort.key != by.key:
        return sorted_by(groups, lambda group: _mean(group, sort), is_descending=is_descending)
    return sorted_by(groups, lambda group: group.cell, is_descending=is_descending and sort.key == by.key)


def summary_of(numbers: Iterable[float]) -> Summary | None:
    """Return mean and deviation; None without a number."""
    known = [number for number in numbers if number == number]  # nan is none
    if not known:
        return None
    count = len(known)
    if not all(map(math.isfinite, known)):
        return Summary(mean=sum(known) / count, deviation=None, count=count)
    # A power of two, with which nothing is rounded, so that neither a sum nor a square is too large for a float.
    scale = math.ldexp(1.0, math.frexp(max(map(abs, known)))[1] - 1)
    parts = [number / scale for number in known]
    mean = math.fsum(parts) / count
    apart = [part - mean for part in parts]
    deviation = math.sqrt(math.fsum(map(mul, apart, apart)) / (count - 1)) if count > 1 else None
    return Summary(mean=mean * scale, deviation=None if deviation is None else deviation * scale, count=count)


def key_of(cell: Cell) -> str:
    """Return the key of a group: 1 and 1.0 are one, the text "1" is another, "" is that of jobs without a cell."""
    if cell is None:
        return ""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return json.dumps(cell, ensure_ascii=False)
    return repr(float(cell))


def _mean(group: JobGroup, column: TableColumn) -> Cell:
    summary = group.summary(column)
    return summary.mean if isinstance(summary, Summary) else None
