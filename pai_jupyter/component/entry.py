"""The script that a command begins with: whether the code has it.

Only what is certain is said: a command that begins otherwise, a path of the image, and code in a bucket or a repository are not
looked at.
"""

import re
from pathlib import Path, PurePosixPath

from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.component import Component
from pai_jupyter.component.names import shown

_SCRIPT = re.compile(
    r"\s*(?:\w+=[^\s;&|]*\s+)*(?:exec\s+)?(?:python[\d.]*|bash|sh)\s+(?:-(?![mc]\b)\w+\s+)*"
    r"(?P<quote>[\"']?)(?P<path>[\w./-]+\.(?:py|sh))(?P=quote)(?=[\s;&|<>]|$)"
)


def script_of(command: str) -> str | None:
    """Return the script in the code's directory that a command begins with; None where it begins with none."""
    found = _SCRIPT.match(command)
    if found is None:
        return None
    path = PurePosixPath(found["path"])
    return None if path.is_absolute() or ".." in path.parts else str(path)


def missing_code(component: Component) -> list[str]:
    """Return the sentence about a script in a component that has no code at all."""
    script = script_of(component.command)
    if script is None or component.source or component.files:
        return []
    return [
        f"the command runs {shown(script)}, and the component has no code. Give its directory, its oss:// address or its repository."
    ]


def missing_script(component: Component) -> list[str]:
    """Return the sentence about a script that is not in the code, where that is here."""
    script = script_of(component.command)
    if script is None or script in component.files or not _is_missing(component, script):
        return []
    return [
        f"the command runs {shown(script)}, which is not in the code: a job of it would fail. Add it, or name a script that is there."
    ]


def _is_missing(component: Component, script: str) -> bool:
    """Return whether the code is here, and the script is not in it."""
    if not component.source:
        return bool(component.files)
    if source_kind(component.source) != "directory":
        return False
    try:
        directory = Path(component.source).expanduser()
        return directory.is_dir() and not (directory / script).is_file()
    except (RuntimeError, ValueError, OSError):  # "~nobody/x", a name that is too long: said of the directory itself
        return False
