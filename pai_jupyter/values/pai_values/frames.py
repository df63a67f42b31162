"""DataFrame and Series of pandas as Parquet, through pyarrow.

Rule: what comes back changed is not written so. Plain dtypes are judged by an empty frame of the same form, others by the whole.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, BinaryIO, Mapping  # Any: pandas and pyarrow are untyped

from .writing import Planned, ValueNotRead, needed

_NAMES = (str, int, bool, type(None))  # of a Series, in JSON


def plan_frame(value: Any) -> Planned:
    """Return how a frame or series is written; None if it is none, or Parquet would change it."""
    pandas = sys.modules.get("pandas")
    if pandas is None or type(value) not in (pandas.DataFrame, pandas.Series):
        return None
    is_series = type(value) is pandas.Series
    if is_series and type(value.name) not in _NAMES:
        return None
    try:
        parquet = importlib.import_module("pyarrow.parquet")
        frame = _as_frame(value) if is_series else value
        table = _table_of(_with_text_columns(frame), parquet)
    except Exception:  # no pyarrow; or arrow has no type for a column
        return None
    if table is None:
        return None
    own = {"series": True, "name": value.name} if is_series else {}
    own.update(_columns_of(frame))
    frequency = getattr(value.index, "freq", None)  # not in Parquet
    if frequency is not None:
        own["freq"] = frequency.freqstr
    return "parquet", own, lambda sink: parquet.write_table(table, sink)


def _as_frame(series: Any) -> Any:
    frame = series.to_frame("value")
    frame.attrs = dict(series.attrs)
    return frame


def _columns_of(frame: Any) -> dict[str, Any]:
    """Return numbers that are the names of columns, as entries of the manifest; Parquet has texts only."""
    columns = frame.columns
    if type(columns).__name__ == "RangeIndex" and columns.name is None:
        return {"columns": [columns.start, columns.stop, columns.step], "range": True}
    if columns.nlevels == 1 and str(columns.dtype) == "int64" and columns.name is None:
        return {"columns": [int(each) for each in columns]}
    return {}


def _with_text_columns(frame: Any) -> Any:
    return frame.set_axis([str(each) for each in frame.columns], axis=1) if _columns_of(frame) else frame


def _table_of(frame: Any, parquet: Any) -> Any:
    """Return the frame as a table of arrow; None if it would come back changed."""
    import pyarrow

    parts = [*_levels(frame), *(frame.iloc[:, number] for number in range(frame.shape[1]))]
    if any(str(each.dtype) == "object" and not {str, type(None)}.issuperset(map(type, each)) for each in parts):
        return None
    table = pyarrow.Table.from_pandas(frame)
    is_plain = all(str(each.dtype) in ("str", "string") or not hasattr(each.dtype, "na_value") for each in parts)
    back = _back(table.slice(0, 0) if is_plain else table, parquet)
    if not is_plain and not back.equals(frame):  # categories, periods, intervals
        return None
    return table if _is_same_form(frame.iloc[:0] if is_plain else frame, back) else None


def _back(table: Any, parquet: Any) -> Any:
    import pyarrow

    out = pyarrow.BufferOutputStream()
    parquet.write_table(table, out)
    return parquet.read_table(pyarrow.BufferReader(out.getvalue())).to_pandas()


def _is_same_form(one: Any, other: Any) -> bool:
    """Return whether two frames have the same columns, dtypes, attributes and kind of index."""
    return all(
        [
            list(one.dtypes) == list(other.dtypes),
            one.attrs == other.attrs,
            *(
                type(of_one) is type(of_other)
                and list(of_one.names) == list(of_other.names)
                and of_one.nlevels == of_other.nlevels
                for of_one, of_other in ((one.columns, other.columns), (one.index, other.index))
            ),
            one.columns.equals(other.columns) and one.columns.dtype == other.columns.dtype,
            [level.dtype for level in _levels(one)] == [level.dtype for level in _levels(other)],
        ]
    )


def _levels(frame: Any) -> Any:
    return [frame.index.get_level_values(number) for number in range(frame.index.nlevels)]


def read_frame(item: Mapping[str, Any], file: BinaryIO) -> Any:
    """Read what `plan_frame` wrote."""
    pyarrow = needed("pyarrow")
    if int(pyarrow.__version__.partition(".")[0]) < 15:  # until 14.0.1 a file could run code (CVE-2023-47248)
        raise ValueNotRead("needs pyarrow 15 or later: older ones may run code of a file. Add %pip install -U pyarrow")
    frame = importlib.import_module("pyarrow.parquet").read_table(pyarrow.PythonFile(file, mode="r")).to_pandas()
    if isinstance(item.get("freq"), str):
        frame.index.freq = item["freq"]
    if isinstance(item.get("columns"), list):
        pandas = needed("pandas")
        is_range = item.get("range") is True
        frame.columns = (
            pandas.RangeIndex(*item["columns"]) if is_range else pandas.Index(item["columns"], dtype="int64")
        )
    if item.get("series") is not True:
        return frame
    series, name = frame["value"], item.get("name")
    series.name = name if type(name) in _NAMES else None
    return series
