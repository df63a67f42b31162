"""The nodes of a run as PAIFlow shows them: a tree with the run itself at its root. Pure.

A step that has not begun has no node, as in the service: official clients take a node without `StartedAt` for a broken answer.
A loop is a `Dag` with a node for each of its items; a pipeline is a `Dag`; all that becomes a job is a `Pod`.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pai_jupyter.emulator.flow.statuses import OF_STEPS, of_run
from pai_jupyter.runs.state import RunState, StepState, StepStatus
from pai_jupyter.spec import Json

ROOT = ""  # the path of the root
_ID_LENGTH = 16


@dataclass(frozen=True, kw_only=True)
class RunNode:
    """A node. `step` is None for the root; `ended` is None while it runs."""

    id: str
    path: str
    name: str
    type: Literal["Dag", "Pod"]
    status: str
    started: float
    ended: float | None
    parameters: Mapping[str, Json]  # of its outputs, as `artifacts`
    artifacts: Mapping[str, Json]
    step: StepState | None = None
    children: tuple["RunNode", ...] = ()

    def walk(self) -> Iterator["RunNode"]:
        """Yield the node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def down_to(self, depth: int) -> Iterator["RunNode"]:
        """Yield the node and those below it, `depth` levels in all."""
        yield self
        for child in self.children if depth > 1 else ():
            yield from child.down_to(depth - 1)


def node_id(run_id: str, path: str) -> str:
    """Return the id of the node at a path; it stays the same as long as the run is there."""
    return "node-" + hashlib.sha256(f"{run_id}/{path}".encode()).hexdigest()[:_ID_LENGTH]


def flow_tree(run_id: str, name: str, state: RunState) -> RunNode:
    """Return the root of a run's nodes; `name` is that of the run."""
    return RunNode(
        id=node_id(run_id, ROOT),
        path=ROOT,
        name=name,
        type="Dag",
        status=of_run(state),
        started=state.created,
        ended=state.ended,
        parameters=state.parameters,
        artifacts=state.artifacts,
        children=_nodes(run_id, state.steps, state.created),
    )


def find_node(root: RunNode, wanted: str) -> RunNode | None:
    return next((node for node in root.walk() if node.id == wanted), None)


def _nodes(run_id: str, steps: tuple[StepState, ...], since: float) -> tuple[RunNode, ...]:
    return tuple(_node(run_id, step, since) for step in steps if step.status is not StepStatus.WAITING)


def _node(run_id: str, step: StepState, since: float) -> RunNode:
    """Return the node of a step. A skipped step never started: it has the time at which it ended."""
    started = step.started or step.ended or since
    return RunNode(
        id=node_id(run_id, step.path),
        path=step.path,
        name=_name(step),
        type="Pod" if step.kind == "job" else "Dag",
        status=OF_STEPS[step.status],
        started=started,
        ended=step.ended or started if step.status.is_terminal else None,
        parameters=step.parameters,
        artifacts=step.artifacts,
        step=step,
        children=_nodes(run_id, step.children, started),
    )


def _name(step: StepState) -> str:
    """Return the name of a node: that of the step, and its number for an item of a loop, since names of siblings differ."""
    number = step.path.rpartition("[")[2].removesuffix("]") if step.path.endswith("]") else ""
    return f"{step.name}-{number}" if number else step.name
