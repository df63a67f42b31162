r"""Finding a text or a pattern in a log, at the speed of memory: whole blocks are searched, never line by line.

Rule 1: plain text is looked for in the bytes; a pattern in the decoded text, so that `\w`, `.` and `[训练]` mean letters.
Rule 2: a match lies within one line. What a block's match spans beyond its line is tried again on the line alone.
Rule 3: the bytes are searched as they came: a hit may be in a state of a progress bar that later ones overwrote.
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from pai_jupyter.errors import SpecError
from pai_jupyter.store.view import LogView

BLOCK = 1024 * 1024
OVERLAP = 64 * 1024  # bytes that two blocks share inside a line longer than a block; longer matches there may be missed

Finder: TypeAlias = Callable[[bytes], Iterator[int]]
"""Where in a block the matches are, one for each line that has any."""


def plain_finder(text: str) -> Finder:
    """Find `text` as it is, upper and lower case apart."""
    needle = _encode(text)

    def find(block: bytes) -> Iterator[int]:
        at = -1 if b"\n" in needle else block.find(needle)
        while 0 <= at < len(block):
            yield at
            end = block.find(b"\n", at)
            at = block.find(needle, end + 1) if end >= 0 else -1

    return find


def regex_finder(pattern: str) -> Finder:
    """Find a regular expression; `^` and `$` are the ends of a line.

    Raises:
        SpecError: it is none.
    """
    try:
        compiled = re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as exc:
        raise SpecError(
            f"{pattern!r} is no regular expression: {exc}. Put a \\ before signs that are meant as they are.",
            field="pattern",
        ) from exc

    def find(block: bytes) -> Iterator[int]:
        # Every byte comes back from surrogateescape; \n\n for \r\n lets `$` match there and keeps all places.
        text = _decode(block).replace("\r\n", "\n\n")
        done, at = 0, 0  # the same place, in characters and in bytes
        while done < len(text) and (match := compiled.search(text, done)):
            hit = min(at + len(_encode(text[done : match.start()])), len(block) - 1)
            end = (block.find(b"\n", hit) + 1) or len(block)
            line = _decode(block[block.rfind(b"\n", 0, hit) + 1 : end]).rstrip("\r\n")
            if compiled.search(line):
                yield hit
            done, at = match.start() + len(_decode(block[hit:end])), end

    return find


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def hits(view: LogView, find: Finder) -> Iterator[int]:
    """Offsets of the matches, in order; a line longer than a block may give several."""
    offset = 0
    while block := view.read(offset, BLOCK):
        whole = block.rfind(b"\n") + 1
        at_end = offset + len(block) >= view.size
        for at in find(block if at_end or not whole else block[:whole]):
            yield offset + at
        if at_end:
            return
        offset += whole or max(len(block) - OVERLAP, 1)
