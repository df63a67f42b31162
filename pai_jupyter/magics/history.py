"""The cells that ran in this kernel's session, and its names: what `%%pai_train` completes a cell from.

Rule 1: only this session counts: IPython's own list of inputs, never its database of older sessions.
Rule 2: whether a cell succeeded is known since `%load_ext` (`registry.RAN`), and before it from IPython 9 on. For other cells it
    is unknown, and the kernel's names decide: a definition counts if the kernel holds it.
Rule 3: cells that ran without a number (nbval) come last, with numbers that go on.
"""

import sys
from types import ModuleType
from typing import Any

from pai_jupyter.cell import ExecutedCell
from pai_jupyter.magics.registry import RAN, UNNUMBERED
from pai_jupyter.training import NotebookState


def notebook_state(shell: Any) -> NotebookState:  # Any: IPython is untyped
    """Return what ran in this kernel before, and what it holds now."""
    manager = getattr(shell, "history_manager", None)
    inputs: list[str] = list(getattr(manager, "input_hist_raw", ()))
    failed = getattr(manager, "exceptions", None)
    executed = []
    for number, code in enumerate(inputs):
        if number == 0 or not code.strip():
            continue
        cell_id, succeeded = RAN.get(number, ("", None if failed is None else number not in failed))
        executed.append(ExecutedCell(code=code, number=number, succeeded=succeeded, id=cell_id))
    for number, (code, cell_id, has_succeeded) in enumerate(UNNUMBERED, len(inputs)):
        executed.append(ExecutedCell(code=code, number=number, succeeded=has_succeeded, id=cell_id))
    return NotebookState(executed=tuple(executed), namespace=shell.user_ns, modules=_modules())


def _modules() -> dict[str, ModuleType]:
    return {name: module for name, module in list(sys.modules.items()) if type(module) is ModuleType}
