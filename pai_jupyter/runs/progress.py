"""How the steps of a run begin and end: what follows from what the journal and the jobs say. Pure.

Rule 1: a step is skipped when all that it depends on has ended and a part of it has failed or was skipped, or when its condition is
    not met. Other branches go on. A pipeline succeeds when each step in it has succeeded or was skipped, a loop when each item has.
Rule 2: a run that is halted (it is being stopped, or with `fail_fast` a step has failed) begins nothing more; what runs is ended by
    the driver.
Rule 3: an ended step waits in a queue until what it is in is told, so that a chain of any length needs no recursion.
"""

from collections import deque
from collections.abc import Mapping

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.acts import Act, CollectOutputs, DecideCondition, DropTry, ExpandLoop, StartTry
from pai_jupyter.runs.arguments import given_values, loop_items, run_inputs
from pai_jupyter.runs.job_standing import Try
from pai_jupyter.runs.journal import ConditionDecided, LoopExpanded
from pai_jupyter.runs.level import Level, output_names
from pai_jupyter.runs.nodes import GraphRun, StepNode
from pai_jupyter.runs.plan import Given, JobBody, Plan
from pai_jupyter.runs.state import StepStatus
from pai_jupyter.spec import Json

_ENDED_AS = {StepStatus.FAILED: "failed", StepStatus.SKIPPED: "was skipped", StepStatus.STOPPED: "was stopped"}


