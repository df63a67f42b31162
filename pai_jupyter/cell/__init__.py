"""A notebook cell as a training script: its source, requirements, lint findings, and why it failed.

    text ── read_cell ──► Cell.source (train.py, line for line), Cell.requirements, Cell.findings
    source, executed cells ── complete_cell ──► Completion ── complete_script ──► train.py, LineMap
    source ── lint ──► Finding ...                              before anything starts
    last log lines ── find_exception ── explain ──► cause, hint      after it went wrong

Pure functions of text; the user's code is parsed, never run or imported. `scan`, `ipython` and `pip` serve `read`;
`notebook_names` gives a script what its code has in a notebook, by the files of `in_job`; `scopes`, `flow`, `names`, `paths`,
`calls` and `nodes` serve `lint`; `packages` serves `explain`; `notebook`, `inert`, `kernel_values`, `plain_values`,
`made_values`, `session_settings`, `taking` and `secret_literals` serve `complete`. `variables_read`: what the code reads of its
environment.
"""

from pai_jupyter.cell.complete import complete_cell
from pai_jupyter.cell.completed import OWN_LINES, CellLines, CompletedScript, LineMap, after_names, complete_script
from pai_jupyter.cell.completion import NOTHING_TAKEN, Completion, NotebookValue, TakenStatement
from pai_jupyter.cell.explain import Explanation, explain
from pai_jupyter.cell.failure import ExceptionFound, find_exception
from pai_jupyter.cell.finding import Finding, Severity
from pai_jupyter.cell.lint import lint
from pai_jupyter.cell.notebook import ExecutedCell
from pai_jupyter.cell.notebook_names import hooked, support_files
from pai_jupyter.cell.read import Cell, magic_line, read_cell, with_magic_line
from pai_jupyter.cell.variables_read import read_by_libraries, variables_read
from pai_jupyter.cell.wording import Author, reworded

__all__ = [
    "NOTHING_TAKEN",
    "OWN_LINES",
    "complete_cell",
    "after_names",
    "complete_script",
    "Completion",
    "CompletedScript",
    "CellLines",
    "ExecutedCell",
    "LineMap",
    "NotebookValue",
    "TakenStatement",
    "Cell",
    "Finding",
    "Severity",
    "read_cell",
    "hooked",
    "support_files",
    "lint",
    "magic_line",
    "with_magic_line",
    "ExceptionFound",
    "find_exception",
    "reworded",
    "Author",
    "Explanation",
    "explain",
    "variables_read",
    "read_by_libraries",
]
