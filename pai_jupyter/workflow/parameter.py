"""`PipelineParameter`: a value that a component or a pipeline takes or gives. Comparing one makes a condition.

PipelineParameter("test-accuracy")
PipelineParameter("lr", typ=float, default=0.1, feasible={"range": "(0, 1]"})
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, cast

from pai_jupyter.errors import SpecError, explaining_keywords
from pai_jupyter.runs.parameter_types import check_value, read_range, shown
from pai_jupyter.runs.plan import DeclaredParameter, ParameterType
from pai_jupyter.spec import Json
from pai_jupyter.workflow.expressions import ConditionExpr, refuse_truth
from pai_jupyter.workflow.variables import PipelineVariable

_TYPES: Mapping[str, ParameterType] = {
    **dict.fromkeys(("int", "integer", "long"), "Int"),
    **dict.fromkeys(("double", "float"), "Double"),
    **dict.fromkeys(("string", "str"), "String"),
    **dict.fromkeys(("bool", "boolean"), "Bool"),
    **dict.fromkeys(("map", "dict"), "Map"),
    **dict.fromkeys(("array", "list", "tuple"), "Array"),
}


class LoopItemPlaceholder:
    """The item of a loop, as an input of its step: `LoopItem()`. `LoopItemPlaceholder` is PAI's name of it.

    Example:
        >>> from pai_jupyter import ContainerComponent, LoopItem, PipelineParameter
        >>> op = ContainerComponent(image_uri="python:3", command=["echo"], inputs=[PipelineParameter("x")])
        >>> op.as_loop_step("echo", ["a", "b"], inputs={"x": LoopItem()}).to_dict()["spec"]["withItems"]
        ['a', 'b']
    """

    fullname = "item"
    enclosed_fullname = "{{item}}"

    def __repr__(self) -> str:
        return "LoopItem"

    def __str__(self) -> str:
        """Return the reference: in a text it becomes the item, too."""
        return self.enclosed_fullname

    def _refuse(self, other: object) -> NoReturn:
        raise SpecError(
            "the item of a loop is compared within the loop only. Make a pipeline with an input, compare that in its step, and loop over "
            "the pipeline: pipeline.as_loop_step(NAME, ITEMS, inputs={INPUT: LoopItem()})",
            field="condition",
        )

    __lt__ = __le__ = __gt__ = __ge__ = _refuse


class PipelineParameter(PipelineVariable):
    """A parameter.

    Args:
        typ: a type of Python or its name: int, "Double", dict, ...
        default: without one a value must be given.
        feasible: {"range": "(0, 1]"} for numbers, with INF for no bound; {"enum": [...]} on this machine only.
        path: where an output is written: below /ml/output/, or /pai/outputs/ of a plain container. Without one:
            /ml/output/output_parameters/NAME, or /pai/outputs/parameters/NAME.

    Raises:
        SpecError: the name, the type or the range is none, or the default does not fit.

    Example:
        >>> PipelineParameter("lr", typ=float, default=0.1, feasible={"range": "(0, 1]"}) > 0.01
        ConditionExpr('{{inputs.parameters.lr}} > 0.01')
    """

    variable_category: ClassVar[str] = "parameters"

    @explaining_keywords(default_value="default=VALUE.", value="default=VALUE.", type="typ=TYPE.")
    def __init__(
        self,
        name: str,
        typ: type | str | None = str,
        default: object = None,
        desc: str | None = None,
        io_type: str = "inputs",
        from_: PipelineVariable | str | None = None,
        parent: Any = None,  # Any: see PipelineVariable
        feasible: Mapping[str, Any] | None = None,  # Any: a range as text, or a list of values
        path: str | None = None,
    ) -> None:
        super().__init__(
            name,
            desc=desc,
            io_type=io_type,
            value=cast(Json, default),
            from_=from_,
            required=default is None,
            parent=parent,
        )
        self.typ: ParameterType = type_named(typ, name)
        self.feasible = _feasible(feasible, name)
        self.path = path
        if default is not None:
            self.value = self.checked(default)

    @property
    def default(self) -> Json:
        return self.value

    @property
    def declared(self) -> DeclaredParameter:
        """The parameter as plans have it."""
        feasible = self.feasible or {}
        return DeclaredParameter(
            name=self.name,
            type=self.typ,
            default=self.value,
            feasible=feasible.get("range"),
            choices=tuple(feasible.get("enum", ())),
        )

    def gather(self) -> None:
        """Make it the list of what the items of a loop give."""
        self.is_gathered, self.typ, self.feasible = True, "Array", None

    def checked(self, value: object) -> Json:
        """Return a value in the parameter's type; what has references is checked when it is known.

        Raises:
            SpecError: it is of another type, or out of range.
        """
        if isinstance(value, str) and "{{" in value:
            return value
        if value == "" and self.typ != "String" and self.feasible is None:
            return ""  # PAI's components say so that a number has no default
        return check_value(cast(Json, value), self.declared)

    def to_dict(self) -> dict[str, Json]:
        declared = super().to_dict()
        if self.feasible:
            declared["feasible"] = dict(self.feasible)
        declared["type"] = self.typ
        if self.value is not None:
            declared["value"] = self.value
        if self.path is not None:
            declared["path"] = self.path
        return declared

    __hash__ = PipelineVariable.__hash__

    def __eq__(self, other: object) -> ConditionExpr:  # type: ignore[override]  # a condition, as in PAI's SDK
        return ConditionExpr("==", self, other)

    def __ne__(self, other: object) -> ConditionExpr:  # type: ignore[override]  # likewise
        return ConditionExpr("!=", self, other)

    def __lt__(self, other: object) -> ConditionExpr:
        return ConditionExpr("<", self, other)

    def __le__(self, other: object) -> ConditionExpr:
        return ConditionExpr("<=", self, other)

    def __gt__(self, other: object) -> ConditionExpr:
        return ConditionExpr(">", self, other)

    def __ge__(self, other: object) -> ConditionExpr:
        return ConditionExpr(">=", self, other)

    def __bool__(self) -> bool:
        refuse_truth(f"the value of the parameter `{self.name}`")

    def __contains__(self, item: object) -> bool:
        refuse_truth(f"whether {shown(repr(item))} is in the parameter `{self.name}`")


def type_named(typ: object, name: str) -> ParameterType:
    """Return the type of manifests for a type of Python or a name of one; None stands for text.

    Raises:
        SpecError: there is none.
    """
    word = typ.__name__ if isinstance(typ, type) else getattr(typ, "value", typ) if typ is not None else "str"
    found = _TYPES.get(word.lower()) if isinstance(word, str) else None
    if found is None:
        known = ", ".join(dict.fromkeys(_TYPES.values()))
        raise SpecError(f"parameter `{name}` has the type {shown(str(word))}; it must be one of: {known}.", field=name)
    return found


def _feasible(given: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:  # Any: as in the constructor
    if not given:
        return None
    if not isinstance(given, Mapping) or not set(given) <= {"range", "enum"}:
        raise SpecError(
            f"`feasible` of parameter `{name}` is {shown(str(given))}. Write {{'range': '(0, 1]'}} or {{'enum': [1, 2]}}.",
            field=name,
        )
    kept = dict(given)
    if kept.get("range") == "None":  # so PAI's SDK writes an `enum`
        return None
    if "range" in kept:
        try:
            read_range(str(kept["range"]))
        except SpecError as exc:
            raise SpecError(f"parameter `{name}`: {exc}", field=name) from exc
    return kept
