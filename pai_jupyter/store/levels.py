"""How bad a line is, by the words in it: ERROR as logging writes it, or the name of an exception. Pure functions of bytes.

Rule 1: upper and lower case tell such words from prose, and a word is a whole one: "ERRORS: 0" is none.
Rule 2: what has no such word counts as info. Most lines of most jobs are prints.
Rule 3: where several stand in a line, the worst counts.
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
_LONGEST = 103  # bytes of a change of colour


def level_finder(level: Level) -> Callable[[bytes], Hits]:
    """Find the lines of this level or above; see `search.Finder`."""
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
    """Return whether a word begins here. "Error:" ends an exception's name as in `ValueError:`, not `mean Error:`."""
    before = block[max(hit.start() - 1, 0) : hit.start()]
    if before == b"m" and _COLOR.search(block[max(hit.start() - _LONGEST, 0) : hit.start()]):
        before = b""  # a logger that colours its levels: the letter is the end of a terminal's escape
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
    """Hits that are asked at every line, and looked for only behind the last one that was found."""

    def __init__(self, hits: Hits) -> None:
        self._hits = hits
        self._found = -1

    def next(self, at: int) -> int:
        """Return the position of the first hit at or after `at`; the end without one."""
        if self._found < at:
            found = self._hits(at)
            self._found = found if found >= 0 else 1 << 62
        return self._found
