"""Jobs as CSV and as a DataFrame.

Rule: a spreadsheet takes a text that begins with = + - or @ for a formula, and jobs choose texts and names of metrics. Such texts
    get an apostrophe in front; numbers are left alone.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.job_index.facts import Cell
from pai_jupyter.jobs.job_index.row import JobRow
from pai_jupyter.jobs.table.columns import TableColumn

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def as_csv(rows: Iterable[JobRow], columns: Sequence[TableColumn]) -> str:
    """Return a line of titles, and one for each job; times are ISO 8601 in UTC, durations in seconds."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_safe(column.title) for column in columns])
    for row in rows:
        writer.writerow([_text(column.read(row), column) for column in columns])
    return out.getvalue()


def as_frame(rows: Sequence[JobRow], columns: Sequence[TableColumn]) -> Any:  # Any: pandas is untyped
    """Return a DataFrame with the ids of the jobs as its index; times are in UTC, durations are timedeltas.

    Raises:
        PaiJupyterError: pandas is not installed here.
    """
    try:
        import pandas
    except ImportError as exc:
        raise PaiJupyterError("a DataFrame needs pandas. Type: %pip install pandas") from exc
    index = pandas.Index([row.id for row in rows], name="id", dtype="object")
    series = {
        column.title: _series(pandas, [column.read(row) for row in rows], column, index)
        for column in columns
        if column.title != index.name  # pandas could not tell a column from the index
    }
    return pandas.DataFrame(series, index=index)


def _series(pandas: Any, cells: list[Cell], column: TableColumn, index: Any) -> Any:  # Any: as above
    match column.kind:
        case "time":
            return pandas.Series(pandas.to_datetime(cells, unit="s", utc=True), index=index)
        case "seconds":
            return pandas.Series(pandas.to_timedelta(cells, unit="s"), index=index)
        case "bool" if column.part == "job":  # a star, which a job has or has not
            return pandas.Series([cell is True for cell in cells], index=index, dtype="bool")
        case "number" if all(type(cell) is int for cell in cells):
            return pandas.Series(cells, index=index, dtype="int64")
        case "number":
            return pandas.Series(cells, index=index, dtype="float64")
        case _:
            return pandas.Series(cells, index=index, dtype="object")


def _text(cell: Cell, column: TableColumn) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return _safe(cell)
    if column.kind == "time" and math.isfinite(cell):
        return datetime.fromtimestamp(cell, UTC).isoformat(timespec="seconds")
    return str(cell)


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
