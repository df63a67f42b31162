"""Checks of a manifest before anything runs: the only place that says whether a pipeline can run. Nothing is asked or read here.

`runs.level` checks graph, references, conditions, loops and literal values; here are the rules of workflows beside it: names, types
of what steps pass on, kinds of artifacts. Where a manifest names a component that it does not have, and nobody can tell what it is,
its inputs and outputs are taken as the steps use them.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import Condition
from pai_jupyter.runs.level import Level, compile_level, numbered
from pai_jupyter.runs.parameter_types import fits
from pai_jupyter.runs.plan import Argument, DeclaredArtifact, DeclaredParameter, Graph, JobBody, Step
from pai_jupyter.runs.references import Reference, read_reference
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields
from pai_jupyter.workflow.assignment import gathered_problem
from pai_jupyter.workflow.documents import Document
from pai_jupyter.workflow.names import LONGEST, check_step_name, repeated
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning_bodies import IMPLICIT, PlanParts
from pai_jupyter.workflow.planning_declared import declared_artifact, declared_parameter
from pai_jupyter.workflow.planning_graph import Components, in_step

_UNKNOWN = "?"  # the title of a component that nobody knows
_WHOLE = re.compile(r"\{\{([^{}]*)\}\}")


def check_documents(documents: Sequence[Document], *, registered: Sequence[Document] = ()) -> None:
    """Check a manifest, its entry last; `registered`: documents of components that it names without having them.

    Raises:
        SpecError: it cannot run.
    """
    body = read_interface(documents, registered=registered)
    if isinstance(body, Graph):
        _check_level(compile_level(body))


def read_interface(documents: Sequence[Document], *, registered: Sequence[Document] = ()) -> JobBody | Graph:
    """Read what a manifest takes and gives, whether it could run here or not.

    Raises:
        SpecError: it is damaged.
    """
    try:
        for it in documents:
            _check_interface(Fields.of(it).inside("spec"))
        return Interfaces([*registered, *documents], None, PlanParts(RunPlace())).read(documents[-1])
    except FieldError as exc:
        raise SpecError(
            f"the manifest is damaged: {exc} Write it with Pipeline.to_manifest().", field="manifest"
        ) from exc


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
            for artifact in step.body.artifacts:
                _check_kind(artifact, step.artifacts.get(artifact.name), level)
            if name in level.conditions:
                _check_ordered(level.conditions[name], level)
    for inner in level.inner.values():
        _check_level(inner)


def _check_type(target: DeclaredParameter, given: Argument | None, level: Level, step: Step) -> None:
    whole = _WHOLE.fullmatch(given.value.strip()) if given is not None and isinstance(given.value, str) else None
    if given is None or not given.is_template or whole is None or _is_unknown(step.body):
        return
    source = read_reference(whole[1])
    if source.kind == "artifacts":
        raise SpecError(f"parameter `{target.name}` is given {whole[0]}, an artifact. Give it a parameter or a value.")
    found = None if source.is_item else _declared(source, level)
    is_gathered = _is_gathered(source, level)
    if not isinstance(found, DeclaredParameter) or fits(found.type, target.type, is_gathered=is_gathered):
        return
    if is_gathered:
        raise SpecError(gathered_problem(target, source.name), field=target.name)
    raise SpecError(
        f"parameter `{target.name}` is of type {target.type}, and is given {whole[0]} of type {found.type}. Declare both alike.",
        field=target.name,
    )


def _check_ordered(condition: Condition, level: Level) -> None:
    """Refuse a comparison by order that can never be decided: with a list or an object."""
    for part in condition.comparisons():
        for side in (part.left, part.right):
            found = _declared(side, level) if isinstance(side, Reference) and not side.is_item else None
            if part.sign in ("==", "!=") or not isinstance(found, DeclaredParameter):
                continue
            if found.type in ("Array", "Map"):
                raise SpecError(
                    f"its condition compares `{found.name}` of type {found.type} with `{part.sign}`, which is for numbers. Let a step "
                    "choose a number from it, and compare that.",
                    field="condition",
                )


def _check_kind(target: DeclaredArtifact, given: Argument | None, level: Level) -> None:
    places = given.value if given is not None and given.is_template else None
    for place in places if isinstance(places, list | tuple) else [places]:
        whole = _WHOLE.fullmatch(place.strip()) if isinstance(place, str) else None
        source = read_reference(whole[1]) if whole else None
        found = _declared(source, level) if source and not source.is_item else None
        if not isinstance(found, DeclaredArtifact) or source is None:
            continue
        if found.repeated and not target.repeated and source.name == found.name:
            raise SpecError(
                f"artifact `{target.name}` is one place, and `{found.name}` is several. Give it one of them: {found.name}[0], "
                f"or declare several: PipelineArtifact({target.name!r}, repeated=True).",
                field=target.name,
            )
        if target.kind and found.kind and target.kind != found.kind:
            raise SpecError(
                f"artifact `{target.name}` is {target.kind}, and is given `{found.name}`, {found.kind}. Give it one of its kind.",
                field=target.name,
            )


def _declared(source: Reference, level: Level) -> DeclaredParameter | DeclaredArtifact | None:
    """Return what a reference names, as its component declares it; None if that is not known."""
    if source.step is None:
        return _found(source, level.graph.parameters, level.graph.artifacts)
    step = level.steps[source.step]
    if _is_unknown(step.body):
        return None
    if isinstance(step.body, JobBody):
        found = _found(source, step.body.output_parameters, step.body.output_artifacts)
    else:
        inner = _behind(source, step.body)
        found = _declared(inner, level.inner[source.step]) if inner is not None else None
    return found if step.loop is None else _gathered(found, source)


def _behind(source: Reference, body: Graph) -> Reference | None:
    """Return what an output of a pipeline refers to; None if it is no reference alone."""
    output = (body.output_artifacts if source.kind == "artifacts" else body.output_parameters).get(source.name)
    whole = _WHOLE.fullmatch(output.value.strip()) if output is not None and isinstance(output.value, str) else None
    return read_reference(whole[1]) if whole else None


def _gathered(
    found: DeclaredParameter | DeclaredArtifact | None, source: Reference
) -> DeclaredParameter | DeclaredArtifact | None:
    """Return what a loop makes of an output of its body: a list with that of each item, in its place."""
    if isinstance(found, DeclaredArtifact):
        return replace(found, repeated=True)
    return DeclaredParameter(name=source.name, type="Array") if source.kind == "parameters" else None


def _is_gathered(source: Reference, level: Level) -> bool:
    """Return whether it is such a list, also as an output of a pipeline."""
    step = level.steps[source.step] if source.step is not None else None
    if step is None or step.loop is not None or isinstance(step.body, JobBody):
        return step is not None and step.loop is not None
    inner = _behind(source, step.body)
    return inner is not None and _is_gathered(inner, level.inner[step.name])


def _found(
    source: Reference, parameters: Iterable[DeclaredParameter], artifacts: Iterable[DeclaredArtifact]
) -> DeclaredParameter | DeclaredArtifact | None:
    if source.kind == "parameters":
        return next((it for it in parameters if it.name == source.name), None)
    known = {it.name: it for it in artifacts}
    return known.get(source.name) or known.get(numbered(source.name)[0])


def _is_unknown(body: JobBody | Graph) -> bool:
    return isinstance(body, JobBody) and body.builder == _UNKNOWN
