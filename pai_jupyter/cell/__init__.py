"""A notebook cell as a training script: its source, requirements, lint findings, and why it failed.

    text ── read_cell ──► Cell.source (train.py, line for line), Cell.requirements, Cell.findings
    source ── lint ──► Finding ...                              before anything starts
    last log lines ── find_exception ── explain ──► cause, hint      after it went wrong

Pure functions of text; the user's code is parsed, never run or imported. `scan`, `ipython` and `pip` serve `read`;
`scopes`, `names`, `paths`, `calls` and `nodes` serve `lint`; `packages` serves `explain`.
"""

from pai_jupyter.cell.explain import Explanation, explain
from pai_jupyter.cell.failure import ExceptionFound, find_exception
from pai_jupyter.cell.finding import Finding, Severity
from pai_jupyter.cell.lint import lint
from pai_jupyter.cell.read import Cell, magic_line, read_cell, with_magic_line
from pai_jupyter.cell.wording import Author, reworded

__all__ = [
    "Cell",
    "Finding",
    "Severity",
    "read_cell",
    "lint",
    "magic_line",
    "with_magic_line",
    "ExceptionFound",
    "find_exception",
    "reworded",
    "Author",
    "Explanation",
    "explain",
]
