"""What a manifest says of its steps, for drawing a run that PAIFlow drives. Pure.

Manifests are read as far as they can be: PAIFlow has accepted them, whatever is in them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import read_value
from pai_jupyter.runs.plan import ParameterType
from pai_jupyter.runs.references import references_in
from pai_jupyter.spec import Json

_TYPES: Mapping[str, ParameterType] = {name: name for name in ("Int", "Double", "String", "Bool", "Map", "Array")}
LOOPS = ("withItems", "withSequence", "withParam")
_INHERITED = ("arguments", "when", *LOOPS)  # where a step's references are


@dataclass(frozen=True)
class OutputType:
    """The type of an output parameter; `loops`: so many loops make lists of it."""

    kind: ParameterType
    loops: int = 0

    def read(self, value: Json) -> Json:
        """Return a value in this type; what does not fit stays as it is told."""
        if self.loops:
            items = _read(value, "Array")
            return [replace(self, loops=self.loops - 1).read(it) for it in items] if isinstance(items, list) else value
        return _read(value, self.kind)


def _read(value: Json, kind: ParameterType) -> Json:
    if isinstance(value, str):
        with suppress(SpecError):
            return read_value(value, kind)
    return value


@dataclass(frozen=True, kw_only=True)
class RemoteStep:
    """A step of a manifest. `inner`: the steps of its component, if that is a pipeline of the manifest."""

    name: str
    title: str = ""
    depends: tuple[str, ...] = ()
    when: str = ""
    is_loop: bool = False
    items: tuple[Json, ...] = ()  # of the loop, where the manifest has them; PAIFlow does not tell them
    inputs: Mapping[str, Json] = field(default_factory=dict)  # parameters that are values, and no references
    output_types: Mapping[str, OutputType] = field(default_factory=dict)  # of its component
    inner: tuple["RemoteStep", ...] = ()
    is_pipeline: bool = False

    @property
    def outputs(self) -> Mapping[str, OutputType]:
        """The types of what other steps get: a loop gives a list of each output of its component."""
        return {name: replace(it, loops=it.loops + self.is_loop) for name, it in self.output_types.items()}


def typed(values: Mapping[str, Json], types: Mapping[str, OutputType]) -> dict[str, Json]:
    """Return parameters with their types: PAIFlow tells all as text."""
    return {name: types[name].read(value) if name in types else value for name, value in values.items()}


class RemoteManifest:
    """The steps of a manifest: a list of documents, the entry last. A component alone has none."""

    def __init__(self, documents: Sequence[Mapping[str, Json]]) -> None:
        self._documents = documents
        self._by_key = {key: each for each in documents for key in _keys(_inside(each, "metadata"))}

    @cached_property
    def steps(self) -> tuple[RemoteStep, ...]:
        return self._steps(self._documents[-1], depth=0) if self._documents else ()

    @cached_property
    def output_types(self) -> Mapping[str, OutputType]:
        """The types of the run's output parameters."""
        return _output_types(self._documents[-1], self.steps) if self._documents else {}

    def types_in(self, document: Mapping[str, Json]) -> dict[str, OutputType]:
        """Return the types of the parameters that steps of a pipeline can refer to, by reference."""
        inputs = _declared(_inside(_inside(document, "spec"), "inputs"))
        found = {f"inputs.parameters.{name}": kind for name, kind in inputs.items()}
        for step in self._steps(document, depth=0):
            found |= {f"pipelines.{step.name}.outputs.parameters.{name}": it for name, it in step.outputs.items()}
        return found

    def _steps(self, document: Mapping[str, Json], *, depth: int) -> tuple[RemoteStep, ...]:
        if depth > _DEEPEST:
            return ()
        found = [self._step(each, depth=depth) for each in _objects(_inside(document, "spec").get("pipelines"))]
        names = {step.name for step in found}
        return tuple(_among(step, names) for step in found)

    def _step(self, fields: Mapping[str, Json], *, depth: int) -> RemoteStep:
        about, spec = _inside(fields, "metadata"), _inside(fields, "spec")
        component = next(filter(None, map(self._by_key.get, _keys(about))), {})
        inside = _inside(component, "spec")
        inner = self._steps(component, depth=depth + 1)
        when = spec.get("when")
        return RemoteStep(
            name=_text(about.get("name")),
            title=_title(_inside(component, "metadata") or about),
            depends=_depends(spec),
            when=when if isinstance(when, str) else "",
            is_loop=any(spec.get(name) is not None for name in LOOPS),
            items=_items(spec),
            inputs=_literals(_inside(spec, "arguments")),
            output_types=_output_types(component, inner),
            inner=inner,
            is_pipeline="pipelines" in inside,
        )


_DEEPEST = 20  # pipelines within each other


def _among(step: RemoteStep, names: set[str]) -> RemoteStep:
    return replace(step, depends=tuple(name for name in step.depends if name in names and name != step.name))


def _declared(channels: Mapping[str, Json]) -> dict[str, OutputType]:
    """Return the types of the parameters among inputs or outputs."""
    found = {
        _text(each.get("name")): _TYPES.get(_text(each.get("type"))) for each in _objects(channels.get("parameters"))
    }
    return {name: OutputType(kind) for name, kind in found.items() if kind}


def _output_types(component: Mapping[str, Json], steps: Sequence[RemoteStep]) -> dict[str, OutputType]:
    """Return the types of a component's output parameters; those of a pipeline are those of the outputs that they come from."""
    by_name = {step.name: step for step in steps}
    outputs = _inside(_inside(component, "spec"), "outputs")
    found = _declared(outputs)
    for each in _objects(outputs.get("parameters")):
        name = _text(each.get("name"))
        with suppress(SpecError):
            for source in references_in(each.get("from")):
                step = by_name.get(source.step or "")
                found |= {name: step.outputs[source.name]} if step and source.name in step.outputs else {}
    return found


def _keys(metadata: Mapping[str, Json]) -> Iterator[str]:
    """Yield what a step and its component have in common."""
    if guid := _text(metadata.get("guid")):
        yield guid
    if identifier := _text(metadata.get("identifier")):
        yield "\n".join((identifier, _text(metadata.get("provider")), _text(metadata.get("version"))))


def _title(metadata: Mapping[str, Json]) -> str:
    if identifier := _text(metadata.get("identifier")):
        return f"{identifier} {_text(metadata.get('version'))}".strip()
    name = _text(metadata.get("name"))
    return "" if name.startswith("tmp-") else name


def _depends(spec: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the steps that are named, and those whose outputs are referred to."""
    given = spec.get("dependencies")
    named = [_text(each) for each in given] if isinstance(given, list) else []
    referred: list[str] = []
    with suppress(SpecError):  # a reference that we do not know
        referred = [each.step for name in _INHERITED for each in references_in(spec.get(name)) if each.step]
    return tuple(dict.fromkeys(filter(None, (*named, *referred))))


def _items(spec: Mapping[str, Json]) -> tuple[Json, ...]:
    items = spec.get("withItems")
    return tuple(items) if isinstance(items, list) else ()


def _literals(arguments: Mapping[str, Json]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for each in _objects(arguments.get("parameters")):
        with suppress(SpecError):
            if each.get("value") is not None and next(references_in(each["value"]), None) is None:
                found[_text(each.get("name"))] = each["value"]
    return found


def _objects(value: object) -> list[Mapping[str, Json]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _inside(fields: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
