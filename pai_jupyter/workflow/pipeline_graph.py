"""Which steps and inputs a pipeline has: found from the steps and outputs that are given, backwards. Pure.

Rule 1: a step that is reached only through `depends` or a condition belongs to the pipeline.
Rule 2: the order is always the same: level by level, in a level as they were found.
"""

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import parse_condition
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.workflow.artifact import PipelineArtifact, PipelineArtifactElement
from pai_jupyter.workflow.names import LONGEST_STEP, repeated
from pai_jupyter.workflow.step import ConditionStep, PipelineStep
from pai_jupyter.workflow.variables import PipelineVariable

Output = PipelineVariable | PipelineArtifactElement


def collect_steps(given: object, outputs: Iterable[Output]) -> list[PipelineStep]:
    """Return all steps of a pipeline, those that are given first.

    Raises:
        SpecError: there are none, or one is in a pipeline already.
    """
    if not isinstance(given, list) or not all(isinstance(it, PipelineStep) for it in given):
        raise SpecError(
            f"`steps` must be a list of steps, and is {shown(repr(given))}. Write steps=[step1, step2].", field="steps"
        )
    if not given:
        raise SpecError("a pipeline needs at least one step. Write steps=[component.as_step(...)].", field="steps")
    of_outputs = [step for it in outputs if isinstance(step := it.parent, PipelineStep)]
    found = dict.fromkeys([*given, *of_outputs])
    waiting = list(found)
    while waiting:
        for step in waiting.pop(0).depends:
            if step not in found:
                found[step] = None
                waiting.append(step)
    for step in found:
        if step.parent is not None:
            raise SpecError(
                f"step `{step.name}` is in a pipeline already. Make a step of its own for each pipeline.", field="steps"
            )
    return list(found)


def in_order(steps: Sequence[PipelineStep]) -> list[PipelineStep]:
    """Put steps in the order of the manifest.

    Raises:
        SpecError: they wait for each other.
    """
    sorter = TopologicalSorter({step: step.depends for step in steps})
    try:
        sorter.prepare()
    except CycleError as exc:
        circle = " → ".join(f"`{step.name}`" for step in exc.args[1])
        raise SpecError(
            f"steps wait for each other in a circle: {circle}. Remove one of these dependencies.", field="depends"
        ) from exc
    places = {step: number for number, step in enumerate(steps)}
    ordered: list[PipelineStep] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=places.__getitem__)
        ordered += ready
        sorter.done(*ready)
    return ordered


def name_steps(steps: Sequence[PipelineStep]) -> None:
    """Give names to the steps that have none.

    Raises:
        SpecError: two have the same.
    """
    if twice := repeated(step.name for step in steps if step.name):
        raise SpecError(
            f"the pipeline has two steps of the name `{twice[0]}`. Give each a name of its own.", field="name"
        )
    used = {step.name for step in steps}
    for step in steps:
        if step.name:
            continue
        base = "".join(it if it.isascii() and (it.isalnum() or it in "-_") else "-" for it in step.component.title)
        base = base[: LONGEST_STEP - 6].strip("-") or "step"
        number = next(it for it in range(len(steps) + 1) if f"{base}-{it}" not in used)
        step.name = f"{base}-{number}"
        used.add(step.name)


def find_inputs(steps: Iterable[PipelineStep], given: Sequence[PipelineVariable] | None) -> list[PipelineVariable]:
    """Return the pipeline's inputs: variables of nobody that steps use, in the order that is given, if one is.

    Raises:
        SpecError: those that are given are not those that are used.
    """
    used = {id(it): it for step in steps for it in step.used_variables() if it.parent is None}
    found = list(used.values())
    if not given:
        return [
            *(it for it in found if not isinstance(it, PipelineArtifact)),
            *(it for it in found if isinstance(it, PipelineArtifact)),
        ]
    for it in given:
        if id(it) not in used:
            raise SpecError(
                f"the input `{it.name}` is used by no step. Give it to one, or leave it out.", field=it.name
            )
    known = {id(it) for it in given}
    if missing := [it.name for it in found if id(it) not in known]:
        raise SpecError(
            f"`inputs` lacks {', '.join(f'`{it}`' for it in missing)}, which steps use. Add it.", field=missing[0]
        )
    return list(given)


def check_variables(
    steps: Iterable[PipelineStep], outputs: Iterable[Output], inputs: Sequence[PipelineVariable]
) -> None:
    """Check that all that is used is of this pipeline.

    Raises:
        SpecError: it is of a step or a component elsewhere.
    """
    own = [*(id(step) for step in steps)]
    used = [it for step in steps for it in step.used_variables()]
    known = {id(it) for it in inputs}
    for it in [*used, *outputs]:
        variable = it.artifact if isinstance(it, PipelineArtifactElement) else it
        if id(variable) in known or id(variable.parent) in own:
            continue
        if variable.io_type == "inputs":
            raise SpecError(
                f"`{variable.name}` is an input of another pipeline or component. Make one for each: PipelineParameter(...).",
                field=variable.name,
            )
        raise SpecError(
            f"`{variable.name}` is an input or output of a component elsewhere. Use that of a step: step.outputs[{variable.name!r}].",
            field=variable.name,
        )


def count_places(steps: Iterable[PipelineStep], outputs: Iterable[Output]) -> None:
    """Set how many places repeated outputs have, by those that are used."""
    elements = [it for step in steps for given in step.assignments.values() for it in _elements(given.given)]
    for it in [*elements, *(it for it in outputs if isinstance(it, PipelineArtifactElement))]:
        if it.parent is not None and not it.artifact.is_gathered and (it.artifact.count or 0) <= it.index:
            it.artifact.count = it.index + 1


def _elements(given: object) -> list[PipelineArtifactElement]:
    items = given if isinstance(given, list) else [given]
    return [it for it in items if isinstance(it, PipelineArtifactElement)]


def text_dependencies(steps: Sequence[PipelineStep]) -> None:
    """Let steps with a condition that is text wait for the steps that it names; unknown ones are reported later."""
    by_name = {step.name: step for step in steps}
    for step in steps:
        if isinstance(step, ConditionStep) and isinstance(step.condition, str):
            names = [it.step for it in parse_condition(step.condition).references if it.step in by_name]
            step.after(*(by_name[name] for name in names if name is not None and by_name[name] is not step))
