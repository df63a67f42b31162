"""The packages of this Python, as `pip freeze` writes them: read from the directories that it finds packages in, without pip.

Of each package only the head of its metadata is read, and all of them again only when one of the directories has changed: after an
installation. What a running kernel has added to its `sys.path` is no business of a job.
"""

import json
import os
import re
import site
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from pai_jupyter.contract.masking import masked, without_login

_HEAD = 8 * 1024  # bytes of metadata; name and version stand in its first lines
_MOST = 5_000  # packages
_NAME = re.compile(r"^Name:[ \t]*([A-Za-z0-9][A-Za-z0-9._-]*)[ \t]*$", re.MULTILINE)
_VERSION = re.compile(r"^Version:[ \t]*([^\s]{1,100})[ \t]*$", re.MULTILINE)

_lock = Lock()
_known: tuple[object, tuple[str, ...]] = (None, ())


def installed_packages() -> tuple[str, ...]:
    """Return the packages, by name. Blocking; from memory while nothing was installed."""
    global _known
    directories = _directories()
    mark = tuple((directory, _changed(directory)) for directory in directories)
    with _lock:
        if _known[0] != mark:
            found: dict[str, str] = {}
            for directory in directories:
                for name, line in _packages_in(directory):
                    found.setdefault(name, line)  # the first one is imported
            _known = mark, tuple(line for _, line in sorted(found.items())[:_MOST])
        return _known[1]


def are_known() -> bool:
    """Return whether `installed_packages` would read nothing anew."""
    return _known[0] == tuple((directory, _changed(directory)) for directory in _directories())


def _directories() -> list[str]:
    own = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    given = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    return [path for path in dict.fromkeys([*given, *own, *site.getsitepackages()]) if Path(path).is_dir()]


def _changed(directory: str) -> int:
    try:
        return os.stat(directory).st_mtime_ns  # noqa: PTH116  as text
    except OSError:
        return 0


def _packages_in(directory: str) -> Iterator[tuple[str, str]]:
    """Yield the packages of a directory: the name by which they are the same, and their line."""
    try:
        names = os.listdir(directory)  # noqa: PTH208  names are enough
    except OSError:
        return
    for name in names:
        kind = name.rpartition(".")[2]
        if kind in ("dist-info", "egg-info"):
            path = Path(directory, name)
            head = _head(path / "METADATA" if kind == "dist-info" else path / "PKG-INFO" if path.is_dir() else path)
            called, version = _NAME.search(head), _VERSION.search(head)
            if called is not None and version is not None:
                yield re.sub(r"[-_.]+", "-", called[1]).lower(), _line(called[1], version[1], path)


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return ""
    return head.decode(errors="replace").replace("\r\n", "\n").partition("\n\n")[0]


def _line(name: str, version: str, place: Path) -> str:
    """Return a package as `pip freeze` has it: of one that is not from an index, where it is from."""
    try:
        origin = json.loads((place / "direct_url.json").read_text("utf-8"))
    except (OSError, ValueError):
        return f"{name}=={version}"
    found = f"{name}=={version}"
    with suppress(KeyError, TypeError, AttributeError, ValueError):  # a damaged file says nothing
        found = _from_elsewhere(name, version, origin)
    return masked(re.sub(r"[\x00-\x1f\x7f]", "?", found))[0]


def _from_elsewhere(name: str, version: str, origin: Any) -> str:  # Any: parsed JSON
    url = without_login(origin["url"])
    below = f"#subdirectory={origin['subdirectory']}" if origin.get("subdirectory") else ""
    if (given := origin.get("vcs_info")) is not None:
        return f"{name} @ {given['vcs']}+{url}@{given['commit_id']}{below}"
    if (origin.get("dir_info") or {}).get("editable"):
        return f"-e {url.removeprefix('file://')}  # {name}=={version}"
    return f"{name} @ {url}{below}"


def this_python() -> tuple[str, str]:
    """Return version and program of this Python, which runs the jobs of local processes."""
    return ".".join(map(str, sys.version_info[:3])), sys.executable
