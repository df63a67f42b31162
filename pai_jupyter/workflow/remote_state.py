"""How a run that PAIFlow drives stands: its nodes, laid over the steps of its manifest. Pure.

PAIFlow tells nodes only of steps that it has come to; the others are known from the manifest.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from pai_jupyter.cloud.flow import FlowNode, FlowRun
from pai_jupyter.cloud.flow import status as words
from pai_jupyter.cloud.flow.artifact_values import artifact_place
from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import parse_condition
from pai_jupyter.runs.labels import title_label
from pai_jupyter.runs.state import ConditionState, RunState, RunStatus, StepState, StepStatus, TryState
from pai_jupyter.spec import Json
from pai_jupyter.workflow.remote_steps import RemoteManifest, RemoteStep, typed

# Every documented status, of steps and of whole runs.
STEP_STATUS = {
    words.INITIALIZED: StepStatus.WAITING,
    words.READY: StepStatus.WAITING,
    words.STARTING: StepStatus.RUNNING,
    words.SERVICE_STARTING: StepStatus.RUNNING,
    words.RUNNING: StepStatus.RUNNING,
    words.SUSPENDED: StepStatus.WAITING,
    words.UNKNOWN: StepStatus.RUNNING,
    words.SUCCEEDED: StepStatus.SUCCEEDED,
    words.FAILED: StepStatus.FAILED,
    words.TERMINATED: StepStatus.STOPPED,
    words.SKIPPED: StepStatus.SKIPPED,
}
RUN_STATUS = {
    words.INITIALIZED: RunStatus.BLOCKED,
    words.READY: RunStatus.RUNNING,
    words.STARTING: RunStatus.RUNNING,
    words.SERVICE_STARTING: RunStatus.RUNNING,
    words.RUNNING: RunStatus.RUNNING,
    words.SUSPENDED: RunStatus.BLOCKED,
    words.UNKNOWN: RunStatus.RUNNING,
    words.SUCCEEDED: RunStatus.SUCCEEDED,
    words.FAILED: RunStatus.FAILED,
    words.TERMINATED: RunStatus.STOPPED,
    words.SKIPPED: RunStatus.STOPPED,
}
_REASONS = {
    words.INITIALIZED: "PAIFlow waits until somebody starts the run in its console",
    words.SUSPENDED: "somebody has suspended the run; resume it in PAI's console",
    words.UNKNOWN: "PAIFlow does not know its status",
}
# The status of a job, in the words of `events.Status`, by that of its node.
_JOB_STATUS = {
    StepStatus.WAITING: "queued",
    StepStatus.RUNNING: "running",
    StepStatus.SUCCEEDED: "succeeded",
    StepStatus.FAILED: "failed",
    StepStatus.STOPPED: "stopped",
}
Beside: TypeAlias = Mapping[str, tuple[RemoteStep, FlowNode]]  # the steps of one graph that have nodes, by name
_NUMBER = re.compile(r".*?(\d{1,9})\D*", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class JobNode:
    """A node that is a job: its step's path, and what the manifest says of the step."""

    path: str
    node: FlowNode
    step: RemoteStep


