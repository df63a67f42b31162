"""Which lines of a block may say something about training, found in bytes.

A line is found by what it cannot do without, each by a search of its own: a pattern that begins with letters is searched at the
speed of memory, one that begins with any of several a tenth of that. Each takes its line to the end, so that a line is found
once.

Rule 1: a line with a place has a word of place (`_PLACES`) and a number, or is a dict, a bar, a round of boosting, the head of a
    table.
Rule 2: a line without a place has a number with a point, a percent or nan, and a known word before it. The numbers are found
    first, backwards, for then the pattern begins with the point; of the words before them there are few different ones.
Rule 3: whether a line is found depends on that line alone, and not on its digits (see `shapes`). More may be found than is there:
    `log_parsers` decides.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from pai_jupyter.events.log_parsers.names import KNOWN, SPLITS, VAGUE, NameKind, bare_kind_of, parts_of, word_set

Span = tuple[int, int]  # of a line, without its end

# Each with a byte that it needs: a byte is looked for 30 times as fast as a pattern.
_PLACES = [
    (byte, re.compile(pattern + rb"[^\r\n]*+"))
    for byte, pattern in (
        *((b"p", rb"poch"), (b"p", rb"tep"), (b"i", rb"iter"), (b"p", rb"pisode"), (b"h", rb"hard\x20")),
        *((b"{", rb"\{"), (b"%", rb"%\|"), (b"\t", rb"\]\t")),
        *((b"|", rb"\|\x20++\w{1,24}/\x20++\|"), (b"#", rb"#\x20\x20++loss\x20")),
    )
]
_NUMBER = re.compile(rb"[0-9]|(?:nan|inf)\b")
_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_VALUES = [re.compile(pattern + rb"[^\r\n]*+") for pattern in (rb"nan\b", rb"inf\b", rb"ccuracy (?:of|for|on)\x20")]

# Backwards: the point, the whole digits, a sign and blanks, the last word; in that may be the next point. A wide colon
# (\xef...) is a sign, and so is the line of a box (\xe2...).
_NO_WORD = rb"\s:=|,;\xef\xe2"
_SIGN = rb"[-+]?[ \t:=(\[>|\xef\xbc\x9a\xe2\x94\x82\x83-]{1,64}+"
_NUMBERS = [
    (byte, re.compile(start + _SIGN + rb"(?=([^" + _NO_WORD + rb"]{1,32}))"))
    for byte, start in ((b".", rb"\.\d{0,9}+"), (b"%", rb"%\x20?\d{1,9}+"))
]
_BETWEEN = word_set("""is was of tensor array value values np.float00 macro micro weighted mean avg average total
    final best max min overall rate top0 learn images set model network dataset""")
_ZERO = re.compile(r"[1-9]")
_MASKED = frozenset(_ZERO.sub("0", word) for word in KNOWN | VAGUE if _ZERO.search(word))  # r0 for R2


def has_mark(body: bytes) -> bool:
    """Return whether any line in `body` can say something, if the job's number of epochs is not known.

    Without one of these bytes there is neither a number with a point nor a sign, a total, or the head of a table ("Epoch",
    "train_loss", "Iter  Train Loss", "| step | loss |"). One search for each byte is faster than one for all.
    """
    return (
        (b":" in body or b"=" in body or b"/" in body or b"." in body)
        or (b"_" in body or b"|" in body)
        or (b"E" in body or b"I" in body)
    )


def line_starts(body: bytes) -> Callable[[int], int]:
    """Return what finds the beginning of the line that a place in `body` is in."""
    rfind = body.rfind
    if b"\r" not in body:
        return lambda at: rfind(b"\n", 0, at) + 1
    return lambda at: 1 + max(last := rfind(b"\n", 0, at), rfind(b"\r", last + 1, at))


def lines_with_places(low: bytes) -> Iterator[Span]:
    """Find the lines of `low`, which is in lower case, that have the sign of a place; some more than once."""
    starts = line_starts(low)
    for byte, pattern in _PLACES:
        for match in pattern.finditer(low) if byte in low else ():
            at, stop = match.span()
            start = starts(at)
            if _may_have_place(low[start:stop].strip()):
                yield start, stop


def lines_with_known(low: bytes) -> Iterator[Span]:
    """Find the lines of `low`, which is in lower case, that have a known word before a number; some more than once."""
    starts = line_starts(low)
    for pattern in _VALUES:
        for match in pattern.finditer(low):
            at, stop = match.span()
            yield starts(at), stop
    backwards, length = low[::-1], len(low)
    stops = line_starts(backwards)
    for byte, pattern in _NUMBERS:
        words = {word for word in set(pattern.findall(backwards)) if _is_known(word)} if byte in low else ()
        for match in pattern.finditer(backwards) if words else ():
            if match[1] in words:
                yield starts(length - match.end()), length - stops(match.start())


def _may_have_place(line: bytes) -> bool:
    """Return whether the line has a number, or columns as the head of a table has."""
    has_columns = b"  " in line or b"|" in line or b"\xe2" in line
    return has_columns or _NUMBER.search(line) is not None


@lru_cache(maxsize=4_000)
def _is_known(backwards: bytes) -> bool:
    word = backwards[::-1].translate(_TO_ZERO).decode("utf-8", "replace")
    is_index = word.endswith((")", "]")) or (word[:1].isdigit() and "/" in word)  # `F1 (macro): 0.9`, `acc: 9/10=0.9`
    is_part = word in _BETWEEN or word in SPLITS or not _MASKED.isdisjoint(parts_of(word))
    return is_index or is_part or bare_kind_of(word) > NameKind.NONE
