"""Frames and series come back with their index, columns, names and dtypes, through Parquet or else a pickle."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.values.pai_values.test_formats import there_and_back, written

DAYS = pd.date_range("2020", periods=3, freq="D")
FRAMES = {
    "plain": pd.DataFrame({"x": [1, 2], "s": ["a", None], "f": [0.5, np.nan]}),
    "days": pd.DataFrame({"x": [1, 2, 3]}, index=DAYS),
    "empty": pd.DataFrame(),
    "no rows": pd.DataFrame({"x": pd.Series([], dtype="i4")}),
    "numbers as columns": pd.DataFrame({3: [1], 1: [2.5]}),
    "columns of an array": pd.DataFrame(np.ones((2, 3), dtype="f4")),
    "two levels": pd.DataFrame({"x": [1, 2]}, index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["l", "m"])),
    "two levels of columns": pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
    "named index": pd.DataFrame({"x": [1, 2]}, index=pd.Index(["p", "q"], name="who")),
    "a range": pd.DataFrame({"x": [1, 2]}, index=pd.RangeIndex(10, 14, 2)),
    "categories": pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["b", "a", "q"], ordered=True)}),
    "numbers that may lack": pd.DataFrame({"i": pd.array([1, None], dtype="Int64")}),
    "zones": pd.DataFrame({"t": pd.to_datetime(["2020-01-01"]).tz_localize("Europe/Berlin")}),
}
PICKLED = {
    "objects": pd.DataFrame({"c": [[1], {"a": 1}]}),
    "mixed": pd.DataFrame({"c": [1, "a"]}, dtype=object),
    "one name twice": pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "categories that are numbers": pd.DataFrame({"c": pd.Categorical([1, 2], categories=[1, 2, 9])}),
}


@pytest.mark.parametrize(
    ("frame", "format_"),
    [
        *(pytest.param(frame, "parquet", id=name) for name, frame in FRAMES.items()),
        *(pytest.param(frame, "pickle", id=name) for name, frame in PICKLED.items()),
    ],
)
def test_a_frame_comes_back(frame: Any, format_: str, tmp_path: Path) -> None:
    back = there_and_back(frame, tmp_path, format_)
    pd.testing.assert_frame_equal(back, frame, check_freq=True, check_column_type=True)
    assert type(back.columns) is type(frame.columns)
    assert type(back.index) is type(frame.index)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([1, 2, 3], index=[5, 6, 7], name="n"),
        pd.Series([0.5, 1.5, 2.5], index=DAYS),
        pd.Series([], dtype="float64", name=3),
        pd.Series(["a", "b"], name="s").astype("category"),
    ],
    ids=["named", "days", "empty", "categories"],
)
def test_a_series_stays_a_series(series: Any, tmp_path: Path) -> None:
    back = there_and_back(series, tmp_path, "parquet")
    pd.testing.assert_series_equal(back, series, check_freq=True)
    assert back.name == series.name


def test_attributes_come_back(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1]})
    frame.attrs["unit"] = "m"
    assert there_and_back(frame, tmp_path, "parquet").attrs == {"unit": "m"}
    frame.attrs["odd"] = {1, 2}
    assert there_and_back(frame, tmp_path, "pickle").attrs == frame.attrs


def test_a_subclass_is_pickled(tmp_path: Path) -> None:
    class Frame(pd.DataFrame):  # type: ignore[misc]  # pandas has no types
        pass

    assert written(Frame({"x": [1]}))[0]["format"] == "pickle"


def test_without_pyarrow_a_frame_is_pickled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    frame = pd.DataFrame({"x": [1]})
    pd.testing.assert_frame_equal(there_and_back(frame, tmp_path, "pickle"), frame)
