"""Every type goes out and comes back as it was; what cannot says so; what was tampered with is not read."""

import collections
import io
import json
import pickle
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pai_jupyter.values.pai_values import file_name
from pai_jupyter.values.pai_values.formats import describe, plan, read_value, reason_of
from pai_jupyter.values.pai_values.writing import LIMIT, Sink, TooLarge, ValueNotRead, ValueNotWritten


def written(value: Any) -> tuple[dict[str, Any], bytes]:
    out = io.BytesIO()
    item, write = plan(value)
    write(Sink(out.write, [LIMIT]))
    json.dumps(item)  # goes into the manifest
    return item, out.getvalue()


def there_and_back(value: Any, tmp_path: Path, format_: str) -> Any:
    item, data = written(value)
    assert item["format"] == format_
    path = tmp_path / "value"
    path.write_bytes(data)
    with path.open("rb") as file:
        return read_value(json.loads(json.dumps(item)), file, allow_pickle=format_ == "pickle")


class Net:
    def __init__(self) -> None:
        self.weights = [1, 2]


JSON = [
    [],
    {},
    "",
    "训练\ud800",
    0,
    -1,
    1 << 62,
    0.1,
    -0.0,
    True,
    None,
    [1, 2.5, "a", None, [{}]],
    {"a": {"b": [False]}},
]
PICKLED = [
    (),
    (1, 2),
    {1, 2},
    {1: 2},
    {"a": (1,)},
    [{1}],
    1 << 70,
    b"x",
    collections.OrderedDict(a=1),
    1 + 2j,
    range(3),
]


@pytest.mark.parametrize("value", JSON, ids=repr)
def test_plain_values_are_json(value: Any, tmp_path: Path) -> None:
    back = there_and_back(value, tmp_path, "json")
    assert repr(back) == repr(value)


@pytest.mark.parametrize("value", PICKLED, ids=repr)
def test_what_json_would_change_is_a_pickle(value: Any, tmp_path: Path) -> None:
    back = there_and_back(value, tmp_path, "pickle")
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize("value", [[float("nan")], {"a": float("inf")}])
def test_numbers_that_json_has_not_are_pickled(value: Any, tmp_path: Path) -> None:
    assert repr(there_and_back(value, tmp_path, "pickle")) == repr(value)


def test_deep_lists_are_pickled_or_refused_in_one_sentence(tmp_path: Path) -> None:
    value: list[Any] = []
    for _ in range(200):
        value = [value]
    assert there_and_back(value, tmp_path, "pickle") == value
    for _ in range(5_000):
        value = [value]
    with pytest.raises((RecursionError, pickle.PicklingError)) as raised:
        written(value)
    assert "deep" in reason_of(raised.value)


