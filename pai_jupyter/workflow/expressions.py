"""Conditions as Python expressions: `step.outputs["accuracy"] <= 0.9`, joined by `&`, `|`, `~`. They become text (`runs.condition`).

Python's `and`, `or`, `not`, `in` and `a < b < c` cannot be recorded: they ask for a truth value, and what they drop would be lost.
"""

import math
import re
from typing import Any, NoReturn

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.parameter_types import shown
from pai_jupyter.workflow.variables import PipelineVariable

_BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_WORDS = ("and", "or", "not")
_REMEDY = (
    "Write & for `and`, | for `or`, ~ for `not`, each side in brackets: (a > 1) & (b < 2); for `a < b < c` write "
    "(a < b) & (b < c), and for `in` compare with each value: (a == 1) | (a == 2)."
)


def refuse_truth(what: str) -> NoReturn:
    """Raise for a use of a condition, or of a parameter, as a truth value."""
    raise SpecError(
        f"{what} is known only when the pipeline runs, so Python cannot decide it now. {_REMEDY}", field="condition"
    )


class _Combined:
    """What both kinds of conditions can do."""

    def to_expr(self) -> str:
        """Return the condition as it is in manifests."""
        raise NotImplementedError

    def parameters(self) -> list[PipelineVariable]:
        """Return the parameters that it compares."""
        raise NotImplementedError

    def get_depends_steps(self) -> list[Any]:  # Any: steps, whose module imports this one
        """Return the steps whose outputs it compares, each once."""
        return list(dict.fromkeys(step for it in self.parameters() if (step := it.step) is not None))

    def __and__(self, other: object) -> "LogicExpr":
        return LogicExpr("and", self, _condition(other, "&"))

    def __or__(self, other: object) -> "LogicExpr":
        return LogicExpr("or", self, _condition(other, "|"))

    def __invert__(self) -> "LogicExpr":
        return LogicExpr("not", self)

    def __bool__(self) -> bool:
        refuse_truth(f"the condition `{self.to_expr():.200}`")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.to_expr()!r})"


class ConditionExpr(_Combined):
    """A comparison of two operands, of which at least one is a parameter."""

    def __init__(self, op: str, left: object, right: object) -> None:
        self.op = op
        self.left = left
        self.right = right
        self.to_expr()  # an operand that cannot be written is reported where it was typed

    def to_expr(self) -> str:
        return f"{_operand(self.left)} {self.op} {_operand(self.right)}"

    def parameters(self) -> list[PipelineVariable]:
        return [it for it in (self.left, self.right) if isinstance(it, PipelineVariable)]


class LogicExpr(_Combined):
    """Conditions joined by `and` or `or`, or one with `not`. PAI's own SDK never sends these."""

    def __init__(self, word: str, *parts: _Combined) -> None:
        self.word = word
        self.parts = parts

    def to_expr(self) -> str:
        inner = [
            f"({it.to_expr()})" if isinstance(it, LogicExpr) or self.word == "not" else it.to_expr()
            for it in self.parts
        ]
        return f"not {inner[0]}" if self.word == "not" else f" {self.word} ".join(inner)

    def parameters(self) -> list[PipelineVariable]:
        return [it for part in self.parts for it in part.parameters()]


def _condition(other: object, sign: str) -> _Combined:
    if not isinstance(other, _Combined):
        raise SpecError(
            f"`{sign}` joins two conditions, and {other!r:.60} is none. Put each side in brackets: (a > 1) {sign} (b < 2).",
            field="condition",
        )
    return other


def _operand(value: object) -> str:
    if isinstance(value, PipelineVariable) and value.variable_category == "parameters":
        return value.enclosed_fullname
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if hasattr(value, "item") and callable(value.item):  # a number of numpy
        return _operand(value.item())
    raise SpecError(
        f"a condition compares parameters with numbers or text, and {shown(repr(value))} is neither.", field="condition"
    )


def _quoted(text: str) -> str:
    if _BARE.fullmatch(text) and text not in _WORDS:
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
