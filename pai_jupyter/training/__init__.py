"""Turn a cell and its magic's line into a checked and packed job. Without IPython, for kernel and server.

    arguments   the options of `%%pai_train` as a table, from which IPython's parser and ours are built
    line        parse the line of a cell without IPython
    values      parse the texts of options: pairs, times, counts, paths
    options     `TrainOptions`: a parsed line
    parts       a line's parts with their original text; clone: a recorded cell with the line that it ran with
    notebook_state  what a notebook gives a cell: cells that ran, the kernel's names
    form_values what the form says, as values and as a magic's line; rerun_form: a job that ran as such a form
    offers      what the form offers: variables to pass on, to send and to return; --compat
    foreseen_cost  what the job of a line would cost; imported where it is needed, since it loads `decimal`
    training    `Training`: a script with its options and target, up to a draft
    reading     `read_training`: a cell or directory, options and settings as a `Training`

Rule 1: only this package decides how a cell becomes a job. Magic, form and panel only give options.
Rule 2: a line comes from people or over a network: any invalid line is a `SpecError`.
Rule 3: relative paths start at `TrainOptions.base`: the kernel's working directory, or for a server the notebook's.
"""

from pai_jupyter.training.clone import cell_as_run
from pai_jupyter.training.form_values import FormValues, LineContext, as_line, whole_line
from pai_jupyter.training.line import VARIABLE, parse_line, split
from pai_jupyter.training.notebook_state import NotebookState, completed, located, shown_names, taken_lines
from pai_jupyter.training.offers import assigned_names, compat_findings, pass_note
from pai_jupyter.training.options import DEFAULT_VARIABLE, TrainOptions
from pai_jupyter.training.parts import LinePart, parts_of
from pai_jupyter.training.reading import DEFAULT_ENTRY_POINT, default_name, package_roots, read_training
from pai_jupyter.training.rerun_form import (
    check_has_form,
    line_of,
    passes,
    ran_with,
    read_rerun,
    rerun_line,
    rerun_of,
    rerun_schema,
)
from pai_jupyter.training.training import Training, describe, undefined_name, without_secrets
from pai_jupyter.training.values import pairs, seconds, variable

__all__ = [
    "DEFAULT_ENTRY_POINT",
    "DEFAULT_VARIABLE",
    "VARIABLE",
    "FormValues",
    "LineContext",
    "LinePart",
    "NotebookState",
    "TrainOptions",
    "Training",
    "as_line",
    "assigned_names",
    "cell_as_run",
    "check_has_form",
    "completed",
    "compat_findings",
    "default_name",
    "describe",
    "line_of",
    "located",
    "pairs",
    "pass_note",
    "parse_line",
    "parts_of",
    "package_roots",
    "passes",
    "ran_with",
    "read_rerun",
    "rerun_line",
    "rerun_of",
    "rerun_schema",
    "read_training",
    "seconds",
    "shown_names",
    "split",
    "taken_lines",
    "undefined_name",
    "variable",
    "whole_line",
    "without_secrets",
]
