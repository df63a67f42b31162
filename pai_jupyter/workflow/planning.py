"""A manifest as a plan that runs here: `plan_manifest`.

    planning_graph     its steps, loops and pipelines within each other
    planning_bodies    its components, as jobs
    planning_declared  its parameters, artifacts and their places
    place              where each job starts

The documents are those of `Pipeline.to_manifest()`, as PAIFlow stores them: components first, the entry last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.exclusive import never_run
from pai_jupyter.runs.level import check_graph
from pai_jupyter.runs.plan import Argument, Graph, JobBody, Plan, Step
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning_bodies import PlanParts
from pai_jupyter.workflow.planning_declared import place_of
from pai_jupyter.workflow.planning_graph import Components, Document, Lookup, title_of

API_VERSION = "core/v1"


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A plan, and what it needs beside it: packages by name, values of secrets by variable. `notes` are in the plan, too."""

    plan: Plan
    packages: Mapping[str, Path] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()


def plan_manifest(
    documents: Sequence[Document],
    *,
    name: str,
    parameters: Mapping[str, Json] | None = None,
    artifacts: Mapping[str, Json] | None = None,
    place: RunPlace | None = None,
    lookup: Lookup | None = None,
    parallel: int | None = None,
    fail_fast: bool = False,
) -> Planned:
    """Plan a manifest; a component alone becomes a pipeline of the one step `job`.

    `lookup` gives registered components, `parallel` limits the jobs at the same time.

    Raises:
        SpecError: the manifest is wrong, or has what cannot run here; the sentence names the step.
    """
    into = PlanParts(place or RunPlace())
    try:
        graph, defaults = _entry(documents, lookup, into)
    except FieldError as exc:
        raise SpecError(f"the manifest is damaged: {exc} Write it with Pipeline.to_manifest().") from exc
    given = {key: place_of(value, key) for key, value in (artifacts or {}).items()}
    plan = Plan(
        name=name,
        graph=graph,
        parameters={key: value for key, value in (parameters or {}).items() if value is not None},
        artifacts={key: value for key, value in {**defaults, **given}.items() if value is not None},
        fail_fast=fail_fast,
        parallel={"local": parallel} if parallel is not None else {},
        secrets=tuple(sorted({it for body in bodies(graph) for it in _secrets(body)})),
    )
    notes = (*into.notes, *never_run(check_graph(plan)))
    plan = replace(plan, notes=notes)
    return Planned(plan=plan, packages=into.packages, secrets=into.secrets, notes=notes)


def _entry(documents: Sequence[Document], lookup: Lookup | None, into: PlanParts) -> tuple[Graph, dict[str, Json]]:
    """Return the graph of the last document, and the places that its artifacts have by default."""
    if not documents:
        raise SpecError("the manifest is empty. Write it with Pipeline.to_manifest().")
    for document in documents:
        version = Fields.of(document).line("apiVersion", API_VERSION)
        if version != API_VERSION:
            raise SpecError(f"the manifest is of apiVersion {version[:40]!r}; only {API_VERSION} is known.")
    entry = documents[-1]
    body = Components(documents, lookup, into).read(entry)
    graph = body if isinstance(body, Graph) else alone(body, title_of(entry))
    return graph, default_places(entry)


def default_places(document: Document) -> dict[str, Json]:
    """Return the places that the artifacts of a component have by default."""
    inputs = Fields.of(document).inside("spec").inside("inputs")
    declared = [Fields.of(it, path) for it, path in inputs.items("artifacts")]
    return {it.line("name"): place_of(it.values.get("value"), it.line("name")) for it in declared}


def alone(body: JobBody, title: str) -> Graph:
    """Return a pipeline of one step, with the inputs and outputs of the body."""
    return Graph(
        steps=(
            Step(
                name="job",
                body=body,
                parameters=_references("inputs.parameters", [it.name for it in body.parameters]),
                artifacts=_references("inputs.artifacts", [it.name for it in body.artifacts]),
            ),
        ),
        title=title,
        parameters=body.parameters,
        artifacts=body.artifacts,
        output_parameters=_references("pipelines.job.outputs.parameters", [it.name for it in body.output_parameters]),
        output_artifacts=_references("pipelines.job.outputs.artifacts", [it.name for it in body.output_artifacts]),
    )


def _references(above: str, names: list[str]) -> dict[str, Argument]:
    return {name: Argument(value=f"{{{{{above}.{name}}}}}", is_template=True) for name in names}


def bodies(graph: Graph) -> list[JobBody]:
    """Return the bodies of all steps, those of pipelines within each other included."""
    found: list[JobBody] = []
    for step in graph.steps:
        found += [step.body] if isinstance(step.body, JobBody) else bodies(step.body)
    return found


def _secrets(body: JobBody) -> list[str]:
    names = body.data.get("secrets")
    return [str(name) for name in names] if isinstance(names, list) else []
