"""What MLflow takes as the name of a value, a metric, a tag or a file. Pure."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence

LONGEST = 250  # characters
_MOST_SHOWN, _LONGEST_SHOWN = 10, 150  # changes in a notice; characters of one
_OTHER = re.compile(r"[^/\w.\- ]")
_OTHER_IN_FILES = re.compile(r"[\x00-\x1f\x7f#?%\\:;*\"<>|]")  # they change the address that a file is sent to


def accepted(names: Iterable[str]) -> dict[str, str]:
    """Return the name at MLflow for each of `names`. A name keeps its own, whatever comes behind it in the order."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        if name not in found:
            found[name] = _free(_clean(name), taken)
            taken.add(found[name])
    return found


def accepted_files(paths: Iterable[str]) -> dict[str, str]:
    """Return the path at MLflow for each path of a file."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for path in paths:
        clean = _OTHER_IN_FILES.sub("_", path.encode("utf-8", "replace").decode())
        found[path] = _free(clean, taken)
        taken.add(found[path])
    return found


def renamed(names: Mapping[str, str]) -> list[str]:
    """Return `a@b → a_b` for each name that MLflow does not take."""
    return [f"{name} → {other}" for name, other in names.items() if name != other]


def listed(changes: Sequence[str]) -> str:
    """Return changes in few words: the first ones, each cut to a length."""
    shown = ", ".join(it if len(it) <= _LONGEST_SHOWN else f"{it[:_LONGEST_SHOWN]}…" for it in changes[:_MOST_SHOWN])
    return f"{shown}{', …' if len(changes) > _MOST_SHOWN else ''}"


def _clean(name: str) -> str:
    text = _OTHER.sub("_", name).strip()[:LONGEST]
    path = posixpath.normpath(text) if text else "_"
    path = path.lstrip("/")
    return "_" if path in ("", ".") else re.sub(r"^\.\.", "__", path)


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with a number behind it if it is taken."""
    number, free = 2, name
    while free in taken:
        end = f"_{number}"
        free, number = f"{name[: LONGEST - len(end)]}{end}", number + 1
    return free
