"""Columns of cells as bytes: of 10,000 rows they are read in a tenth of the time that as many objects of JSON take. Pure.

A column is told by a list of JSON, whose first word says how its cells are kept; numbers lie in one buffer, column after column.

    ["same", cell]              all cells are this one
    ["numbers", code]           floats or ints in the buffer; the code is that of `array`
    ["texts", [text, ...]]      texts (or None) of which many are the same; their places are in the buffer
    ["tuples", lengths, cells]  tuples: a column of their lengths, and one of what is in them
    ["json", [cell, ...]]       anything else

Rule 1: cells come back with their types: 1, 1.0 and True are not the same. In "json" a tuple comes back as a list.
Rule 2: nothing in it runs: it is JSON and numbers.
"""

import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

_MOST_TEXTS = 2**16
_LEAST, _LARGEST = -(2**63), 2**63 - 1
_CODES = ("d", "q", "H")


class Packer:
    """Packs columns, one after another."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def column(self, cells: Sequence[Any]) -> list[Any]:  # Any: cells, and JSON
        """Add a column; return what tells it."""
        kinds = {*map(type, cells)}
        if len(kinds) == 1 and float not in kinds and tuple not in kinds and cells.count(cells[0]) == len(cells):
            return ["same", cells[0]]
        if kinds == {float}:
            return self.numbers(array("d", cells))
        if kinds == {int} and min(cells) >= _LEAST and max(cells) <= _LARGEST:
            return self.numbers(array("q", cells))
        if kinds == {tuple}:
            return ["tuples", self.column([*map(len, cells)]), self.column([*chain.from_iterable(cells)])]
        if (
            kinds
            and kinds <= {str, type(None)}
            and len(texts := dict.fromkeys(cells)) <= min(_MOST_TEXTS, len(cells) // 2)
        ):
            places = {text: place for place, text in enumerate(texts)}
            self.numbers(array("H", [places[cell] for cell in cells]))
            return ["texts", [*texts]]
        return ["json", cells]

    def numbers(self, cells: "array[Any]") -> list[Any]:  # Any: floats or ints, and JSON
        if sys.byteorder == "big":
            cells = cells[:]
            cells.byteswap()
        self.buffer += cells.tobytes()
        return ["numbers", cells.typecode]


class Unpacker:
    """Unpacks columns in the order in which they were packed.

    Raises:
        ValueError: the columns are not what was packed; so may be TypeError, LookupError and OverflowError.
    """

    def __init__(self, buffer: memoryview) -> None:
        self._buffer = buffer
        self._at = 0

    def column(self, told: Sequence[Any], count: int) -> Sequence[Any]:  # Any: JSON, and cells
        """Return the cells of the next column, which are `count`."""
        match told:
            case ["same", cell]:
                return [cell] * count
            case ["numbers", code]:
                return self.numbers(code, count)
            case ["texts", [*texts]]:
                return [*map(texts.__getitem__, self.numbers("H", count))]
            case ["tuples", lengths, cells]:
                return [*self._tuples(lengths, cells, count)]
            case ["json", [*cells]] if len(cells) == count:
                return cells
        raise ValueError("column")

    def numbers(self, code: str, count: int) -> "array[Any]":  # Any: floats or ints
        if code not in _CODES:
            raise ValueError("code")
        found = array(code)
        size = found.itemsize * count
        found.frombytes(self._buffer[self._at : self._at + size])
        if len(found) != count:
            raise ValueError("few")
        self._at += size
        if sys.byteorder == "big":
            found.byteswap()
        return found

    def _tuples(
        self, lengths: Sequence[Any], cells: Sequence[Any], count: int
    ) -> Iterator[tuple[Any, ...]]:  # Any: as above
        ends = [*accumulate(self.column(lengths, count), initial=0)]
        flat = tuple(self.column(cells, ends[-1]))
        return (flat[start:end] for start, end in pairwise(ends))
