"""The columns by which `%pai_jobs`, `GET jobs` and the panel show, search and sort jobs. Pure.

To add a column: its field in `JobRow`, the source of that field (`row_of`, `with_state`), both in row; its entry in `COLUMNS`, here;
its field in `JobRowJson` (wire/schema/listing.py); how the panel draws it (labextension/src/panel/row.ts).

Rule 1: texts in the user's language come from `CellWords`; a search covers both languages.
Rule 2: rows without the sort key come last in both directions; ties: the newest first.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from pai_jupyter.events import Status
from pai_jupyter.jobs.job_index.names import BACKENDS_IN_CHINESE, STATES_IN_CHINESE
from pai_jupyter.jobs.job_index.row import JobRow
from pai_jupyter.jobs.where import where_of

_NUMBER = re.compile(r"[0-9]+")
_URGENCY = {
    status: place
    for place, status in enumerate(
        (
            Status.RUNNING,
            Status.QUEUED,
            Status.SUBMITTING,
            Status.PACKAGING,
            Status.CREATED,
            Status.UNKNOWN,
            Status.FAILED,
            Status.STOPPED,
            Status.SUCCEEDED,
        )
    )
}


def no_words(row: JobRow) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, kw_only=True)
class CellWords:
    """The texts of a table that depend on the reader's language and the time."""

    state: Callable[[JobRow], str]
    backend: Callable[[JobRow], str]
    name: Callable[[JobRow], str]
    time: Callable[[JobRow], str]  # how long it has run, or how long ago it ended
    cost: Callable[[JobRow], str]  # what it has cost so far; "" if that is not known
    first: Callable[[JobRow], Sequence[str]]  # names of the values that differ among jobs of its name


@dataclass(frozen=True, kw_only=True)
class JobColumn:
    """One column.

    `title`: its heading in `%pai_jobs`, "" = not shown there. `key`: its sort key; None = not sortable.
    `words`: its searched texts; `fields`: the prefixes (before a colon) that search only this column.
    `asked`: the texts that such a prefix searches, if not those; `is_exact`: they must be equal to what is searched.
    `is_shared`: thousands of jobs have the same words there.
    `is_rare`: `%pai_jobs` shows it only where a listed job has something in it.
    `varies`: it differs between runs of a notebook, so saved outputs leave it out.
    """

    name: str
    title: str = ""
    text: Callable[[JobRow, CellWords], str] = lambda row, words: ""
    key: Callable[[JobRow], Any] | None = None  # Any: depends on the column
    words: Callable[[JobRow], tuple[str, ...]] = no_words
    fields: tuple[str, ...] = ()
    asked: Callable[[JobRow], Iterable[str]] | None = None
    is_exact: bool = False
    is_shared: bool = False
    is_rare: bool = False
    is_latest_first: bool = False
    varies: bool = False


YES, NO = ("yes", "是"), ("no", "否")  # what is asked for in a column that a job has or has not
STAR = "★"


def natural(text: str) -> str:
    """Return a sort key that orders iris-2 before iris-10 and ignores case."""
    return _NUMBER.sub(_sortable, text.casefold())


def _sortable(number: re.Match[str]) -> str:
    """Return a text that sorts as the number does: before letters, and by the count of its digits first."""
    digits = number[0].lstrip("0")
    return f"\0{chr(len(digits))}{digits}"


@cache
def state_words(status: Status) -> tuple[str, ...]:
    """Return the words by which this state is found, in both languages."""
    english = status.capitalize()
    return (english, STATES_IN_CHINESE[english], *(() if status.is_terminal else ("active",)))


@lru_cache(maxsize=1_000)  # thousands of jobs have the same
def _place_words(place: str) -> tuple[str, str, str]:
    title = where_of(place).backend
    return place, title, BACKENDS_IN_CHINESE.get(title, "")


def _backend_words(row: JobRow) -> tuple[str, ...]:
    return (row.backend, *_place_words(row.place), row.roles)


def _values(row: JobRow, words: CellWords) -> str:
    """Return all values, first those that differ among jobs of the same name."""
    first = words.first(row)
    named = {text.partition("=")[0]: text for text in row.values}
    return " ".join(
        [*(named[name] for name in first if name in named), *(named[name] for name in named if name not in first)]
    )


