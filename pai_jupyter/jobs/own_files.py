"""Find what a failed cell missed and what lies on this machine: a module of the user's own, a file beside the notebook.

Rule: only what lies there now is named; a hint says the --include that sends it.
"""

import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pai_jupyter.cell import ExceptionFound
from pai_jupyter.jobs.missing_file import missing_path
from pai_jupyter.store import JobRecord

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_ADDED = re.compile(r"""\bsys\.path\.(?:append|insert)\([^\n'"]{0,40}['"]([^'"\n]{1,500})['"]""")
_NO_MODULE = re.compile(r"No module named '(\w+)")


def why_not_sent(found: ExceptionFound | None, record: JobRecord) -> str:
    """Return the sentence that names what a cell missed, and its --include; "" if it is not found here."""
    if found is None or record.cell is None:
        return ""
    module = _NO_MODULE.match(found.message)
    if module and found.type.rpartition(".")[2] == "ModuleNotFoundError":
        place = find_module(record, module[1])
        return "" if place is None else f"`{module[1]}` was not sent with the job; send it along: --include {place}"
    name = missing_path(found)
    top = name.partition("/")[0]
    if (
        not name
        or not _exists(Path(name))
        or re.search(rf"--include\s+(?:\./)?{re.escape(top)}(?:\s|/|$)", record.cell)
    ):
        return ""
    return f"'{name}' lies beside the notebook and was not sent with the job: --include {top}"


def find_module(record: JobRecord, module: str) -> str | None:
    """Return the path of a module of the user's own, as a user would type it here; None if there is none."""
    for place in _places(record):
        for path in (place / f"{module}.py", place / module / "__init__.py"):
            if _exists(path):
                found = path.parent if path.name == "__init__.py" else path
                return str(found if place != Path() else found.name)
    return None


def _places(record: JobRecord) -> Iterator[Path]:
    """Yield the directories from which this kernel and the cell import: the notebook's, and those on `sys.path`."""
    yield Path()
    added = [*_ADDED.findall(record.cell or ""), *sys.path]
    for path in dict.fromkeys(Path(os.path.realpath(Path(each).expanduser())) for each in added if each):
        is_of_python = any(path.is_relative_to(place) for place in _python_places()) or path.suffix == ".zip"
        if not is_of_python and not _INSTALLED.intersection(path.parts):
            yield path


@cache
def _python_places() -> tuple[Path, ...]:
    return tuple(Path(os.path.realpath(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib"))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