class RemoteDrawing:
    """Draws a run of a manifest. `job_id`: the id of a node's job."""

    def __init__(self, manifest: RemoteManifest, job_id: Callable[[FlowNode], str]) -> None:
        self._manifest = manifest
        self._job_id = job_id
        self._run_status = ""

    def draw(
        self, run: FlowRun, root: FlowNode | None, *, run_id: str, name: str, created: float, notes: Sequence[str] = ()
    ) -> RunState:
        """Return how the run stands."""
        self._run_status = run.status
        nodes = _top(root)
        status = RUN_STATUS.get(run.status, RunStatus.RUNNING)
        return RunState(
            id=run_id,
            name=name,
            status=status,
            reason=run.message or _reason_of(run.status) or _first_failure(nodes),
            notes=tuple(notes),
            steps=self._level(self._manifest.steps, nodes, ""),
            parameters=typed(root.parameters, self._manifest.output_types) if root else {},
            artifacts=_places(root) if root else {},
            created=created,
            ended=(run.ended or (root.ended if root else None)) if status.is_terminal else None,
        )

    def job_nodes(self, root: FlowNode) -> Iterator[JobNode]:
        """Yield the nodes that are jobs and have begun."""
        yield from self._job_nodes(self._manifest.steps, _top(root), "")

    def _job_nodes(self, steps: Sequence[RemoteStep], nodes: Sequence[FlowNode], above: str) -> Iterator[JobNode]:
        beside = _known(steps, nodes)
        for step, node in _paired(steps, nodes):
            if node is None or _undecidable(step, node, beside):
                continue
            path = f"{above}{step.name}"
            if step.is_loop:
                for number, item in _items(node):
                    yield from self._jobs_of(step, item, f"{path}[{number}]")
            else:
                yield from self._jobs_of(step, node, path)

    def _jobs_of(self, step: RemoteStep, node: FlowNode, path: str) -> Iterator[JobNode]:
        if _is_pipeline(step, node):
            yield from self._job_nodes(step.inner, node.children, f"{path}/")
        elif node.status not in (words.SKIPPED, words.INITIALIZED, words.READY):
            yield JobNode(path=path, node=node, step=step)

    def _level(self, steps: Sequence[RemoteStep], nodes: Sequence[FlowNode], above: str) -> tuple[StepState, ...]:
        known = _known(steps, nodes)
        return tuple(self._step(step, node, f"{above}{step.name}", known) for step, node in _paired(steps, nodes))

    def _step(self, step: RemoteStep, node: FlowNode | None, path: str, beside: Beside) -> StepState:
        is_pipeline = not step.is_loop and _is_pipeline(step, node)
        children: tuple[StepState, ...] = ()
        if node is not None and step.is_loop:
            children = tuple(self._item(step, item, path, number) for number, item in _items(node))
        elif node is not None and is_pipeline:
            children = self._level(step.inner, node.children, f"{path}/")
        status = self._status_of(node)
        return StepState(
            path=path,
            name=step.name,
            kind="loop" if step.is_loop else "pipeline" if is_pipeline else "job",
            title=step.title or (title_label(node.title) if node else ""),
            status=status,
            reason=_why(node),
            depends=step.depends,
            condition=_condition(step, node, beside),
            tries=() if step.is_loop or is_pipeline or _undecidable(step, node, beside) else self._tries(node, status),
            inputs={} if step.is_loop or _undecidable(step, node, beside) else _inputs(step, node, status),
            parameters=typed(node.parameters, step.outputs) if node else {},
            artifacts=_places(node) if node else {},
            started=node.started if node and status is not StepStatus.SKIPPED else None,
            ended=node.ended if node and status.is_terminal else None,
            children=children,
        )

    def _item(self, step: RemoteStep, node: FlowNode, loop: str, number: int) -> StepState:
        """Draw one execution of a loop's body; its condition, if it has one, is that of the loop."""
        path = f"{loop}[{number}]"
        is_pipeline = _is_pipeline(step, node)
        status = self._status_of(node)
        return StepState(
            path=path,
            name=step.name,
            kind="pipeline" if is_pipeline else "job",
            title=step.title or title_label(node.title),
            item=step.items[number] if number < len(step.items) else None,
            status=status,
            reason=_why(node),
            tries=() if is_pipeline else self._tries(node, status),
            inputs=_inputs(step, node, status),
            parameters=typed(node.parameters, step.output_types),
            artifacts=_places(node),
            started=node.started,
            ended=node.ended if status.is_terminal else None,
            children=self._level(step.inner, node.children, f"{path}/") if is_pipeline else (),
        )

    def _status_of(self, node: FlowNode | None) -> StepStatus:
        """Return the status of a step; in a run that has ended nothing waits or runs any more."""
        status = StepStatus.WAITING if node is None else STEP_STATUS.get(node.status, StepStatus.RUNNING)
        if status.is_terminal or self._run_status not in words.ENDS:
            return status
        is_untouched = status is StepStatus.WAITING and self._run_status != words.TERMINATED
        return StepStatus.SKIPPED if is_untouched else StepStatus.STOPPED

    def _tries(self, node: FlowNode | None, status: StepStatus) -> tuple[TryState, ...]:
        if node is None or not _has_begun(node, status):
            return ()
        return (
            TryState(
                job_id=self._job_id(node),
                status=_JOB_STATUS[status],
                reason=node.message or None,
                started=node.started,
                ended=node.ended if status.is_terminal else None,
            ),
        )


def _has_begun(node: FlowNode, status: StepStatus) -> bool:
    return status is not StepStatus.SKIPPED and node.status not in (words.INITIALIZED, words.READY)


