"""From a cell and the line of its magic to a job that is checked and packed. No IPython: a kernel and a server both do it.

    arguments   the options of `%%pai_train`, as a table: IPython's parser and ours are made from it
    line        the line of a cell, taken apart without IPython
    values      the texts behind options: pairs, times, counts, paths
    options     `TrainOptions`: what a line adds up to
    parts       a line's parts, each as it stands; clone: a recorded cell with the line that it ran by
    training    `Training`: cell or directory, options and settings, up to a draft

Rule 1: what is asked of a cell is decided here alone. Magic, form and panel only give other options.
Rule 2: a line is written by people, or comes over a network: whatever is in it, what comes out is a `SpecError`.
Rule 3: relative paths begin at `TrainOptions.base`: the working directory of a kernel, the notebook's for a server.
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
