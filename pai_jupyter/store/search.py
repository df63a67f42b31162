r"""Finding lines in a log, at the speed of memory: whole blocks are searched, and only hits become numbers of lines.

    Query       what is looked for; `finder` makes a finder of it: text (here), a pattern (patterns.py), a level (levels.py), both
    FoundLines  what was found: numbers of lines, no text
    worker      where patterns are looked for (worker.py)

Rule 1: plain text is looked for in the bytes; a pattern in the decoded text, so that `\w`, `.` and `[训练]` mean letters.
Rule 2: a match lies within one line.
Rule 3: the bytes are searched as they came: a hit may be in a state of a progress bar that later ones overwrote.
Rule 4: nobody waits for ever. A search ends at its deadline with what it has found, and says how far it has come.
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
OVERLAP = 64 * 1024  # bytes that two blocks share inside a line longer than a block; longer matches there may be missed

Hits: TypeAlias = Callable[[int], int]
"""The place of the first match in a block at or behind the start of a line; -1 when there is none."""
Finder: TypeAlias = Callable[[bytes], Hits]
"""Looks at a block; its `Hits` are asked from the front to the back."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """Lines of `level` or above that hold `pattern`, from line `after` on: the first `limit`, or as far as `seconds` go."""

    pattern: str = ""
    regex: bool = False
    ignore_case: bool = False
    level: Level | None = None
    after: int = 0
    limit: int = 1000
    seconds: float = 60.0


@dataclass(frozen=True, kw_only=True)
class FoundLines:
    """The `numbers` of lines, ascending, among the first `searched` lines; with `is_more` the search may go on there."""

    numbers: "array[int]"
    searched: int
    is_more: bool


def find_lines(view: LogView, query: Query) -> FoundLines:
    """Search the log as it stands.

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
    """Add the lines that are found in `block`; False when they are more than `limit`."""
    hits = finder(block)
    hit = hits(0)
    if not 0 <= hit < len(block):
        return True
    number, counted = view.lines_before(offset), 0
    while 0 <= hit < len(block):
        number += block.count(b"\n", counted, hit)
        counted = hit
        if not numbers or numbers[-1] != number:  # a line longer than a block is met in several
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
    from pai_jupyter.store.patterns import regex_finder  # needs `regex`, 30 ms: only where it is used

    return regex_finder(query.pattern, ignore_case=query.ignore_case)


def plain_finder(text: str, *, ignore_case: bool = False) -> Finder:
    """Find `text` as it is, or in any case."""
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
    """Find the lines that both find; the rarer of the two decides how long that takes."""

    def prepare(block: bytes) -> Hits:
        hits: Hits = first(block)
        others: Hits | None = None  # not before there is a hit: to look at a block costs something

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