def _inputs(step: RemoteStep, node: FlowNode | None, status: StepStatus) -> dict[str, Json]:
    """Return the values that a step began with: those of the manifest, and what the service says of them."""
    return {**step.inputs, **node.inputs} if node is not None and _has_begun(node, status) else {}


def _top(root: FlowNode | None) -> Sequence[FlowNode]:
    """Return the nodes of the steps; the run of a component alone may have but one node."""
    if root is None or root.children or root.is_graph:
        return root.children if root else ()
    return (root,)


def _paired(steps: Sequence[RemoteStep], nodes: Sequence[FlowNode]) -> list[tuple[RemoteStep, FlowNode | None]]:
    """Return each step with its node; nodes that the manifest does not know, as those of a registered pipeline, come behind."""
    by_name = {node.name: node for node in nodes}
    named = {step.name for step in steps}
    others = [(_unknown(node), node) for node in nodes if node.name not in named]
    return [*((step, by_name.get(step.name)) for step in steps), *others]


def _unknown(node: FlowNode) -> RemoteStep:
    return RemoteStep(name=node.name or node.id, title=node.title, is_pipeline=node.is_graph)


def _is_pipeline(step: RemoteStep, node: FlowNode | None) -> bool:
    return step.is_pipeline or bool(step.inner) or (node is not None and node.is_graph)


def _items(node: FlowNode) -> list[tuple[int, FlowNode]]:
    """Return the executions of a loop by number: that at the end of their names, else their order."""
    numbers = [_NUMBER.fullmatch(child.name.removeprefix(node.name)) for child in node.children]
    found = [int(each[1]) for each in numbers if each]
    if len(set(found)) != len(node.children):
        return list(enumerate(node.children))
    return sorted(zip(found, node.children, strict=True), key=lambda pair: pair[0])


def _known(steps: Sequence[RemoteStep], nodes: Sequence[FlowNode]) -> Beside:
    return {step.name: (step, node) for step, node in _paired(steps, nodes) if node is not None}


def _condition(step: RemoteStep, node: FlowNode | None, beside: Beside) -> ConditionState | None:
    """Return the condition as PAIFlow has decided it, with the values of its references as far as they are known."""
    if not step.when:
        return None
    reason = _undecidable(step, node, beside)
    is_met = None if reason else _is_met(step, node, beside)
    return ConditionState(text=step.when, is_met=is_met, values=_values(step, beside), reason=reason)


def _values(step: RemoteStep, beside: Beside) -> dict[str, Json]:
    values: dict[str, Json] = {}
    with suppress(SpecError):
        for reference in parse_condition(step.when).references:
            source = beside.get(reference.step or "")
            if source is not None and reference.name in source[1].parameters:
                values[reference.text] = typed(source[1].parameters, source[0].outputs)[reference.name]
    return values


def _undecidable(step: RemoteStep, node: FlowNode | None, beside: Beside) -> str | None:
    """Return why a step has failed without a job: nobody could decide its condition. None if it has not.

    PAIFlow has no word for that. A step that ran at all took some time; and what we cannot decide, PAIFlow perhaps could.
    """
    has_begun = node is None or node.status != words.FAILED or node.started is None or node.started != node.ended
    values = _values(step, beside)
    if has_begun or not values:
        return None
    try:
        parse_condition(step.when).decide(values)
    except SpecError as exc:
        return (node and node.message) or str(exc)
    return None


def _is_met(step: RemoteStep, node: FlowNode | None, beside: Beside) -> bool | None:
    if node is None or node.status in (words.INITIALIZED, words.READY, words.SUSPENDED, words.UNKNOWN):
        return None
    if node.status not in (words.SKIPPED, words.TERMINATED):
        return True
    before = [beside.get(name) for name in step.depends]
    is_decided = all(it is not None and it[1].status == words.SUCCEEDED for it in before)
    return node.status == words.TERMINATED if is_decided else None


def _why(node: FlowNode | None) -> str | None:
    return (node.message or _reason_of(node.status)) if node else None


def _reason_of(word: str) -> str | None:
    return _REASONS.get(word) or (None if word in words.STATUSES else f"PAIFlow says {word[:100]!r}")


def _first_failure(nodes: Sequence[FlowNode]) -> str | None:
    for node in nodes:
        if node.status == words.FAILED:
            return f"step `{node.name}`: {_first_failure(node.children) or node.message or 'it has failed'}"
    return None


def _places(node: FlowNode) -> dict[str, Json]:
    return {name: artifact_place(value) for name, value in node.artifacts.items()}
