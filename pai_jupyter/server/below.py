"""Paths that a request gives: below the server's root directory, wherever links lead."""

import os
from pathlib import Path


def below(root: Path, path: str) -> Path | None:
    """Return what lies at a relative path below `root`, without links; None if nothing does, or it is elsewhere."""
    top = os.path.realpath(root)
    if path.startswith("/") or "\0" in path or ".." in path.split("/"):
        return None
    found = Path(os.path.realpath(root / path))
    try:
        return found if found.is_relative_to(top) and found.exists() else None
    except OSError:  # a name that is too long
        return None
