"""Decimated series: bounded, in order, extremes and ends kept, whatever the numbers are and however they come."""

import math
import struct
from array import array
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pai_jupyter.wire.job_view.decimate import MAX_POINTS, Decimated

Point = tuple[float, float, float]
NUMBERS = st.floats(width=32) | st.sampled_from([0.0, 1.0, -1.0, math.nan, math.inf])


def points_of(series: Decimated) -> list[Point]:
    numbers = struct.unpack(f"<{3 * len(series)}d", series.to_bytes())
    third = len(series)
    return list(zip(numbers[:third], numbers[third : 2 * third], numbers[2 * third :], strict=True))


def decimated(values: Sequence[float], pieces: Sequence[int] = ()) -> Decimated:
    """Fed in `pieces` of these lengths, and the rest at once; the time of a point is its number."""
    series, at = Decimated(), 0
    for length in [*pieces, len(values)]:
        part = values[at : at + length]
        times = range(at, at + len(part))
        series.extend(array("d", [-number for number in times]), array("d", times), array("d", part))
        at += len(part)
    return series


@st.composite
def long_values(draw: st.DrawFn) -> list[float]:
    """Up to some 20,000 numbers: a short pattern over and over, with a few surprises in it."""
    pattern = draw(st.lists(NUMBERS, min_size=1, max_size=20))
    length = draw(st.integers(0, 20_000))
    values = (pattern * (length // len(pattern) + 1))[:length]
    for at, value in draw(st.lists(st.tuples(st.integers(0, 20_000), NUMBERS), max_size=5)):
        if at < length:
            values[at] = value
    return values


@settings(max_examples=60)
@given(values=long_values(), pieces=st.lists(st.integers(0, 3000), max_size=10))
@example(values=[math.nan] * 5000, pieces=[1, 1, 1])
@example(values=[math.nan] * 3000 + [1.0] + [math.nan] * 3000, pieces=[])
@example(values=[*range(2500), *range(1000, 4000)], pieces=[2500])
def test_what_is_kept(values: list[float], pieces: list[int]) -> None:
    series = decimated(values, pieces)
    kept = points_of(series)
    places = [int(point[1]) for point in kept]
    assert series.count == len(values)
    assert len(kept) == len(series) <= MAX_POINTS
    assert all(before < after for before, after in pairwise(places)), "the order is that of arrival"
    assert all(
        str(point) == str((float(-at), float(at), float(values[at]))) for at, point in zip(places, kept, strict=True)
    )
    if values:
        assert (places[0], places[-1]) == (0, len(values) - 1)
    numbers = [value for value in values if not math.isnan(value)]
    kept_numbers = [point[2] for point in kept if not math.isnan(point[2])]
    if numbers:
        assert (min(kept_numbers), max(kept_numbers)) == (min(numbers), max(numbers))


@pytest.mark.parametrize("length", [0, 1, 3, 4, 5, 1999, 2000])
def test_few_points_are_kept_as_they_are(length: int) -> None:
    values = [math.sin(number) for number in range(length)]
    assert [point[2] for point in points_of(decimated(values[:-1] + values[-1:], [1] * (length // 2)))] == values


def test_a_long_series_is_still_drawn_finely() -> None:
    assert len(decimated([math.sin(number) for number in range(300_000)])) > MAX_POINTS / 4


def test_every_spike_is_kept() -> None:
    values = [0.0] * 100_000
    spikes = range(500, 100_000, 1000)
    for at in spikes:
        values[at] = 1.0
    kept = {point[1] for point in points_of(decimated(values)) if point[2] == 1.0}
    assert kept == set(spikes)


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_how_points_come_makes_no_difference(piece: int) -> None:
    values = [math.sin(number / 50) for number in range(30_000)]
    assert points_of(decimated(values, [piece] * (30_000 // piece))) == points_of(decimated(values))
