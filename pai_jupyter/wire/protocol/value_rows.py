"""A hyperparameter as a row of a form, with the words that both renderings of the form say of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from pai_jupyter.hyperparameters import Hyperparameter, allowed, as_text

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import Default, HyperparameterKind, HyperparameterRow
    from pai_jupyter.wire.schema.values import Scalar as Plain

_KINDS: "Mapping[str, HyperparameterKind]" = {
    "Int": "int",
    "Float": "float",
    "String": "str",
    "Bool": "bool",
    "Json": "json",
}


def value_row(
    declared: Hyperparameter, *, line: int = 1, is_offered: bool = False, chosen_by: str = ""
) -> "HyperparameterRow":
    """Return the row; `chosen_by` names the hyperparameter that chooses whether there is this one."""
    return {
        "name": declared.name,
        "kind": _KINDS[declared.type],
        "default": cast("Default", declared.default),
        "minimum": declared.minimum,
        "maximum": declared.maximum,
        "open_minimum": declared.open_minimum,
        "open_maximum": declared.open_maximum,
        "nullable": declared.nullable,
        "step": declared.step,
        "is_log": declared.log,
        "choices": cast("list[Plain]", list(declared.choices)),  # choices are scalars, never lists or dicts
        "help": declared.help,
        "line": line,
        "is_offered": is_offered,
        "commands": list(declared.commands),
        "chosen_by": chosen_by,
        "required": declared.required,
        "is_given": declared.origin == "given",
        "range": range_text(declared),
        "default_text": default_text(declared),
        "rule": rule(declared),
    }


def range_text(declared: Hyperparameter) -> str:
    """Return the bounds: "1e-05 – 1", with brackets where a bound itself is not allowed; "" if there are none."""
    if declared.minimum is None and declared.maximum is None:
        return ""
    low, high = ("…" if bound is None else bound for bound in (declared.minimum, declared.maximum))
    if declared.open_minimum or declared.open_maximum:
        return f"{'(' if declared.open_minimum else '['}{low} – {high}{')' if declared.open_maximum else ']'}"
    return f"{low} – {high}"


def default_text(declared: Hyperparameter) -> str:
    """Return the default for users: `""` for the empty text, the source of what only running tells; "" without one."""
    if declared.default is not None:
        return as_text(declared.default) or '""'
    return declared.default_text


def rule(declared: Hyperparameter) -> str:
    """Return what a value must be: "lr must be a number between 1e-05 and 1"."""
    return f"{declared.name} must be {allowed(declared)}"
