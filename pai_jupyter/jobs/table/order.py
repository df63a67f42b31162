"""Sorting by a column. Pure; rule 2 of the package."""

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pai_jupyter.jobs.job_index.columns import natural
from pai_jupyter.jobs.job_index.facts import Cell

T = TypeVar("T")


def sorted_by(items: Iterable[T], read: Callable[[T], Cell], *, is_descending: bool) -> list[T]:
    """Sort by cells; of equal ones the order stays, in both directions. Numbers come before texts."""
    known: list[tuple[Any, T]] = []  # Any: one of two forms of a key
    nans: list[T] = []
    missing: list[T] = []
    has_texts = False
    for item in items:
        cell = read(item)
        if cell is None:
            missing.append(item)
        elif isinstance(cell, str):
            has_texts = True
            known.append((cell, item))
        elif isinstance(cell, float) and math.isnan(cell):
            nans.append(item)
        else:
            known.append((cell, item))
    if has_texts:
        known = [(_key(cell), item) for cell, item in known]
    known.sort(key=lambda pair: pair[0], reverse=is_descending)
    return [*(item for _, item in known), *nans, *missing]


def _key(cell: Any) -> tuple[int, Any]:  # Any: a number, or a key of texts
    return (1, natural(cell)) if isinstance(cell, str) else (0, cell)
