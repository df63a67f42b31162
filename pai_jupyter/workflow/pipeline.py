"""`Pipeline`: steps joined to a graph. It is a component, too: a pipeline can be a step of another.

step1 = op.as_step(name="train", inputs={...})
step2 = op.as_condition_step(name="again", condition=step1.outputs["accuracy"] <= 0.9, inputs={...})
Pipeline(steps=[step2]).local_run("iris", backend="process")
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json
from pai_jupyter.workflow.artifact import PipelineArtifact, PipelineArtifactElement
from pai_jupyter.workflow.checks import check_documents
from pai_jupyter.workflow.documents import Document, inside
from pai_jupyter.workflow.io_spec import load_spec
from pai_jupyter.workflow.manifest_text import from_yaml
from pai_jupyter.workflow.names import repeated
from pai_jupyter.workflow.parameter import PipelineParameter
from pai_jupyter.workflow.pipeline_graph import (
    Output,
    check_variables,
    collect_steps,
    count_places,
    find_inputs,
    in_order,
    name_steps,
    text_dependencies,
)
from pai_jupyter.workflow.step import PipelineStep
from pai_jupyter.workflow.unregistered_component import UnRegisteredComponent
from pai_jupyter.workflow.variables import PipelineVariable


class Pipeline(UnRegisteredComponent):
    """A pipeline.

    Args:
        steps: at least one; those that they depend on belong to the pipeline, too.
        inputs: in this order; found from the steps if not given.
        outputs: outputs of steps, as a list or by name.

    Raises:
        SpecError: the pipeline cannot run; the sentence names the step.

    Example:
        >>> from pai_jupyter import ContainerComponent, Pipeline
        >>> op = ContainerComponent(image_uri="python:3", command=["python", "-c", "print(1)"])
        >>> first = op.as_step(name="first")
        >>> pipeline = Pipeline(steps=[op.as_step(name="second", depends=[first])])
        >>> pipeline.local_run("two", backend="process").state.status.value
        'succeeded'
    """

    def __init__(
        self,
        steps: list[PipelineStep],
        inputs: Sequence[PipelineVariable] | None = None,
        outputs: Sequence[Output] | Mapping[str, Output] | None = None,
    ) -> None:
        named = _named_outputs(outputs)
        found = collect_steps(steps, named.values())
        name_steps(found)
        text_dependencies(found)
        self.steps = in_order(found)
        used = find_inputs(self.steps, list(inputs) if inputs else None)
        check_variables(self.steps, named.values(), used)
        if twice := repeated([*(it.name for it in used), *named]):
            raise SpecError(
                f"the pipeline has two inputs or outputs of the name `{twice[0]}`. Rename one of them.", field=twice[0]
            )
        count_places(self.steps, named.values())
        super().__init__(used, [_output(name, it) for name, it in named.items()])
        for step in self.steps:
            step.parent = self
        try:
            check_documents(self.documents(), registered=self.registered())
        except SpecError:
            for step in self.steps:
                step.parent = None  # correct one of them and try again
            for variable in self.inputs:
                variable.parent = None
            raise

    def spec_to_dict(self) -> dict[str, Json]:
        return {**self.io_spec_to_dict(), "pipelines": [step.to_dict() for step in self.steps]}

    def documents(self) -> list[Document]:
        needed = {
            str(inside(it, "metadata").get("guid")): it for step in self.steps for it in step.component.attached()
        }
        return [*needed.values(), *super().documents()]

    def registered(self) -> list[Document]:
        """Return the documents of the components that its steps name without having them."""
        return [it for step in self.steps for it in step.component.registered()]

    @classmethod
    def from_manifest(cls, manifest: str | Mapping[str, Json] | Sequence[Mapping[str, Json]]) -> "LoadedPipeline":
        """Read a pipeline or a component from the text or the documents of a manifest, as `to_manifest` or PAIFlow wrote it.

        Raises:
            SpecError: it is none, or cannot run.
        """
        documents = from_yaml(manifest) if isinstance(manifest, str) else _documents(manifest)
        return LoadedPipeline(documents)

    def dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        lines = [f'  "{step.name}";' for step in self.steps]
        lines += [f'  "{head.name}" -> "{step.name}";' for step in self.steps for head in step.depends]
        return "\n".join(["digraph", "{", *lines, "}"])


class LoadedPipeline(Pipeline):
    """A pipeline or a component that was read from a manifest, which stays as it is."""

    def __init__(self, documents: Sequence[Document]) -> None:
        check_documents(documents)
        if not {"container", "pipelines"} & inside(documents[-1], "spec").keys():
            raise SpecError(
                "the manifest describes neither a container nor steps. Give the text that PAIFlow or `to_manifest` wrote.",
                field="manifest",
            )
        UnRegisteredComponent.__init__(self, None, None)
        self.steps = []  # of a manifest there are names alone, see `step_names`
        self._documents = [dict(it) for it in documents]
        own = inside(self._documents[-1], "metadata")
        self.guid = str(own.get("guid") or self.guid)
        self.name = str(own.get("name") or self.name)
        self.identifier, self.version = str(own.get("identifier") or ""), str(own.get("version") or "")
        self.inputs, self.outputs = load_spec(self._documents[-1].get("spec"), parent=self)

    @property
    def title(self) -> str:
        return self.identifier or self.name

    @property
    def step_names(self) -> list[str]:
        """The names of its steps; [] for a component."""
        found = inside(self._documents[-1], "spec").get("pipelines")
        return (
            [str(inside(it, "metadata").get("name")) for it in found if isinstance(it, dict)]
            if isinstance(found, list)
            else []
        )

    def documents(self) -> list[Document]:
        return list(self._documents)

    def registered(self) -> list[Document]:
        return []

    def attached(self) -> list[Document]:
        own = self._documents[-1]
        return [*self._documents[:-1], {**own, "metadata": {**inside(own, "metadata"), "guid": self.guid}}]


def _documents(given: object) -> list[Document]:
    documents = [given] if isinstance(given, Mapping) else given
    if not isinstance(documents, Sequence) or not documents or not all(isinstance(it, Mapping) for it in documents):
        raise SpecError(
            "the manifest has no document. Give the text that Pipeline.to_manifest() wrote.", field="manifest"
        )
    return [dict(it) for it in documents]


def _named_outputs(given: Any) -> dict[str, Output]:  # Any: what a user gives
    if not given:
        return {}
    if isinstance(given, Mapping):
        named = dict(given)
    elif isinstance(given, Iterable) and not isinstance(given, str):
        items = list(given)
        named = {getattr(it, "name", str(number)): it for number, it in enumerate(items)}
        if len(named) < len(items):
            twice = repeated(it.name for it in items)
            raise SpecError(
                f"two outputs have the name `{twice[0]}`. Give them by name: outputs={{'NAME': ...}}.", field=twice[0]
            )
    else:
        raise SpecError(
            f"`outputs` must be a list or a dict of outputs of steps, not {shown(repr(given))}.", field="outputs"
        )
    for it in named.values():
        if not isinstance(it, PipelineVariable | PipelineArtifactElement):
            raise SpecError(f"an output must be the output of a step, and is {shown(repr(it))}.", field="outputs")
    return cast(dict[str, Output], named)


def _output(name: str, source: Output) -> PipelineVariable:
    if isinstance(source, PipelineParameter):
        return PipelineParameter(name, typ=source.typ, io_type="outputs", from_=source)
    artifact = source.artifact if isinstance(source, PipelineArtifactElement) else source
    assert isinstance(artifact, PipelineArtifact)  # the other kind
    is_whole = artifact is source
    return PipelineArtifact(
        name, metadata=artifact.metadata, io_type="outputs", from_=source, repeated=is_whole and artifact.repeated
    )
