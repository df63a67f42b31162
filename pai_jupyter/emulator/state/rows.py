"""Records selected for an answer, as a sequence that copies only the records taken from it.

An answer shows a page of records and their number, so its cost should not depend on the number: records are in order of
creation, equal values are found by an index (`Records.rows`), a time range by binary search. All records are tested only if
a call searches for a part of a text.

Rule: the function given to `fitting` must not change records: they are not copies.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from pai_jupyter.emulator.protocol.refusal import Fields


class Rows(Sequence[Fields]):
    """A selection of records by their ids, oldest first unless reordered."""

    def __init__(self, known: Mapping[str, Fields], ids: Sequence[str], span: range | None = None) -> None:
        self._known = known
        self._ids = ids
        self._span = range(len(ids)) if span is None else span

    def __len__(self) -> int:
        return len(self._span)

    @overload
    def __getitem__(self, index: int) -> Fields: ...
    @overload
    def __getitem__(self, index: slice) -> list[Fields]: ...
    def __getitem__(self, index: int | slice) -> Fields | list[Fields]:
        if isinstance(index, slice):
            return [dict(self._at(place)) for place in self._span[index]]
        return dict(self._at(self._span[index]))

    def fitting(self, fits: Callable[[Fields], bool]) -> "Rows":
        """Select the records for which `fits` is true."""
        return Rows(self._known, [self._ids[place] for place in self._span if fits(self._at(place))])

    def between(self, of: Callable[[Fields], Any], since: Any, until: Any = None) -> "Rows":  # Any: a value of `of`
        """Select the records with `of` between two values, both included; `of` must not decrease along the records."""
        assert self._span.step == 1, "oldest first"

        def of_place(place: int) -> Any:  # Any: as above
            return of(self._at(place))

        start = bisect_left(self._span, since, key=of_place)
        end = len(self._span) if until is None else bisect_right(self._span, until, lo=start, key=of_place)
        return Rows(self._known, self._ids, self._span[start:end])

    def newest_first(self) -> "Rows":
        return Rows(self._known, self._ids, self._span[::-1])

    def ordered(self, field: str, *, is_falling: bool) -> "Rows":
        """Sort by a field, then by creation, both in descending order if `is_falling`; a missing value counts as the smallest."""

        def key(place: int) -> tuple[bool, Any, int]:  # Any: JSON values; a running job has no end time
            value = self._at(place).get(field)
            return value is not None, value, place

        places = sorted(self._span, key=key, reverse=is_falling)
        return Rows(self._known, [self._ids[place] for place in places])

    def _at(self, place: int) -> Fields:
        return self._known[self._ids[place]]
