r"""Read a line as the lines of the same shape before it: the shape says what stands where, only the numbers are new.

The shape of a line is the line with every digit as 0, but for the digits of words (`f1`, `Acc@5`). At its second line a shape
gets a plan: which characters are the value of which metric, which are the epoch and the step. To make it, the parsers read the
line twice with other digits, all numbers different: where a number is found again is where a value comes from.

Rule 1: a plan gives what the parsers give. A shape has no plan if both readings differ in more than their numbers, if a value is
    no number of the line (`45/50`, nan), or if the plan reads the line itself otherwise than the parsers do.
Rule 2: memory is bounded: `MAX_SHAPES` shapes of `LONGEST` characters.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pai_jupyter.events.log_parsers.number import ParsedLine

MAX_SHAPES = 2_048
LONGEST = 512

Span = tuple[int, int]
Parser = Callable[[str], ParsedLine | None]
Key = tuple[bytes, str]  # a shape, and its words with digits

_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_WORD = r"(?<![\w.])[^\W\d][\w./@*^-]*[0-9][\w./@*^-]*"
_EXPONENT = r"(?:[eE][-+]?[0-9]+)?"
_TOKEN = re.compile(rf"({_WORD})|[0-9]+(?:\.[0-9]*)?{_EXPONENT}|\.[0-9]+{_EXPONENT}")
_DIGIT = re.compile(r"[0-9]")
_ONES = "123456789"
_PAIRS = [first + second for first in _ONES for second in _ONES]
_DIGITS = ((_ONES, _PAIRS), (_ONES[::-1], _PAIRS[::-1]))  # of numbers of one digit, and of more


class Plans:
    """Reads lines by plans where it has one, else by `parser`."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._words: dict[bytes, tuple[Span, ...]] = {}  # where the words with digits of each shape are
        self._readers: dict[Key, Parser | None] = {}  # None: seen once

    def read(self, text: str) -> ParsedLine | None:
        if len(text) > LONGEST:
            return self._parser(text)
        shape = text.encode().translate(_TO_ZERO)
        words = self._words.get(shape)
        if words is None:
            words = self._enter(shape, text)
        key = shape, " ".join([text[start:stop] for start, stop in words]) if words else ""
        reader = self._readers.get(key)
        return self._learn(key, text) if reader is None else reader(text)

    def _enter(self, shape: bytes, text: str) -> tuple[Span, ...]:
        """Return where the words with digits are in a shape that is new."""
        if len(self._words) >= MAX_SHAPES:
            self._words.clear()
        words = tuple(match.span() for match in _TOKEN.finditer(text) if match[1])
        self._words[shape] = words
        return words

    def _learn(self, key: Key, text: str) -> ParsedLine | None:
        """Read a line that has no plan; make one at the second line of the same kind."""
        reading = self._parser(text)
        if key in self._readers:
            reader = _reader(self._parser, text)
            self._readers[key] = reader if reader is not None and reader(text) == reading else self._parser
            return reading
        if len(self._readers) >= MAX_SHAPES:
            self._readers.clear()
        self._readers[key] = None
        return reading


class _Plan(NamedTuple):
    names: tuple[str, ...]
    values: tuple[Span, ...]
    places: tuple[Span | None, ...]  # of epoch, epochs, step, steps
    flags: tuple[bool, ...]  # is_share, is_bar, is_aside

    def read(self, text: str) -> ParsedLine:
        metrics = {name: float(text[start:stop]) for name, (start, stop) in zip(self.names, self.values, strict=True)}
        epoch, epochs, step, steps = [float(text[span[0] : span[1]]) if span else None for span in self.places]
        is_share, is_bar, is_aside = self.flags
        return ParsedLine(metrics, epoch, epochs, is_share, step, steps, is_bar, is_aside)


def _reader(parser: Parser, text: str) -> Parser | None:
    """Return what reads the lines of the shape of `text`; None if there is no plan."""
    try:
        one, other = [_plan(parser, text, ones, pairs) for ones, pairs in _DIGITS]
    except (KeyError, StopIteration):
        return None
    if one != other:
        return None
    return _read_nothing if one is None else one.read


def _read_nothing(text: str) -> None:
    """Read a line of a shape that says nothing."""


def _plan(parser: Parser, text: str, ones: Sequence[str], pairs: Sequence[str]) -> _Plan | None:
    """Read `text` with other digits, and return where its values stand.

    Raises:
        KeyError: a value is no number of the line, or two numbers are equal.
        StopIteration: there are more numbers than digits for them.
    """
    probe = _with_digits(text, iter(ones), iter(pairs))
    reading, spans = parser(probe), _spans(probe)
    if reading is None:
        return None
    metrics, epoch, epochs, is_share, step, steps, is_bar, is_aside = reading
    return _Plan(
        names=tuple(metrics),
        values=tuple(spans[value] for value in metrics.values()),
        places=tuple(None if value is None else spans[value] for value in (epoch, epochs, step, steps)),
        flags=(is_share, is_bar, is_aside),
    )


def _with_digits(text: str, ones: Iterator[str], pairs: Iterator[str]) -> str:
    """Replace each number by another of its shape, all different."""

    def other(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        count = len(_DIGIT.findall(match[0]))
        digits = iter(next(ones) if count == 1 else next(pairs).ljust(count, "1"))
        return _DIGIT.sub(lambda _: next(digits), match[0])

    return _TOKEN.sub(other, text)


def _spans(probe: str) -> dict[float, Span]:
    """Return where each number of the line stands."""
    spans: dict[float, Span] = {}
    for match in _TOKEN.finditer(probe):
        if match[1]:
            continue
        start, stop = match.span()
        if float(match[0]) in spans:
            raise KeyError(match[0])
        spans[float(match[0])] = start, stop
        if probe[start - 1 : start] == "-":
            spans[-float(match[0])] = start - 1, stop
    return spans
