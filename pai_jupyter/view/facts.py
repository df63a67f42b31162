"""The facts about a job that drawings show, as clean text; text, HTML and JSON only lay them out.

Rule 1: text of a job reaches a drawing only through here, cleaned and clipped.
Rule 2: nothing is guessed: without a total there is no bar, without a start no elapsed time.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from pai_jupyter.contract import is_secret, secret_values
from pai_jupyter.contract.masking import MASK, masked
from pai_jupyter.events import JobState, ReplicaChanged, Status
from pai_jupyter.jobs.where import where_of
from pai_jupyter.spec import Scalar
from pai_jupyter.view.clean import clean
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.usage import usage_text
from pai_jupyter.view.words import (
    clock,
    duration,
    in_language,
    replica_end,
    say,
    started_again,
    state_word,
    uncommitted_changes,
    waiting_text,
    where_title,
)

MAX_LINE = 300  # characters of a log line, a cause or a note
MAX_NAME = 100  # characters
MAX_ROWS = 50  # metrics, values
MAX_NOTES = 10
MAX_TAIL = 40  # log lines in a saved notebook
MAX_VALUE = 60  # characters
UNFINISHED = 0.96  # largest fraction of the bar for a job that failed or was stopped


@dataclass(frozen=True, kw_only=True)
class MetricRow:
    """One metric as text."""

    name: str
    last: str
    minimum: str
    maximum: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts of one job as text; empty = not known or not applicable."""

    state: str
    name: str
    place: str
    reason: str  # why this backend was chosen
    elapsed: str
    cost: str
    phases: tuple[str, ...]
    replicas: tuple[str, ...]  # of a job with several: how each stands, the cause of a failure first
    fraction: float | None
    progress: str
    cause: str
    hint: str
    notes: tuple[str, ...]
    remark: str  # the user's note on the job
    values: tuple[tuple[str, str], ...]
    code: str  # its commit, and whether there were uncommitted changes
    metrics: tuple[MetricRow, ...]
    usage: str  # of a job that has ended: what it has used
    tail: tuple[str, ...]  # may have terminal colours
    lines: int
    at: str


def facts(data: ViewData, *, rows: int = MAX_ROWS, value_length: int = MAX_VALUE) -> Facts:
    """Build the facts from `data`: at most `rows` values and as many metrics, values of at most `value_length` characters."""
    state, where, secrets = data.state, where_of(data.place), secret_values(data.values)

    def line(text: str) -> str:
        return in_language(printed(text), data.language)

    def printed(text: str, *, has_colors: bool = False) -> str:
        text = masked(text[: 4 * MAX_LINE], secrets)[0] if secrets else text
        return clean(text, home=data.home, limit=MAX_LINE, has_colors=has_colors)

    return Facts(
        state=state_word(state.status, data.language),
        name=clean(data.name, home=data.home, limit=MAX_NAME),
        place=line(f"{where_title(where, data.language)} · {data.machines_text}"),
        reason=line(where.reason),
        elapsed=_elapsed(data),
        cost=_cost(data),
        phases=tuple(
            f"{say(name, data.language)} {duration(int(spent))}" for name, spent in state.phase_times(data.now).items()
        ),
        replicas=tuple(_replica(data, last) for last in state.standing_replicas[:MAX_ROWS])
        if data.instance_count > 1
        else (),
        fraction=_share(state),
        progress=_progress(data),
        cause=line(data.cause or (state.reason if _is_bad(state.status) else "")),
        hint=line(data.hint),
        notes=tuple(line(note) for note in [*data.notes[:MAX_NOTES], *_notices(data)]),
        remark=printed(data.remark),
        values=tuple(
            (clean(name, home=data.home, limit=MAX_NAME), _value(data, name, value_length))
            for name in islice(data.values, rows)
        ),
        code=_code(data),
        metrics=tuple(
            MetricRow(
                name=clean(name, home=data.home, limit=MAX_NAME),
                last=f"{metric.value:.6g}",
                minimum=f"{metric.minimum:.6g}",
                maximum=f"{metric.maximum:.6g}",
            )
            for name, metric in islice(state.metrics.items(), rows)
        ),
        usage=usage_text(state, data.language) if state.status.is_terminal else "",
        tail=tuple(printed(text, has_colors=True) for text in data.tail[-MAX_TAIL:]),
        lines=max(data.lines, len(data.tail)),
        at=iso(data.now),
    )


