"""What a rerun runs: the plan with other values, and the steps that run in any case. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.level import Level, compile_level
from pai_jupyter.runs.plan import Plan
from pai_jupyter.spec import Json

ITEM = re.compile(r"\[\d+\]")  # at the end of the name of a loop: one item of it


def plan_again(plan: Plan, values: Mapping[str, Json]) -> Plan:
    """Return the plan with these values of its inputs.

    Raises:
        SpecError: it has no such input.
    """
    parameters = {it.name for it in plan.graph.parameters}
    artifacts = {it.name for it in plan.graph.artifacts}
    for name in values:
        if name not in parameters | artifacts:
            known = ", ".join(f"`{each}`" for each in sorted(parameters | artifacts)) or "none"
            raise SpecError(f"the run has no input `{name}`. It has: {known}.", field=name)
    return replace(
        plan,
        parameters={**plan.parameters, **{name: it for name, it in values.items() if name in parameters}},
        artifacts={**plan.artifacts, **{name: it for name, it in values.items() if name in artifacts}},
    )


def step_paths(plan: Plan) -> list[str]:
    """Return the paths of the steps from which a run can be run again, those of nested pipelines behind their own."""
    return list(_paths(compile_level(plan.graph), ""))


def _paths(level: Level, prefix: str) -> Iterator[str]:
    for name in level.steps:
        yield f"{prefix}{name}"
        if name in level.inner:
            yield from _paths(level.inner[name], f"{prefix}{name}/")


def steps_behind(plan: Plan, path: str) -> tuple[str, ...]:
    """Return the path of a step and of all that depends on it, in each pipeline that it is in.

    Raises:
        SpecError: there is no such step.
    """
    level, found, prefix = compile_level(plan.graph), [path], ""
    names = path.split("/")
    for number, shown in enumerate(names):
        name = ITEM.sub("", shown)  # one item of a loop may be named
        if name not in level.steps or (name != shown and level.steps[name].loop is None):
            known = ", ".join(f"`{prefix}{each}`" for each in list(level.steps)[:20])
            raise SpecError(f"the run has no step `{path}`. There is: {known}.", field="from_step")
        found += [f"{prefix}{each}" for each in _dependents(level, name)]
        if number + 1 < len(names):
            if name not in level.inner:
                raise SpecError(f"step `{prefix}{name}` is no pipeline, so there is no step `{path}` in it.")
            level, prefix = level.inner[name], f"{prefix}{shown}/"
    return tuple(found)


def _dependents(level: Level, name: str) -> list[str]:
    """Return the steps that depend on a step, directly or not; `level.depends` is in order."""
    found = {name}
    for step, depends in level.depends.items():
        if found.intersection(depends):
            found.add(step)
    return [step for step in level.depends if step in found and step != name]
