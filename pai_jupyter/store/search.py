r"""Search a log for lines at memory speed: whole blocks are searched, and only hits become line numbers.

    Query       the search; its finder is for text (here), a regex (patterns.py), a level (levels.py), or both
    FoundLines  the result: line numbers, no text
    worker      the process for regexes (worker.py)

Rule 1: plain text is searched in bytes, a regex in decoded text, so that `\w`, `.` and `[训练]` match characters.
Rule 2: a match is within one line.
Rule 3: raw bytes are searched: a hit may be in an overwritten state of a progress bar.
Rule 4: a search ends at its deadline and returns what it has found and how far it has searched.
"""

import re
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from pai_jupyter.store.levels import Level, level_finder
from pai_jupyter.store.view import LogView

BLOCK = 1024 * 1024
OVERLAP = 64 * 1024  # overlap of two blocks within a line longer than a block; longer matches there may be missed

Hits: TypeAlias = Callable[[int], int]
"""Returns the position of the first match at or after a line start; -1 if there is none."""
Finder: TypeAlias = Callable[[bytes], Hits]
"""Prepares a block; its `Hits` must be called with increasing positions."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """A search for lines of `level` or above that contain `pattern`, from line `after` on; at most `limit` and `seconds`."""

    pattern: str = ""
    regex: bool = False
    ignore_case: bool = False
    level: Level | None = None
    after: int = 0
    limit: int = 1000
    seconds: float = 60.0


@dataclass(frozen=True, kw_only=True)
class FoundLines:
    """The ascending `numbers` of matching lines among the first `searched` lines; `is_more`: the search can continue there."""

    numbers: "array[int]"
    searched: int
    is_more: bool


def find_lines(view: LogView, query: Query) -> FoundLines:
    """Search the log in its current state.

    Raises:
        SpecError: the pattern is no regular expression, or matches in too many ways.
    """
    finder, deadline = _finder(query), time.monotonic() + query.seconds
    numbers = array("q")
    offset = view.offset_of(query.after)
    while (block := view.read(offset, BLOCK)) and time.monotonic() < deadline:
        at_end = offset + len(block) >= view.size
        whole = len(block) if at_end else block.rfind(b"\n") + 1
        if not _take(view, offset, block[:whole] if whole else block, finder, numbers, query.limit):
            return FoundLines(numbers=numbers[: query.limit], searched=numbers[query.limit], is_more=True)
        offset += whole or max(len(block) - OVERLAP, 1)
    if not block:
        return FoundLines(numbers=numbers, searched=view.lines, is_more=False)
    return FoundLines(numbers=numbers, searched=view.lines_before(offset), is_more=True)


def _take(view: LogView, offset: int, block: bytes, finder: Finder, numbers: "array[int]", limit: int) -> bool:
    """Add the matching lines of `block`; return False if there are more than `limit`."""
    hits = finder(block)
    hit = hits(0)
    if not 0 <= hit < len(block):
        return True
    number, counted = view.lines_before(offset), 0
    while 0 <= hit < len(block):
        number += block.count(b"\n", counted, hit)
        counted = hit
        if not numbers or numbers[-1] != number:  # a line longer than a block is in several blocks
            numbers.append(number)
        if len(numbers) > limit:
            return False
        end = block.find(b"\n", hit)
        hit = hits(end + 1) if end >= 0 else -1
    return True


def _finder(query: Query) -> Finder:
    by_level = level_finder(query.level) if query.level else None
    if by_level and not query.pattern:
        return by_level
    by_text = _pattern_finder(query) if query.regex else plain_finder(query.pattern, ignore_case=query.ignore_case)
    return both(by_text, by_level) if by_level else by_text


def _pattern_finder(query: Query) -> Finder:
    from pai_jupyter.store.patterns import regex_finder  # needs `regex`, 30 ms: imported only if used

    return regex_finder(query.pattern, ignore_case=query.ignore_case)


def plain_finder(text: str, *, ignore_case: bool = False) -> Finder:
    """Return a finder for `text`, optionally ignoring case."""
    needle = text.encode("utf-8", "surrogateescape")
    if b"\n" in needle:
        return lambda _: lambda _: -1
    if not ignore_case:
        return lambda block: partial(block.find, needle)
    if all(sign.lower() == sign.upper() for sign in text if not sign.isascii()):
        return lambda block: partial(block.lower().find, needle.lower())
    from pai_jupyter.store.patterns import regex_finder

    return regex_finder(re.escape(text), ignore_case=True)


def both(first: Finder, second: Finder) -> Finder:
    """Return a finder of lines that both match; its time depends on the rarer one."""

    def prepare(block: bytes) -> Hits:
        hits: Hits = first(block)
        others: Hits | None = None  # prepared at the first hit, since preparing has a cost

        def hit_of_both(at: int) -> int:
            nonlocal others
            while 0 <= (hit := hits(at)) < len(block):
                others = others or second(block)
                at = max(at, block.rfind(b"\n", 0, hit) + 1)
                other = others(at)
                if not 0 <= other < len(block):
                    return -1
                line = block.rfind(b"\n", 0, other) + 1
                if line <= at:
                    return hit
                at = line
            return -1

        return hit_of_both

    return prepare
