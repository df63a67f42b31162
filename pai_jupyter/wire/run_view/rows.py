"""The head and the steps of a run for the wire: `RunHead` and `RunStep` of `schema.run`. No I/O.

Rule: every text is clipped, and secrets are masked, so that a step has a few hundred bytes whatever its job wrote.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pai_jupyter.events import strip_ansi
from pai_jupyter.runs.labels import (
    clipped,
    condition_label,
    count_jobs,
    count_statuses,
    named_label,
    told_inputs,
)
from pai_jupyter.runs.picture import MOST_DRAWN, sources_of
from pai_jupyter.runs.rows import RunRow
from pai_jupyter.runs.sources import RunSummary, StateWatcher
from pai_jupyter.runs.state import ConditionState, RunState, StepState, StepStatus, TryState
from pai_jupyter.spec import Json

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import RunCondition, RunHead, RunRowJson, RunStep, RunTry

MAX_TEXT = 1_000  # characters of a reason, a note or a condition
MAX_VALUE = 200  # characters of a value, a title or a name
MAX_PLACE = 500  # characters of the place of an artifact
MAX_VALUES = 20  # of a step; of more, the first, and how many are left out
MAX_ALL = 1_000  # characters of the values of a step; twice as many of its places
MAX_NOTES = 20
MAX_TRIES = 5
MAX_DEPENDS = 200
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # each takes six bytes in JSON, and no view shows it


@dataclass(frozen=True, kw_only=True)
class RunOrigin:
    """Where a run is. `trouble`: why it cannot be read now."""

    is_here: bool = True
    url: str = ""
    trouble: str = ""


def trouble_of(watcher: StateWatcher) -> str:
    """Return why a run does not go on as it should; "" if it does, or if its watcher does not know."""
    return str(getattr(watcher, "trouble", ""))


def run_head(state: RunState, origin: RunOrigin) -> "RunHead":
    """Return the run without its steps."""
    return {
        "id": state.id,
        "name": _line(state.name, MAX_VALUE),
        "status": state.status.value,
        "is_stopping": state.is_stopping,
        "reason": _line(state.reason or "", MAX_TEXT),
        "created": state.created,
        "ended": state.ended,
        "counts": count_words(count_jobs(state.steps)),
        "is_here": origin.is_here,
        "url": origin.url,
        "trouble": _line(origin.trouble, MAX_TEXT),
        "inputs": _inputs(state.inputs),
        "notes": [_line(note, MAX_TEXT) for note in state.notes[:MAX_NOTES]],
        "parameters": _values(state.parameters, most=MAX_VALUES * MAX_VALUE),
        "artifacts": _values(state.artifacts, MAX_PLACE, most=MAX_VALUES * MAX_PLACE),
    }


def local_row(row: RunRow) -> "RunRowJson":
    """Return a run of this machine in a list."""
    return _row(row, RunOrigin())


def remote_row(summary: RunSummary) -> "RunRowJson":
    """Return a run of a service in a list."""
    origin = RunOrigin(is_here=summary.is_here, url=summary.url, trouble=summary.trouble)
    return {**_row(summary, origin), "is_stopping": summary.is_stopping}


def _row(row: RunRow | RunSummary, origin: RunOrigin) -> "RunRowJson":
    return {
        "id": row.id,
        "name": _line(row.name, MAX_VALUE),
        "status": str(row.status),
        "is_stopping": False,  # a list does not read so much
        "reason": _line(row.reason, MAX_TEXT),
        "created": row.created,
        "ended": row.ended,
        "counts": {str(status): count for status, count in row.counts.items()},
        "inputs": _values(row.inputs),
        "is_here": origin.is_here,
        "url": origin.url,
        "trouble": _line(origin.trouble, MAX_TEXT),
    }


def count_words(counts: Mapping[StepStatus, int]) -> dict[str, int]:
    return {status.value: count for status, count in counts.items()}


def step_row(step: StepState, parent: str) -> "RunStep":
    """Return a step of the level `parent`; what it has nothing to say about is left out."""
    row: RunStep = {
        "path": step.path,
        "parent": parent,
        "name": _line(step.name, MAX_VALUE),
        "kind": step.kind,
        "title": _line(step.title, MAX_VALUE),
        "status": step.status.value,
    }
    if step.reason:
        row["reason"] = _line(step.reason, MAX_TEXT)
    if step.depends:
        row["depends"] = list(sources_of(step)[:MAX_DEPENDS])
    if step.condition is not None:
        row["condition"] = _condition(step.condition)
    if step.item is not None:
        row["item"] = _line(named_label("item", step.item, MAX_VALUE), MAX_VALUE)
    if step.taken_from is not None:
        row["taken_from"] = step.taken_from
    _add_times(row, step)
    _add_tries(row, step)
    if inputs := _inputs(step.inputs):
        row["inputs"] = inputs
    _add_outputs(row, step)
    if step.kind != "job" and step.children:
        row["counts"] = count_words(count_statuses(step.children))
        row["has_picture"] = len(step.children) <= MOST_DRAWN
    return row


def _condition(condition: ConditionState) -> "RunCondition":
    row: RunCondition = {"text": _line(condition.text, MAX_TEXT), "label": _line(condition_label(condition), MAX_TEXT)}
    if condition.is_met is not None:
        row["is_met"] = condition.is_met
    if condition.values:
        row["values"] = _values(condition.values)
    if condition.reason:
        row["reason"] = _line(condition.reason, MAX_TEXT)
    return row


def _add_times(row: "RunStep | RunTry", timed: StepState | TryState) -> None:
    if timed.started is not None:
        row["started"] = timed.started
    if timed.ended is not None:
        row["ended"] = timed.ended


def _add_tries(row: "RunStep", step: StepState) -> None:
    if step.job_id is not None:
        row["job"] = step.job_id
        row["tried"] = len(step.tries)
        row["tries"] = [_try(each) for each in step.tries[-MAX_TRIES:]]


def _try(each: TryState) -> "RunTry":
    row: RunTry = {"job": each.job_id, "status": each.status}
    if each.reason:
        row["reason"] = _line(each.reason, MAX_TEXT)
    _add_times(row, each)
    return row


def _inputs(values: Mapping[str, Json]) -> dict[str, str]:
    return _values(told_inputs(values), MAX_PLACE)


def _add_outputs(row: "RunStep", step: StepState) -> None:
    if step.parameters:
        row["parameters"] = _values(step.parameters)
    if step.artifacts:
        row["artifacts"] = _values(step.artifacts, MAX_PLACE, most=2 * MAX_ALL)


def _values(values: Mapping[str, Json], limit: int = MAX_VALUE, *, most: int = MAX_ALL) -> dict[str, str]:
    """Return values as texts of at most `most` characters together; what is cut ends with "…"."""
    names = list(values)[:MAX_VALUES]
    limit = min(limit, most // max(1, len(names)))
    row = {_line(name, MAX_VALUE): _line(named_label(name, values[name], limit), limit) for name in names}
    return row if len(names) == len(values) else {**row, "…": f"+{len(values) - len(names)}"}


def _line(text: str, limit: int) -> str:
    """Return at most `limit` characters without terminal sequences and control characters."""
    return clipped(_CONTROLS.sub(" ", strip_ansi(text[: 4 * limit])), limit)