def _metric(row: JobRow, words: CellWords) -> str:
    return f"{row.metric[0]}={row.metric[1]:.4g}" if row.metric else ""


COLUMNS: Sequence[JobColumn] = (
    JobColumn(
        name="status",
        title="state",
        text=lambda row, words: words.state(row),
        key=lambda row: _URGENCY[row.status],
        words=lambda row: state_words(row.status),
        is_shared=True,
        fields=("state", "status"),
    ),
    JobColumn(
        name="star",
        title=STAR,
        text=lambda row, words: STAR if row.is_starred else "",
        words=lambda row: ("starred", "已加星标") if row.is_starred else (),
        fields=("star",),
        asked=lambda row: YES if row.is_starred else NO,
        is_exact=True,
        is_rare=True,
    ),
    JobColumn(
        name="name",
        title="name",
        text=lambda row, words: words.name(row),
        key=lambda row: natural(row.name),
        words=lambda row: (row.name, row.recorded_name),
        fields=("name",),
    ),
    JobColumn(
        name="backend",
        title="run on",
        text=lambda row, words: " · ".join(filter(None, (words.backend(row), row.roles))),
        key=lambda row: row.backend,
        words=_backend_words,
        is_shared=True,
        fields=("backend",),
    ),
    JobColumn(
        name="notebook",
        title="notebook",
        text=lambda row, words: (row.notebook or "").rpartition("/")[2],
        key=lambda row: row.notebook and row.notebook.casefold(),
        words=lambda row: (row.notebook or "",),
        fields=("notebook",),
        varies=True,  # the notebook's name is not always known
    ),
    JobColumn(
        name="tags",
        title="tags",
        text=lambda row, words: " ".join(row.tags),
        words=lambda row: row.tags,
        fields=("tag",),
        is_exact=True,
        is_rare=True,
    ),
    JobColumn(name="note", words=lambda row: (row.note,), fields=("note",)),
    JobColumn(name="values", title="values", text=_values, words=lambda row: row.values),
    JobColumn(
        name="metric",
        title="metric",
        text=_metric,
        words=lambda row: (row.metric[0],) if row.metric else (),
        fields=("metric",),
    ),
    JobColumn(name="time", title="time", text=lambda row, words: words.time(row), varies=True),
    JobColumn(name="cost", title="cost", text=lambda row, words: words.cost(row), varies=True, is_rare=True),
    JobColumn(
        name="id",
        title="id",
        text=lambda row, words: row.id,
        words=lambda row: (row.id,),
        fields=("id",),
        varies=True,
    ),
    JobColumn(name="run", words=lambda row: (row.run, row.step), fields=("run",), varies=True),
    JobColumn(name="progress", key=lambda row: row.progress),
    JobColumn(name="created", key=lambda row: row.created, is_latest_first=True),
    JobColumn(name="started", key=lambda row: row.started, is_latest_first=True),
    # a running job sorts as ending after all ended ones
    JobColumn(name="ended", key=lambda row: float("inf") if row.ended is None else row.ended, is_latest_first=True),
)
SHOWN: Sequence[JobColumn] = tuple(column for column in COLUMNS if column.title)
SORTED: Mapping[str, JobColumn] = {column.name: column for column in COLUMNS if column.key}
SEARCHED: Mapping[str, JobColumn] = {field: column for column in COLUMNS for field in column.fields}


def sorted_rows(rows: Iterable[JobRow], sort: str = "created", *, is_descending: bool | None = None) -> list[JobRow]:
    """Sort rows by a column of `SORTED`; without `is_descending` times start with the latest, others ascend."""
    column = SORTED[sort]
    newest = sorted(rows, key=lambda row: (row.created, row.id), reverse=True)
    is_descending = column.is_latest_first if is_descending is None else is_descending
    if sort == "created" and is_descending:
        return newest
    assert column.key is not None, "as `SORTED` has it"
    keys = {row.id: column.key(row) for row in newest}
    known = [row for row in newest if keys[row.id] is not None]
    known.sort(key=lambda row: keys[row.id], reverse=is_descending)  # ties keep their order in both directions
    return [*known, *(row for row in newest if keys[row.id] is None)]
