"""Choose the format of a value; write and read JSON, .npy and pickle.

json         dict, list, str, int, float, bool and None that come back exactly so
npy          arrays of numpy without Python objects, and numpy's numbers
parquet      DataFrame and Series of pandas, through pyarrow (frames)
safetensors  tensors of torch, and a dict of them (tensors)
pickle       all others (pickles); reading one runs its code
"""

from __future__ import annotations

import io
import json
import math
import sys
from typing import Any, BinaryIO, Callable, Dict, Mapping, Set, Tuple  # Any: values are of any type

from .frames import plan_frame, read_frame
from .pickles import PickleReader, Pickles, check_sensible
from .tensors import plan_tensors, read_tensors
from .writing import Planned, Sink, ValueNotRead, ValueNotWritten, first_line, needed, rest_of

ENDINGS = {"json": "json", "npy": "npy", "parquet": "parquet", "safetensors": "safetensors", "pickle": "pkl"}
LIBRARIES = {"npy": ("numpy",), "parquet": ("pandas", "pyarrow"), "safetensors": ("torch",)}
_DEEPEST = 100  # nested lists and dicts in JSON
_LARGEST = 1 << 63  # of an int in JSON


def describe(value: Any) -> Dict[str, Any]:
    """Return type, shape, dtype and size (bytes) of a value, as far as they are known without work."""
    kind = type(value)
    root = (kind.__module__ or "").partition(".")[0]
    name = kind.__qualname__ if root in ("builtins", "__main__") else f"{root}.{kind.__qualname__}"
    out: Dict[str, Any] = {"type": name}
    try:
        if isinstance(value, (list, tuple, dict, set, frozenset, str, bytes)):
            out["shape"] = [len(value)]
        elif root in ("numpy", "pandas", "torch"):
            out["shape"] = [int(each) for each in value.shape]
            used = value.memory_usage() if root == "pandas" else value.nbytes
            out["bytes"] = int(used.sum() if hasattr(used, "sum") else used)
            out["dtype"] = str(value.dtype).rpartition("torch.")[2]
    except Exception:  # noqa: S110  an attribute is missing or is no number: it is not said
        pass
    return out


def plan(value: Any) -> Tuple[Dict[str, Any], Callable[[Sink], object]]:
    """Return the value's entry in the manifest, without its file, and a function that writes it to a `Sink`.

    Raises:
        ValueNotWritten: it has no format.
    """
    for attempt in (_json, _npy, plan_frame, plan_tensors):
        planned = attempt(value)
        if planned is not None:
            format_, own, write = planned
            return dict(describe(value), format=format_, **own), write
    check_sensible(value)
    return dict(describe(value), format="pickle"), lambda sink: Pickles(sink).add(value)


def read_value(item: Mapping[str, Any], file: BinaryIO, *, allow_pickle: bool = False) -> Any:
    """Read the value with the manifest's entry `item` from the open file; neither is trusted unless `allow_pickle`.

    Raises:
        ValueNotRead: the file is not what the entry says, or a library is missing.
    """
    readers = {"json": _read_json, "npy": _read_npy, "parquet": read_frame, "safetensors": read_tensors}
    format_ = item.get("format")
    if format_ == "pickle" and allow_pickle:
        return PickleReader(file).value(0)
    if not isinstance(format_, str) or format_ not in readers:
        raise ValueNotRead("has a format that is not read here.")
    for library in LIBRARIES.get(format_, ()):
        needed(library)
    try:
        return readers[format_](item, file)
    except ValueNotRead:
        raise
    except Exception as exc:  # the libraries raise anything for a damaged file
        raise ValueNotRead(f"is damaged: {first_line(exc)}") from exc


def reason_of(exc: BaseException) -> str:
    """Return why a value could not be written, as the rest of a sentence about it."""
    if isinstance(exc, ValueNotWritten):
        return str(exc)
    if isinstance(exc, RecursionError):
        return "is nested too deeply."
    return f"cannot be pickled: {first_line(exc)}"


def _json(value: Any) -> Planned:
    if not _is_json(value, 0, set()):
        return None
    return "json", {}, lambda sink: sink.write_pieces(memoryview(json.dumps(value).encode()))


def _is_json(value: Any, depth: int, seen: Set[int]) -> bool:
    """Return whether JSON has the value as it is; a list or dict that is in it twice would become two."""
    kind = type(value)
    if kind in (str, bool, type(None)):
        return True
    if kind is int:
        return bool(-_LARGEST < value < _LARGEST)
    if kind is float:
        return math.isfinite(value)
    if depth > _DEEPEST or kind not in (list, dict) or id(value) in seen:
        return False
    seen.add(id(value))
    if kind is list:
        return all(_is_json(each, depth + 1, seen) for each in value)
    return all(type(key) is str and _is_json(each, depth + 1, seen) for key, each in value.items())


def _read_json(item: Mapping[str, Any], file: BinaryIO) -> Any:
    def refuse(text: str) -> None:
        raise ValueNotRead(f"is no JSON: it has {text}.")

    try:
        return json.loads(file.read().decode(), parse_constant=refuse)
    except RecursionError:
        raise ValueNotRead("is nested too deeply.") from None


def _npy(value: Any) -> Planned:
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, (numpy.ndarray, numpy.generic)):
        return None
    is_number = isinstance(value, numpy.generic)
    if type(value) is numpy.void or (not is_number and type(value) not in (numpy.ndarray, numpy.memmap)):
        return None
    array, form = numpy.asarray(value), numpy.lib.format
    if array.dtype.hasobject or form.descr_to_dtype(form.dtype_to_descr(array.dtype)) != array.dtype:
        return None
    return "npy", {"number": True} if is_number else {}, lambda sink: _write_array(numpy, array, sink)


def _write_array(numpy: Any, array: Any, sink: Sink) -> None:
    form, flags = numpy.lib.format, array.flags
    if not array.size or array.dtype.names or not (flags.c_contiguous or flags.f_contiguous):
        form.write_array(sink, array, allow_pickle=False)
        return
    head = io.BytesIO()
    form.write_array_header_1_0(head, form.header_data_from_array_1_0(array))
    sink.write(head.getvalue())
    flat = (array if flags.c_contiguous else array.T).reshape(-1)
    sink.write_pieces(memoryview(flat.view(numpy.uint8)))


def _read_npy(item: Mapping[str, Any], file: BinaryIO) -> Any:
    form = needed("numpy").lib.format
    start = file.tell()
    readers = {(1, 0): form.read_array_header_1_0, (2, 0): form.read_array_header_2_0}
    version = form.read_magic(file)
    if version not in readers:
        raise ValueNotRead("is an .npy file of a version that is not read here.")
    shape, _, dtype = readers[version](file)
    wanted, there = dtype.itemsize * math.prod(shape), rest_of(file)
    if dtype.hasobject or min(shape, default=0) < 0 or wanted != there:
        raise ValueNotRead(f"is no array: its head says {wanted} bytes, and {there} follow.")
    file.seek(start)
    array = form.read_array(file, allow_pickle=False)
    return array[()] if item.get("number") is True and not array.ndim else array
