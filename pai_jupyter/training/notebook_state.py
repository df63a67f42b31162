"""What a notebook gives a cell: the cells that ran, the kernel's names, and the completion made of them.

Rule 1: this module asks no kernel; whoever has one (`magics.history`), or the notebook's text (`server.cells`), passes it in.
Rule 2: lines are named as the user sees them: those of another cell by its number, those of the cell by their own.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType

from pai_jupyter.cell import (
    CompletedScript,
    Completion,
    ExecutedCell,
    Finding,
    LineMap,
    TakenStatement,
    complete_cell,
    complete_script,
)
from pai_jupyter.errors import SpecError


@dataclass(frozen=True, kw_only=True)
class NotebookState:
    """The executed cells in their order; the kernel's names and modules, None without a kernel."""

    executed: tuple[ExecutedCell, ...] = ()
    namespace: Mapping[str, object] | None = None
    modules: Mapping[str, ModuleType] | None = None


def completed(
    source: str, state: NotebookState | None, leave_out: Iterable[str] = ()
) -> tuple[Completion, CompletedScript]:
    """Complete a cell's source; without a notebook it stays as it is."""
    if state is None:
        return Completion(), CompletedScript(source=source)
    completion = complete_cell(
        source, state.executed, namespace=state.namespace, modules=state.modules, leave_out=frozenset(leave_out)
    )
    return completion, complete_script(source, completion)


def check_left_out(
    source: str, state: NotebookState | None, leave_out: Collection[str], *, sends: Collection[str] = ()
) -> None:
    """Refuse names to leave out that the cell would not take from other cells; those that are sent are not taken either.

    Raises:
        SpecError: with the names that can be left out.
    """
    if state is None or not leave_out:
        return
    full, _ = completed(source, state)
    known = {*full.names, *(full.refused or {}), *sends}
    for name in leave_out:
        if name not in known:
            raise SpecError(
                f"`--leave-out {name}`: the cell takes no `{name}` from other cells. {_takes(full.names)}",
                field="--leave-out",
            )


def _takes(names: Collection[str]) -> str:
    return f"It takes: {', '.join(sorted(names))}" if names else "It takes nothing from them: remove --leave-out."


def located(finding: Finding, lines: LineMap, completion: Completion) -> Finding:
    """Return a finding of train.py with the cell and line that its line is from.

    A function of another cell may never be called: a name that it lacks is certainly wrong only if the kernel has it.
    """
    cell, line = lines.origin(finding.line)
    is_doubtful = cell is not None and finding.code == "undefined-name"
    if is_doubtful and finding.message not in completion.sentences().values():
        finding = replace(finding, severity="warning")
    return replace(finding, line=line, cell=cell)


def taken_lines(completion: Completion) -> list[str]:
    """Say what is taken, cell by cell: "from cell [3]: Net, train"."""
    by_cell: dict[int, list[str]] = {}
    for each in completion.taken:
        by_cell.setdefault(each.cell, []).extend(shown_names(each))
    return [f"from cell [{cell}]: {', '.join(names)}" for cell, names in sorted(by_cell.items())]


def shown_names(taken: TakenStatement) -> tuple[str, ...]:
    """Return the names of a taken statement; `*` for those of a star import that nobody can tell."""
    return ("*",) if taken.text.endswith("*") else taken.names
