"""Turn a cell and its magic's line into a checked and packed job. Without IPython, for kernel and server.

    arguments   the options of `%%pai_train` as a table, from which IPython's parser and ours are built
    line        parse the line of a cell without IPython
    values      parse the texts of options: pairs, times, counts, paths
    options     `TrainOptions`: a parsed line
    parts       a line's parts with their original text; clone: a recorded cell with the line that it ran with
    training    `Training`: cell or directory, options and settings, up to a draft

Rule 1: only this package decides how a cell becomes a job. Magic, form and panel only give options.
Rule 2: a line comes from people or over a network: any invalid line is a `SpecError`.
Rule 3: relative paths start at `TrainOptions.base`: the kernel's working directory, or for a server the notebook's.
"""

from pai_jupyter.training.clone import cell_as_run
from pai_jupyter.training.line import VARIABLE, parse_line, split
from pai_jupyter.training.options import TrainOptions
from pai_jupyter.training.parts import LinePart, parts_of
from pai_jupyter.training.training import Training, default_name, describe, read_training
from pai_jupyter.training.values import pairs, seconds

__all__ = [
    "VARIABLE",
    "LinePart",
    "TrainOptions",
    "Training",
    "cell_as_run",
    "default_name",
    "describe",
    "pairs",
    "parse_line",
    "parts_of",
    "read_training",
    "seconds",
    "split",
]
