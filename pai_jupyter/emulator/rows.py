"""Records chosen for an answer: a sequence of which only those that somebody takes are copied.

A list of a service shows a page of its records and says how many there are. So what a list costs must be what its page
costs: records are in the order in which they were made, values that are asked for are found by an index (`Records.rows`),
and the beginning of a time by halving. A test of every record is made only where a call asks for a part of a text.

Rule: whoever tests records by `fitting` reads them and changes nothing; they are the emulator's own.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from pai_jupyter.emulator.api import Fields


class Rows(Sequence[Fields]):
    """Records by their ids, the oldest first unless they are `newest_first`."""

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
        """Select those for which `fits` is true."""
        return Rows(self._known, [self._ids[place] for place in self._span if fits(self._at(place))])

    def between(self, of: Callable[[Fields], Any], since: Any, until: Any = None) -> "Rows":  # Any: what `of` gives
        """Select those whose `of` lies between the two, both included; it must grow with the records."""
        assert self._span.step == 1, "oldest first"

        def of_place(place: int) -> Any:  # Any: as above
            return of(self._at(place))

        start = bisect_left(self._span, since, key=of_place)
        end = len(self._span) if until is None else bisect_right(self._span, until, lo=start, key=of_place)
        return Rows(self._known, self._ids, self._span[start:end])

    def newest_first(self) -> "Rows":
        return Rows(self._known, self._ids, self._span[::-1])

    def ordered(self, field: str, *, is_falling: bool) -> "Rows":
        """By a field; what is equal in that keeps the order in which it was made, and falls with it."""

        def key(place: int) -> tuple[bool, Any, int]:  # Any: whatever JSON sorts by; a job that runs has not ended yet
            value = self._at(place).get(field)
            return value is not None, value, place

        places = sorted(self._span, key=key, reverse=is_falling)
        return Rows(self._known, [self._ids[place] for place in places])

    def _at(self, place: int) -> Fields:
        return self._known[self._ids[place]]
