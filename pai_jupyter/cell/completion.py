"""What a cell needs from its notebook: the result of `complete_cell`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

DefinitionKind = Literal["import", "function", "class", "constant", "block"]


@dataclass(frozen=True, kw_only=True)
class TakenStatement:
    """A statement of another cell that is repeated in the job: `names` are those it is taken for.

    `cell` is the number of the execution, `line` the statement's first line there, from 1.
    """

    names: tuple[str, ...]
    kind: DefinitionKind
    cell: int
    line: int
    text: str
    cell_id: str = ""


@dataclass(frozen=True, kw_only=True)
class NotebookValue:
    """A name that is data of the notebook: its type ("" without a kernel), and the cell that made it, if known."""

    name: str
    type: str = ""
    cell: int | None = None
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What a cell needs from its notebook.

    `missing` and `refused` map names to the sentence that says why; "" if nothing defines the name.
    """

    taken: tuple[TakenStatement, ...] = ()
    values: tuple[NotebookValue, ...] = ()
    missing: Mapping[str, str] | None = None
    refused: Mapping[str, str] | None = None
    notes: tuple[str, ...] = ()
    future: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that are taken."""
        return tuple(name for each in self.taken for name in each.names)

    def sentences(self) -> dict[str, str]:
        """Return, for each name that the job lacks, what it is and what to type."""
        known = {each.name: value_sentence(each) for each in self.values}
        return {**known, **{name: text for name, text in (self.missing or {}).items() if text}, **(self.refused or {})}


NOTHING_TAKEN = Completion()


def value_sentence(value: NotebookValue) -> str:
    """Say what a value is, and how to send it along."""
    name, kind, cell = value.name, value.type, value.cell
    if cell is None:
        return f"`{name}` is a value ({kind}), which the job does not see. Send it along: --send {name}"
    if not kind:
        return f"`{name}` is a value of cell [{cell}], which the job does not see. Send it along: --send {name}"
    return f"`{name}` is a value of cell [{cell}] ({kind}), which the job does not see. Send it along: --send {name}"
