"""What a client does with a run beside watching it: stop it, and run it again as it was or with other values.

Rule: what only runs of this machine can do is refused for others with a sentence.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.runs import attach_run
from pai_jupyter.runs.arguments import input_problems
from pai_jupyter.runs.rerunning import plan_again, step_paths
from pai_jupyter.runs.sources import source_of
from pai_jupyter.spec import Json
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.run_view.inputs import given_texts, input_rows, problem_rows
from pai_jupyter.wire.run_view.runs import local_id
from pai_jupyter.wire.schema.asked import RunRerunAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import RunAgain, RunInputsAnswer
    from pai_jupyter.wire.schema.values import Nothing

_OURS = ("environment", "from_step", "self")  # arguments of `Run.rerun`, which no value may replace
MOST_STEPS = 1_000


def stop(run: str) -> "Nothing":
    """Ask for a run to be stopped."""
    source = source_of(run)
    if source is not None:
        source.stop(run)
    else:
        attach_run(local_id(run)).stop()
    return {}


def inputs(run: str) -> "RunInputsAnswer":
    """Return what can be changed when a run is run again."""
    plan = attach_run(only_here(run)).plan
    graph = plan.graph
    return {
        "inputs": input_rows(graph.parameters, graph.artifacts, {**plan.parameters, **plan.artifacts}),
        "steps": step_paths(plan)[:MOST_STEPS],
    }


def rerun(run: str, body: Mapping[str, object]) -> "RunAgain":
    """Start a run again, from a step on or where something has changed; nothing starts with a wrong value."""
    fields = RequestFields(body, RunRerunAsked)
    values = body.get("parameters") or {}
    if not isinstance(values, Mapping) or any(name in _OURS for name in values):
        raise SpecError("`parameters` must be an object of values by name.", field="parameters")
    earlier = attach_run(only_here(run))
    graph = earlier.plan.graph
    given = given_texts(graph.parameters, graph.artifacts, cast("Mapping[str, Json]", values))  # parsed from JSON
    problems = input_problems(plan_again(earlier.plan, given))
    if problems:
        return {"run": "", "name": "", "problems": problem_rows(problems)}
    kept = cast("Mapping[str, Any]", given)  # Any: JSON values; none is named like another argument
    again = earlier.rerun(from_step=fields.text("from_step", default="") or None, **kept)
    return {"run": again.id, "name": again.name, "problems": []}


def only_here(run_id: str) -> str:
    """Check that this is a run of this machine, and return its id.

    Raises:
        PaiJupyterError: it is one of a service; NotFoundError: there is none.
    """
    if source_of(run_id) is not None:
        raise PaiJupyterError(
            f"run {run_id} is not on this machine: it can be shown and stopped here. To run it again or to delete its record, type "
            f"%pai_runs {run_id} --rerun, or --delete"
        )
    return local_id(run_id)


ACTIONS: Mapping[str, Callable[[str, Mapping[str, object]], Mapping[str, object]]] = {
    "stop_run": lambda run, _: stop(run),
    "run_inputs": lambda run, _: inputs(run),
    "rerun_run": rerun,
}
"""By `kind` of the request."""
