"""`PipelineStep`: a component in a pipeline, with its inputs; `ConditionStep`, `LoopStep`. Components make them (`as_step`, ...)."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import parse_condition
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.spec import Json
from pai_jupyter.workflow.assignment import Assignment, assigned
from pai_jupyter.workflow.documents import Document
from pai_jupyter.workflow.expressions import ConditionExpr, LogicExpr
from pai_jupyter.workflow.io_spec import load_spec
from pai_jupyter.workflow.loops import LoopItems
from pai_jupyter.workflow.names import check_step_name
from pai_jupyter.workflow.variables import PipelineVariable

MAX_RETRIES = 100
PARALLELISM = 5


class Steppable(Protocol):
    """What a step needs of its component; `ComponentBase` has it."""

    @property
    def title(self) -> str: ...
    def io_spec_to_dict(self) -> dict[str, Json]: ...
    def reference(self) -> dict[str, Json]: ...
    def attached(self) -> list[Document]: ...
    def registered(self) -> list[Document]: ...


class PipelineStep:
    """A step.

    Args:
        inputs: values by name of the component's input: a value, an output of another step, or an input of the pipeline.
        name: unique in the pipeline, at most 30 characters; made from the component's if not given.
        depends: steps that come before it, beside those whose outputs it uses.
        retries, cache: for runs of this machine: further tries after a failure; take over what ran before with the same values.

    Raises:
        SpecError: the name, an input or its value is wrong.
    """

    def __init__(
        self,
        inputs: Mapping[str, object] | Iterable[object] | None = None,
        name: str | None = None,
        depends: "Iterable[PipelineStep] | None" = None,
        component: Steppable | None = None,
        *,
        retries: int = 0,
        cache: bool = False,
    ) -> None:
        if component is None:
            raise SpecError(
                "a step needs a component. Make it with component.as_step(name=..., inputs=...).", field="component"
            )
        self.component = component
        self._name = check_step_name(name) if name is not None else None
        self.parent: Any = None  # Any: the pipeline, whose module imports this one
        self.inputs, self.outputs = load_spec(component.io_spec_to_dict(), parent=self)
        self.retries = _check_retries(retries)
        self.cache = bool(cache)
        self._after = _steps(depends)
        self.assignments = self._assigned(inputs)

    @property
    def name(self) -> str:
        return self._name or ""

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    @property
    def ref_name(self) -> str:
        return f"pipelines.{self.name}"

    @property
    def depends(self) -> "list[PipelineStep]":
        """The steps that come before it, each once."""
        found = [step for it in self.used_variables() if (step := it.step) is not None]
        return list(dict.fromkeys([*found, *self._after]))

    def used_variables(self) -> list[PipelineVariable]:
        """Return the variables that its inputs refer to."""
        return [variable for it in self.assignments.values() for variable in it.variables]

    def after(self, *steps: "PipelineStep") -> "PipelineStep":
        """Let it start only after these."""
        if self.parent is not None:
            raise SpecError(f"step `{self.name}` is in a pipeline already. Call after() before.", field="depends")
        self._after += _steps(steps)
        return self

    def set_artifact_count(self, artifact_name: str, count: int) -> "PipelineStep":
        """Say how many places a repeated output has."""
        self.outputs[artifact_name].count = count
        return self

    def to_dict(self) -> dict[str, Json]:
        """Return the step as it is in the manifest of its pipeline."""
        arguments: dict[str, Json] = {
            "parameters": [it.argument() for it in self._of("parameters")],
            "artifacts": [*(it.argument() for it in self._of("artifacts")), *self._counts()],
        }
        spec: dict[str, Json] = {"arguments": arguments}
        if self.depends:
            spec["dependencies"] = [step.name for step in self.depends]
        if self.retries:
            spec["retries"] = self.retries
        if self.cache:
            spec["cache"] = True
        return {"metadata": {"name": self.name, **self.component.reference()}, "spec": spec}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or 'without a name'}>"

    def _of(self, category: str) -> list[Assignment]:
        return [
            self.assignments[it.name]
            for it in self.inputs
            if it.variable_category == category and it.name in self.assignments
        ]

    def _counts(self) -> list[Json]:
        return [
            {"name": it.name, "value": [None] * it.count} for it in self.outputs.artifacts if it.repeated and it.count
        ]

    def _assigned(self, inputs: Mapping[str, object] | Iterable[object] | None) -> dict[str, Assignment]:
        what = f"step `{self.name}`" if self.name else "the step"
        given = inputs if inputs is not None else {}
        if not isinstance(given, Mapping):
            values = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
            if values is None or len(values) > len(self.inputs):
                raise SpecError(
                    f"the inputs of {what} must be a dict of names and values, not {shown(repr(given))}.",
                    field="inputs",
                )
            given = dict(zip((it.name for it in self.inputs), values, strict=False))
        found: dict[str, Assignment] = {}
        for key, value in given.items():
            name = str(key)
            if name not in self.inputs:
                known = ", ".join(f"`{it.name}`" for it in self.inputs) or "none"
                raise SpecError(f"{what} has no input {shown(name)}. Its inputs: {known}.", field=name)
            found[name] = assigned(self.inputs[name], value, step=what)
        return found


class ConditionStep(PipelineStep):
    """A step that runs only where its condition is met."""

    def __init__(
        self,
        condition: ConditionExpr | LogicExpr | str,
        inputs: Mapping[str, object] | Iterable[object] | None = None,
        name: str | None = None,
        depends: Iterable[PipelineStep] | None = None,
        component: Steppable | None = None,
        *,
        retries: int = 0,
        cache: bool = False,
    ) -> None:
        if isinstance(condition, str):
            parse_condition(condition)
        elif not isinstance(condition, ConditionExpr | LogicExpr):
            raise SpecError(
                f"a condition compares an output or a parameter, and {shown(repr(condition))} is none. Write e.g. "
                'step.outputs["accuracy"] > 0.9',
                field="condition",
            )
        self.condition = condition
        super().__init__(inputs=inputs, name=name, depends=depends, component=component, retries=retries, cache=cache)

    def used_variables(self) -> list[PipelineVariable]:
        compared = [] if isinstance(self.condition, str) else self.condition.parameters()
        return [*super().used_variables(), *compared]

    def to_dict(self) -> dict[str, Json]:
        whole = super().to_dict()
        text = self.condition if isinstance(self.condition, str) else self.condition.to_expr()
        whole["spec"] = {**_spec(whole), "when": text}
        return whole


class LoopStep(PipelineStep):
    """A step that runs once for each item."""

    DEFAULT_PARALLELISM_COUNT = PARALLELISM

    def __init__(
        self,
        items: object,
        parallelism: int | None = None,
        inputs: Mapping[str, object] | Iterable[object] | None = None,
        name: str | None = None,
        depends: Iterable[PipelineStep] | None = None,
        component: Steppable | None = None,
        *,
        retries: int = 0,
        cache: bool = False,
    ) -> None:
        self.items = LoopItems(items)
        self.parallelism = _check_parallelism(PARALLELISM if parallelism is None else parallelism)
        super().__init__(inputs=inputs, name=name, depends=depends, component=component, retries=retries, cache=cache)
        for it in self.outputs:
            it.gather()

    def used_variables(self) -> list[PipelineVariable]:
        return [*super().used_variables(), *self.items.variables]

    def to_dict(self) -> dict[str, Json]:
        whole = super().to_dict()
        whole["spec"] = {**_spec(whole), **self.items.to_dict(), "parallelism": self.parallelism}
        return whole


def _spec(whole: dict[str, Json]) -> dict[str, Json]:
    spec = whole["spec"]
    assert isinstance(spec, dict)  # as `to_dict` makes it
    return spec


def _steps(given: "Iterable[PipelineStep] | None") -> list[PipelineStep]:
    steps = [given] if isinstance(given, PipelineStep) else list(given or ())
    for it in steps:
        if not isinstance(it, PipelineStep):
            raise SpecError(f"`depends` must be a list of steps, and {shown(repr(it))} is none.", field="depends")
    return steps


def _check_retries(given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MAX_RETRIES:
        raise SpecError(
            f"`retries` is {given!r:.50}; it must be a whole number from 0 to {MAX_RETRIES}.", field="retries"
        )
    return given


def _check_parallelism(given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise SpecError(f"`parallelism` is {given!r:.50}; it must be a whole number from 1.", field="parallelism")
    return given
