"""Checks of a manifest before anything runs: the only place that says whether a pipeline can run. Nothing is asked or read here.

`runs.level` checks graph, references, conditions, loops and literal values; here are the rules of workflows beside it: names, types
of what steps pass on, kinds of artifacts. Where a manifest names a component that it does not have, and nobody can tell what it is,
its inputs and outputs are taken as the steps use them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.level import Level, compile_level
from pai_jupyter.runs.plan import Argument, DeclaredArtifact, DeclaredParameter, Graph, JobBody, ParameterType, Step
from pai_jupyter.runs.references import Reference, read_reference
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields
from pai_jupyter.workflow.custom_job_component import IMPLICIT
from pai_jupyter.workflow.documents import Document
from pai_jupyter.workflow.names import LONGEST, check_step_name, repeated
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning_bodies import PlanParts
from pai_jupyter.workflow.planning_declared import declared_artifact, declared_parameter
from pai_jupyter.workflow.planning_graph import Components, in_step

_UNKNOWN = "?"  # the title of a component that nobody knows
_WHOLE = re.compile(r"\{\{([^{}]*)\}\}")


def check_documents(documents: Sequence[Document], *, registered: Sequence[Document] = ()) -> None:
    """Check a manifest, its entry last; `registered`: documents of components that it names without having them.

    Raises:
        SpecError: it cannot run.
    """
    try:
        for it in documents:
            _check_interface(Fields.of(it).inside("spec"))
        components = Interfaces([*registered, *documents], None, PlanParts(RunPlace()))
        body = components.read(documents[-1])
    except FieldError as exc:
        raise SpecError(
            f"the manifest is damaged: {exc} Write it with Pipeline.to_manifest().", field="manifest"
        ) from exc
    if isinstance(body, Graph):
        _check_level(compile_level(body))


class Interfaces(Components):
    """Reads components as what they take and give, whether they could run here or not."""

    def body_of(self, step: Fields) -> JobBody | Graph:
        if self.has(step):
            return super().body_of(step)
        if not step.inside("metadata").has("identifier"):
            raise SpecError("its component is not in the manifest. Write the manifest with Pipeline.to_manifest().")
        arguments = step.inside("spec").inside("arguments")
        return JobBody(
            builder=_UNKNOWN,
            data={},
            title=_UNKNOWN,
            digest="",
            parameters=tuple(DeclaredParameter(name=it) for it in _names(arguments, "parameters")),
            artifacts=tuple(DeclaredArtifact(name=it, repeated=True) for it in _names(arguments, "artifacts")),
        )

    def read(self, document: Mapping[str, Json]) -> JobBody | Graph:
        body = super().read(document)
        return _completed(body) if isinstance(body, Graph) else body

    def read_component(self, document: Mapping[str, Json], title: str) -> JobBody:
        spec = Fields.of(document.get("spec"), "spec")
        inputs, outputs = spec.inside("inputs"), spec.inside("outputs")
        parameters = [declared_parameter(Fields.of(it, path)) for it, path in inputs.items("parameters")]
        return JobBody(
            builder="",
            data={},
            title=title,
            digest="",
            parameters=tuple(replace(it, required=it.required and it.name not in IMPLICIT) for it in parameters),
            artifacts=tuple(declared_artifact(Fields.of(it, path)) for it, path in inputs.items("artifacts")),
            output_parameters=tuple(
                declared_parameter(Fields.of(it, path), is_output=True) for it, path in outputs.items("parameters")
            ),
            output_artifacts=tuple(declared_artifact(Fields.of(it, path)) for it, path in outputs.items("artifacts")),
        )

    def check_artifacts(self, artifacts: Mapping[str, Json]) -> None:
        """Accept any: whether a job can read it depends on where it runs."""


def _names(arguments: Fields, kind: str) -> list[str]:
    return [Fields.of(it, path).line("name") for it, path in arguments.items(kind)]


def _completed(graph: Graph) -> Graph:
    """Give steps of unknown components the outputs that others use."""
    unknown = {step.name for step in graph.steps if isinstance(step.body, JobBody) and step.body.builder == _UNKNOWN}
    if not unknown:
        return graph
    used = _all_references(graph)
    return replace(
        graph, steps=tuple(_with_outputs(step, used) if step.name in unknown else step for step in graph.steps)
    )


def _all_references(graph: Graph) -> list[Reference]:
    given: list[Any] = [
        *graph.output_parameters.values(),
        *graph.output_artifacts.values(),
    ]  # Any: only looked through for text
    for step in graph.steps:
        given += [*step.parameters.values(), *step.artifacts.values()]
        given += [step.loop.items, step.loop.start, step.loop.end] if step.loop else []
    texts = [json.dumps(it.value) for it in given if it is not None and it.is_template]
    texts += [step.condition for step in graph.steps if step.condition]
    return [read_reference(it) for text in texts for it in _WHOLE.findall(text) if it.strip().startswith("pipelines.")]


def _with_outputs(step: Step, used: Sequence[Reference]) -> Step:
    assert isinstance(step.body, JobBody)  # as `body_of` made it
    own = [it for it in used if it.step == step.name]
    names = [dict.fromkeys(it.name for it in own if it.kind == kind) for kind in ("parameters", "artifacts")]
    return replace(
        step,
        body=replace(
            step.body,
            output_parameters=tuple(DeclaredParameter(name=it) for it in names[0]),
            output_artifacts=tuple(DeclaredArtifact(name=it) for it in names[1]),
        ),
    )


def _check_interface(spec: Fields) -> None:
    names = {
        (side, kind): [Fields.of(it, path).line("name") for it, path in spec.inside(side).items(kind)]
        for side in ("inputs", "outputs")
        for kind in ("parameters", "artifacts")
    }
    for side in ("inputs", "outputs"):
        if twice := repeated([*names[side, "parameters"], *names[side, "artifacts"]]):
            raise SpecError(f"the {side[:-1]} `{twice[0]}` is there twice. Rename one of them.", field=twice[0])
    if spec.has("pipelines") and (twice := repeated(name for each in names.values() for name in each)):
        raise SpecError(
            f"the pipeline has two inputs or outputs of the name `{twice[0]}`. Rename one of them.", field=twice[0]
        )


def _check_level(level: Level) -> None:
    for name, step in level.steps.items():
        check_step_name(name, longest=LONGEST)
        with in_step(name):
            for parameter in step.body.parameters:
                _check_type(parameter, step.parameters.get(parameter.name), level, step)
    for inner in level.inner.values():
        _check_level(inner)


def _check_type(target: DeclaredParameter, given: Argument | None, level: Level, step: Step) -> None:
    whole = _WHOLE.fullmatch(given.value.strip()) if given is not None and isinstance(given.value, str) else None
    if given is None or not given.is_template or whole is None or _is_unknown(step.body):
        return
    source = read_reference(whole[1])
    if source.kind == "artifacts":
        raise SpecError(f"parameter `{target.name}` is given {whole[0]}, an artifact. Give it a parameter or a value.")
    found = None if source.is_item else _type_of(source, level)
    if found is not None and found != target.type and (found, target.type) != ("Int", "Double"):
        raise SpecError(
            f"parameter `{target.name}` is of type {target.type}, and is given {whole[0]} of type {found}. Declare both alike.",
            field=target.name,
        )


def _type_of(source: Reference, level: Level) -> ParameterType | None:
    """Return the type of what a reference names; None if that is not known."""
    if source.step is None:
        return next((it.type for it in level.graph.parameters if it.name == source.name), None)
    step = level.steps[source.step]
    if step.loop is not None or _is_unknown(step.body):
        return None
    if isinstance(step.body, JobBody):
        return next((it.type for it in step.body.output_parameters if it.name == source.name), None)
    output = step.body.output_parameters.get(source.name)
    inner = _WHOLE.fullmatch(output.value.strip()) if output is not None and isinstance(output.value, str) else None
    return _type_of(read_reference(inner[1]), level.inner[source.step]) if inner else None


def _is_unknown(body: JobBody | Graph) -> bool:
    return isinstance(body, JobBody) and body.builder == _UNKNOWN
