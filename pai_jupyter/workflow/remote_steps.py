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

_TYPES: Mapping[str, ParameterType] = {"Int": "Int", "Double": "Double", "Bool": "Bool", "Map": "Map", "Array": "Array"}
LOOPS = ("withItems", "withSequence", "withParam")
_INHERITED = ("arguments", "when", *LOOPS)  # where a step's references are


@dataclass(frozen=True, kw_only=True)
class RemoteStep:
    """A step of a manifest. `inner`: the steps of its component, if that is a pipeline of the manifest."""

    name: str
    title: str = ""
    depends: tuple[str, ...] = ()
    when: str = ""
    is_loop: bool = False
    inputs: Mapping[str, Json] = field(default_factory=dict)  # parameters that are values, and no references
    output_types: Mapping[str, ParameterType] = field(default_factory=dict)
    inner: tuple["RemoteStep", ...] = ()
    is_pipeline: bool = False

    def typed(self, name: str, value: Json) -> Json:
        """Return an output parameter with the type that its component declares; PAIFlow tells all as text."""
        kind = self.output_types.get(name)
        if kind is None or not isinstance(value, str):
            return value
        with suppress(SpecError):
            return read_value(value, kind)
        return value


class RemoteManifest:
    """The steps of a manifest: a list of documents, the entry last. A component alone has none."""

    def __init__(self, documents: Sequence[Mapping[str, Json]]) -> None:
        self._documents = documents
        self._by_key = {key: each for each in documents for key in _keys(_inside(each, "metadata"))}

    @cached_property
    def steps(self) -> tuple[RemoteStep, ...]:
        return self._steps(self._documents[-1], depth=0) if self._documents else ()

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
        declared = _objects(_inside(inside, "outputs").get("parameters"))
        when = spec.get("when")
        return RemoteStep(
            name=_text(about.get("name")),
            title=_title(_inside(component, "metadata") or about),
            depends=_depends(spec),
            when=when if isinstance(when, str) else "",
            is_loop=any(spec.get(name) is not None for name in LOOPS),
            inputs=_literals(_inside(spec, "arguments")),
            output_types={
                _text(each.get("name")): kind for each in declared if (kind := _TYPES.get(_text(each.get("type"))))
            },
            inner=self._steps(component, depth=depth + 1),
            is_pipeline="pipelines" in inside,
        )


_DEEPEST = 20  # pipelines within each other


def _among(step: RemoteStep, names: set[str]) -> RemoteStep:
    return replace(step, depends=tuple(name for name in step.depends if name in names and name != step.name))


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
