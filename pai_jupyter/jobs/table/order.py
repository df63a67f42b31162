"""Sorting by a column. Pure; rule 2 of the package."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pai_jupyter.jobs.job_index.columns import natural
from pai_jupyter.jobs.job_index.facts import Cell

T = TypeVar("T")


def sorted_by(items: Iterable[T], read: Callable[[T], Cell], *, is_descending: bool) -> list[T]:
    """Sort by cells; of equal ones the order stays, in both directions. Numbers come before texts."""
    items = [*items]
    cells = [*map(read, items)]
    known: list[int] = []
    nans: list[int] = []
    missing: list[int] = []
    for place, cell in enumerate(cells):
        is_nan = isinstance(cell, float) and math.isnan(cell)
        (missing if cell is None else nans if is_nan else known).append(place)
    known.sort(key=_keys(cells).__getitem__, reverse=is_descending)
    return [items[place] for place in (*known, *nans, *missing)]


def _keys(cells: Sequence[Cell]) -> Sequence[Any]:  # Any: one form of a key for all cells
    """Return what to sort by; of cells that are None it is not compared."""
    kinds = {*map(type, cells)}
    if str not in kinds:
        return cells
    if kinds <= {str, type(None)}:
        return [natural(cell) if isinstance(cell, str) else "" for cell in cells]
    return [(1, natural(cell)) if isinstance(cell, str) else (0, cell) for cell in cells]
