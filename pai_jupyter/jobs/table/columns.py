"""The columns of the runs table. Pure.

    job:name            what every job has
    cost:CNY            what it has cost so far in this currency; a job that nobody is charged for (at an emulator) has none
    value:lr            a value (hyperparameter)
    last:loss           a metric's last number; min:loss, max:loss, steps:loss: the others

Rule 1: a key stays the same whatever jobs there are: layouts keep it. A title is what the filter calls the column, too: `lr`,
    `loss`, `min(loss)`; where a metric is called as a value is, `last(lr)`, and where a value is called as a column of every job,
    `value(name)`.
Rule 2: a column of values is one of numbers or of truths only if all its cells are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pai_jupyter.jobs.job_index.facts import STATS, Cell, SharedNames
from pai_jupyter.jobs.job_index.row import JobRow, cost_until, duration_of

Kind: TypeAlias = Literal["text", "number", "bool", "time", "seconds"]
"""`time` is in seconds since the epoch."""
Part: TypeAlias = Literal["job", "value", "metric"]
MOST_SHOWN = 24  # values, and metrics, of a table for which nobody has chosen


@dataclass(frozen=True, kw_only=True)
class TableColumn:
    """One column; `is_shown`: unless columns are chosen."""

    key: str
    title: str
    part: Part
    kind: Kind
    read: Callable[[JobRow], Cell]
    is_shown: bool = False


def _of_job(
    name: str, kind: Kind, read: Callable[[JobRow], Cell], title: str = "", *, is_shown: bool = False
) -> TableColumn:
    return TableColumn(key=f"job:{name}", title=title or name, part="job", kind=kind, read=read, is_shown=is_shown)


JOB_COLUMNS: Sequence[TableColumn] = (
    _of_job("status", "text", lambda row: str(row.status), "state", is_shown=True),
    _of_job("name", "text", lambda row: row.name, is_shown=True),
    _of_job("star", "bool", lambda row: True if row.is_starred else None),
    _of_job("tags", "text", lambda row: ", ".join(row.tags) or None),
    _of_job("note", "text", lambda row: row.note or None),
    _of_job("created", "time", lambda row: row.created or None, is_shown=True),
    _of_job("duration", "seconds", duration_of, is_shown=True),
    _of_job("backend", "text", lambda row: row.backend or None),
    _of_job("notebook", "text", lambda row: row.notebook),
    _of_job("started", "time", lambda row: row.started),
    _of_job("ended", "time", lambda row: row.ended),
    _of_job("recorded_name", "text", lambda row: row.recorded_name or None, "recorded name"),
    _of_job("run", "text", lambda row: row.run or None),
    _of_job("step", "text", lambda row: row.step or None),
    _of_job("id", "text", lambda row: row.id),
)
_IF_USED = frozenset({"job:star", "job:tags"})  # shown where a job has one


def columns_of(rows: Sequence[JobRow], now: float) -> dict[str, TableColumn]:
    """Return all columns of these jobs by key: of every job, costs, values, last metrics, then the other numbers of metrics."""
    given, metrics = _by_names(rows, lambda row: row.facts.given), _by_names(rows, lambda row: row.facts.metrics)
    values = [*_value_columns(given)]
    costs = [_cost_column(currency, now) for currency in _currencies(rows)]
    taken = {column.title for column in (*JOB_COLUMNS, *costs, *values)}
    names = [*_in_order(metrics.values())]
    numbers = [
        _metric_column(name, stat, taken, place < MOST_SHOWN) for stat in STATS for place, name in enumerate(names)
    ]
    of_job = [
        replace(column, is_shown=_is_used(column, rows)) if column.key in _IF_USED else column for column in JOB_COLUMNS
    ]
    return {column.key: column for column in (*of_job, *costs, *values, *numbers)}


def _is_used(column: TableColumn, rows: Iterable[JobRow]) -> bool:
    return any(column.read(row) is not None for row in rows)


def has_growing_cost(row: JobRow) -> bool:
    """Return whether the cost of a job grows while nothing else changes."""
    return row.cost is not None and row.started is not None and row.ended is None and not row.cost.is_rehearsal


def _currencies(rows: Iterable[JobRow]) -> list[str]:
    return sorted({row.cost.currency for row in rows if row.cost is not None and not row.cost.is_rehearsal})


def _cost_column(currency: str, now: float) -> TableColumn:
    def read(row: JobRow) -> float | None:
        return None if row.cost is None or row.cost.currency != currency else cost_until(row, now)

    return TableColumn(
        key=f"cost:{currency}", title=f"cost ({currency})", part="job", kind="number", read=read, is_shown=True
    )


_Shapes: TypeAlias = Mapping[int, tuple[SharedNames, list[JobRow]]]


def _by_names(rows: Iterable[JobRow], names_of: Callable[[JobRow], SharedNames]) -> _Shapes:
    """Group rows by the identity of their names: thousands of jobs share them."""
    found: dict[int, tuple[SharedNames, list[JobRow]]] = {}
    for row in rows:
        names = names_of(row)
        if id(names) in found:
            found[id(names)][1].append(row)
        else:
            found[id(names)] = names, [row]
    return found


def _in_order(shapes: Iterable[tuple[SharedNames, list[JobRow]]]) -> Iterable[str]:
    return dict.fromkeys(name for names, _ in shapes for name in names.names)


def _value_columns(shapes: _Shapes) -> Iterator[TableColumn]:
    kinds: dict[str, set[type]] = {}
    for names, rows in shapes.values():
        for name, cells in zip(names.names, zip(*(row.facts.values for row in rows), strict=True), strict=True):
            kinds.setdefault(name, set()).update(map(type, cells))
    taken = {column.title for column in JOB_COLUMNS}
    for place, (name, types) in enumerate(kinds.items()):
        yield TableColumn(
            key=f"value:{name}",
            title=f"value({name})" if name in taken else name,
            part="value",
            kind="bool" if types == {bool} else "number" if types <= {int, float} else "text",
            read=_reader_of_value(name),
            is_shown=place < MOST_SHOWN,
        )


def _metric_column(name: str, stat: str, taken: set[str], is_shown: bool) -> TableColumn:
    is_plain = stat == "last" and name not in taken
    return TableColumn(
        key=f"{stat}:{name}",
        title=name if is_plain else f"{stat}({name})",
        part="metric",
        kind="number",
        read=_reader_of_metric(name, STATS.index(stat)),
        is_shown=is_shown and stat == "last",
    )


# Both do what `RowFacts.value` and `RowFacts.metric` do, without a call more for each of thousands of cells.


def _reader_of_value(name: str) -> Callable[[JobRow], Cell]:
    def read(row: JobRow) -> Cell:
        facts = row.facts
        place = facts.given.at.get(name)
        return None if place is None else facts.values[place]

    return read


def _reader_of_metric(name: str, stat: int) -> Callable[[JobRow], Cell]:
    width = len(STATS)

    def read(row: JobRow) -> Cell:
        facts = row.facts
        place = facts.metrics.at.get(name)
        return None if place is None else facts.numbers[place * width + stat]

    return read
