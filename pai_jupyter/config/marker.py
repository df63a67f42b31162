"""The marker by which a kernel knows that the Jupyter server above it can show jobs live.

Our server extension leaves `pai-jupyter-<pid>.json` in Jupyter's runtime directory; a kernel finds the file of the process
that started it, whose number jupyter_client hands down as JPY_PARENT_PID. A kernel that something else started (nbclient,
a remote gateway, a server without the extension) finds none.

Rule 1: a marker says what its server can do and holds no secret: anybody who can read the file may know all of it.
Rule 2: a marker counts only for the very process that left it. Numbers come again (in a container the server has the
    same one after each restart), and homes are shared, so the marker also has the host and the time of its birth.
Rule 3: a marker that cannot be read is no marker; nothing here raises because of what lies in that directory.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from socket import gethostname
from typing import Any

_PREFIX, _SUFFIX = "pai-jupyter-", ".json"


@dataclass(frozen=True, kw_only=True)
class Marker:
    """What a server says of itself: `api` is that of its wire format, `home` where it looks for jobs.

    `has_proxy` says whether jupyter-server-proxy runs in it, which kernels of an older version ask; `has_boards` whether it
    passes TensorBoards on itself, which servers of an older version do not.
    """

    pid: int
    api: int
    version: str
    base_url: str
    home: str
    has_proxy: bool
    has_boards: bool = False


def leave(marker: Marker) -> Path:
    """Put the marker of a running server in its place, and sweep away those of servers that are gone.

    Raises:
        OSError: the runtime directory cannot be used.
    """
    place = _directory()
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sweep(place)
    path = _path(place, marker.pid)
    settings_path(marker.pid).unlink(missing_ok=True)  # of an earlier process of that number
    draft = path.with_suffix(".tmp")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump({**asdict(marker), "host": gethostname(), "birth": _birth(marker.pid)}, file)
    return draft.replace(path)


def remove(pid: int) -> None:
    """Take the marker of the server `pid` away, if there is one, and what its kernels have said."""
    for path in (_path(_directory(), pid), settings_path(pid)):
        with suppress(OSError):
            path.unlink()


def server_of_this_kernel(environ: Mapping[str, str]) -> Marker | None:
    """Return the marker of the Jupyter server that started this kernel; None if it left none."""
    pid = environ.get("JPY_PARENT_PID", "")
    if not (pid.isascii() and pid.isdecimal() and len(pid) < 20):
        return None
    try:
        return _read(_path(_directory(), int(pid)))
    except ImportError:  # no Jupyter here, so no server
        return None


def settings_path(pid: int) -> Path:
    """Return the file in which the kernels of server `pid` record their `%pai_config` settings."""
    return _directory() / f"{_PREFIX}{pid}.settings"


def _directory() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir  # every kernel and every server has it; a plain program may not

    return Path(jupyter_runtime_dir())


def _path(directory: Path, pid: int) -> Path:
    return directory / f"{_PREFIX}{pid}{_SUFFIX}"


def _read(path: Path) -> Marker | None:
    """Read a marker file; return None if it is invalid or was left by another process."""
    value = _content(path)
    found = {"has_boards": False, **value}  # a server of an older version does not say it
    fields: dict[str, Any] = {name: found.get(name) for name in Marker.__annotations__}  # Any: checked next
    if all(type(fields[name]) is kind for name, kind in Marker.__annotations__.items()):
        birth = _birth(fields["pid"])
        if birth is not None and (value.get("host"), value.get("birth")) == (gethostname(), birth):
            return Marker(**fields)
    return None


def _content(path: Path) -> dict[str, Any]:  # Any: JSON values
    with suppress(OSError, ValueError, RecursionError):
        value = json.loads(path.read_bytes())
        if isinstance(value, dict):
            return value
    return {}


def _sweep(directory: Path) -> None:
    """Remove the markers that processes of this host left; a shared home may have those of other hosts, too."""
    for path in directory.glob(f"{_PREFIX}*{_SUFFIX}"):
        if _content(path).get("host") == gethostname() and _read(path) is None:
            for left in (path, path.with_suffix(".settings")):
                with suppress(OSError):
                    left.unlink()


def _birth(pid: int) -> str | None:
    """When process `pid` began, in the system's ticks; empty where the system has no /proc, None where there is no such."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except FileNotFoundError:
        return ""
    except (OSError, OverflowError):
        return None
