"""What `%pai_config` has said in the kernels of a Jupyter server, for the panel of that server.

A kernel keeps its settings in memory, and the panel asks the server, which is another process. So each change is written
beside the marker by which kernels know their server; the server reads it as a layer of its own settings.

Rule 1: by name, what was said last counts, in whichever notebook; taking it back counts too. Which cloud or emulator is
    meant takes several settings (`ONE_CLOUD`): they come from one notebook, the last that has said any of them.
Rule 2: it lasts as long as the server: a kernel may be restarted, and jobs of the panel outlive kernels anyway.
Rule 3: settings only. A key stays in the kernel that it was given to.
Rule 4: a file that cannot be read says nothing: neither kernel nor server fails, or waits, for what lies in that directory.
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
    """Let the server `pid` know of these settings; None takes one back. Of `ONE_CLOUD`, one takes back the others, too.

    Raises:
        OSError: the runtime directory cannot be used.
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
    at_once = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)  # were it a pipe, nobody waits for who would write into it
    with suppress(OSError, UnicodeDecodeError), os.fdopen(os.open(path, at_once), "rb", buffering=0) as file:
        return (file.read(_LONGEST) or b"").decode()
    return ""
