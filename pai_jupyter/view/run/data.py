"""The input of all drawings of a run, and the facts that they show, as clean text.

Rule 1: text of a run reaches a drawing only through here, cleaned and clipped: names and values come from users and jobs.
Rule 2: no time passes in a run that has not begun, and none is guessed.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.runs.labels import condition_label, count_jobs, count_statuses, every_step, named_label, told_inputs
from pai_jupyter.runs.state import ConditionState, RunState, StepState, StepStatus
from pai_jupyter.spec import Json
from pai_jupyter.view.clean import clean
from pai_jupyter.view.run.words import GLYPHS, counts_text, run_text, status_word
from pai_jupyter.view.words import Language, clock, duration, environment_language, in_language

if TYPE_CHECKING:
    from pai_jupyter.cost import Cost

MAX_NAME = 100  # characters
MAX_LINE = 300  # characters of a reason, a condition or a note
MAX_VALUE = 60  # characters
MAX_VALUES = 5  # outputs of a step
MAX_NOTES = 10


@dataclass(frozen=True, kw_only=True)
class RunData:
    """A run at the time `now` (Unix time in seconds). `is_plan`: it has not begun, and never will under this id."""

    state: RunState
    now: float = field(default_factory=time.time)
    is_plan: bool = False
    is_here: bool = True
    live_by: str = ""  # what to type to see it live here, if something must be installed
    costs: "Sequence[Cost]" = ()  # of its jobs, one for each currency
    language: Language = field(default_factory=environment_language)
    home: str = field(default_factory=lambda: str(Path.home()))


@dataclass(frozen=True, kw_only=True)
class TreeRow:
    """A step as text; empty = there is nothing to say."""

    depth: int
    status: StepStatus
    name: str
    word: str  # its status, with its glyph
    time: str
    about: str  # what it runs
    details: tuple[str, ...]  # item, condition, reason, counts
    values: tuple[str, ...]  # of its outputs, "name = value"


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """The facts of a run as text; empty = there is nothing to say. `more`: steps that are not among the rows."""

    word: str
    name: str
    counts: str
    elapsed: str
    cost: str
    reason: str
    notes: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rows: tuple[TreeRow, ...]
    more: int


def run_facts(data: RunData, *, most: int) -> RunFacts:
    """Return the facts of a run with at most `most` steps; of a larger one those of its first level."""
    state = data.state
    every = sum(1 for _ in every_step(state.steps))
    shown = [*_walk(state.steps, 0)] if every <= most else [(0, step) for step in state.steps[:most]]
    return RunFacts(
        word=_word(data),
        name=clean(state.name, home=data.home, limit=MAX_NAME),
        counts="" if data.is_plan else counts_text(count_jobs(state.steps)),
        elapsed="" if data.is_plan else clock(max(0.0, (state.ended or data.now) - state.created)),
        cost=_cost(data),
        reason=_sentence(data, state.reason),
        notes=tuple(_sentence(data, note) for note in state.notes[:MAX_NOTES]),
        inputs=_values(data, told_inputs(state.inputs), most=20),
        outputs=_values(data, {**state.parameters, **state.artifacts}, most=20),
        rows=tuple(_row(data, step, depth) for depth, step in shown),
        more=every - len(shown),
    )


def _cost(data: RunData) -> str:
    if not data.costs:
        return ""
    from pai_jupyter.view.costs import amount_text  # late, with `decimal`: few runs have prices

    return " + ".join(amount_text(each, data.language) for each in data.costs)


def _walk(steps: Sequence[StepState], depth: int) -> Iterator[tuple[int, StepState]]:
    for step in steps:
        yield depth, step
        yield from _walk(step.children, depth + 1)


def _word(data: RunData) -> str:
    if data.is_plan:
        return f"{GLYPHS['waiting']} {run_text('Not run', data.language)}"
    if data.state.is_stopping and not data.state.status.is_terminal:
        return f"{GLYPHS['stopped']} {run_text('Stopping', data.language)}"
    return status_word(data.state.status, data.language)


def _row(data: RunData, step: StepState, depth: int) -> TreeRow:
    about = "" if is_item(step) or step.title == step.name else step.title
    return TreeRow(
        depth=depth,
        status=step.status,
        name=clean(step.path.rpartition("/")[2], home=data.home, limit=MAX_NAME),
        word="" if data.is_plan else status_word(step.status, data.language),
        time=_time(data, step),
        about=clean(about, home=data.home, limit=MAX_VALUE),
        details=tuple(_details(data, step)),
        values=_values(data, step.parameters) if step.kind == "job" else (),
    )


def is_item(step: StepState) -> bool:
    """Return whether a step is an execution of a loop's body."""
    return step.item is not None and step.path.endswith("]")


def _details(data: RunData, step: StepState) -> Iterator[str]:
    if is_item(step):
        yield _short(data, "item", step.item)
    if step.condition is not None:
        yield condition_text(data, step.condition)
    if step.reason and not (step.condition and step.condition.is_met is False):
        yield _sentence(data, step.reason)
    if step.children and not data.is_plan:
        yield counts_text(count_statuses(step.children))
    if len(step.tries) > 1:
        yield run_text("tries: {count}", data.language).format(count=len(step.tries))
    if step.taken_from is not None:
        yield run_text("taken over", data.language)


def condition_text(data: RunData, condition: ConditionState) -> str:
    """Return a condition with what came of it: "accuracy = 0.85 > 0.9: not met"."""
    text = clean(condition_label(condition), home=data.home, limit=MAX_LINE)
    if data.is_plan:
        return text
    word = {None: "not decided", True: "met", False: "not met"}[condition.is_met]
    colon = "：" if data.language == "zh" else ": "
    return f"{text}{colon}{run_text(word, data.language)}"


def _time(data: RunData, step: StepState) -> str:
    if step.started is None:
        return ""
    end = (step.ended or step.started) if step.status.is_terminal else data.now
    return duration(max(0.0, end - step.started))


def _sentence(data: RunData, text: str | None) -> str:
    return in_language(clean(text or "", home=data.home, limit=MAX_LINE), data.language)


def _values(data: RunData, values: Mapping[str, Json], *, most: int = MAX_VALUES) -> tuple[str, ...]:
    """Return the first values as "name = value", secrets masked."""
    shown = [f"{_short(data, '', name)} = {_short(data, name, value)}" for name, value in values.items()]
    return tuple(shown[:most]) + (("…",) if len(shown) > most else ())


def _short(data: RunData, name: str, value: Json) -> str:
    return clean(named_label(name, value), home=data.home, limit=MAX_VALUE)
