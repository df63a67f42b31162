"""The executions of steps that a fold is made of: one `StepNode` for each step, item of a loop and step within them. Pure.

    GraphRun    one execution of a graph: its inputs, its nodes, and the sorter that says which of them are next
    StepNode    one step in it: a job, a pipeline (with a GraphRun of its own) or a loop (with a StepNode for each item)

Rule 1: positive progress (a try, outputs, a decision, items) comes from the journal alone; failures also from jobs. All the rest
    follows: what is skipped, what is next, how pipelines and loops stand.
Rule 2: the order in which entries and facts about jobs come makes no difference to the result, as long as each comes after those of
    the journal that it followed.
Rule 3: nothing recurses along a chain of steps: ended nodes wait in the fold's queue until their parents are told.
"""

from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.acts import Act
from pai_jupyter.runs.job_standing import Try
from pai_jupyter.runs.journal import ConditionDecided, LoopExpanded, ResultTaken
from pai_jupyter.runs.level import Level, numbered
from pai_jupyter.runs.plan import Given, Graph, JobBody, Step
from pai_jupyter.runs.references import Reference, resolve
from pai_jupyter.runs.state import StepState, StepStatus
from pai_jupyter.spec import Json


class StepNode:
    """A step in one execution of its graph. `item`: of the loop that it is an execution of; `index` None: it is none."""

    __slots__ = (
        "act",
        "artifacts",
        "condition",
        "decided",
        "ended",
        "expanded",
        "given",
        "has_run",
        "index",
        "inner",
        "is_begun",
        "is_ready",
        "is_touched",
        "item",
        "items",
        "live",
        "next_item",
        "open_items",
        "order",
        "parameters",
        "parent",
        "path",
        "reason",
        "scope",
        "seen",
        "started",
        "status",
        "step",
        "taken",
        "tries",
        "unfinished",
    )

    def __init__(self, step: Step, scope: "GraphRun", order: tuple[int, ...], parent: "StepNode | None" = None) -> None:
        self.step = step
        self.scope = scope
        self.parent = parent  # the loop
        self.order = order
        self.index: int | None = None
        self.item: Json = None
        self.path: str = f"{scope.path}{step.name}"
        self.status = StepStatus.WAITING
        self.reason: str | None = None
        self.is_ready = False  # what it depends on has ended
        self.is_begun = False
        self.is_touched = False  # the journal has something about it, or about what is in it
        self.has_run = False  # a job of this run, rather than that an earlier result was taken over
        self.condition = scope.level.conditions.get(step.name)
        self.decided: ConditionDecided | None = None
        self.expanded: LoopExpanded | None = None
        self.taken: ResultTaken | None = None
        self.tries: list[Try] = []
        self.live: Try | None = None
        self.given: Given | None = None  # what it begins with, once that is known
        self.inner: GraphRun | None = None
        self.items: list[StepNode] = []
        self.next_item = self.open_items = self.unfinished = 0
        self.act: Act | None = None
        self.parameters: Mapping[str, Json] = {}
        self.artifacts: Mapping[str, Json] = {}
        self.started: float | None = None
        self.ended: float | None = None
        self.seen: StepState | None = None  # as last drawn; None: something has changed

    @property
    def is_loop(self) -> bool:
        return self.step.loop is not None and self.index is None

    @property
    def is_job(self) -> bool:
        return isinstance(self.step.body, JobBody) and not self.is_loop

    @property
    def has_condition(self) -> bool:
        """Whether the condition is decided here: one with {{item}} is each item's own."""
        if self.condition is None or self.step.loop is None:
            return self.condition is not None
        return any(reference.is_item for reference in self.condition.references) is (self.index is not None)

    @property
    def depends(self) -> tuple[str, ...]:
        return self.scope.level.depends[self.step.name] if self.index is None else ()

    @property
    def failures(self) -> int:
        """Count the tries that have failed; one that another follows has."""
        counted = [each for each in self.tries if not each.is_dropped]
        return len(counted) - (1 if counted and counted[-1].failure is None else 0)

    def children(self) -> Iterator["StepNode"]:
        return iter(self.items) if self.is_loop else iter(self.inner.nodes.values() if self.inner else ())

    def upper(self) -> "StepNode | None":
        return self.parent or self.scope.owner

    def touch(self) -> None:
        """Note that the journal has something about it, which also shows in what it is in."""
        self.change()
        node: StepNode | None = self
        while node is not None and not node.is_touched:
            node.is_touched = True
            node = node.upper()

    def change(self) -> None:
        """Have it and what it is in drawn anew."""
        node: StepNode | None = self
        while node is not None and node.seen is not None:
            node.seen = None
            node = node.upper()

    def lookup(self, reference: Reference) -> Json:
        """Return the value of a reference in one of the step's templates.

        Raises:
            SpecError: there is none.
        """
        if not reference.is_item:
            return self.scope.lookup(reference)
        if self.item is None:
            raise SpecError(f"{{{{item}}}} has no value: item {self.index} of the loop is null.")
        return self.item

    def waited_for(self) -> str:
        """Return the path of a step with `has_run` whose outputs it does not use, but waits for, as may what it is in; "" if none."""
        node: StepNode | None = self
        while node is not None:
            used, others = node.scope.level.used[node.step.name], node.scope.nodes
            found = next((others[name].path for name in node.depends if name not in used and others[name].has_run), "")
            if found:
                return found
            node = node.upper()
        return ""

    def note_run(self) -> None:
        """Note that it has a job of this run, and so has what it is in."""
        node: StepNode | None = self
        while node is not None and not node.has_run:
            node.has_run = True
            node = node.upper()

    def condition_values(self) -> dict[str, Json]:
        """Return the values that decide the condition.

        Raises:
            SpecError: one has none.
        """
        references = self.condition.references if self.condition else ()
        return {reference.text: self.lookup(reference) for reference in references}

    def make_items(self, expanded: LoopExpanded) -> list["StepNode"]:
        self.items = [
            StepNode(self.step, self.scope, (*self.order, number), self) for number in range(len(expanded.items))
        ]
        for number, (node, item) in enumerate(zip(self.items, expanded.items, strict=True)):
            node.index, node.item, node.path = number, item, f"{self.path}[{number}]"
        self.unfinished = len(self.items)
        return self.items


