"""The pictures of a run: the steps of each level as nodes with sizes and places, the same for every view. Pure.

A level is the steps of one graph: of the run (path ""), of a nested pipeline, of an execution of a loop's body; or the executions
of a loop. A nested pipeline and a loop are one node each; what is in them is a level of its own.

Rule 1: sizes come from texts that do not change while a run goes on, so nothing moves when a step ends. A condition gets room
    for the values that will decide it.
Rule 2: coordinates are whole pixels, and a level is laid out once, however many executions of a loop have the same.
Rule 3: a level of more than `MOST_DRAWN` nodes has no picture: a table serves better.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias
from unicodedata import east_asian_width

from pai_jupyter.runs.labels import condition_label, condition_sources, every_step, title_label, value_label
from pai_jupyter.runs.layout import Layout, lay_out
from pai_jupyter.runs.level import Level, compile_level
from pai_jupyter.runs.plan import Graph, Plan, Step
from pai_jupyter.runs.state import ConditionState, RunState, StepState

MOST_DRAWN = 1_000  # nodes of a level
LINE_HEIGHT = 16  # pixels
PADDING = 10  # pixels, on each side of the text
SYMBOL = 18  # pixels, in front of the name
LETTER = 7  # pixels, of a character of 12 px; a wide one takes two
SHORTEST, LONGEST = 12, 30  # letters of a node
COUNTS = 18  # letters for the counts of a pipeline or a loop
VALUE_ROOM = 9  # letters for ` = 0.9123` in a condition

_Sized: TypeAlias = tuple[tuple[str, int, int], ...]  # name, width, height
_Edges: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class PlacedNode:
    """Where a step is drawn; `x`, `y`: its upper left corner."""

    path: str
    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, kw_only=True)
class PlacedEdge:
    """An edge between two nodes, by their number. `is_condition`: the condition of the target refers to the source."""

    source: int
    target: int
    points: tuple[tuple[int, int], ...]
    is_condition: bool


@dataclass(frozen=True, kw_only=True)
class LevelPicture:
    """The picture of one level."""

    path: str
    w: int
    h: int
    nodes: tuple[PlacedNode, ...]
    edges: tuple[PlacedEdge, ...]


def draw_level(path: str, steps: Sequence[StepState]) -> LevelPicture | None:
    """Lay out the steps of a level; None if it has none, or too many."""
    if not steps or len(steps) > MOST_DRAWN:
        return None
    edges = [(source, step.path) for step in steps for source in sources_of(step)]
    start = len(path) + 1 if path else 0
    names = {step.path: step.path[start:] for step in steps}  # the same in each execution of a loop
    sized = tuple((names[step.path], *node_size(step)) for step in steps)
    known = tuple((names[source], names[target]) for source, target in edges if source in names)
    layout = _laid_out(sized, known)
    return LevelPicture(
        path=path,
        w=round(layout.w),
        h=round(layout.h),
        nodes=tuple(
            _node(step.path, layout.corners[name], w, h) for step, (name, w, h) in zip(steps, sized, strict=True)
        ),
        edges=tuple(_edges(steps, names, layout)),
    )


def is_drawn_alike(steps: Sequence[StepState], others: Sequence[StepState]) -> bool:
    """Return whether the pictures of two levels are equal; cheaper than to lay them out."""
    return len(steps) == len(others) and all(
        one is other or _shape(one) == _shape(other) for one, other in zip(steps, others, strict=True)
    )


def _shape(step: StepState) -> tuple[object, ...]:
    condition = step.condition.text if step.condition else None
    return step.path, step.kind, step.title, step.item, step.depends, condition


def sources_of(step: StepState) -> tuple[str, ...]:
    """Return the paths of the steps that this one depends on."""
    before = step.path[: len(step.path) - len(step.name)] if step.path.endswith(step.name) else ""
    return tuple(before + name for name in step.depends)


def levels_of(state: RunState) -> Mapping[str, Sequence[StepState]]:
    """Return the steps of every level that has begun, by path."""
    inner = {step.path: step.children for step in every_step(state.steps) if step.children}
    return {"": state.steps, **inner}


def node_lines(step: StepState, *, with_values: bool = True) -> tuple[str, ...]:
    """Return the lines of a node: its name; what it runs, or the item it runs for; its condition, if it has one.

    A pipeline and a loop have one more below, for the counts of what is in them.
    """
    second = value_label(step.item) if step.path.endswith("]") and step.item is not None else step.title
    lines = [step.path.rpartition("/")[2], second if second != step.name else ""]
    if step.condition is not None:
        lines.append(condition_label(step.condition, with_values=with_values))
    return tuple(lines)


def node_size(step: StepState) -> tuple[int, int]:
    """Return width and height of a node."""
    name, second, *condition = node_lines(step, with_values=False)
    is_folded = step.kind != "job"
    wanted = max(
        letters_in(name), letters_in(second), *(letters_in(it) + VALUE_ROOM for it in condition), COUNTS * is_folded
    )
    letters = min(max(wanted, SHORTEST), LONGEST)
    return 2 * PADDING + SYMBOL + LETTER * letters, 2 * PADDING + LINE_HEIGHT * (2 + len(condition) + is_folded)


def letters_in(text: str) -> int:
    """Return the width of a text in letters; a wide (Chinese) one counts twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def plan_state(plan: Plan) -> RunState:
    """Return a plan as the state of a run that has not begun, with the steps of all nested pipelines and loops.

    Raises:
        SpecError: the plan is wrong.
    """
    return RunState(id="", name=plan.name, notes=plan.notes, steps=tuple(_planned(compile_level(plan.graph), "")))


def _planned(level: Level, before: str) -> Iterator[StepState]:
    for name, step in level.steps.items():
        inner = level.inner.get(name)
        path = f"{before}{name}"
        yield StepState(
            path=path,
            name=name,
            kind=_kind(step),
            title=title_label(step.body.title),
            depends=level.depends[name],
            condition=ConditionState(text=step.condition) if step.condition is not None else None,
            children=tuple(_planned(inner, f"{path}/")) if inner is not None else (),
        )


def _kind(step: Step) -> Literal["job", "pipeline", "loop"]:
    if step.loop is not None:
        return "loop"
    return "pipeline" if isinstance(step.body, Graph) else "job"


@lru_cache(maxsize=256)
def _laid_out(sized: _Sized, edges: _Edges) -> Layout:
    return lay_out({name: (w, h) for name, w, h in sized}, edges)


def _node(path: str, corner: tuple[float, float], w: int, h: int) -> PlacedNode:
    return PlacedNode(path=path, x=round(corner[0]), y=round(corner[1]), w=w, h=h)


def _edges(steps: Sequence[StepState], names: Mapping[str, str], layout: Layout) -> Iterator[PlacedEdge]:
    number = {step.path: index for index, step in enumerate(steps)}
    for step in steps:
        deciding = condition_sources(step.condition)
        for source, name in zip(sources_of(step), step.depends, strict=True):
            points = layout.edges.get((names.get(source, ""), names[step.path]))
            if points is not None:
                yield PlacedEdge(
                    source=number[source],
                    target=number[step.path],
                    points=tuple((round(x), round(y)) for x, y in points),
                    is_condition=name in deciding,
                )