ARRAYS = {
    "c": np.arange(12.0).reshape(3, 4),
    "fortran": np.asfortranarray(np.arange(12).reshape(3, 4)),
    "empty": np.empty((0, 3), dtype="f4"),
    "no dimension": np.array(3.5),
    "strided": np.arange(20)[::2],
    "text": np.array(["a", "训练"]),
    "bytes": np.array([b"a", b"bc"]),
    "times": np.array(["2020-01-01"], dtype="M8[D]"),
    "bool": np.array([True, False]),
    "complex": np.array([1 + 2j]),
    "records": np.zeros(3, dtype=[("a", "i4"), ("b", "f8", (2,))]),
    "big endian": np.arange(3, dtype=">i4"),
    "many pieces": np.arange(3 << 20, dtype="i8"),
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_an_array_comes_back(array: Any, tmp_path: Path) -> None:
    back = there_and_back(array, tmp_path, "npy")
    np.testing.assert_array_equal(back, array)
    assert back.dtype == array.dtype
    assert type(back) is np.ndarray
    np.testing.assert_array_equal(np.load(tmp_path / "value"), array)  # anybody can read it
    if array.flags.f_contiguous != array.flags.c_contiguous:
        assert back.flags.f_contiguous == array.flags.f_contiguous


@pytest.mark.parametrize("number", [np.float32(1.5), np.int64(3), np.bool_(True), np.str_("a"), np.datetime64("2020")])
def test_a_number_of_numpy_comes_back(number: Any, tmp_path: Path) -> None:
    back = there_and_back(number, tmp_path, "npy")
    assert back == number
    assert type(back) is type(number)


@pytest.mark.parametrize(
    "array",
    [
        np.array([1, "a", None], dtype=object),
        np.ma.array([1, 2], mask=[True, False]),
        np.zeros(1, dtype=[("a", "i4")]).view(np.recarray),
    ],
    ids=["objects", "masked", "recarray"],
)
def test_arrays_of_other_kinds_are_pickled(array: Any, tmp_path: Path) -> None:
    back = there_and_back(array, tmp_path, "pickle")
    assert type(back) is type(array)
    assert str(back) == str(array)


def test_functions_and_classes_of_the_notebook_come_back_where_they_are_not_defined(tmp_path: Path) -> None:
    item, data = written(lambda value: value * 2)
    assert item["format"] == "pickle"
    assert read_value(item, io.BytesIO(data), allow_pickle=True)(3) == 6


def test_without_cloudpickle_what_is_of_the_notebook_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    main = sys.modules["__main__"]
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    monkeypatch.setattr(Net, "__module__", "__main__")
    monkeypatch.setattr(main, "Net", Net, raising=False)
    assert pickle.loads(written((1, 2))[1]) == (1, 2)
    with pytest.raises(ValueNotWritten, match="needs the package cloudpickle"):
        written(Net())


@pytest.mark.parametrize("nested", [False, True])
def test_an_open_file_is_refused(nested: bool, tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+") as file, pytest.raises(ValueNotWritten, match="open file"):
        written([file] if nested else file)


@pytest.mark.parametrize(
    ("value", "words"), [(sys, "import sys"), ((i for i in range(3)), "generator"), (threading.Lock(), "lock")]
)
def test_what_is_no_value_is_refused(value: Any, words: str) -> None:
    with pytest.raises((ValueNotWritten, TypeError)) as raised:
        written(value)
    assert words in reason_of(raised.value)


def test_a_limit_ends_the_writing() -> None:
    out = io.BytesIO()
    _, write = plan(np.zeros(1000))
    with pytest.raises(TooLarge):
        write(Sink(out.write, [1000]))
    assert len(out.getvalue()) < 1000


def test_descriptions() -> None:
    assert describe(np.zeros((3, 4), "f4")) == {
        "type": "numpy.ndarray",
        "shape": [3, 4],
        "bytes": 48,
        "dtype": "float32",
    }
    assert describe([1, 2]) == {"type": "list", "shape": [2]}
    frame = describe(pd.DataFrame({"a": [1, 2]}))
    assert (frame["type"], frame["shape"]) == ("pandas.DataFrame", [2, 1])
    assert describe(Net()) == {"type": "tests.Net"}


def test_names_that_differ_in_case_have_files_of_their_own() -> None:
    taken: set[str] = set()
    assert [file_name(name, "npy", taken) for name in ("X", "x", "x_2")] == ["X.npy", "x-2.npy", "x_2.npy"]


class Evil:
    """Leaves a file where its pickle is read."""

    def __reduce__(self) -> Any:
        return exec, ("open('/tmp/pai-jupyter-was-here', 'w')",)


def npy(head: dict[str, Any], data: bytes) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, head)
    return out.getvalue() + data


HEAD = {"descr": "<f8", "fortran_order": False, "shape": (2,)}
HOSTILE = {
    "a pickle": ({"format": "pickle"}, pickle.dumps(Evil()), "format"),
    "no format": ({}, b"", "format"),
    "a format that is no text": ({"format": ["npy"]}, b"", "format"),
    "a pickle as an array": ({"format": "npy"}, pickle.dumps(Evil()), "damaged"),
    "an array of objects": ({"format": "npy"}, npy({**HEAD, "descr": "|O"}, pickle.dumps(Evil())), "is no array"),
    "an array that says more than it has": (
        {"format": "npy"},
        npy({**HEAD, "shape": (1 << 50,)}, b"x" * 16),
        "is no array",
    ),
    "an array of a negative length": ({"format": "npy"}, npy({**HEAD, "shape": (-2, -1)}, b"x" * 16), "is no array"),
    "an array that is cut off": ({"format": "npy"}, npy(HEAD, b"x" * 15), "is no array"),
    "half a JSON": ({"format": "json"}, b'{"a": ', "damaged"),
    "a NaN": ({"format": "json"}, b"NaN", "is no JSON"),
    "a deep JSON": ({"format": "json"}, b"[" * 200_000 + b"]" * 200_000, "deeply"),
    "no text": ({"format": "json"}, b"\xff\xfe", "damaged"),
    "no Parquet": ({"format": "parquet"}, b"PAR1" + b"x" * 100 + b"PAR1", "damaged"),
    "an empty Parquet": ({"format": "parquet", "series": True, "name": {}}, b"", "damaged"),
}


@pytest.mark.parametrize(("item", "data", "words"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_one_sentence(item: dict[str, Any], data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "value"
    path.write_bytes(data)
    with path.open("rb") as file, pytest.raises(ValueNotRead, match=words):
        read_value(item, file)
    assert not Path("/tmp/pai-jupyter-was-here").exists()
