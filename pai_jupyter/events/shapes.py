r"""Find the lines of a chunk that may say something about training, by their shapes.

A log repeats itself: its lines differ in their digits, and little else. The shape of a line is the line with every digit as 0.
Whether a line may say something is found once for its shape (`signs`), then remembered; so most lines cost one look into a dict.

Rule 1: the signs of a line depend on that line alone, and not on its digits. More may be found than is there: `log_parsers`
    decides.
Rule 2: memory is bounded: at most `MAX_SHAPES` shapes of at most `LONGEST` bytes are remembered.
Rule 3: while most lines have new shapes, to remember them is in vain: the next `PAUSE` chunks are searched as they are.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pai_jupyter.events.signs import has_mark, lines_with_known, lines_with_places

KNOWN, PLACED, SEARCHED = 1, 2, 4  # a known word before a number; a place; a definition of the user may match
MAX_SHAPES = 4_096
LONGEST = 512
PAUSE = 7

_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_FEW = 100  # lines
_LINE_END = re.compile(rb"\r+\n")


class Shapes:
    """Tells the signs of lines. `needles`: one of them is in each line that a definition matches; None = search every line.

    `is_bare`: neither definitions nor a number of epochs are given, and a line without a mark says nothing.
    """

    def __init__(self, needles: Sequence[bytes] | None, *, is_bare: bool) -> None:
        self._needles = None if needles is None else [needle.translate(_TO_ZERO) for needle in needles]
        self._is_bare = is_bare
        self._signs: dict[bytes, int] = {}
        self._pause = 0  # chunks

    def signs_of(self, body: bytes) -> list[int]:
        """Return the signs of each line of `body`, which `as_lines` returned; nothing if no line has any."""
        if self._pause and self._needles == []:
            self._pause -= 1
            return self._signs_of_new(body)
        # To remove takes twice as long as to replace.
        shapes = (body.translate(_TO_ZERO, b"\r") if b"\r" in body else body.translate(_TO_ZERO)).split(b"\n")
        signs = list(map(self._signs.get, shapes))
        if None not in signs:
            return signs  # type: ignore[return-value]  # mypy does not see that there is no None
        found = self._find({shape for shape, sign in zip(shapes, signs, strict=True) if sign is None})
        if 4 * len(found) > 3 * len(shapes) > _FEW:
            self._pause = PAUSE
        return [found[shape] if sign is None else sign for shape, sign in zip(shapes, signs, strict=True)]

    def _find(self, shapes: Iterable[bytes]) -> dict[bytes, int]:
        """Find the signs of shapes that are new, and remember them."""
        every = 0 if self._needles is not None else SEARCHED
        found = dict.fromkeys(shapes, every)
        self._search(b"\n".join(found) + b"\n", found)
        for needle in self._needles or ():
            for shape in found:
                if needle in shape:
                    found[shape] |= SEARCHED
        self._remember(found)
        return found

    def _signs_of_new(self, body: bytes) -> list[int]:
        found: dict[bytes, int] = {}
        self._search(body.replace(b"\r", b""), found)
        return [found.get(line.rstrip(b"\r"), 0) for line in body.split(b"\n")] if found else []

    def _search(self, block: bytes, found: dict[bytes, int]) -> None:
        """Add the signs of the lines of `block` to `found`."""
        if self._is_bare and not has_mark(block):
            return
        low = block.lower()
        for sign, spans in ((KNOWN, lines_with_known(low)), (PLACED, lines_with_places(low))):
            for start, stop in spans:
                line = block[start:stop]
                if not self._is_bare or has_mark(line):
                    found[line] = found.get(line, 0) | sign

    def _remember(self, found: dict[bytes, int]) -> None:
        if len(self._signs) + len(found) > MAX_SHAPES:
            self._signs.clear()
        self._signs.update((shape, sign) for shape, sign in list(found.items())[:MAX_SHAPES] if len(shape) <= LONGEST)


@lru_cache(maxsize=32)
def shapes_for(needles: tuple[bytes, ...] | None, *, is_bare: bool) -> Shapes:
    """Return the shapes that all parsers of the same kind share."""
    return Shapes(needles, is_bare=is_bare)


def as_lines(body: bytes) -> bytes:
    r"""End each line, and each state of a bar, by a newline; before that of a state that is drawn over stays its `\r`."""
    if b"\r" not in body:
        return body
    return _LINE_END.sub(b"\n", body).replace(b"\r", b"\r\n")
