"""One job in a list, and the columns by which `%pai_jobs`, `GET jobs` and the panel show, search and sort jobs. Pure.

To add a column: its field in `JobRow`, the source of that field (`row_of`, `with_state`) and its entry in `COLUMNS`, all here;
its field in `JobRowJson` (wire/schema/listing.py); how the panel draws it (labextension/src/panel/row.ts).

Rule 1: a row is small and has the declared types even if its files are damaged or edited: one wrong type would break sorting
    the whole list.
Rule 2: of several metrics a row has the one that the user chose, else the headline metric (`events.headline`).
Rule 3: values are texts (`lr=0.3`), which are compared, searched and shown.
Rule 4: texts in the user's language come from `CellWords`; a search covers both languages.
Rule 5: rows without the sort key come last in both directions; ties: the newest first.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends import RemoteJob
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Status, Waiting, headline_metric
from pai_jupyter.jobs.job_index.names import BACKENDS_IN_CHINESE, STATES_IN_CHINESE
from pai_jupyter.jobs.lasting import lasting_text
from pai_jupyter.jobs.where import where_of
from pai_jupyter.spec import Scalar
from pai_jupyter.store import MASKED, JobRecord, Trouble

MAX_TEXT = 300  # characters
MAX_VALUES = 24  # hyperparameters of a row
MAX_NAME, MAX_VALUE = 40, 60  # characters of one of them
_NUMBER = re.compile(r"([0-9]+)")
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


@dataclass(frozen=True, kw_only=True, slots=True)
class JobRow:
    """One job in a list. Times are seconds since the epoch; `progress` (0..1) is for running jobs.

    `is_here`: it has a folder on this machine. `metric`: name and last value. `in_line`: its place in this machine's queue (1
    is next). `stem`: the base of a generated name. `roles`: of a job with roles, "1 chief, 2 worker". `failed_replica`: of a
    failed job with several, the one that is its cause. `run`, `step`: of a try in a run, the run's id and the step's path.
    """

    id: str
    name: str
    backend: str
    place: str
    stem: str = ""
    notebook: str | None = None
    values: tuple[str, ...] = ()
    created: float = 0.0
    status: Status = Status.CREATED
    started: float | None = None
    ended: float | None = None
    progress: float | None = None
    metric: tuple[str, float] | None = None
    is_here: bool = True
    url: str = ""
    trouble: str = ""  # why it cannot be reached or recorded now, or what keeps it running
    in_line: int | None = None
    roles: str = ""
    failed_replica: str = ""
    run: str = ""
    step: str = ""


def row_of(job_id: str, record: JobRecord) -> JobRow:
    """Build the initial row of a job recorded here; `job_id` is the name of its folder."""
    return JobRow(
        id=job_id,
        name=_text(record.spec.name),
        stem=_text(record.stem),
        backend=_text(record.backend),
        place=_text(record.place or record.backend),
        notebook=_text(record.notebook) if record.notebook else None,
        values=values_of(record.spec.hyperparameters),
        created=_time(record.created) or 0.0,
        roles=_text(contract.roles_text(record.spec)),
        run=_text(record.run),
        step=_text(record.step),
    )


def values_of(values: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Format hyperparameters as texts, `lr=0.3`; mask secrets, shorten long ones."""
    return tuple(
        f"{_cut(name, MAX_NAME)}={_cut(_value(name, value), MAX_VALUE)}"
        for name, value in islice(values.items(), MAX_VALUES)
    )


def _value(name: str, value: Scalar) -> str:
    try:
        text = MASKED if contract.is_secret(name) else contract.text_of(value) or ""
    except SpecError:
        text = str(value)
    return " ".join(text.split())


def damaged_row(job_id: str, why: str, created: float, known: JobRow | None = None) -> JobRow:
    """Build the row of a damaged job; `why`, a sentence with file and field, is its trouble.

    `known` is its row if only its state is unreadable; without it even the backend is unknown, and `why` is shown instead.
    """
    if known is not None:
        return replace(known, status=Status.UNKNOWN, trouble=_text(why))
    return JobRow(id=job_id, name=job_id, backend="", place=_text(why), created=created, status=Status.UNKNOWN)


