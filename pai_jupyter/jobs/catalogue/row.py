"""What a list shows of one job. Pure.

Rule 1: a row is small and of the types that it says, whatever lies in the files that it was read from: a record that was
    damaged, or written by hand, may have anything in any place, and one such row would keep a whole list from being sorted.
Rule 2: of several metrics, the row has the one that came up last. So it stays the same one while the job goes on, where
    the one that was printed last would change between `loss` and `val_loss` all the time.
"""

import math
from dataclasses import dataclass, replace

from pai_jupyter.backends import RemoteJob
from pai_jupyter.events import JobState, Status, Waiting
from pai_jupyter.store import JobRecord, Trouble

MAX_TEXT = 300  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class JobRow:
    """One job in a list. Times are seconds since the epoch; `progress`, 0..1, is of one that runs.

    `is_here`: there is a folder of it on this machine. `metric` is its name and its last value. `in_line`: its place in the
    queue of this machine, 1 is next.
    """

    id: str
    name: str
    backend: str
    place: str
    notebook: str | None = None
    created: float = 0.0
    status: Status = Status.CREATED
    started: float | None = None
    ended: float | None = None
    progress: float | None = None
    metric: tuple[str, float] | None = None
    is_here: bool = True
    url: str = ""
    trouble: str = ""  # why it cannot be reached or recorded now
    in_line: int | None = None


def row_of(job_id: str, record: JobRecord) -> JobRow:
    """The row of a job that was recorded here, before anything has happened; `job_id` is what its folder is called."""
    return JobRow(
        id=job_id,
        name=_text(record.spec.name),
        backend=_text(record.backend),
        place=_text(record.place or record.backend),
        notebook=_text(record.notebook) if record.notebook else None,
        created=_time(record.created) or 0.0,
    )


def damaged_row(job_id: str, why: str, created: float, known: JobRow | None = None) -> JobRow:
    """The row of a job whose record is damaged: `why`, a sentence with file and field, stands where its place would be.

    `known` is its row where only its state cannot be read; without, nothing is known, not even its backend.
    """
    row = known or JobRow(id=job_id, name=job_id, backend="", place="", created=created)
    return replace(row, place=_text(why), status=Status.UNKNOWN)


def with_state(row: JobRow, state: JobState, trouble: Trouble | None = None) -> JobRow:
    """The same job as it stands now; `trouble` is what it is in, if any."""
    if trouble is not None:
        state = trouble.shown_on(state)
    why = state.reason if state.status is Status.SUBMITTING else trouble.reason if trouble else ""
    is_running = state.status is Status.RUNNING
    waiting = Waiting.read(state.reason) if state.status is Status.QUEUED else None
    return replace(
        row,
        status=state.status,
        started=_time(state.entered.get(Status.RUNNING)),
        ended=_time(state.ended),
        progress=state.fraction if is_running else None,
        metric=metric_of(state),
        url=_text(state.links.get("console", "")),
        trouble="" if state.status.is_terminal else _text(why),
        in_line=waiting.place if waiting else None,
    )


def metric_of(state: JobState) -> tuple[str, float] | None:
    """The metric that stands for the job in a list (rule 2)."""
    name = [*state.metrics][-1] if state.metrics else None
    return None if name is None else (_text(name), state.metrics[name].value)


def row_of_remote(job: RemoteJob, backend: str) -> JobRow:
    """The row of a job that has no folder here, as its service tells of it."""
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
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _time(value: object) -> float | None:
    is_time = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_time else None  # type: ignore[arg-type]  # a number, as the line above has found
