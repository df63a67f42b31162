"""Columns of cells come back as they were, with their types."""

import math
from typing import Any

import pytest

from pai_jupyter.jobs.job_index.packing import Packer, Unpacker

TEXTS = ["a", "b", None, "a\ud800", "训练", "a"] * 3


def there_and_back(cells: list[Any]) -> list[Any]:
    packer = Packer()
    told = packer.column(cells)
    return [*Unpacker(memoryview(bytes(packer.buffer))).column(told, len(cells))]


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [None, None],
        [True, False, True],
        [1, 1.0, True, "1", None],
        [0.0, -0.0, math.inf, 1e-300],
        [1, 2, -(2**63)],
        [1, 2**64],
        [(), ()],
        [(1, 2.5, "a"), (), ("b",)],
        [((1,), ()), ((), (2, 3))],
        TEXTS,
        [str(number) for number in range(100)],
        [{"a": [1]}, None],
    ],
)
def test_a_column_comes_back_with_its_types(cells: list[Any]) -> None:
    found = there_and_back(cells)
    assert repr(found) == repr(cells)  # which tells 1 from 1.0 and True, and 0.0 from -0.0


def test_nan_comes_back() -> None:
    assert [math.isnan(cell) for cell in there_and_back([math.nan, 1.0, math.nan])] == [True, False, True]


@pytest.mark.parametrize(
    "told",
    [
        ["numbers", "d"],
        ["numbers", "u"],
        ["texts", ["a"]],
        ["json", [1]],
        ["tuples", ["same", 9], ["numbers", "q"]],
        ["tuples", ["json", [1, 2, 3]]],
        ["pickle", "b"],
        [],
    ],
)
def test_what_was_never_packed_is_refused(told: list[Any]) -> None:
    with pytest.raises((ValueError, LookupError)):
        Unpacker(memoryview(b"\1" * 9)).column(told, 3)
