"""Draw the state of a step from its node; what has not changed is taken from the last drawing. Pure."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pai_jupyter.runs.labels import title_label
from pai_jupyter.runs.nodes import StepNode
from pai_jupyter.runs.plan import JobBody
from pai_jupyter.runs.state import ConditionState, StepState, StepStatus
from pai_jupyter.spec import Json


def draw_step(node: StepNode) -> StepState:
    """Return the state of a step and of all that is in it."""
    if node.seen is None:
        node.seen = _draw(node)
    return node.seen


def _draw(node: StepNode) -> StepState:
    children = tuple(draw_step(child) for child in node.children()) if _has_begun(node) else ()
    return StepState(
        path=node.path,
        name=node.step.name,
        kind=_kind(node),
        title=title_label(node.step.body.title),
        status=_status(node),
        reason=node.reason,
        depends=node.depends,
        condition=_condition(node),
        item=node.item,
        tries=tuple(one.state() for one in node.tries if not one.is_dropped),
        taken_from=node.taken.run_id if node.taken else None,
        inputs=_inputs(node),
        parameters=node.parameters,
        artifacts=node.artifacts,
        started=node.started if node.is_job else min(_times(child.started for child in children), default=None),
        ended=_ended(node, children),
        children=children,
    )


def _has_begun(node: StepNode) -> bool:
    """Whether anything of it was done: a stopped pipeline looks the same whether it had come as far as its steps or not."""
    return node.is_touched or node.status not in (StepStatus.STOPPED, StepStatus.SKIPPED)


def _kind(node: StepNode) -> Literal["job", "pipeline", "loop"]:
    if node.is_loop:
        return "loop"
    return "job" if isinstance(node.step.body, JobBody) else "pipeline"


def _status(node: StepNode) -> StepStatus:
    is_going_on = not node.is_job and node.is_touched and node.inner is not None
    return StepStatus.RUNNING if is_going_on and node.status is StepStatus.WAITING else node.status


def _inputs(node: StepNode) -> Mapping[str, Json]:
    """Return what the step began with; nothing of one that the journal does not say to have begun."""
    if node.tries:
        begun = node.tries[-1].begun
        return {**begun.parameters, **begun.artifacts}
    has_begun = node.taken is not None or (node.inner is not None and node.is_touched)
    return node.given.values if has_begun and node.given is not None else {}


def _condition(node: StepNode) -> ConditionState | None:
    if not node.has_condition or node.condition is None:
        return None
    decided = node.decided
    if decided is None:
        return ConditionState(text=node.condition.text)
    is_met = None if decided.reason is not None else decided.is_met
    return ConditionState(text=node.condition.text, is_met=is_met, values=decided.values, reason=decided.reason)


def _ended(node: StepNode, children: Iterable[StepState]) -> float | None:
    if not node.status.is_terminal:
        return None
    if node.is_job and node.tries and (facts := node.tries[-1].facts) is not None and facts.ended is not None:
        return facts.ended
    return node.ended or max(_times(child.ended for child in children), default=None)


def _times(found: Iterable[float | None]) -> list[float]:
    return [time for time in found if time is not None]
