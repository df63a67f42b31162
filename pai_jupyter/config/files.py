"""Read the files with settings: our TOML, the official SDK's JSON.

Rule 1: a file is read on demand and parsed again only if it has changed.
Rule 2: a missing file counts as empty; an invalid one is an error that names the file and line.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pai_jupyter.config.names import CREDENTIALS, SETTINGS, check_name, check_value, refuse_secret
from pai_jupyter.errors import SpecError

PROJECT_FILE = "pai_jupyter.toml"
_Parsed = TypeVar("_Parsed")


@dataclass(frozen=True, kw_only=True)
class UserFile:
    """The user's own file: the active profile, if it names one, and the values of each profile."""

    profile: str | None = None
    profiles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class FileReader:
    """Reads files, and parses them again only when their bytes have changed (times are too coarse)."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[bytes, Any]] = {}  # Any: the parser's result

    def read(self, path: Path, parse: Callable[[Path, str], _Parsed]) -> _Parsed:
        """Read and parse a file, cached by its content; a missing file is parsed as empty text.

        Raises:
            SpecError: it cannot be read or parsed.
        """
        data = _bytes(path)
        if path not in self._known or self._known[path][0] != data:
            try:
                text = data.decode("utf-8-sig")
            except UnicodeDecodeError as exc:
                raise SpecError(f"{str(path)!r} is not UTF-8 text. Save it as UTF-8.") from exc
            self._known[path] = (data, parse(path, text))
        parsed: _Parsed = self._known[path][1]
        return parsed


def find_project_file(directory: Path) -> Path | None:
    """Find the nearest `pai_jupyter.toml` in `directory` or its parents; None if there is none."""
    candidates = (place / PROJECT_FILE for place in (directory, *directory.parents))
    # A parent may be unreadable, which os.path reports as a missing file.
    return next((path for path in candidates if os.path.isfile(path)), None)  # noqa: PTH113


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as exc:
        raise SpecError(f"{str(path)!r} cannot be read: {exc.strerror}.") from exc


def parse_project(path: Path, text: str) -> Mapping[str, str]:
    """Parse the project file, plain `name = "value"` lines; secrets and unknown names are rejected."""
    found = {}
    for name, value in _flat(_toml(path, text)).items():
        where = _where(path, text, name)
        refuse_secret(name, value, where=where)
        check_name(name, where=where)
        found[name] = check_value(name, value, where=where)
    return found


def parse_user(path: Path, text: str) -> UserFile:
    """Parse the user file: `profile = "work"`, and `[profiles.work]` tables of settings and keys."""
    table = _toml(path, text)
    for name in table:
        check_name(name, known=("profile", "profiles"), where=_where(path, text, name))
    profiles = table.get("profiles", {})
    if not isinstance(profiles, dict) or not all(isinstance(profile, dict) for profile in profiles.values()):
        raise SpecError(
            f"{_where(path, text, 'profiles')}a profile is a table: [profiles.work], below it lines like region = ..."
        )
    profile = table.get("profile")
    return UserFile(
        profile=None if profile is None else check_value("profile", profile, where=_where(path, text, "profile")),
        profiles={str(name): _parse_profile(path, text, values) for name, values in profiles.items()},
    )


def _parse_profile(path: Path, text: str, values: Mapping[str, object]) -> Mapping[str, str]:
    found = {}
    for name, value in _flat(values).items():
        where = _where(path, text, name)
        if name == "profile" or (name not in CREDENTIALS and name not in SETTINGS):
            check_name(name, known=[*(each for each in SETTINGS if each != "profile"), *CREDENTIALS], where=where)
        found[name] = check_value(name, value, where=where)
    return found


def parse_sdk(path: Path, text: str) -> Mapping[str, str]:
    """Parse the official SDK's file; keep non-empty texts and integers, including unknown names."""
    if not text.strip():
        return {}
    try:
        table = json.loads(text)
    except json.JSONDecodeError as exc:
        raise SpecError(f"{str(path)!r} line {exc.lineno}: {exc.msg}. Correct the file, or remove it.") from exc
    except RecursionError as exc:
        raise SpecError(f"{str(path)!r} is nested too deeply. Correct the file, or remove it.") from exc
    if not isinstance(table, dict):
        raise SpecError(f"{str(path)!r} line 1: a JSON object is expected. Correct the file, or remove it.")
    return {name: str(value) for name, value in table.items() if isinstance(value, str | int) and value != ""}


def _toml(path: Path, text: str) -> Mapping[str, object]:
    import tomllib  # imported only if there is such a file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        place = re.search(r" \(at line (\d+), column \d+\)$", str(exc))
        line = int(place[1]) if place else text.count("\n") + 1  # "at end of document"
        raise SpecError(f"{str(path)!r} line {line}: {exc}. Correct the line.") from exc
    except RecursionError as exc:
        raise SpecError(f"{str(path)!r} is nested too deeply. Correct the file.") from exc


def _flat(table: Mapping[str, object]) -> dict[str, object]:
    """Flatten tables to dotted names such as `process.max_parallel`; TOML parses dots as tables."""
    flat: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, Mapping) and any(known.startswith(f"{name}.") for known in SETTINGS):
            flat |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            flat[name] = value
    return flat


def _where(path: Path, text: str, name: str) -> str:
    """Return the start of an error message: the file and the line where `name` first occurs as a key."""
    key = rf"[ \t]*(?:\[+)?[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*[.=\]]"
    found = re.search(rf"^{key}", text, re.MULTILINE)
    line = f" line {text.count(chr(10), 0, found.start()) + 1}" if found else ""
    return f"{str(path)!r}{line}: "
