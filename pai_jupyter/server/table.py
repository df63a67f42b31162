"""The runs table over REST.

POST table {columns, text?, sort?, descending?, group?, opened?, ids?, start?, limit?,
            version?, of_version?, shape?}                                              a window of its lines
POST table/csv {columns, text?, sort?, descending?}                                     all matching jobs as CSV

A page never gets the whole table: only the cells of columns and lines in sight. It asks again with the version that it has, which is
cheap while nothing has changed; in between it may ask for lines `of_version`, for which the server looks for no change. POST, since
columns can be too many for an address; nothing is changed.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pai_jupyter.events import number_to_json
from pai_jupyter.jobs import JobSearch
from pai_jupyter.jobs.job_index.facts import Cell
from pai_jupyter.jobs.job_index.search import parsed_words
from pai_jupyter.jobs.table import (
    JobGroup,
    JobTable,
    Summary,
    TableColumn,
    TableLine,
    TableQuery,
    as_csv,
    current_table,
)
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import TableAsked, TableSelection

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.table import TableAnswer, TableCell, TableColumnJson, TableLineJson, TableText
    from pai_jupyter.wire.schema.values import Scalar

_LIMIT = 100


def window(body: Mapping[str, object]) -> "TableAnswer":
    """Return a window of the table as it is now."""
    fields = RequestFields(body, TableAsked)
    keys = fields.texts("columns")
    query = _query(fields, body, group=fields.text("group", default=""))
    start, limit = fields.number("start", default=0), fields.number("limit", default=_LIMIT)
    table, version = current_table(fields.text("of_version", default=""))
    if fields.text("version", default="") == version:
        return {"version": version}
    lines, shape = table.lines(query), _shape(table)
    columns = [table.column(key) for key in keys]
    answer: TableAnswer = {
        "version": version,
        "lines": [_line(line, columns) for line in lines[start : start + limit]],
        "count": len(lines),
        "jobs": table.matching(query),
        "total": len(table.rows),
        "problem": table.problem(parsed_words(fields.text("text", default=""))),
        "shape": shape,
    }
    if fields.text("shape", default="") != shape:
        answer["columns"] = [_column(column) for column in table.columns.values()]
    return answer


def csv(body: Mapping[str, object]) -> "TableText":
    """Return all matching jobs as CSV, with the columns that were asked for."""
    fields = RequestFields(body, TableSelection)
    keys = fields.texts("columns")
    table, _ = current_table()
    rows = table.find(_query(fields, body))
    columns = [column for key in keys if (column := table.column(key)) is not None]
    return {"text": as_csv(rows, columns), "count": len(rows)}


def _query(fields: RequestFields, body: Mapping[str, object], *, group: str = "") -> TableQuery:
    default = TableQuery()
    asked = RequestFields(body, TableAsked)
    opened = asked.texts("opened") if body.get("opened") is not None else []
    return TableQuery(
        search=JobSearch.parse(fields.text("text", default="")),
        sort=fields.text("sort", default="") or default.sort,
        is_descending=fields.flag("descending") if fields.has("descending") else default.is_descending,
        group=group,
        opened=frozenset(opened),
        ids=frozenset(asked.texts("ids")) if body.get("ids") is not None else None,
    )


def _shape(table: JobTable) -> str:
    """Return a word that is another one when columns are."""
    text = "\n".join(f"{column.key} {column.title} {column.kind}" for column in table.columns.values())
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _column(column: TableColumn) -> "TableColumnJson":
    return {
        "key": column.key,
        "title": column.title,
        "part": column.part,
        "kind": column.kind,
        "is_shown": column.is_shown,
    }


def _line(line: TableLine, columns: Sequence[TableColumn | None]) -> "TableLineJson":
    if isinstance(line, JobGroup):
        cells = [None if column is None else _summary(line.summary(column)) for column in columns]
        return {"group": line.key, "cell": _cell(line.cell), "count": len(line.rows), "cells": cells}
    told: TableLineJson = {
        "id": line.id,
        "name": line.name,
        "status": str(line.status),
        "is_here": line.is_here,
        "cells": [None if column is None else _cell(column.read(line)) for column in columns],
    }
    if line.is_starred:
        told["is_starred"] = True
    if line.tags:
        told["tags"] = [*line.tags]
    return told


def _summary(summary: Summary | Cell) -> "TableCell":
    if not isinstance(summary, Summary):
        return _cell(summary)
    return {"mean": number_to_json(summary.mean), "deviation": summary.deviation, "count": summary.count}


def _cell(cell: Cell) -> "Scalar":
    return number_to_json(cell) if isinstance(cell, float) else cell


TABLE = {"post": ApiRoute(kind="table", answer=window, has_body=True)}
CSV = {"post": ApiRoute(kind="table_csv", answer=csv, has_body=True)}