class StepProgress:
    """The steps of one run. `acts` by path of the step, `live` steps by the id of their job."""

    def __init__(self, plan: Plan, level: Level) -> None:
        self.plan = plan
        self.acts: dict[str, Act] = {}
        self.live: dict[str, StepNode] = {}
        self.tries: dict[str, tuple[StepNode, Try]] = {}  # all, by the id of their job
        self.problem: str | None = None  # with the run's own inputs
        self.is_halted = False
        self._paths: dict[str, StepNode] = {}
        self._loops: dict[str, StepNode] = {}  # those whose items go on
        self._queue: deque[StepNode] = deque()
        self._is_sorted = True
        self.root = GraphRun(level, self._inputs(), None)
        self._begin_graph(self.root)
        self._drain()

    def _inputs(self) -> Given:
        try:
            return run_inputs(self.plan)
        except SpecError as exc:
            self.problem = str(exc)
            return Given(parameters={}, artifacts={})

    def acts_in_order(self) -> list[Act]:
        """Return the acts of steps, earlier steps first."""
        if not self._is_sorted:
            self.acts = dict(sorted(self.acts.items(), key=lambda pair: self._paths[pair[0]].order))
            self._is_sorted = True
        return list(self.acts.values())

    def halt(self) -> None:
        """Begin nothing more."""
        if self.is_halted:
            return
        self.is_halted = True
        for path, act in list(self.acts.items()):
            if not isinstance(act, CollectOutputs | DropTry):
                self._settle(self._paths[path])
        for loop in list(self._loops.values()):
            self._fill(loop)

    def end_all(self, status: StepStatus, reason: str) -> None:
        """End all that has not ended: steps with a job in this way, the others as follows from it."""
        self.is_halted = True
        while self.live or self.acts:
            for node in list(self.live.values()):
                self._finish(node, status, reason)
            for path in list(self.acts):
                self._settle(self._paths[path])
            self._drain()

    # How steps begin

    def _find(self, path: str) -> StepNode | None:
        """Return the step at a path, beginning the pipeline that it is in."""
        if path not in self._paths and "/" in path:
            outer = self._find(path.rpartition("/")[0])
            if outer is not None:
                self._begin(outer)
        return self._paths.get(path)

    def _begin_graph(self, graph: GraphRun) -> None:
        self._paths.update({node.path: node for node in graph.nodes.values()})
        if self.problem is None:
            self._release(graph)

    def _release(self, graph: GraphRun) -> None:
        for node in graph.take_ready():
            node.is_ready = True
            if node.status.is_terminal:
                self._queue.append(node)
            elif not node.is_begun and not self._skip(node):
                self._begin(node)

    def _skip(self, node: StepNode) -> bool:
        """End a step that depends on one which has not succeeded."""
        others = {name: node.scope.nodes[name].status for name in node.depends}
        for wanted, status in (
            (StepStatus.FAILED, StepStatus.SKIPPED),
            (StepStatus.SKIPPED, StepStatus.SKIPPED),
            (StepStatus.STOPPED, StepStatus.STOPPED),
        ):
            for name, found in others.items():
                if found is wanted:
                    self._finish(node, status, f"step `{name}` {_ENDED_AS[wanted]}")
                    return True
        return False

    def _begin(self, node: StepNode) -> None:
        if node.is_begun or node.status.is_terminal:
            return
        node.is_begun = True
        if node.parent is not None:
            node.parent.open_items += 1
        self._advance(node)

    def _advance(self, node: StepNode) -> None:
        """Ask for what the step needs next: a decision, items, a job; or begin the steps in it."""
        if node.has_condition and node.decided is None:
            self._offer(node, self._decision(node))
        elif node.is_loop:
            self._offer(node, self._expansion(node))
        else:
            self._start(node)

    def _offer(self, node: StepNode, act: Act) -> None:
        if self.is_halted:
            self._settle(node)
        else:
            self._ask(node, act)

    def _ask(self, node: StepNode, act: Act) -> None:
        self._is_sorted = self._is_sorted and node.path in self.acts
        self.acts[node.path] = act

    def _decision(self, node: StepNode) -> DecideCondition:
        try:
            assert node.condition is not None
            is_met, used = node.condition.decide(node.condition_values())
        except SpecError as exc:
            return DecideCondition(step=node.path, is_met=False, values={}, reason=str(exc))
        return DecideCondition(step=node.path, is_met=is_met, values=used)

    def _expansion(self, node: StepNode) -> ExpandLoop:
        try:
            assert node.step.loop is not None
            return ExpandLoop(step=node.path, items=tuple(loop_items(node.step.loop, node.lookup)))
        except SpecError as exc:
            return ExpandLoop(step=node.path, items=(), reason=str(exc))

    def _start(self, node: StepNode) -> None:
        """Ask for a job, or begin the pipeline. Wrong values fail also what is not to begin any more: see rule 1."""
        body = node.step.body
        try:
            node.given = given = given_values(node.step, node.lookup)
        except SpecError as exc:
            self._finish(node, StepStatus.FAILED, str(exc))
            return
        if isinstance(body, JobBody):
            start = StartTry(
                step=node.path,
                body=body,
                parameters=given.parameters,
                artifacts=given.artifacts,
                cache=node.step.cache,
                after=node.waited_for(),
            )
            self._offer(node, start)
        else:
            node.change()
            node.inner = GraphRun(node.scope.level.inner[node.step.name], given, node, node.order)
            self._begin_graph(node.inner)

    def _take_decision(self, node: StepNode, entry: ConditionDecided) -> None:
        self.acts.pop(node.path, None)
        node.decided = entry
        if entry.reason is not None:
            self._finish(node, StepStatus.FAILED, entry.reason, entry.time)
        elif not entry.is_met:
            self._finish(node, StepStatus.SKIPPED, "its condition is not met", entry.time)
        else:
            self._advance(node)

    def _take_items(self, node: StepNode, entry: LoopExpanded) -> None:
        self.acts.pop(node.path, None)
        if not node.is_loop or node.expanded is not None:
            return
        node.expanded, node.status = entry, StepStatus.RUNNING
        if entry.reason is not None:
            self._finish(node, StepStatus.FAILED, entry.reason, entry.time)
            return
        self._paths.update({item.path: item for item in node.make_items(entry)})
        self._loops[node.path] = node
        self._fill(node)
        if not node.items:
            self._end_loop(node)

    def _fill(self, loop: StepNode) -> None:
        """Begin as many items as may go on at a time; where nothing is to begin any more, end the others."""
        assert loop.step.loop is not None
        while loop.next_item < len(loop.items) and (self.is_halted or loop.open_items < loop.step.loop.parallelism):
            item = loop.items[loop.next_item]
            loop.next_item += 1
            if self.is_halted and not item.is_begun:
                self._finish(item, StepStatus.STOPPED)
            else:
                self._begin(item)

    # How steps end

    def _succeed(
        self, node: StepNode, parameters: Mapping[str, Json], artifacts: Mapping[str, Json], time: float | None = None
    ) -> None:
        node.parameters, node.artifacts = parameters, artifacts
        self._finish(node, StepStatus.SUCCEEDED, None, time)

    def _end_try(self, node: StepNode) -> None:
        self.acts.pop(node.path, None)
        if node.live is not None:
            self.live.pop(node.live.begun.job_id, None)
            node.live = None

    def _finish(self, node: StepNode, status: StepStatus, reason: str | None = None, time: float | None = None) -> None:
        if node.status.is_terminal:
            return
        self._end_try(node)
        node.status, node.reason, node.ended = status, reason, time
        node.change()
        self._loops.pop(node.path, None)
        self._queue.append(node)
        if status is StepStatus.FAILED and self.plan.fail_fast:
            self.halt()

    def _settle(self, node: StepNode) -> None:
        """End a step that is not to begin any more: it has failed if its latest try has."""
        counted = [one for one in node.tries if not one.is_dropped]
        failure = counted[-1].failure if counted else None
        self._finish(node, StepStatus.FAILED if failure else StepStatus.STOPPED, failure)

    def _drain(self) -> None:
        while self._queue:
            node = self._queue.popleft()
            if node.parent is not None:
                self._end_item(node.parent, node)
            elif node.is_ready:
                node.scope.end(node)
                self._release(node.scope)
                if not node.scope.unfinished and node.scope.owner is not None:
                    self._end_pipeline(node.scope.owner, node.scope)

    def _end_item(self, loop: StepNode, item: StepNode) -> None:
        loop.unfinished -= 1
        loop.open_items -= item.is_begun
        self._fill(loop)
        if not loop.unfinished:
            self._end_loop(loop)

    def _end_pipeline(self, node: StepNode, graph: GraphRun) -> None:
        if not self._fail_with(node, list(graph.nodes.values())):
            outputs = graph.outputs()
            self._succeed(node, outputs.parameters, outputs.artifacts)

    def _end_loop(self, loop: StepNode) -> None:
        if not self._fail_with(loop, loop.items):
            self._succeed(
                loop,
                _gathered([item.parameters for item in loop.items], output_names(loop.step, "parameters")),
                _gathered([item.artifacts for item in loop.items], output_names(loop.step, "artifacts")),
            )

    def _fail_with(self, node: StepNode, inside: list[StepNode]) -> bool:
        """End a pipeline or a loop of which a part has not succeeded."""
        failed = [each for each in inside if each.status is StepStatus.FAILED]
        if failed:
            self._finish(node, StepStatus.FAILED, why_failed(failed))
        elif any(each.status is StepStatus.STOPPED for each in inside):
            self._finish(node, StepStatus.STOPPED)
        return node.status.is_terminal


def why_failed(failed: list[StepNode]) -> str:
    """Say which step has failed, and why; of several, the first."""
    others = len(failed) - 1
    too = "" if not others else " (1 other failed too)" if others == 1 else f" ({others} others failed too)"
    reason = f": {failed[0].reason}" if failed[0].reason else ""
    return f"step `{failed[0].path}` failed{too}{reason}"[:2000]


def _gathered(outputs: list[Mapping[str, Json]], names: list[str]) -> dict[str, Json]:
    """Return each output of a loop as the list of its items' outputs, each in its place; None: the item gave none."""
    return {name: [each.get(name) for each in outputs] for name in names}
