"""Filter, sort and group one state of the list of jobs. Pure: a change of the list is another `JobTable`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs.job_index.row import JobRow
from pai_jupyter.jobs.job_index.search import JobSearch, problem_of
from pai_jupyter.jobs.table.columns import TableColumn, columns_of
from pai_jupyter.jobs.table.groups import JobGroup, grouped
from pai_jupyter.jobs.table.order import sorted_by

NEWEST = "job:created"
MOST_NAMED = 20  # columns in the refusal of an unknown one
_REMEMBERED = 4  # queries whose lines are kept: a window that scrolls asks the same again


@dataclass(frozen=True, kw_only=True)
class TableQuery:
    """What is shown of the table. `sort` and `group` are keys of columns, "" = not grouped; of the `opened` groups, by key, all jobs.

    `ids`: these jobs alone; None: any.
    """

    search: JobSearch = field(default_factory=JobSearch)
    sort: str = NEWEST
    is_descending: bool = True
    group: str = ""
    opened: frozenset[str] = frozenset()
    ids: frozenset[str] | None = None


TableLine: TypeAlias = JobRow | JobGroup
"""One line: a job, or a group of jobs."""


class JobTable:
    """The table of `rows`, in any order. `now`: until when jobs that go on have cost something (seconds since the epoch)."""

    def __init__(self, rows: Sequence[JobRow], *, now: float = 0.0) -> None:
        self._now = now
        self.rows = sorted(rows, key=lambda row: (row.created, row.id), reverse=True)
        self._remembered: dict[TableQuery, Sequence[TableLine]] = {}
        self._problems: dict[tuple[str, ...], str] = {}

    @cached_property
    def columns(self) -> dict[str, TableColumn]:
        return columns_of(self.rows, self._now)

    @property
    def shown(self) -> list[TableColumn]:
        """The columns that are shown unless others are chosen."""
        return [column for column in self.columns.values() if column.is_shown]

    def column(self, key: str) -> TableColumn | None:
        """Return a column by its key; None for one that no job has (any more)."""
        return self.columns.get(key)

    def named(self, title: str) -> TableColumn:
        """Find a column by what a person types: its title or its key, ignoring case.

        Raises:
            SpecError: there is none.
        """
        folded = title.casefold().strip()
        for column in self.columns.values():
            if folded in (column.title.casefold(), column.key.casefold()):
                return column
        titles = [column.title for column in self.columns.values()]
        listed = ", ".join(titles[:MOST_NAMED]) + (", …" if len(titles) > MOST_NAMED else "")
        raise SpecError(f"there is no column {title!r}; there are {listed}", field="column")

    def query(self, search: JobSearch, *, sort: str | None = None, group: str | None = None) -> TableQuery:
        """Return the query with columns as people name them; a `-` before that of `sort`: the largest first.

        Times start with the latest anyway.

        Raises:
            SpecError: there is no such column.
        """
        key = self.named(group).key if group is not None else ""
        if sort is None:
            return TableQuery(search=search, group=key)
        column = self.named(sort.removeprefix("-"))
        is_descending = sort.startswith("-") or column.kind == "time"
        return TableQuery(search=search, group=key, sort=column.key, is_descending=is_descending)

    def find(self, query: TableQuery) -> list[JobRow]:
        """Return the matching jobs in their order, ungrouped."""
        rows = self.rows if query.ids is None else [row for row in self.rows if row.id in query.ids]
        found = query.search.find(rows)
        column = self.column(query.sort)
        if column is None:
            return found
        if query.sort == NEWEST and query.is_descending:
            return found
        return sorted_by(found, column.read, is_descending=query.is_descending)

    def lines(self, query: TableQuery) -> Sequence[TableLine]:
        """Return all lines of the table, in their order."""
        if query not in self._remembered:
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[query] = self._lines(query)
        return self._remembered[query]

    def matching(self, query: TableQuery) -> int:
        """Return the number of jobs that match, in groups or not."""
        lines = self.lines(query)
        groups = [line for line in lines if isinstance(line, JobGroup)] if query.group else []
        return sum(len(group.rows) for group in groups) if groups else len(lines)

    def problem(self, words: Sequence[str]) -> str:
        """Return what is wrong with a filter that is no search, and what to type; "" if nothing is."""
        key = tuple(words)
        if key not in self._problems:
            self._problems[key] = problem_of(words, self.rows)
        return self._problems[key]

    def _lines(self, query: TableQuery) -> Sequence[TableLine]:
        rows = self.find(query)
        by = self.column(query.group)
        if by is None:
            return rows
        sort = self.column(query.sort) or by
        lines: list[TableLine] = []
        for group in grouped(rows, by, sort, is_descending=query.is_descending):
            lines.append(group)
            if group.key in query.opened:
                lines += group.rows
        return lines
