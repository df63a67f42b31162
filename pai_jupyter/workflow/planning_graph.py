"""Steps of manifests as steps of a plan: references, dependencies, conditions, loops, pipelines within each other.

What a step runs is looked up by its guid among the documents of the manifest, else by identifier, provider and version among the
registered components.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias, cast

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import Argument, Graph, JobBody, Loop, Step
from pai_jupyter.runs.plan_json import MAX_GRAPHS
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields, line_of, text_of
from pai_jupyter.workflow.planning_bodies import PlanParts, read_body, used_artifacts
from pai_jupyter.workflow.planning_declared import (
    MAX_COMPUTE,
    declared_artifact,
    declared_parameter,
    is_template,
    place_of,
)

Document: TypeAlias = Mapping[str, Json]
Lookup: TypeAlias = Callable[[str, str, str], Sequence[Document]]
"""Give the manifest of a registered component by identifier, provider and version ("" where unknown).

Raises:
    PaiJupyterError: there is none.
"""
MAX_RETRIES = 100


class Components:
    """The components that steps can name: those of the manifest, and the registered ones."""

    def __init__(
        self, documents: Sequence[Document], lookup: Lookup | None, into: PlanParts, *, depth: int = 0
    ) -> None:
        self._into = into
        self._lookup = lookup
        self._by_guid = {str(guid): it for it in documents if (guid := _metadata(it).get("guid"))}
        self._by_name = {_identity(_metadata(it)): it for it in documents if _metadata(it).get("identifier")}
        self._bodies: dict[int, JobBody | Graph] = {}
        self._open = depth

    def has(self, step: Fields) -> bool:
        """Return whether the manifest has the component of a step."""
        given = step.inside("metadata").values
        return str(given.get("guid")) in self._by_guid or _identity(given) in self._by_name

    def body_of(self, step: Fields) -> JobBody | Graph:
        """Return the body of a step by the metadata of its manifest."""
        given = step.inside("metadata").values
        document = self._by_guid.get(str(given.get("guid"))) or self._by_name.get(_identity(given))
        if document is not None:
            return self.read(document)
        identifier, provider, version = _identity(given)
        if not identifier:
            raise SpecError("its component is not in the manifest. Write the manifest with Pipeline.to_manifest().")
        if self._lookup is None:
            raise SpecError(f"the registered component `{identifier}` {version} cannot be looked up here.")
        documents = self._lookup(identifier, provider, version)
        return type(self)(documents, self._lookup, self._into, depth=self._open).read(documents[-1])

    def read(self, document: Document) -> JobBody | Graph:
        """Turn a document into a body; one that is used twice is read once."""
        if self._open > MAX_GRAPHS:
            raise SpecError(f"more than {MAX_GRAPHS} pipelines are within each other.")
        if id(document) not in self._bodies:
            self._open += 1
            spec = Fields.of(document.get("spec"), "spec")
            is_pipeline = spec.has("pipelines")
            title = title_of(document)
            self._bodies[id(document)] = (
                read_graph(spec, title, self) if is_pipeline else self.read_component(document, title)
            )
            self._open -= 1
        return self._bodies[id(document)]

    def read_component(self, document: Document, title: str) -> JobBody:
        return read_body(document, title, self._into)

    def check_artifacts(self, artifacts: Mapping[str, Json]) -> None:
        """Refuse what a job cannot be given where the plan runs."""
        check_readable(artifacts)

    def note(self, text: str) -> None:
        self._into.note(text)


def title_of(document: Document) -> str:
    given = _metadata(document)
    name = next((str(given[key]) for key in ("identifier", "name") if given.get(key)), "component")
    return line_of(f"{name} {given['version']}" if given.get("version") else name, "metadata.name", limit=300)


def _metadata(document: Document) -> Mapping[str, object]:
    return Fields.of(document).inside("metadata").values


def _identity(metadata: Mapping[str, object]) -> tuple[str, str, str]:
    identifier, provider, version = (str(metadata.get(it) or "") for it in ("identifier", "provider", "version"))
    return identifier, provider, version


def read_graph(spec: Fields, title: str, components: Components) -> Graph:
    """Read a pipeline."""
    inputs, outputs = spec.inside("inputs"), spec.inside("outputs")
    return Graph(
        steps=tuple(_step(Fields.of(it, path), components) for it, path in spec.items("pipelines")),
        title=title,
        parameters=tuple(declared_parameter(Fields.of(it, path)) for it, path in inputs.items("parameters")),
        artifacts=tuple(declared_artifact(Fields.of(it, path)) for it, path in inputs.items("artifacts")),
        output_parameters=_outputs(outputs, "parameters", title, components),
        output_artifacts=_outputs(outputs, "artifacts", title, components),
    )


def _outputs(outputs: Fields, kind: str, title: str, components: Components) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    for it in [Fields.of(value, path) for value, path in outputs.items(kind)]:
        if it.has("from"):
            found[it.line("name")] = Argument(value=it.text("from"), is_template=True)
        elif it.has("value"):
            found[it.line("name")] = _argument(it.values["value"])
        else:  # PAI's SDK leaves `from` out where there is a `desc`
            components.note(f"output `{it.line('name')}` of `{title}` has no source, so it stays empty.")
    return found


@contextmanager
def in_step(name: str) -> Iterator[None]:
    """Begin errors with the name of the step."""
    try:
        yield
    except (SpecError, FieldError) as exc:
        inner = str(exc)
        path = f"{name}/" if inner.startswith("step `") else ""
        text = f"step `{path}{inner.removeprefix('step `')}" if path else f"step `{name}`: {inner}"
        raise SpecError(text, field=getattr(exc, "field", None)) from exc


def _step(fields: Fields, components: Components) -> Step:
    name = fields.inside("metadata").line("name")
    with in_step(name):
        spec = fields.inside("spec")
        body = components.body_of(fields)
        arguments = spec.inside("arguments")
        return Step(
            name=name,
            body=body,
            parameters=_given(arguments, "parameters", components),
            artifacts=_artifacts(arguments, body, components),
            depends=tuple(dict.fromkeys(line_of(it, path) for it, path in spec.items("dependencies"))),
            condition=_condition(spec),
            loop=_loop(spec),
            retries=spec.whole("retries", 0, most=MAX_RETRIES),
            cache=spec.flag("cache"),
        )


def _given(arguments: Fields, kind: str, components: Components) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    for it in [Fields.of(value, path) for value, path in arguments.items(kind)]:
        name = it.line("name")
        if name in found:
            raise SpecError(f"it is given `{name}` twice.", field=name)
        value = it.values.get("from", it.values.get("value"))
        if value is not None:
            found[name] = _argument(value)
    return found


def _artifacts(arguments: Fields, body: JobBody | Graph, components: Components) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    for it in [Fields.of(value, path) for value, path in arguments.items("artifacts")]:
        name = it.line("name")
        place = place_of(cast(Json, it.values.get("from", it.values.get("value"))), name)
        if place is not None and not _is_count(place):
            found[name] = _argument(place)
    if isinstance(body, JobBody):
        used = used_artifacts(body)
        components.check_artifacts({name: argument.value for name, argument in found.items() if name in used})
    return found


def _is_count(place: Json) -> bool:
    """Return whether it says only how many places a repeated output has, as PAI's SDK writes it among the inputs."""
    return isinstance(place, list) and bool(place) and all(it is None for it in place)