def with_state(
    row: JobRow, state: JobState, trouble: Trouble | None = None, *, wanted_metric: str | None = None
) -> JobRow:
    """Return the row updated to `state` and `trouble`; `wanted_metric` is the metric the user chose."""
    if trouble is not None:
        state = trouble.shown_on(state)
    why = state.reason if state.status is Status.SUBMITTING else trouble.reason if trouble else lasting_text(state)
    is_running = state.status is Status.RUNNING
    waiting = Waiting.read(state.reason) if state.status is Status.QUEUED else None
    return replace(
        row,
        status=state.status,
        started=_time(state.entered.get(Status.RUNNING)),
        ended=_time(state.ended),
        progress=state.fraction if is_running else None,
        metric=metric_of(state, wanted_metric),
        url=_text(state.links.get("console", "")),
        trouble="" if state.status.is_terminal else _text(why),
        in_line=waiting.place if waiting else None,
        failed_replica=_failed_replica(state),
    )


def _failed_replica(state: JobState) -> str:
    has_several = state.status is Status.FAILED and len(state.replicas) > 1
    return _text(state.failed_replica) if has_several else ""


def metric_of(state: JobState, wanted: str | None = None) -> tuple[str, float] | None:
    """Return name and value of the metric shown for the job in lists (rule 2); None if there is none."""
    name = headline_metric(state.metrics, wanted)
    return None if name is None else (_text(name), state.metrics[name].value)


def row_of_remote(job: RemoteJob, backend: str) -> JobRow:
    """Build the row of a job without a folder here from its service's listing."""
    return JobRow(
        id=job.ref.job_id,
        name=_text(job.name),
        backend=backend,
        place=_text(job.place),
        created=job.created,
        status=job.report.status,
        started=job.report.started,
        ended=job.report.ended,
        is_here=False,
        url=_text(job.url),
    )


def _text(value: object) -> str:
    return _cut(value if isinstance(value, str) else str(value), MAX_TEXT)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _time(value: object) -> float | None:
    is_time = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_time else None  # type: ignore[arg-type]  # a number, as checked above


@dataclass(frozen=True, kw_only=True)
class CellWords:
    """The texts of a table that depend on the reader's language and the time."""

    state: Callable[[JobRow], str]
    backend: Callable[[JobRow], str]
    name: Callable[[JobRow], str]
    time: Callable[[JobRow], str]  # how long it has run, or how long ago it ended
    first: Callable[[JobRow], Sequence[str]]  # names of the values that differ among jobs of its name


@dataclass(frozen=True, kw_only=True)
class JobColumn:
    """One column.

    `title`: its heading in `%pai_jobs`, "" = not shown there. `key`: its sort key; None = not sortable.
    `words`: its searched texts; `fields`: the prefixes (before a colon) that search only this column.
    `varies`: it differs between runs of a notebook, so saved outputs leave it out.
    """

    name: str
    title: str = ""
    text: Callable[[JobRow, CellWords], str] = lambda row, words: ""
    key: Callable[[JobRow], Any] | None = None  # Any: depends on the column
    words: Callable[[JobRow], Iterable[str]] = lambda row: ()
    fields: tuple[str, ...] = ()
    is_latest_first: bool = False
    varies: bool = False


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that orders iris-2 before iris-10 and ignores case."""
    parts = _NUMBER.split(text.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def state_words(status: Status) -> tuple[str, ...]:
    """Return the words by which this state is found, in both languages."""
    english = status.capitalize()
    return (english, STATES_IN_CHINESE[english], *(() if status.is_terminal else ("active",)))


def _backend_words(row: JobRow) -> tuple[str, ...]:
    title = where_of(row.place).backend
    return (row.backend, row.place, title, BACKENDS_IN_CHINESE.get(title, ""), row.roles)


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
        fields=("state", "status"),
    ),
    JobColumn(
        name="name",
        title="name",
        text=lambda row, words: words.name(row),
        key=lambda row: _natural(row.name),
        words=lambda row: (row.name,),
        fields=("name",),
    ),
    JobColumn(
        name="backend",
        title="run on",
        text=lambda row, words: " · ".join(filter(None, (words.backend(row), row.roles))),
        key=lambda row: row.backend,
        words=_backend_words,
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
    JobColumn(name="values", title="values", text=_values, words=lambda row: row.values),
    JobColumn(
        name="metric",
        title="metric",
        text=_metric,
        words=lambda row: row.metric[:1] if row.metric else (),
        fields=("metric",),
    ),
    JobColumn(name="time", title="time", text=lambda row, words: words.time(row), varies=True),
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
