"""The cells above a cell, as a request gives them: they stand in for a kernel's history where there is no kernel.

Rule 1: what stands above counts as run once, from the top, without failing.
Rule 2: a cell is named by the number in front of it; one that did not run by its place, from 1.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from pai_jupyter import contract
from pai_jupyter.cell import Completion, ExecutedCell
from pai_jupyter.training import NotebookState, shown_names
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.limits import MAX_ID, MOST_TAKEN

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import SendableRow, TakenRow


def state_above(fields: RequestFields) -> NotebookState | None:
    """Return the cells above; None if the request has none.

    Raises:
        SpecError: they are not texts and numbers.
    """
    if not fields.has("above"):
        return None
    sources = fields.texts("above")
    numbers = fields.numbers("numbers") if fields.has("numbers") else []
    shown = dict(enumerate(numbers))
    cells = (ExecutedCell(code=code, number=shown.get(at) or at + 1) for at, code in enumerate(sources))
    return NotebookState(executed=tuple(cells))


def taken_rows(completion: Completion) -> "list[TakenRow]":
    """Return the names that are taken, each with its cell's number."""
    rows: list[TakenRow] = [
        {"name": name[:MAX_ID], "cell": max(each.cell, 1)} for each in completion.taken for name in shown_names(each)
    ]
    return rows[:MOST_TAKEN]


def sendable_rows(completion: Completion, undefined: Collection[str]) -> "list[SendableRow]":
    """Return the values of other cells among the `undefined` names, in their order; what looks like a secret is not sent."""
    cells = {value.name: value.cell or 1 for value in completion.values}
    rows: list[SendableRow] = [
        {"name": name, "cell": max(cells[name], 1)}
        for name in dict.fromkeys(undefined)
        if name in cells and len(name) <= MAX_ID and not contract.is_secret(name)
    ]
    return rows[:MOST_TAKEN]
