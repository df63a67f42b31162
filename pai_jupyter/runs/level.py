"""One graph, checked and put in order: what each step depends on, with its references and conditions read. Pure.

`check_graph` is what is asked before anything runs; `compile_level` is the same for the engine, which trusts no file.

Rule 1: a step depends on what `depends` names and on each step that its arguments, its condition and its loop refer to.
Rule 2: `graphlib` finds the order and the circle. One sorter a level: a nested pipeline is a level of its own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.arguments import check_inputs, check_literals, loop_items
from pai_jupyter.runs.condition import Condition, parse_condition
from pai_jupyter.runs.parameter_types import read_range, shown
from pai_jupyter.runs.plan import Argument, DeclaredParameter, Graph, JobBody, Plan, Step
from pai_jupyter.runs.plan_json import MAX_GRAPHS
from pai_jupyter.runs.references import Reference, references_in
from pai_jupyter.typed_json import FieldError, check_depth

MAX_STEPS = 10_000  # of one graph
_NAME = re.compile(r"[^\x00-\x1f\x7f/\[\]{}`]{1,200}")  # what a path of steps is made of
_NUMBERED = re.compile(r"(.+)_([0-9]{1,6})")


@dataclass(frozen=True, kw_only=True)
class Level:
    """A graph in order. `depends`, `conditions` and `inner` (levels of nested pipelines) are by name of step.

    `used`: the steps among `depends` whose outputs it is given.
    """

    graph: Graph
    steps: Mapping[str, Step]  # in an order in which they may run
    depends: Mapping[str, tuple[str, ...]]
    used: Mapping[str, frozenset[str]]
    conditions: Mapping[str, Condition]
    inner: Mapping[str, "Level"]


def check_graph(plan: Plan) -> Level:
    """Check a plan as far as it can be known before it runs; return its graph in order.

    Raises:
        SpecError: a name, a reference, a dependency, a condition or a literal value is wrong, or steps wait for each other.
    """
    level = compile_level(plan.graph)
    check_inputs(plan)
    return level


def compile_level(graph: Graph, path: str = "") -> Level:
    """Put a graph and the pipelines in it in order.

    Raises:
        SpecError: as `check_graph`, but for the values of the run's inputs.
    """
    if path.count("/") >= MAX_GRAPHS:
        raise SpecError(f"more than {MAX_GRAPHS} pipelines are within each other at step `{path[:200]}`.")
    steps = _by_name(graph, path)
    for declared in graph.parameters:
        _check_declared(declared, path)
    depends: dict[str, tuple[str, ...]] = {}
    conditions: dict[str, Condition] = {}
    for name, step in steps.items():
        try:
            conditions |= {name: _condition(step.condition, graph, steps)} if step.condition is not None else {}
            depends[name] = _depends(step, graph, steps, conditions.get(name))
            _check_step(step)
        except SpecError as exc:
            raise SpecError(f"step `{path}{name}`: {exc}", field=exc.field) from exc
    _check_outputs(graph, steps, path)
    inner = {name: compile_level(it.body, f"{path}{name}/") for name, it in steps.items() if isinstance(it.body, Graph)}
    order = _in_order(depends, path)
    return Level(
        graph=graph,
        steps={name: steps[name] for name in order},
        depends={name: depends[name] for name in order},
        used={name: frozenset(_used(step)) for name, step in steps.items()},
        conditions=conditions,
        inner=inner,
    )


def _condition(text: str, graph: Graph, steps: Mapping[str, Step]) -> Condition:
    return parse_condition(text).with_texts(lambda reference: _is_text(reference, graph, steps))


def _is_text(reference: Reference, graph: Graph, steps: Mapping[str, Step]) -> bool:
    """Return whether what a step of the graph refers to is declared as text; what nobody declares may be a number."""
    if reference.is_item or reference.kind != "parameters":
        return False
    if reference.step is None:
        return "String" in [it.type for it in graph.parameters if it.name == reference.name]
    step = steps.get(reference.step)
    if step is None or step.loop is not None:  # a loop gives a list
        return False
    if isinstance(step.body, JobBody):
        return "String" in [it.type for it in step.body.output_parameters if it.name == reference.name]
    inner, given = step.body, step.body.output_parameters.get(reference.name)
    sources = [*_references([given])] if given is not None else []
    by_name = {it.name: it for it in inner.steps}
    return bool(sources) and all(_is_text(it, inner, by_name) for it in sources)


def _by_name(graph: Graph, path: str) -> dict[str, Step]:
    where = f"pipeline `{path[:-1]}`" if path else "the pipeline"
    if not graph.steps:
        raise SpecError(f"{where} has no steps. Give it at least one.")
    if len(graph.steps) > MAX_STEPS:
        raise SpecError(f"{where} has {len(graph.steps)} steps; there may be {MAX_STEPS}.")
    steps: dict[str, Step] = {}
    for step in graph.steps:
        if not _NAME.fullmatch(step.name) or step.name != step.name.strip():
            raise SpecError(f"{where} has a step of the name {shown(step.name)}. Use letters, digits, `-` and `_`.")
        if step.name in steps:
            raise SpecError(f"{where} has two steps of the name `{step.name}`. Give each a name of its own.")
        steps[step.name] = step
    return steps


def _in_order(depends: Mapping[str, tuple[str, ...]], path: str) -> list[str]:
    try:
        return list(TopologicalSorter(depends).static_order())
    except CycleError as exc:
        circle = " → ".join(f"`{path}{name}`" for name in exc.args[1])
        raise SpecError(f"steps wait for each other in a circle: {circle}. Remove one of these dependencies.") from exc


def _depends(step: Step, graph: Graph, steps: Mapping[str, Step], condition: Condition | None) -> tuple[str, ...]:
    found = dict.fromkeys(step.depends)
    for name in step.depends:
        if name not in steps:
            raise SpecError(f"it depends on `{name}`, but there is no such step beside it.")
    for reference in (*_of_loop(step), *_of_arguments(step), *(condition.references if condition else ())):
        _check_reference(reference, step, graph, steps)
        if reference.step is not None:
            found[reference.step] = None
    return tuple(found)


def _used(step: Step) -> Iterator[str]:
    for reference in (*_of_loop(step), *_of_arguments(step)):
        if reference.step is not None:
            yield reference.step


def _of_loop(step: Step) -> Iterator[Reference]:
    ends = (step.loop.items, step.loop.start, step.loop.end) if step.loop else ()
    for reference in _references(it for it in ends if it is not None):
        if reference.is_item:
            raise SpecError("the items of its loop cannot be made of {{item}}.")
        yield reference


def _of_arguments(step: Step) -> Iterator[Reference]:
    yield from _references(step.parameters.values())
    for reference in _references(step.artifacts.values()):
        if reference.kind != "artifacts" and not reference.is_item:
            raise SpecError(
                f"an artifact is given {{{{{reference.text}}}}}, a parameter. Give it an artifact or a path."
            )
        yield reference


def _references(arguments: Iterable[Argument]) -> Iterator[Reference]:
    for argument in arguments:
        try:
            check_depth(argument.value, "an argument")
        except FieldError as exc:
            raise SpecError(f"{exc} Use a flatter value.") from exc
        if argument.is_template:
            yield from references_in(argument.value)


def _check_reference(reference: Reference, step: Step | None, graph: Graph, steps: Mapping[str, Step]) -> None:
    shape = f"{{{{{reference.text}}}}}"
    if reference.is_item:
        if step is None or step.loop is None:
            raise SpecError("{{item}} is used, but there is no loop.")
    elif reference.step is None:
        declared = graph.parameters if reference.kind == "parameters" else graph.artifacts
        if not _has(reference.name, [it.name for it in declared], reference.kind):
            raise SpecError(
                f"{shape} is used, but the pipeline has no such input. {_offer(it.name for it in declared)}"
            )
    elif reference.step not in steps:
        raise SpecError(f"{shape} is used, but there is no step `{reference.step}` beside it.")
    else:
        names = output_names(steps[reference.step], reference.kind)
        if not _has(reference.name, names, reference.kind):
            raise SpecError(f"{shape} is used, but step `{reference.step}` has no such output. {_offer(names)}")


def output_names(step: Step, kind: str) -> list[str]:
    body = step.body
    if isinstance(body, JobBody):
        return [it.name for it in (body.output_parameters if kind == "parameters" else body.output_artifacts)]
    return list(body.output_parameters if kind == "parameters" else body.output_artifacts)


def _has(name: str, names: list[str], kind: str) -> bool:
    return name in names or (kind == "artifacts" and numbered(name)[0] in names)


def numbered(name: str) -> tuple[str, int]:
    """Split `x_0`, as PAI calls the first place of the repeated artifact `x`; ("", 0) if it is none."""
    found = _NUMBERED.fullmatch(name)
    return (found[1], int(found[2])) if found else ("", 0)


def _offer(names: Iterable[str]) -> str:
    known = ", ".join(f"`{name}`" for name in list(names)[:20])
    return f"There is: {known}." if known else "It has none."


def _check_step(step: Step) -> None:
    body = step.body
    _check_names("parameter", step.parameters, [it.name for it in body.parameters])
    _check_names("artifact", step.artifacts, [it.name for it in body.artifacts])
    if isinstance(body, JobBody):
        for each in body.parameters:
            _check_declared(each, "")
    elif step.retries or step.cache:
        own = [name for name in ("retries", "cache") if getattr(step, name)]
        raise SpecError(
            f"a pipeline is not retried, and not cached as a whole. Give `{'` and `'.join(own)}` to its steps.",
            field=own[0],
        )
    loop = step.loop
    if loop and ((loop.items is None) == (loop.end is None) or loop.parallelism < 1 or (loop.items and loop.start)):
        raise SpecError("its loop needs either items or an end, and a parallelism of at least 1.")
    if loop and not any(it.is_template for it in (loop.items, loop.start, loop.end) if it):
        loop_items(loop, lambda reference: None)  # literals have no references
    check_literals(step)


def _check_names(what: str, given: Iterable[str], names: list[str]) -> None:
    for name in given:
        if name not in names:
            raise SpecError(f"it has no input {what} `{name}`. {_offer(names)}", field=name)


def _check_declared(declared: DeclaredParameter, path: str) -> None:
    if declared.feasible:
        try:
            read_range(declared.feasible)
        except SpecError as exc:
            where = f" of `{path[:-1]}`" if path else ""
            raise SpecError(f"parameter `{declared.name}`{where}: {exc}") from exc


def _check_outputs(graph: Graph, steps: Mapping[str, Step], path: str) -> None:
    for kind, outputs in (("parameters", graph.output_parameters), ("artifacts", graph.output_artifacts)):
        for name, argument in outputs.items():
            try:
                for reference in _references([argument]):
                    _check_reference(reference, None, graph, steps)
            except SpecError as exc:
                raise SpecError(f"output `{path}{name}` ({kind}): {exc}") from exc
