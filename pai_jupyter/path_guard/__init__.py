"""Access directories that a job writes without ever leaving them and without blocking.

A running job may replace a file or a whole channel by a link, by a pipe or by nothing at any moment. So a path is never checked
first and used later: the walk goes down by descriptors, one part at a time, and works on what it opened.

    job_directory  `JobDirectory`: a path that the user gave, and parts below it that a job may change
    opening        open, create and remove directories and files below a `JobDirectory`
    walking        list a directory by descriptors
    names          file names of any bytes, as text

Rule 1: no symbolic link is followed below the base. The base itself may be one: it comes from the user, not from the job.
Rule 2: only regular files are opened. A pipe would block until somebody writes, and a device may do anything.
Rule 3: removing a link removes the link, never its target.
Rule 4: a system error becomes one sentence, `NotFoundError` or `SpecError`; `what` names the directory in it.
Rule 5: a path passed as text to another program (an engine, TensorBoard) must be one that no job can change; parts below it are
    resolved where links cannot lead out.
"""

from pai_jupyter.path_guard.job_directory import JobDirectory, place_in
from pai_jupyter.path_guard.names import LONGEST, checked, shown, spelled, unspelled
from pai_jupyter.path_guard.opening import (
    hold,
    hold_plainly,
    make_folder,
    open_file,
    open_folder,
    open_plain,
    reading,
    remove,
)
from pai_jupyter.path_guard.walking import FoundEntry, scan, walk

__all__ = [
    "LONGEST",
    "FoundEntry",
    "JobDirectory",
    "checked",
    "hold",
    "hold_plainly",
    "make_folder",
    "open_file",
    "open_folder",
    "open_plain",
    "place_in",
    "reading",
    "remove",
    "scan",
    "shown",
    "spelled",
    "unspelled",
    "walk",
]
