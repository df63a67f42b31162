"""The YAML that configuration files are written in: mappings by indentation, plain values, lists of them. Nothing else.

    lr: 1e-3            # a comment
    model:
      depth: 3
      widths: [64, 32]

A value that needs more of YAML (an anchor, a text of several lines, a list of mappings) is `Unread`: it is there, and what it
is stays unknown. OmegaConf reads `1e-3` as a number, and so does this.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from pai_jupyter.spec import Scalar


@dataclass(frozen=True)
class Unread:
    """A value that is not read, as it stands in the file."""

    text: str


YamlValue: TypeAlias = object  # a Scalar, Unread, or a mapping of these

_COMMENT = re.compile(r"\s+#.*$|^#.*$")
_KEY = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([^\s#:\[\]{},&*!|>'"%@`-][^#:]*?|-?\w[^#:]*?))\s*:(?:\s+(.*))?$""")
_INT = re.compile(r"[-+]?(0|[1-9][\d_]*)")
_FLOAT = re.compile(r"[-+]?(\d[\d_]*\.[\d_]*|\.\d+|\d+)([eE][-+]?\d+)?")
_BOOLS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
_NULLS = ("", "~", "null", "Null", "NULL")
_UNREADABLE = ("&", "*", "!", "|", ">", "{", "@", "`", "%", "?")
_MOST_LINES = 5_000


def read_yaml(text: str) -> dict[str, YamlValue]:
    """Read the mapping of a file; lines that are none of it are left out."""
    lines = list(_lines(text))
    found, _ = _mapping(lines, 0, lines[0][0]) if lines else ({}, 0)
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for line in text.splitlines()[:_MOST_LINES]:
        bare = line if _is_quoted(line) else _COMMENT.sub("", line)
        stripped = bare.strip()
        if stripped and stripped not in ("---", "..."):
            yield len(bare) - len(bare.lstrip(" ")), stripped


def _is_quoted(line: str) -> bool:
    """Return whether a # of the line may stand inside quotes."""
    before = line.partition("#")[0]
    return before.count('"') % 2 == 1 or before.count("'") % 2 == 1


def _mapping(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[dict[str, YamlValue], int]:
    """Read the lines from `at` that have this indentation; return the mapping and where it ends."""
    found: dict[str, YamlValue] = {}
    while at < len(lines) and lines[at][0] >= indent:
        key = _KEY.match(lines[at][1]) if lines[at][0] == indent else None
        at += 1
        if key is None:
            continue
        name, rest = next(part for part in key.group(1, 2, 3) if part is not None), key[4] or ""
        below = lines[at][0] if at < len(lines) else -1
        is_list = at < len(lines) and lines[at][1].startswith("-") and below >= indent
        if rest or (below <= indent and not is_list):
            found[name] = scalar(rest)
            while rest and at < len(lines) and lines[at][0] > indent:  # of a text that goes on
                found[name] = Unread(rest)
                at += 1
        elif is_list:
            found[name], at = _items(lines, at, below)
        else:
            found[name], at = _mapping(lines, at, below)
    return found, at


def _items(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[YamlValue, int]:
    """Read a list with an item a line; an item that is a mapping is `{key: value}` of one line, or not read."""
    items: list[Scalar] = []
    is_read = True
    while at < len(lines) and lines[at][0] >= indent and (lines[at][0] > indent or lines[at][1].startswith("-")):
        text = lines[at][1].removeprefix("-").strip()
        entry = _KEY.match(text)
        value = scalar(entry[4] or "") if entry else scalar(text)
        if lines[at][0] > indent or isinstance(value, Unread | Mapping):
            is_read = False
        elif entry:
            items.append({next(part for part in entry.group(1, 2, 3) if part is not None): cast(Scalar, value)})
        else:
            items.append(cast(Scalar, value))
        at += 1
    return (items if is_read else Unread("[...]")), at


def scalar(text: str) -> YamlValue:
    """Read a value of one line."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return Unread(text) if "\\" in text else text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1]
    if text.startswith("[") and text.endswith("]"):
        return _flow(text)
    if text.startswith((*_UNREADABLE, "[", '"', "'")) or "${" in text or text == "???":
        return Unread(text)
    if text in _NULLS:
        return None
    if text.lower() in _BOOLS:
        return _BOOLS[text.lower()]
    if _INT.fullmatch(text):
        return int(text.replace("_", ""))
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def _flow(text: str) -> YamlValue:
    """Read `[64, 32]`; lists in it, and texts with a comma, are more than is read."""
    inner = text[1:-1].strip()
    if any(each in inner for each in "[]{}"):
        return Unread(text)
    values = [scalar(part) for part in inner.split(",")] if inner else []
    return Unread(text) if any(isinstance(value, Unread) for value in values) else values
