"""Show file names of any bytes as text, and split paths into names. Pure."""

import os
from urllib.parse import unquote

from pai_jupyter.errors import SpecError

LONGEST = 4096  # characters of a path
_ESCAPED = 0xDC00  # Python's surrogates for bytes that are not UTF-8
_SHOWN = 100  # characters of a path in a sentence


def shown(name: str) -> str:
    """Return a file name as valid UTF-8 text; undecodable bytes become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if not name.isascii() else name


def spelled(name: str) -> str:
    """Return a file name as valid UTF-8 text that `unspelled` reverses; undecodable bytes become %XX."""
    return "".join(
        f"%{ord(sign) - _ESCAPED:02X}" if "\udc80" <= sign <= "\udcff" else "%25" if sign == "%" else sign
        for sign in name
    )


def unspelled(text: str) -> str:
    return unquote(text, errors="surrogateescape")


def checked(path: str) -> str:
    """Return `path` if it is valid.

    Raises:
        SpecError: it leaves the folder, or is not a valid file name.
    """
    split(path)
    return path


def split(path: str) -> list[str]:
    """Split `path` into its names.

    Raises:
        SpecError: it leaves the folder, or is not a valid file name.
    """
    parts = path.split("/") if path else []
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise SpecError(
            f"the path {path[:_SHOWN]!r} is not inside an output. Give names with / between them, e.g. epoch-3/model.pt",
            field="path",
        )
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise SpecError(f"the path {path[:_SHOWN]!r} has an incomplete character.", field="path") from None
    return parts
