r"""Search blocks of a log by regex. For the search worker only: a regex may need endless time and memory.

They use the package `regex`, which accepts the syntax of `re`, has a time limit, and is many times faster here: it first looks
for literals that every match must contain.

Rule 1: a match is within one line. A match across lines is tried again on its first line alone.
Rule 2: one match may take `MATCH_SECONDS`; `(a+)+$` can take exponential time.
Rule 3: `line_matcher` is for processes that read a log line by line: bounded in time and size.
"""

from collections.abc import Callable

import regex

from pai_jupyter.errors import SpecError
from pai_jupyter.events.definitions import MAX_SIZE, size_of

MATCH_SECONDS = 2.0
_SHOWN = 100  # letters of a pattern shown in a message


def regex_finder(pattern: str, *, ignore_case: bool = False) -> Callable[[bytes], Callable[[int], int]]:
    """Return a finder for a regex; `^` and `$` match at line ends. See `search.Finder`.

    Raises:
        SpecError: the regex is invalid; on use: it takes too long.
    """
    try:
        flags = regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0)
        compiled = regex.compile(pattern, flags, cache_pattern=False)
    except (regex.error, OverflowError, RecursionError, ValueError) as exc:
        raise SpecError(
            f"{_shown(pattern)} is no regular expression: {exc}. Put a \\ before signs that are meant as they are.",
            field="pattern",
        ) from exc
    except MemoryError as exc:
        raise too_long(pattern) from exc
    return lambda block: _PatternHits(compiled, block)


def line_matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that tells whether a line matches, without blocking other threads.

    Raises:
        SpecError: the regex is invalid or too large; on use: it takes too long.
    """
    try:
        compiled = regex.compile(pattern) if size_of(pattern) <= MAX_SIZE else None
    except (regex.error, OverflowError, RecursionError, ValueError) as exc:
        raise SpecError(f"{_shown(pattern)} is no regular expression: {exc}", field="pattern") from exc
    if compiled is None:
        raise too_long(pattern)

    def matches(line: str) -> bool:
        try:
            return compiled.search(line, timeout=MATCH_SECONDS, concurrent=True) is not None
        except (TimeoutError, MemoryError) as exc:
            raise too_long(pattern) from exc

    return matches


def too_long(pattern: str) -> SpecError:
    """Create the error for a pattern that takes too long."""
    return SpecError(
        f"searching for {_shown(pattern)} takes too long: it matches in too many ways. "
        "Use fewer repetitions inside repetitions.",
        field="pattern",
    )


class _PatternHits:
    """The matches of a regex in a block; positions in bytes and in text advance together."""

    def __init__(self, pattern: "regex.Pattern[str]", block: bytes) -> None:
        self._pattern = pattern
        self._block = block
        # surrogateescape keeps every byte; \n\n for \r\n lets `$` match there and keeps positions.
        self._text = _decode(block).replace("\r\n", "\n\n")
        self._at, self._done = 0, 0  # the same position in bytes and in characters

    def __call__(self, at: int) -> int:
        self._advance(at)
        while self._at < len(self._block):
            match = self._search(self._text, self._done)
            if match is None:
                return -1
            hit = min(self._at + len(_encode(self._text[self._done : match])), len(self._block) - 1)
            end = (self._block.find(b"\n", hit) + 1) or len(self._block)
            line = _decode(self._block[self._block.rfind(b"\n", 0, hit) + 1 : end]).rstrip("\r\n")
            if self._search(line, 0) is not None:
                return hit
            self._advance(end)
        return -1

    def _search(self, text: str, at: int) -> int | None:
        try:
            match = self._pattern.search(text, at, timeout=MATCH_SECONDS)
        except (TimeoutError, MemoryError) as exc:
            raise too_long(self._pattern.pattern) from exc
        return match.start() if match else None

    def _advance(self, at: int) -> None:
        self._done += len(_decode(self._block[self._at : at]))
        self._at = at


def _shown(pattern: str) -> str:
    return repr(pattern if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]}…")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
