"""A hyperparameter as a row of a form."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from pai_jupyter.hyperparameters import Hyperparameter

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
    }
