"""Find the level of a line by its words: ERROR as `logging` writes it, or an exception's name. Pure functions of bytes.

Rule 1: words must match in case and as a whole, to tell them from prose: "ERRORS: 0" does not match.
Rule 2: a line without such a word counts as info. Most lines are prints.
Rule 3: of several words in a line the most severe counts.
"""

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["info", "warning", "error"]
Hits: TypeAlias = Callable[[int], int]

_ERROR = ("ERROR", "CRITICAL", "FATAL", "Traceback", "Error:")
_WARNING = ("WARNING", "WARN", "Warning:")
_DEBUG = ("DEBUG", "TRACE")
_COLOR = re.compile(rb"\x1b\[[0-9;:]{0,100}m\Z")
_LONGEST = 103  # most bytes of a colour code


def level_finder(level: Level) -> Callable[[bytes], Hits]:
    """Return a finder of lines of this level or above; see `search.Finder`."""
    if level == "info":
        return _not_debug
    return _words(_ERROR if level == "error" else _ERROR + _WARNING)


def _words(words: tuple[str, ...]) -> Callable[[bytes], Hits]:
    def prepare(block: bytes) -> Hits:
        present = [word for word in words if word.encode() in block]  # many times faster than any pattern
        if not present:
            return lambda _: -1
        pattern = re.compile("|".join(rf"{word}(?!\w)" for word in present).encode())
        return lambda at: next((hit.start() for hit in pattern.finditer(block, at) if _begins(block, hit)), -1)

    return prepare


def _begins(block: bytes, hit: "re.Match[bytes]") -> bool:
    """Return whether a level word begins here; "Error:" must end an exception's name (`ValueError:`, not `mean Error:`)."""
    before = block[max(hit.start() - 1, 0) : hit.start()]
    if before == b"m" and _COLOR.search(block[max(hit.start() - _LONGEST, 0) : hit.start()]):
        before = b""  # a logger with coloured levels: the letter ends a terminal escape
    is_inside = before.isalnum() or before == b"_"
    return is_inside or before == b"." if hit[0].endswith(b":") else not is_inside


def _not_debug(block: bytes) -> Hits:
    debug, above = _Ahead(_words(_DEBUG)(block)), _Ahead(_words(_ERROR + _WARNING)(block))

    def hit(at: int) -> int:
        while at < len(block):
            end = (block.find(b"\n", at) + 1) or len(block)
            if debug.next(at) >= end or above.next(at) < end:
                return at
            at = end
        return -1

    return hit


class _Ahead:
    """Caches the next hit, so that queries at every line search only after the last one found."""

    def __init__(self, hits: Hits) -> None:
        self._hits = hits
        self._found = -1

    def next(self, at: int) -> int:
        """Return the position of the first hit at or after `at`; the end without one."""
        if self._found < at:
            found = self._hits(at)
            self._found = found if found >= 0 else 1 << 62
        return self._found
