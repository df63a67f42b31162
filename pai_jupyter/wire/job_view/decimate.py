"""Reduce a series for drawing: any number of points in, at most `MAX_POINTS` out, in constant memory. No I/O.

Points are grouped in buckets of equal size; of each, the first, minimum, maximum and last are kept ("M4" aggregation). When
there are too many buckets, neighbours are merged in pairs and the bucket size doubles. A line through the kept points covers
the same pixels as one through all points, as long as a bucket is no wider than a pixel.

Rule 1: points keep the order of arrival. Steps may repeat or go back (a restart from a checkpoint); they are not looked at.
Rule 2: nan is neither minimum nor maximum. Of a bucket with nothing else the first and last are kept, so that a gap stays.
Rule 3: up to `MAX_POINTS` points, none is dropped.
"""

import sys
from array import array
from itertools import pairwise
from math import isnan
from typing import TypeAlias

MAX_POINTS = 2_000
_KEPT = 4  # points of a bucket, at most
_MAX_BUCKETS = MAX_POINTS // _KEPT

Floats: TypeAlias = "array[float]"


class Decimated:
    """One series; `count` is the number of points before reduction."""

    def __init__(self) -> None:
        self.count = 0
        self._columns = [array("d"), array("d"), array("d")]  # steps, times, values of the points that are kept
        self._ends: list[int] = []  # indexes in the columns at which full buckets end
        self._size = _KEPT  # points per bucket, before reduction
        self._taken = 0  # points added to the last bucket, which is not full

    def __len__(self) -> int:
        """Return the number of points kept."""
        return len(self._columns[0])

    def extend(self, steps: Floats, times: Floats, values: Floats) -> None:
        """Add points."""
        at, end = 0, len(values)
        while at < end:
            if len(self._ends) == _MAX_BUCKETS:
                self._merge_buckets()
            stop = min(at + self._size - self._taken, end)
            self._fill_bucket(steps[at:stop], times[at:stop], values[at:stop])
            self._taken += stop - at
            if self._taken == self._size:
                self._ends.append(len(self))
                self._taken = 0
            at = stop
        self.count += end

    def to_bytes(self) -> bytes:
        """Serialize steps, then times, then values, as little-endian doubles."""
        steps, times, values = self._columns
        joined = steps + times + values
        if sys.byteorder == "big":
            joined.byteswap()
        return joined.tobytes()

    def _fill_bucket(self, *points: Floats) -> None:
        """Add points to the last bucket, which has room for them."""
        start = self._ends[-1] if self._ends else 0
        bucket = [column[start:] + given for column, given in zip(self._columns, points, strict=True)]
        kept = bucket if self._size == _KEPT else _reduced(*bucket)
        for column, part in zip(self._columns, kept, strict=True):
            column[start:] = part

    def _merge_buckets(self) -> None:
        """Merge neighbouring buckets in pairs."""
        old, self._columns = self._columns, [array("d"), array("d"), array("d")]
        ends, self._ends = self._ends[1::2], []
        for start, end in pairwise([0, *ends]):
            for column, part in zip(self._columns, _reduced(*(each[start:end] for each in old)), strict=True):
                column += part
            self._ends.append(len(self))
        self._size *= 2


def _reduced(steps: Floats, times: Floats, values: Floats) -> list[Floats]:
    """Return the first, minimum, maximum and last of these points, in their order."""
    places = sorted({0, len(values) - 1, *_extremes(values)})
    return [array("d", map(column.__getitem__, places)) for column in (steps, times, values)]


def _extremes(values: Floats) -> list[int]:
    """Return the indexes of the minimum and the maximum; [] if all values are nan."""
    first = next((at for at, value in enumerate(values) if not isnan(value)), None)
    if first is None:
        return []
    numbers = values[first:]  # min and max ignore nan, except as first item
    return [first + numbers.index(min(numbers)), first + numbers.index(max(numbers))]
