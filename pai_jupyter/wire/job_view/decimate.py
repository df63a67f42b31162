"""A series for drawing: any number of points in, at most `MAX_POINTS` out, in constant memory. Pure.

The points lie in buckets of so many each, of which the first, the least, the greatest and the last are kept. When there
are too many buckets, each two become one, and each takes twice as many points from then on. A line drawn through what is
kept covers the same pixels as one through all points (the "M4" aggregation), as long as a bucket is no wider than a pixel.

Rule 1: order is that of arrival. Steps may repeat or go back (a restart from a checkpoint); nothing here looks at them.
Rule 2: nan is no extreme. Where a bucket holds nothing else, its first and last are kept, so that a gap is a gap.
Rule 3: up to `MAX_POINTS` points, nothing is lost.
"""

import sys
from array import array
from itertools import pairwise
from math import isnan
from typing import TypeAlias

MAX_POINTS = 2_000
_KEPT = 4  # of a bucket, at most
_MAX_BUCKETS = MAX_POINTS // _KEPT

Floats: TypeAlias = "array[float]"


class Decimated:
    """One series; `count` is how many points there were."""

    def __init__(self) -> None:
        self.count = 0
        self._columns = [array("d"), array("d"), array("d")]  # steps, times, values of the points that are kept
        self._ends: list[int] = []  # where the full buckets end in the columns
        self._size = _KEPT  # points that a bucket takes
        self._taken = 0  # points that the last bucket, which is not full, has taken

    def __len__(self) -> int:
        """Return the number of points kept."""
        return len(self._columns[0])

    def extend(self, steps: Floats, times: Floats, values: Floats) -> None:
        """Take these points in."""
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
        """Put points into the last bucket, which has room for them."""
        start = self._ends[-1] if self._ends else 0
        bucket = [column[start:] + given for column, given in zip(self._columns, points, strict=True)]
        kept = bucket if self._size == _KEPT else _thinned(*bucket)
        for column, part in zip(self._columns, kept, strict=True):
            column[start:] = part

    def _merge_buckets(self) -> None:
        """Make one bucket of each two."""
        old, self._columns = self._columns, [array("d"), array("d"), array("d")]
        ends, self._ends = self._ends[1::2], []
        for start, end in pairwise([0, *ends]):
            for column, part in zip(self._columns, _thinned(*(each[start:end] for each in old)), strict=True):
                column += part
            self._ends.append(len(self))
        self._size *= 2


def _thinned(steps: Floats, times: Floats, values: Floats) -> list[Floats]:
    """Of these points the first, the least, the greatest and the last, in their order."""
    places = sorted({0, len(values) - 1, *_extremes(values)})
    return [array("d", map(column.__getitem__, places)) for column in (steps, times, values)]


def _extremes(values: Floats) -> list[int]:
    """Return the indexes of the minimum and the maximum; [] if all values are nan."""
    first = next((at for at, value in enumerate(values) if not isnan(value)), None)
    if first is None:
        return []
    numbers = values[first:]  # min and max pass over nan, but for the first
    return [first + numbers.index(min(numbers)), first + numbers.index(max(numbers))]
