"""Edit the text of a configuration file. Pure: text in, text out; the rest of the file stays.

The SDK's file is JSON and is written anew. The user's file is TOML with comments, so only the lines of one table are replaced
and the result is parsed to check it; a file in another style is not changed.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pai_jupyter.config.files import parse_sdk, parse_user
from pai_jupyter.errors import SpecError

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def sdk_text(path: Path, text: str, values: Mapping[str, str | None]) -> str:
    """Return the SDK file's text updated with `values`; None removes an entry.

    Raises:
        SpecError: the current text is invalid.
    """
    parse_sdk(path, text)
    table = json.loads(text) if text.strip() else {}
    changed = {**table, **values}
    kept = {name: value for name, value in changed.items() if value is not None or name not in values}
    return json.dumps(kept, indent=4, ensure_ascii=False) + "\n"


def profile_text(path: Path, text: str, profile: str, values: Mapping[str, str]) -> str:
    """Return the user file's text with this profile added or replaced.

    Raises:
        SpecError: the current text is invalid, or the profile is written in another style.
    """
    wanted = {**parse_user(path, text).profiles, profile: dict(values)}
    before, after = _around(text, profile)
    lines = [f"[profiles.{_key(profile)}]", *(f"{name} = {_string(value)}" for name, value in values.items())]
    parts = (before.rstrip(), "\n".join(lines), after.strip("\n"))
    changed = "\n\n".join(part for part in parts if part) + "\n"
    if parse_user(path, changed).profiles != wanted:
        raise SpecError(
            f"{str(path)!r} has profiles in a style that is not changed here. Write [profiles.{profile}] by hand."
        )
    return changed


def _around(text: str, profile: str) -> tuple[str, str]:
    """Split the text before and after the table of `profile`; if it is missing, all text is before it."""
    name = re.escape(profile)
    header = re.search(rf"^[ \t]*\[[ \t]*profiles[ \t]*\.[ \t]*[\"']?{name}[\"']?[ \t]*\].*\n?", text, re.MULTILINE)
    if header is None:
        return text, ""
    following = _HEADER.search(text, header.end())
    return text[: header.start()], text[following.start() :] if following else ""


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


def _string(value: str) -> str:
    """Quote `value` as a basic TOML string, which equals a JSON string for printable text."""
    return json.dumps(value, ensure_ascii=False)
