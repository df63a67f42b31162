"""What an input of a step is given: a value, an output of another step, an input of the pipeline, the item of a loop.

References are written only when the manifest is made, for steps may get their names from the pipeline.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pai_jupyter.config import refuse_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import fits, shown
from pai_jupyter.runs.plan import DeclaredParameter
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, check_depth
from pai_jupyter.workflow.artifact import PipelineArtifact, PipelineArtifactElement
from pai_jupyter.workflow.parameter import LoopItemPlaceholder, PipelineParameter
from pai_jupyter.workflow.variables import PipelineVariable


@dataclass(frozen=True)
class Assignment:
    """A value for the input `target`; `given` may be or hold variables."""

    target: PipelineVariable
    given: object

    @property
    def variables(self) -> list[PipelineVariable]:
        """The variables that it refers to."""
        return list(variables_in(self.given))

    def argument(self) -> dict[str, Json]:
        """Return it as an argument of the manifest."""
        name, given = self.target.name, self.given
        if isinstance(given, PipelineVariable | PipelineArtifactElement):
            if isinstance(self.target, PipelineArtifact) and self.target.repeated:
                given = [given]
            else:
                return {"name": name, "from": given.enclosed_fullname}
        if isinstance(self.target, PipelineArtifact) and isinstance(given, list | tuple):
            return {"name": name, "value": [self._place(it, number) for number, it in enumerate(given)]}
        return {"name": name, "value": written(given)}

    def _place(self, it: object, number: int) -> Json:
        name = f"{self.target.name}_{number}"
        if isinstance(it, PipelineVariable | PipelineArtifactElement):
            return {"name": name, "from": it.enclosed_fullname}
        if isinstance(it, LoopItemPlaceholder):
            return {"name": name, "value": it.enclosed_fullname}
        return cast(Json, it)  # as `PipelineArtifact.checked` made it


def assigned(target: PipelineVariable, value: object, *, step: str) -> Assignment:
    """Check what an input is given as far as it is known now.

    Raises:
        SpecError: it does not fit the input, or is a known secret, which no other sentence shows then.
    """
    try:
        refuse_secrets([(target.name, value)])
        if isinstance(target, PipelineArtifact):
            return Assignment(target, _for_artifact(target, value))
        assert isinstance(target, PipelineParameter)  # the other kind
        return Assignment(target, _for_parameter(target, value))
    except SpecError as exc:
        raise SpecError(f"{step}: {exc}", field=exc.field or target.name) from exc


def _for_parameter(target: PipelineParameter, value: object) -> object:
    if isinstance(value, PipelineArtifact | PipelineArtifactElement):
        raise SpecError(
            f"parameter `{target.name}` is given the artifact `{value.name}`. Give it a parameter or a value."
        )
    if isinstance(value, PipelineParameter):
        if not fits(value.typ, target.typ, is_gathered=value.is_gathered):
            if value.is_gathered:
                raise SpecError(gathered_problem(target, value.name))
            raise SpecError(
                f"parameter `{target.name}` is of type {target.typ}, and is given `{value.name}` of type {value.typ}. "
                f"Declare both alike: PipelineParameter({value.name!r}, typ={target.typ!r})."
            )
        return value
    if isinstance(value, LoopItemPlaceholder):
        return value
    value = plain(value)
    if any(True for _ in variables_in(value)):
        return value
    try:
        check_depth(value, f"parameter `{target.name}`")
    except FieldError as exc:
        raise SpecError(f"parameter `{target.name}` is nested too deep; use a flatter value.") from exc
    if value is None:
        raise SpecError(f"parameter `{target.name}` is given None. Leave it out, or give a value.")
    return target.checked(value)


def gathered_problem(target: PipelineParameter | DeclaredParameter, given: str) -> str:
    """Say that a parameter cannot take what a loop gives."""
    kind = target.typ if isinstance(target, PipelineParameter) else target.type
    return (
        f"parameter `{target.name}` is of type {kind}, and is given `{given}` of a loop, a list with the value of each item. "
        f"Declare it as a list: PipelineParameter({target.name!r}, typ=list), or [] as its value in a CustomJob."
    )


def _for_artifact(target: PipelineArtifact, value: object) -> object:
    if target.repeated and isinstance(value, list | tuple):
        items = list(value)
        if not items:
            raise SpecError(f"artifact `{target.name}` is given an empty list. Give it at least one place.")
        return [_place(target, it, f"{target.name}_{number}") for number, it in enumerate(items)]
    if isinstance(value, PipelineVariable | PipelineArtifactElement | LoopItemPlaceholder):
        return _place(target, value, target.name)
    return target.checked(value)


def _place(target: PipelineArtifact, value: object, name: str) -> object:
    """Return a reference that fits, or a place of a list as the manifest has it."""
    if isinstance(value, PipelineParameter):
        raise SpecError(
            f"artifact `{target.name}` is given the parameter `{value.name}`. Give it an artifact or a path."
        )
    if isinstance(value, LoopItemPlaceholder):
        return value
    source = value.artifact if isinstance(value, PipelineArtifactElement) else value
    if not isinstance(source, PipelineArtifact):
        checked = PipelineArtifact(target.name, metadata=target.metadata).checked(value)
        return {"name": name, "value": checked}
    if isinstance(value, PipelineArtifact) and value.repeated and not target.repeated:
        raise SpecError(
            f"artifact `{target.name}` is one place, and `{value.name}` is several. Give it one of them: {value.name}[0], "
            f"or declare several: PipelineArtifact({target.name!r}, repeated=True)."
        )
    if not target.metadata.accepts(source.metadata):
        raise SpecError(
            f"artifact `{target.name}` is {target.metadata.title}, and is given `{source.name}`, {source.metadata.title}. "
            "Give it one of its kind."
        )
    return value


def plain(value: object) -> object:
    """Return a value of JSON for what people give: a JobConfig, a path, a tuple, a number of numpy."""
    if isinstance(
        value, PipelineVariable | PipelineArtifactElement | LoopItemPlaceholder | str | bool | int | float | None
    ):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(it) for key, it in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(it) for it in value]
    for name in ("to_dict", "item"):
        if callable(convert := getattr(value, name, None)):
            return plain(convert())
    raise SpecError(f"{shown(repr(value))} is no value of JSON. Give a number, text, a list or a dict.")


def variables_in(given: object) -> Iterator[PipelineVariable]:
    """Yield the variables in a value."""
    if isinstance(given, PipelineArtifactElement):
        yield given.artifact
    elif isinstance(given, PipelineVariable):
        yield given
    elif isinstance(given, Mapping):
        for it in given.values():
            yield from variables_in(it)
    elif isinstance(given, list | tuple):
        for it in given:
            yield from variables_in(it)


def written(given: object) -> Json:
    """Return a value of JSON, with references in the place of variables."""
    if isinstance(given, PipelineVariable | PipelineArtifactElement | LoopItemPlaceholder):
        return given.enclosed_fullname
    if isinstance(given, Mapping):
        return {str(key): written(it) for key, it in given.items()}
    if isinstance(given, list | tuple):
        return [written(it) for it in given]
    return cast(Json, given)