class GraphRun:
    """One execution of a graph. `owner`: the step that it is the body of; None: the whole run."""

    def __init__(self, level: Level, given: Given, owner: StepNode | None, order: tuple[int, ...] = ()) -> None:
        self.level = level
        self.given = given
        self.owner = owner
        self.path = f"{owner.path}/" if owner else ""
        self.nodes = {
            name: StepNode(step, self, (*order, number)) for number, (name, step) in enumerate(level.steps.items())
        }
        self.unfinished = len(self.nodes)
        self._sorter = TopologicalSorter(level.depends)
        self._sorter.prepare()

    def take_ready(self) -> Iterator[StepNode]:
        """Yield each node once: when all that it depends on has ended."""
        return (self.nodes[name] for name in self._sorter.get_ready())

    def end(self, node: StepNode) -> None:
        self._sorter.done(node.step.name)
        self.unfinished -= 1

    def lookup(self, reference: Reference) -> Json:
        """Return the value of a reference; None for an input that was not given.

        Raises:
            SpecError: a step gave no such output.
        """
        if reference.step is None:
            return _named(self.given.parameters if reference.kind == "parameters" else self.given.artifacts, reference)
        node = self.nodes[reference.step]
        value = _named(node.parameters if reference.kind == "parameters" else node.artifacts, reference)
        if value is None:
            raise SpecError(
                f"{{{{{reference.text}}}}} has no value: step `{reference.step}` "
                + ("gave none." if node.status is StepStatus.SUCCEEDED else f"is {node.status}.")
            )
        return value

    def outputs(self) -> Given:
        """Return the graph's own outputs; those of steps that were skipped are left out."""
        graph = self.level.graph
        return Given(parameters=self._outputs_of(graph, "parameters"), artifacts=self._outputs_of(graph, "artifacts"))

    def _outputs_of(self, graph: Graph, kind: str) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for name, argument in (graph.output_parameters if kind == "parameters" else graph.output_artifacts).items():
            try:
                value = resolve(argument.value, self.lookup) if argument.is_template else argument.value
            except SpecError:
                continue
            if value is not None:
                found[name] = value
        return found


def _named(values: Mapping[str, Json], reference: Reference) -> Json:
    """Return the value of this name; `x_0` is the first of the repeated artifact `x`."""
    if reference.name in values or reference.kind == "parameters":
        return values.get(reference.name)
    base, number = numbered(reference.name)
    places = values.get(base)
    return places[number] if isinstance(places, list) and number < len(places) else None
