"""One job in a list. Pure. How lists show, search and sort it: columns.

Rule 1: a row is small and has the declared types even if its files are damaged or edited: one wrong type would break sorting
    the whole list.
Rule 2: of several metrics a row has the one that the user chose, else the headline metric (`events.headline`).
Rule 3: `name` is the name to show: the one that the user gave the job, else the recorded one.
Rule 4: `values` are texts (`lr=0.3`), which are compared, searched and shown; `facts` has them typed, and all metrics. Rows that
    differ in their facts alone are equal: few readers need these (`is_same_row` compares all).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from pai_jupyter import contract
from pai_jupyter.backends import RemoteJob
from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Status, Waiting, headline_metric
from pai_jupyter.jobs.job_index.facts import NO_FACTS, RowFacts, facts_of, with_metrics
from pai_jupyter.jobs.lasting import lasting_text
from pai_jupyter.spec import Scalar
from pai_jupyter.store import MASKED, Annotations, JobRecord, Trouble

if TYPE_CHECKING:
    from pai_jupyter.cost import JobPrice

MAX_TEXT = 300  # characters
MAX_VALUES = 24  # hyperparameters of a row
MAX_NAME, MAX_VALUE = 40, 60  # characters of one of them


@dataclass(frozen=True, kw_only=True, slots=True)
class RowAlert:
    """An alert of a job: its kind, what it says, and when it was given."""

    kind: str
    text: str
    time: float


@dataclass(frozen=True, kw_only=True, slots=True)
class JobRow:
    """One job in a list. Times are seconds since the epoch; `progress` (0..1) is for running jobs.

    `is_here`: it has a folder on this machine. `metric`: name and last value. `in_line`: its place in this machine's queue (1
    is next). `stem`: the base of a generated name. `roles`: of a job with roles, "1 chief, 2 worker". `failed_replica`: of a
    failed job with several, the one that is its cause. `run`, `step`: of a try in a run, the run's id and the step's path. `alert`:
    the last thing that its user must hear of, besides its end (`events.alerts`). `cost`: its price, None if that is not known.
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
    alert: RowAlert | None = None
    cost: "JobPrice | None" = None
    recorded_name: str = ""  # the name in the record, if the user gave another; "": not renamed
    is_starred: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""  # whole, since it is searched
    facts: RowFacts = field(default=NO_FACTS, compare=False, repr=False)
    searched: str = field(
        default="", init=False, compare=False, repr=False
    )  # a note of the search; "": not searched yet

    @property
    def given_name(self) -> str:
        """The name that the user gave the job later; "" if none."""
        return self.name if self.recorded_name else ""


def duration_of(row: JobRow) -> float | None:
    """Return for how many seconds a job that has ended ran."""
    return None if row.started is None or row.ended is None else max(0.0, row.ended - row.started)


def cost_until(row: JobRow, now: float) -> float | None:
    """Return what a job has cost so far; None where nobody is charged, or the price is not known."""
    price = row.cost
    if price is None or price.is_rehearsal or row.started is None:
        return None
    return float(price.amount((now if row.ended is None else row.ended) - row.started))


def is_same_row(one: JobRow | None, other: JobRow) -> bool:
    """Return whether both rows say the same, their facts included."""
    return one == other and one is not None and one.facts.is_same(other.facts)


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
        facts=facts_of(record.spec.hyperparameters),
        cost=record.price,
    )


def with_annotations(row: JobRow, annotations: Annotations) -> JobRow:
    """Return the row with what the user says about the job now."""
    recorded = row.recorded_name or row.name
    is_renamed = annotations.name not in ("", recorded)
    return replace(
        row,
        name=annotations.name if is_renamed else recorded,
        recorded_name=recorded if is_renamed else "",
        is_starred=annotations.is_starred,
        tags=annotations.tags,
        note=annotations.note,
    )


def values_of(values: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Format hyperparameters as texts, `lr=0.3`; mask secrets, shorten long ones."""
    return tuple(
        f"{_cut(name, MAX_NAME)}={_cut(_value(name, value), MAX_VALUE)}"
        for name, value in islice(values.items(), MAX_VALUES)
    )


def _value(name: str, value: Scalar) -> str:
    try:
        text = MASKED if contract.is_secret(name, value) else contract.text_of(value) or ""
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
        url=_text(state.url or ""),
        trouble="" if state.status.is_terminal else _text(why),
        in_line=waiting.place if waiting else None,
        failed_replica=_failed_replica(state),
        facts=with_metrics(row.facts, state),
        alert=_alert_of(state),
    )


def _alert_of(state: JobState) -> RowAlert | None:
    last = next((notice for notice in reversed(state.notices) if notice.alert), None)
    return None if last is None else RowAlert(kind=_text(last.alert), text=_text(last.text), time=last.time)


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
