"""The inputs and outputs of a component or a step: by name, by number, or all parameters and then all artifacts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields
from pai_jupyter.workflow.artifact import PipelineArtifact
from pai_jupyter.workflow.names import repeated
from pai_jupyter.workflow.parameter import PipelineParameter
from pai_jupyter.workflow.variables import PipelineVariable


class VariablesSpec:
    """Variables with unique names. `direction`: "input" or "output", for sentences."""

    direction = "variable"

    def __init__(self, items: Iterable[PipelineVariable] | None) -> None:
        given = list(items or ())
        for it in given:
            if not isinstance(it, PipelineVariable):
                raise SpecError(
                    f"an {self.direction} must be a PipelineParameter or a PipelineArtifact, and is {shown(repr(it))}.",
                    field=f"{self.direction}s",
                )
        if twice := repeated(it.name for it in given):
            raise SpecError(f"the {self.direction} `{twice[0]}` is there twice. Rename one of them.", field=twice[0])
        self.parameters = [it for it in given if isinstance(it, PipelineParameter)]
        self.artifacts = [it for it in given if isinstance(it, PipelineArtifact)]

    @property
    def items(self) -> list[PipelineVariable]:
        return [*self.parameters, *self.artifacts]

    def __getitem__(self, key: str | int) -> Any:  # Any: a parameter or an artifact
        if isinstance(key, int):
            return self.items[key]
        for it in self.items:
            if it.name == key:
                return it
        raise SpecError(f"there is no {self.direction} {shown(str(key))}. {self._offer()}", field=str(key))

    def __contains__(self, name: object) -> bool:
        return any(it.name == name for it in self.items)

    def __iter__(self) -> Iterator[PipelineVariable]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return "\n".join([f"{type(self).__name__}:", *(f"\t{it!s}" for it in self.items)])

    def to_dict(self) -> dict[str, Json]:
        return {
            "parameters": [it.to_dict() for it in self.parameters],
            "artifacts": [it.to_dict() for it in self.artifacts],
        }

    def _offer(self) -> str:
        names = ", ".join(f"`{it.name}`" for it in self.items[:20])
        return f"There is: {names}." if names else f"There are no {self.direction}s."


class InputsSpec(VariablesSpec):
    direction = "input"


class OutputsSpec(VariablesSpec):
    direction = "output"


def load_spec(spec: object, *, parent: object = None) -> tuple[InputsSpec, OutputsSpec]:
    """Read inputs and outputs of a manifest's `spec`, as variables of `parent`.

    Raises:
        SpecError: they are damaged.
    """
    try:
        fields = Fields.of(spec, "spec")
        inputs = _variables(fields.inside("inputs"), "inputs", parent)
        outputs = _variables(fields.inside("outputs"), "outputs", parent)
    except FieldError as exc:
        raise SpecError(f"the manifest is damaged: {exc} Write it with Pipeline.to_manifest().") from exc
    return InputsSpec(inputs), OutputsSpec(outputs)


def _variables(fields: Fields, io_type: str, parent: object) -> list[PipelineVariable]:
    found: list[PipelineVariable] = []
    for value, path in fields.items("parameters"):
        found.append(_parameter(Fields.of(value, path), io_type, parent))
    for value, path in fields.items("artifacts"):
        found.append(_artifact(Fields.of(value, path), io_type, parent))
    return found


def _parameter(fields: Fields, io_type: str, parent: object) -> PipelineParameter:
    feasible = fields.inside("feasible").values
    return PipelineParameter(
        fields.line("name"),
        typ=fields.optional_line("type"),
        default=fields.values.get("value"),
        desc=fields.text("desc", "") or None,
        io_type=io_type,
        from_=fields.optional_line("from"),
        parent=parent,
        feasible=feasible or None,
        path=fields.optional_line("path"),
    )


def _artifact(fields: Fields, io_type: str, parent: object) -> PipelineArtifact:
    metadata = fields.values.get("metadata")
    found = PipelineArtifact(
        fields.line("name"),
        metadata=metadata if isinstance(metadata, Mapping) else None,
        desc=fields.text("desc", "") or None,
        io_type=io_type,
        from_=fields.optional_line("from"),
        required=fields.flag("required"),
        repeated=fields.flag("repeated"),
        parent=parent,
        path=fields.optional_line("path"),
    )
    found.value = fields.values.get("value")  # type: ignore[assignment]  # as it is: places of others are not ours to check
    return found
