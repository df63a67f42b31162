"""How each library makes options of the fields of dataclasses: names, words for lists, words for truth values."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from pai_jupyter.hyperparameters.expressions import last_part, unparsed
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter
from pai_jupyter.hyperparameters.readers.parameters import Parameter


@dataclass(frozen=True, kw_only=True)
class ParserManner:
    """How one library makes options of fields: `enum` what it takes for a member, `style` what it takes for a value."""

    enum: str
    style: Callable[[Hyperparameter, Parameter], Hyperparameter | None]
    is_flat: bool = True
    reads_files: bool = False


def _words(declared: Hyperparameter, *, may_be_empty: bool = False) -> Hyperparameter | None:
    """Pass a list as several words; None for a dict, which has no words. An empty list is what the option has anyway."""
    if declared.type != "Json":
        return declared
    if declared.item_type is None and not isinstance(declared.default, list):
        return None
    default = declared.default or None
    return replace(
        declared, style="words", item_type=declared.item_type or "String", may_be_empty=may_be_empty, default=default
    )


def _hf(declared: Hyperparameter, parameter: Parameter) -> Hyperparameter | None:
    dashed = declared.name.replace("_", "-")
    return _words(replace(declared, nullable=False, aliases=(dashed,) if dashed != declared.name else ()))


def _tyro(declared: Hyperparameter, parameter: Parameter) -> Hyperparameter | None:
    written = "" if parameter.annotation is None else unparsed(parameter.annotation)
    if re.search(r"\b(Fixed|Suppress|arg)\b", written):
        return None
    declared = replace(declared, nullable=False, aliases=_aliases(declared.name))
    if "Positional" in written:
        return replace(declared, style="positional", aliases=())
    if declared.type == "Bool" and not parameter.annotated.nullable and not declared.required:
        return replace(declared, style="inner_switch")
    return _words(declared, may_be_empty=declared.item_type is not None and not declared.required)


def _aliases(name: str) -> tuple[str, ...]:
    dashed = name.replace("_", "-")
    return (dashed,) if dashed != name else ()


def _simple(declared: Hyperparameter, parameter: Parameter) -> Hyperparameter | None:
    return None if is_call(parameter.default, "subgroups") else _words(replace(declared, nullable=False))


def _draccus(declared: Hyperparameter, parameter: Parameter) -> Hyperparameter | None:
    return replace(declared, style="yaml", item_type=None, nullable=False)


def _tap(declared: Hyperparameter, parameter: Parameter) -> Hyperparameter | None:
    if declared.type == "Bool" and not declared.required:
        return replace(declared, style="no_flag" if declared.default is True else "flag", nullable=False)
    return _words(replace(declared, nullable=False))


def is_call(node: ast.expr | None, name: str) -> bool:
    """Return whether a node is a call of that function."""
    return isinstance(node, ast.Call) and last_part(node.func) == name


HF = ParserManner(enum="value", style=_hf)
TRL = ParserManner(enum="value", style=_hf, reads_files=True)
TYRO = ParserManner(enum="name", style=_tyro, is_flat=False)
SIMPLE = ParserManner(enum="name", style=_simple)
DRACCUS = ParserManner(enum="name", style=_draccus, is_flat=False, reads_files=True)
TAP = ParserManner(enum="value", style=_tap)