def _code(data: ViewData) -> str:
    changes = [uncommitted_changes(data.language)] if data.is_dirty else []
    return ", ".join([clean(data.commit, home=data.home, limit=MAX_NAME), *changes]) if data.commit else ""


def _cost(data: ViewData) -> str:
    if data.cost is None:
        return ""
    from pai_jupyter.view.costs import cost_text  # late, with `decimal`: few jobs have a price

    return cost_text(data.cost, data.language)


def _replica(data: ViewData, last: ReplicaChanged) -> str:
    """Format one replica, e.g. `worker-1 ✗ Failed (exit code 3, started again 2 times)`."""
    is_spare = data.state.status is Status.SUCCEEDED and last.status is Status.STOPPED
    end = replica_end(last.exit_code, data.language, is_spare=is_spare)
    details = [*([end] if end else []), *([started_again(last.attempt, data.language)] if last.attempt else [])]
    name = clean(last.replica, home=data.home, limit=MAX_NAME)
    return f"{name} {state_word(last.status, data.language)}" + (f" ({', '.join(details)})" if details else "")


def iso(seconds: float) -> str:
    """Format a Unix time in seconds as UTC, e.g. `2026-11-21T04:00:00Z`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def value_text(name: str, value: Scalar) -> str:
    """Return a hyperparameter's value as text; a secret is masked."""
    return MASK if is_secret(name, value) else str(value)


def _value(data: ViewData, name: str, limit: int) -> str:
    return clean(value_text(name, data.values[name]), home=data.home, limit=limit)


def _is_bad(status: Status) -> bool:
    return status in (Status.FAILED, Status.STOPPED, Status.UNKNOWN)


def _notices(data: ViewData) -> list[str]:
    """Return the backend's messages: why the job waits, and the last three notices."""
    waits = data.state.reason and data.state.status in (Status.SUBMITTING, Status.QUEUED, Status.RUNNING)
    waiting = [waiting_text(data.state.reason, data.language)] if waits else []
    return waiting + [notice.text for notice in data.state.notices[-3:]]


def _elapsed(data: ViewData) -> str:
    elapsed = data.state.elapsed(data.now)
    if elapsed is None:
        return ""
    if not data.max_run_time:
        return clock(elapsed)
    return f"{clock(elapsed)} / {say('max {time}', data.language).format(time=clock(data.max_run_time))}"


def _share(state: JobState) -> float | None:
    """Return the fraction for the progress bar, never full for a failed or stopped job; None = unknown."""
    return state.fraction if state.fraction is None or not _is_cut_short(state) else min(UNFINISHED, state.fraction)


def _is_cut_short(state: JobState) -> bool:
    return state.status in (Status.FAILED, Status.STOPPED)


def _progress(data: ViewData) -> str:
    """Format the progress, e.g. "62% · ETA 1m30s (epoch 31/50)"; without "100%" for a job that failed or was stopped."""
    progress, fraction = data.state.progress, data.state.fraction
    if progress is None or fraction is None or progress.total is None:
        return ""
    eta = data.state.eta(data.now)
    unit = f"{say(progress.unit, data.language)} " if progress.unit in ("step", "epoch") else ""
    to_go = "" if eta is None else f" · {say('ETA', data.language)} {duration(eta)}"
    count = f"{unit}{progress.done:.10g}/{progress.total:.10g}"
    if data.state.status is Status.SUCCEEDED and progress.done < progress.total:
        return "100%"  # the last line that told the progress came before the end
    return count if fraction == 1 and _is_cut_short(data.state) else f"{int(100 * fraction)}%{to_go} ({count})"
