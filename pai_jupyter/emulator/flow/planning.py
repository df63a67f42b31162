"""Turn what is to run into a plan of this package, whose jobs run as the emulator's other jobs do.

A manifest becomes a plan in `workflow.planning`; each of its components is then given the builder of `emulator.steps`, which copies
data between the emulator's buckets and local directories around the builder that the plan had.
"""

from collections.abc import Mapping
from dataclasses import replace

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.flow.pipelines import saved
from pai_jupyter.emulator.jobs.registry import check_image
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.runs.plan import Graph, JobBody, Step
from pai_jupyter.spec import Json
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning import Planned, plan_manifest

BUILDER = "pai_jupyter.emulator.steps.builder:STEP"
_PARALLEL = {"local": 16}  # jobs of a run at the same time; that machine has no queue


def plan_run(
    world: EmulatorContext,
    name: str,
    documents: list[Fields],
    *,
    parameters: Mapping[str, Json],
    artifacts: Mapping[str, Json],
) -> Planned:
    """Plan a run. Blocking.

    Raises:
        PaiJupyterError: the manifest or an argument is wrong.
    """
    planned = plan_manifest(
        documents,
        name=name,
        parameters=parameters,
        artifacts=artifacts,
        place=RunPlace(backend=world.backend),
        lookup=lambda *names: saved(world, *names),
    )
    plan = replace(planned.plan, graph=_emulated(planned.plan.graph, world), parallel=_PARALLEL)
    return replace(planned, plan=plan)


def _emulated(graph: Graph, world: EmulatorContext) -> Graph:
    return replace(graph, steps=tuple(_step(step, world) for step in graph.steps))


def _step(step: Step, world: EmulatorContext) -> Step:
    body = step.body
    return replace(step, body=_emulated(body, world) if isinstance(body, Graph) else _body(body, world))


def _body(body: JobBody, world: EmulatorContext) -> JobBody:
    data, around = {**body.data}, dict[str, Json]()
    if isinstance(image := data.get("image"), str):
        data["image"] = world.runner.image(image)
        around["problem"] = _problem(world, image)
    return replace(body, builder=BUILDER, data={"builder": body.builder, "data": data, **around})


def _problem(world: EmulatorContext, image: str) -> str:
    """Return why the service's jobs do not start with this image; "" if they do."""
    try:
        check_image(world, "image", image)
    except ApiRefusal as exc:
        return f"{exc.message}."
    return ""
