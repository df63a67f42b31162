"""Clean text of a job before it is saved in a notebook, which others may read.

Removed: signatures and tokens in URLs, access keys, values of names like `access_key_secret`, the user's home directory
(replaced by `~`), control characters, characters that change the text direction. Terminal colours stay on request.
"""

import re

from pai_jupyter.contract.masking import masked_output
from pai_jupyter.events import keep_colors, strip_ansi

# C0 except tab and escape, DEL, C1, the Unicode characters that end lines or reorder text, and two that XML (SVG) forbids.
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")

_PATH = re.compile(r"(?<![\w.~:/-])(?:~|\.{1,2})?(?:/[\w.@+~-]+)+/?|\b[A-Za-z]:\\\S+")
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b|\b\d+(?:\.\d+)? ?(?:ms|s|min|h|seconds?|minutes?)\b"
)
_HEX = re.compile(r"\b(?:0x[0-9a-f]+|(?=[0-9a-f-]*\d)[0-9a-f]{6,}(?:-[0-9a-f]+)*)\b", re.IGNORECASE)
_GENERATED = re.compile(r"[-_](?:[0-9a-f]{6,}|\d{8}-\d{6})$")


def clean(text: str, *, home: str, limit: int, has_colors: bool = False) -> str:
    """Clean `text` to one line of at most `limit` characters; `has_colors` keeps terminal colours."""
    text = text[: 4 * limit]  # bounds the work; leaves room for what is removed
    text = keep_colors(text) if has_colors else strip_ansi(text).replace("\x1b", " ")
    text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be sent
    text = _CONTROLS.sub(" ", text.expandtabs(4))
    text = masked_output(text)
    if len(home) > 1:
        text = re.sub(rf"(?<![\w.~-]){re.escape(home.rstrip('/'))}(?![\w.-])", "~", text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def steady(text: str) -> str:
    """Replace what differs from run to run by "…": paths, times, durations, hexadecimal addresses and ids."""
    for pattern in (_PATH, _TIME, _HEX):
        text = pattern.sub("…", text)
    return text


def steady_value(text: str) -> str:
    """Replace the paths in a value by "…", since they differ between machines; numbers stay."""
    return _PATH.sub("…", text)


def steady_name(name: str) -> str:
    """Remove the digits that were appended to a job's name to make it unique."""
    return _GENERATED.sub("", name)
