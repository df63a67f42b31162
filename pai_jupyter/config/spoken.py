"""Share the `%pai_config` settings of kernels with the panel of their Jupyter server.

A kernel keeps its settings in memory, but the panel asks the server, another process. So each change is written to a file
beside the server's marker; the server reads it as a layer of its settings.

Rule 1: for each name the last change in any notebook counts, unsetting included. The settings that select a cloud or an
    emulator (`ONE_CLOUD`) belong together: they come from the notebook that changed any of them last.
Rule 2: the file lives as long as the server: kernels may restart, and jobs of the panel outlive kernels.
Rule 3: settings only. An access key stays in its kernel.
Rule 4: an unreadable file is ignored: neither kernel nor server fails or waits because of the directory's content.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pai_jupyter.config.marker import settings_path
from pai_jupyter.config.names import ONE_CLOUD, SETTINGS, check_value
from pai_jupyter.errors import SpecError

_LONGEST = 100_000  # bytes


def speak(pid: int, changes: Mapping[str, str | None]) -> None:
    """Write these changes for the server `pid`; None unsets. A change to one of `ONE_CLOUD` unsets the others not given.

    Raises:
        OSError: the runtime directory is not usable.
    """
    path = settings_path(pid)
    others = {} if changes.keys().isdisjoint(ONE_CLOUD) else dict.fromkeys(ONE_CLOUD)
    merged = {**heard(path), **others, **changes}
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump({name: value for name, value in merged.items() if value is not None}, file)
    draft.replace(path)


def heard(path: Path) -> Mapping[str, str]:
    """Read the settings in `path`, ignoring entries that this version does not know; {} if unreadable."""
    text = _text(path)
    with suppress(ValueError, RecursionError):
        table = json.loads(text or "{}")
        if isinstance(table, dict):
            return {name: value for name, value in table.items() if _is_meant(name, value)}
    return {}


def _is_meant(name: object, value: object) -> bool:
    with suppress(SpecError):
        return isinstance(name, str) and name in SETTINGS and value != "" and check_value(name, value) == value
    return False


def _text(path: Path) -> str:
    at_once = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)  # opened without blocking, in case it is a pipe
    with suppress(OSError, UnicodeDecodeError), os.fdopen(os.open(path, at_once), "rb", buffering=0) as file:
        return (file.read(_LONGEST) or b"").decode()
    return ""
