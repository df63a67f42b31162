"""The rules for parameters: four types, and at most one constraint, a range or a list of values. Pure."""

import math
from collections.abc import Iterator
from dataclasses import replace

from pai_jupyter.component.names import shown
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Hyperparameter, Schema, same
from pai_jupyter.spec import ArgumentStyle, Scalar

TYPES = ("Int", "Float", "String", "Bool")
_PLAIN: tuple[ArgumentStyle | None, ...] = (None, "number", "assigned")  # `--name value`, or a variable
_SWITCHES: tuple[ArgumentStyle, ...] = ("flag", "no_flag", "switch", "inner_switch", "no_prefix", "dash_flag", "count")
_LISTS: tuple[ArgumentStyle, ...] = ("words", "repeat", "commas")


def parameter_problems(parameter: Hyperparameter) -> Iterator[str]:
    """Yield the sentences for one parameter whose name is valid."""
    name = shown(parameter.name)
    if parameter.style not in _PLAIN:
        yield _style_problem(parameter.style, name)
        return
    if parameter.type not in TYPES:
        yield f"parameter {name} is of the type {parameter.type}; it must be one of {', '.join(TYPES)}."
        return
    wrong = list(_constraint_problems(parameter))
    yield from wrong
    if not wrong and parameter.default is not None:
        yield from _default_problems(parameter)


def _style_problem(style: ArgumentStyle | None, name: str) -> str:
    """Return why PAI, which passes `--name value` alone, cannot pass an option of this style."""
    if style in _SWITCHES:
        return (
            f"parameter {name} is a switch of the script, and PAI passes every parameter with a value: --name value. Declare it "
            "with type=int, 0 or 1, or as a line of its own: name: bool = False."
        )
    if style == "truthy":
        return (
            f"parameter {name} has type=bool, to which the text False is true, and PAI passes values as text. Declare it with "
            "type=int, 0 or 1, or as a line of its own: name: bool = False."
        )
    if style in _LISTS:
        return (
            f"parameter {name} takes several values, and PAI passes one: --name value. Declare it with type=str, without nargs "
            "or append, and split the text in the script."
        )
    return (
        f"parameter {name} is no plain option of the script, and PAI passes parameters only as --name value. Declare it with a "
        "type and without action or nargs, or as a line of its own: name: type = value."
    )


def _constraint_problems(parameter: Hyperparameter) -> Iterator[str]:
    name, low, high = shown(parameter.name), parameter.minimum, parameter.maximum
    has_range = low is not None or high is not None
    if parameter.type == "Bool" and (has_range or parameter.choices):
        yield f"parameter {name} is of the type Bool, which has no constraint. Remove its range or values."
        return
    if has_range and parameter.choices:
        yield f"parameter {name} has a range and a list of values. Keep one of them."
        return
    yield from _range_problems(parameter)
    yield from _choice_problems(parameter)


def _range_problems(parameter: Hyperparameter) -> Iterator[str]:
    name, low, high = shown(parameter.name), parameter.minimum, parameter.maximum
    for bound in (low, high):
        if bound is None:
            continue
        if isinstance(bound, bool) or not isinstance(bound, int | float) or not math.isfinite(bound):
            yield f"parameter {name} has the bound {shown(str(bound))}; it must be a number."
            return
        if parameter.type != "Float" and not float(bound).is_integer():
            yield f"parameter {name} is of the type {parameter.type} and has the bound {bound}; it must be a whole number."
            return
    if parameter.type == "String" and low is not None and low < 0:
        yield f"parameter {name} is text, whose range is its length; the least cannot be {low}. Give 0 or more."
    if low is not None and high is not None and low > high:
        yield f"parameter {name} has the range {low} to {high}, in which nothing is. Swap the two."


def _choice_problems(parameter: Hyperparameter) -> Iterator[str]:
    name, seen = shown(parameter.name), list[Scalar]()
    plain = replace(parameter, choices=(), nullable=False, required=False)
    for choice in parameter.choices:
        if sentence := value_problem(plain, choice):
            yield f"a value in the list of parameter {name} does not fit: {sentence}"
            return
        if any(same(choice, other) for other in seen):
            yield f"parameter {name} has the value {choice!r} twice in its list. Remove one."
            return
        seen.append(choice)


def _default_problems(parameter: Hyperparameter) -> Iterator[str]:
    if sentence := value_problem(replace(parameter, nullable=False), parameter.default):
        yield f"the default of parameter {shown(parameter.name)} does not fit: {sentence}"


def value_problem(parameter: Hyperparameter, value: object) -> str | None:
    """Return what `Schema` says of a value of this parameter; None if it is valid."""
    try:
        Schema(hyperparameters=(replace(parameter, style=None),)).check(parameter.name, value)
    except SpecError as exc:
        return str(exc)
    return None
