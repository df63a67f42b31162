"""A lint finding about a line of code: where, what, and what to type instead."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One finding on one line. Errors are certain and stop the job; warnings are only shown.

    `line` counts from 1 (the magic's line); `column` counts characters from 0; `code` is a short kebab-case word. `cell` is
    the number of the other cell that the line is in; None: the cell itself, or a script.
    """

    line: int
    column: int | None = None
    code: str
    severity: Severity = "error"
    message: str
    cell: int | None = None

    def __str__(self) -> str:
        cell = "" if self.cell is None else f"cell [{self.cell}], "
        return f"{cell}line {self.line}: {self.message}"
