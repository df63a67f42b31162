"""The runs table in `%pai_runs`: jobs with chosen columns, sorted, grouped, or written as CSV."""

import time
from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from IPython.display import display

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.events import Status, for_terminal, in_order
from pai_jupyter.jobs import JobRow, JobSearch
from pai_jupyter.jobs.job_index.columns import STAR
from pai_jupyter.jobs.job_index.facts import Cell
from pai_jupyter.jobs.job_index.search import refuse_unknown
from pai_jupyter.jobs.table import JobGroup, JobTable, Summary, TableColumn, TableLine, TableQuery, as_csv, read_table
from pai_jupyter.magics.table import Table, clipped
from pai_jupyter.view import environment_language, is_stable, said, state_word
from pai_jupyter.view.words import clock

OPTIONS = ("columns", "sort", "group_by", "csv")
"""Options of `%pai_runs` that are about this table alone."""
ALL = "all"
_VALUES, _METRICS = 8, 6  # columns that fit on a page
_VARYING = frozenset({"job:created", "job:duration", "job:id"})  # between runs of a notebook


def show_jobs(given: Namespace, words: Sequence[str], unless_found: NotFoundError | None = None) -> None:
    """Show the jobs that `words` find as the options ask for it, or write them; `unless_found` is raised where none fits.

    Raises:
        SpecError: a word or an option is refused.
    """
    table = read_table()
    if unless_found is None:
        refuse_unknown(words, table.rows)
    query = table.query(JobSearch.of_words(words), sort=given.sort, group=given.group_by)
    if unless_found is not None and not table.find(query):
        raise unless_found
    if given.csv is not None:
        _write(table, query, given)
        return
    lines = table.lines(query)
    fitting = JobTable(table.find(query))  # the others' columns would be empty
    shown = _chosen(table, given.columns) or _fitting(fitting)
    display(lines_table(lines[: given.n], shown, grouped_by=table.column(query.group)))
    if len(lines) > given.n and not is_stable():
        more = f"{given.n} of {len(lines)} groups; -n N shows more."
        print(said(more if query.group else f"{given.n} of {len(lines)} jobs; -n N shows more."))  # noqa: T201  for the user
    if given.columns is None and lines:
        _tell_hidden(fitting, shown)


def show_own_jobs(rows: Sequence[JobRow], most: int) -> None:
    """Show the newest of these jobs."""
    own = JobTable(rows, now=time.time())
    shown = _fitting(own)
    display(lines_table(own.lines(TableQuery())[:most], shown))
    if len(own.rows) > most and not is_stable():
        print(said(f"{most} of {len(own.rows)} jobs; -n N shows more."))  # noqa: T201  for the user
    _tell_hidden(own, shown)


def _tell_hidden(table: JobTable, shown: Sequence[TableColumn]) -> None:
    """Say how many columns did not fit on the page; of the numbers of a metric, its last one has the column."""
    had = (it for it in table.columns.values() if it.is_shown or it.part == "value" or it.key.startswith("last:"))
    hidden = sum(column not in shown for column in had)
    if hidden and not is_stable():
        print(said(f"columns that are not shown: {hidden}; --columns all shows every one."))  # noqa: T201  for the user


def lines_table(
    lines: Sequence[TableLine], columns: Sequence[TableColumn], *, grouped_by: TableColumn | None = None
) -> Table:
    """Build the table of these lines; of a group its cell and its number of jobs come first."""
    first = [] if grouped_by is None else [_heading(grouped_by), said("jobs")]
    others = [column for column in columns if grouped_by is None or column.key != grouped_by.key]
    return Table(
        headers=[*first, *map(_heading, others)],
        has_names=True,
        rows=[_cells(line, others, grouped_by) for line in lines],
        empty="no matching jobs. %pai_jobs lists all.",
    )


def _heading(column: TableColumn) -> str:
    """Return the title as it is typed; in Chinese, that of a column that every job has is said.

    There the state `created` and the time at which a job was created are different words.
    """
    if column.part != "job":
        return for_terminal(clipped(column.title))
    return said("time of creation" if column.key == "job:created" and environment_language() == "zh" else column.title)


def _chosen(table: JobTable, asked: str | None) -> list[TableColumn]:
    if asked is None:
        return []
    if asked.strip().casefold() == ALL:
        return list(table.columns.values())
    chosen = [table.named(title) for title in asked.split(",") if title.strip()]
    if not chosen:
        raise SpecError(
            "`--columns` needs names with commas between them, e.g. --columns name,lr,loss", field="--columns"
        )
    return list(dict.fromkeys(chosen))


def _fitting(table: JobTable) -> list[TableColumn]:
    """Return the columns that fit on a page: a few values, and the metrics that say most."""
    shown = [column for column in table.shown if not (is_stable() and _varies(column))]
    of_job = [column for column in shown if column.part == "job"]
    values = [column for column in shown if column.part == "value"][:_VALUES]
    metrics = {column.key.partition(":")[2]: column for column in shown if column.part == "metric"}
    best = [metrics[name] for name in in_order(metrics)][:_METRICS]
    more = [] if is_stable() else [table.columns["job:id"]]
    return [*of_job[:2], *values, *best, *of_job[2:], *more]


def _varies(column: TableColumn) -> bool:
    """Return whether it differs between runs of a notebook."""
    return column.key in _VARYING or column.key.startswith("cost:")


def _write(table: JobTable, query: TableQuery, given: Namespace) -> None:
    if query.group:
        raise SpecError("`--csv` writes jobs, not groups. Leave --group-by out.", field="--csv")
    rows, columns = table.find(query), _chosen(table, given.columns) or list(table.columns.values())
    try:
        Path(given.csv).expanduser().write_text(as_csv(rows, columns), encoding="utf-8-sig", newline="")
    except OSError as exc:
        raise SpecError(f"`--csv {given.csv}` cannot be written: {exc.strerror}", field="--csv") from exc
    print(said(f"jobs written to {given.csv}: {len(rows)}"))  # noqa: T201  for the user


def _cells(line: TableLine, columns: Sequence[TableColumn], grouped_by: TableColumn | None) -> list[str]:
    if not isinstance(line, JobGroup):
        return [cell_text(column.read(line), column) for column in columns]
    assert grouped_by is not None  # else there are no groups
    name, count = cell_text(line.cell, grouped_by), str(len(line.rows))
    return [name, count, *(summary_text(line.summary(column), column) for column in columns)]


def summary_text(summary: Summary | Cell, column: TableColumn) -> str:
    """Format mean ± standard deviation; of other columns the cell that all have in common."""
    if not isinstance(summary, Summary):
        return cell_text(summary, column)
    mean = cell_text(summary.mean, column)
    return mean if summary.deviation is None else f"{mean} ± {cell_text(summary.deviation, column)}"


def cell_text(cell: Cell, column: TableColumn) -> str:
    """Format a cell as one clean line."""
    if cell is None:
        return ""
    if column.key == "job:status":
        return state_word(Status(str(cell)))
    if column.key == "job:star":
        return STAR
    if isinstance(cell, str):
        return clipped(for_terminal(cell))
    if column.kind == "time":
        return datetime.fromtimestamp(cell).isoformat(" ", "seconds")  # noqa: DTZ006  as on the reader's clock
    if column.kind == "seconds":
        return clock(cell)
    return str(cell) if isinstance(cell, bool | int) else f"{cell:.4g}"
