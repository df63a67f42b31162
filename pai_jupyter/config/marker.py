"""The marker file that tells a kernel whether its Jupyter server can show jobs live.

Our server extension writes `pai-jupyter-<pid>.json` into Jupyter's runtime directory. A kernel looks for the file of its parent
process, whose id is in JPY_PARENT_PID. A kernel started otherwise (nbclient, a remote gateway, a server without the extension)
finds none.

Rule 1: a marker says what its server can do and contains no secret.
Rule 2: a marker is valid only for the process that wrote it. Process ids are reused (in a container the server gets the same
    one after each restart) and homes are shared, so it also has the host and the process's start time.
Rule 3: an unreadable marker counts as missing; nothing here raises because of the directory's content.
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
    """What a server can do: `api` is the version of its wire format, `home` the directory of its jobs.

    `has_proxy`: jupyter-server-proxy runs in it (for kernels of older versions); `has_boards`: it proxies TensorBoards itself,
    which older servers do not.
    """

    pid: int
    api: int
    version: str
    base_url: str
    home: str
    has_proxy: bool
    has_boards: bool = False


def leave(marker: Marker) -> Path:
    """Write the marker of a running server, and delete those of servers that have ended.

    Raises:
        OSError: the runtime directory is not usable.
    """
    place = _directory()
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sweep(place)
    path = _path(place, marker.pid)
    settings_path(marker.pid).unlink(missing_ok=True)  # of an earlier process with this id
    draft = path.with_suffix(".tmp")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump({**asdict(marker), "host": gethostname(), "birth": _birth(marker.pid)}, file)
    return draft.replace(path)


def remove(pid: int) -> None:
    """Delete the marker of the server `pid`, if any, and its kernels' settings."""
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
    except ImportError:  # Jupyter is not installed, so there is no server
        return None


def settings_path(pid: int) -> Path:
    """Return the file in which the kernels of server `pid` record their `%pai_config` settings."""
    return _directory() / f"{_PREFIX}{pid}.settings"


def _directory() -> Path:
    # Every kernel and server has jupyter_core; a plain program may not.
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir())


def _path(directory: Path, pid: int) -> Path:
    return directory / f"{_PREFIX}{pid}{_SUFFIX}"


def _read(path: Path) -> Marker | None:
    """Read a marker file; return None if it is invalid or was left by another process."""
    value = _content(path)
    found = {"has_boards": False, **value}  # missing in markers of older servers
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
    """Delete markers of ended processes of this host; a shared home may have markers of other hosts."""
    for path in directory.glob(f"{_PREFIX}*{_SUFFIX}"):
        if _content(path).get("host") == gethostname() and _read(path) is None:
            for left in (path, path.with_suffix(".settings")):
                with suppress(OSError):
                    left.unlink()


def _birth(pid: int) -> str | None:
    """Return the start time of process `pid` in clock ticks; "" without /proc, None if there is no such process."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except FileNotFoundError:
        return ""
    except (OSError, OverflowError):
        return None