def check_readable(artifacts: Mapping[str, Json]) -> None:
    """Refuse what a job of this machine cannot read: it may only be passed on.

    Raises:
        SpecError: a place is in MaxCompute.
    """
    for name, value in artifacts.items():
        for place in value if isinstance(value, list) else [value]:
            if is_max_compute(place):
                raise SpecError(
                    f"artifact `{name}` is {place} in MaxCompute, which jobs of this machine cannot read. Run the pipeline on PAI: "
                    ".run(NAME); or give a file: a path or an oss:// address.",
                    field=name,
                )


def is_max_compute(place: Json) -> bool:
    return isinstance(place, str) and place.startswith(MAX_COMPUTE)


def _argument(value: object) -> Argument:
    given = cast(Json, value)  # the manifest is JSON
    return Argument(value=given, is_template=is_template(given))


def _condition(spec: Fields) -> str | None:
    return spec.text("when") if spec.has("when") else None


def _loop(spec: Fields) -> Loop | None:
    parallelism = spec.whole("parallelism", 5, least=1)
    if spec.has("withSequence"):
        ends = spec.inside("withSequence")
        start = _argument(ends.values["start"]) if ends.has("start") else None
        return Loop(start=start, end=_argument(ends.values.get("end")), parallelism=parallelism)
    for name in ("withItems", "withParam"):
        if spec.has(name):
            value = spec.values[name]
            if name == "withParam":
                text_of(value, f"spec.{name}") if not isinstance(value, list) else None
            return Loop(items=_argument(value), parallelism=parallelism)
    return None
