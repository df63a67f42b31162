"""Directories that a job writes: reached so that nothing outside of them is, and nothing can block.

The job may still run, and put a link, a pipe or nothing in the place of a file or of a whole channel between any two of our
looks. So a path is never checked and then used: the walk goes down by handles, one part at a time, and what was opened is
what is read, changed or removed.

    place     `JobDirectory`: what is the user's own, and what below it a job may have changed
    opening   directories and files by their paths in a place; made, removed
    walking   all that is in a directory, by handles
    names     names that may hold any bytes, as text

Rule 1: no part below the base of a place is a symbolic link. The base itself may be reached by one: it was given by the
    user, not by the job.
Rule 2: only plain files are opened. A pipe would wait for somebody to write, a device may do anything.
Rule 3: what is removed is what has the name: of a link the link, and never what it points to.
Rule 4: whatever the system says is one sentence, `NotFoundError` or `SpecError`; `what` names the place in it.
Rule 5: whoever must hand a path as text to somebody else (an engine, TensorBoard) hands one that no job can change, and
    names the rest where links cannot lead out.
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
