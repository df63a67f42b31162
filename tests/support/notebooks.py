"""A notebook as its kernel remembers it: cells that ran one after another, and the names they left."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from pai_jupyter.cell import Completion, ExecutedCell, complete_cell, complete_script, read_cell
from pai_jupyter.cell.notebook import python_of


class _Shell:
    """What the translated lines of IPython call; nothing is run."""

    def getoutput(self, command: str) -> list[str]:
        return [command]

    def run_line_magic(self, name: str, line: str) -> str:
        return f"{name} {line}"

    def system(self, command: str) -> None:
        pass


@dataclass
class Notebook:
    """Runs cells in a namespace, as a kernel does. `knows_success`: whether the kernel remembers which cells failed."""

    knows_success: bool = True
    cells: list[ExecutedCell] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__", "get_ipython": _Shell})

    def run(self, code: str, *, id: str = "") -> None:  # noqa: A002  as Jupyter calls it
        try:
            exec(compile(python_of(code)[0], f"<cell {len(self.cells)}>", "exec", dont_inherit=True), self.names)
            succeeded = True
        except Exception:  # noqa: BLE001  a cell may raise anything
            succeeded = False
        told = succeeded if self.knows_success else None
        self.cells.append(ExecutedCell(code=code, number=len(self.cells) + 1, succeeded=told, id=id))

    def complete(self, cell: str, *, leave_out: tuple[str, ...] = ()) -> Completion:
        return complete_cell(
            read_cell(cell).source, self.cells, namespace=self.names, modules=modules(), leave_out=leave_out
        )

    def job(self, cell: str) -> dict[str, Any]:
        """Run the completed cell as a job does, in a process of its own names; returns those."""
        source = read_cell(cell).source
        script = complete_script(source, self.complete(cell))
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(script.source, "train.py", "exec", dont_inherit=True), names)
        return names


def ran(*codes: str, **given: Any) -> Notebook:
    """Return the notebook in which these cells ran, in this order."""
    notebook = Notebook(**given)
    for code in codes:
        notebook.run(code)
    return notebook


def above(*codes: str) -> list[ExecutedCell]:
    """Return cells that stand above another, where no kernel tells what ran."""
    return [ExecutedCell(code=code, number=number) for number, code in enumerate(codes, 1)]


def modules() -> Mapping[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if isinstance(module, ModuleType)}
