"""Find out which processes are Python."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

_PYTHON = re.compile(r"python(?:\d[\d.]*\w*)?(?: \(deleted\))?")  # the file of an interpreter


def python_processes(pids: Iterable[int]) -> list[int]:
    """Return those of the processes that are Python, as far as that can be known; what has ended is left out."""
    return [pid for pid in pids if is_python(pid)]


def is_python(pid: int) -> bool:
    """Return whether a process runs Python: by its program, or, in other programs, by Python's library."""
    try:
        program = Path(f"/proc/{pid}/exe").readlink().name
    except PermissionError:  # another user's: what it calls itself must do
        return _calls_itself_python(pid)
    except OSError:
        return False
    return bool(_PYTHON.fullmatch(program)) or _has_library(pid)


def _calls_itself_python(pid: int) -> bool:
    try:
        first = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0", 1)[0]
    except OSError:
        return False
    return bool(_PYTHON.fullmatch(os.path.basename(os.fsdecode(first))))  # noqa: PTH119  a text, no path of ours


def _has_library(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:  # noqa: PTH123  quicker than a Path for a file of any length
            return any(b"/libpython" in line for line in file)
    except OSError:
        return False
