"""Parse the few fields of TensorBoard's protobuf messages that a scalar needs. Pure; bytes to values.

    Event      1 wall_time (double)   2 step (int64)   5 summary
    Summary    1 value, repeated
    Value      1 tag   2 simple_value (float)   8 tensor   9 metadata
    Metadata   1 plugin_data, whose 1 is the plugin's name
    Tensor     1 dtype   2 shape   4 content, little-endian   5 floats   6 doubles   13 halves, as the bits of an integer

TensorFlow 1, tensorboardX and PyTorch write `simple_value`; TensorFlow 2 and PyTorch's new style write a rank-0 tensor for the
plugin "scalars", whose name may be missing after a tag's first record.

Rule 1: a field's key combines its number and wire type, as in the file; unknown keys are skipped. So a field of the wrong type
    is skipped, too.
Rule 2: an invalid message soon raises ValueError: every step consumes a byte, and messages nest no deeper than above.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import unpack, unpack_from

WALL_TIME, STEP, SUMMARY = 0x09, 0x10, 0x2A
_VALUE = 0x0A
_TAG, _SIMPLE_VALUE, _TENSOR, _METADATA = 0x0A, 0x15, 0x42, 0x4A
_PLUGIN_DATA, _PLUGIN_NAME = 0x0A, 0x0A
_DTYPE, _SHAPE, _CONTENT = 0x08, 0x12, 0x22
_FIXED_WIDTHS = {1: 8, 5: 4}  # bytes, by wire type

_FLOAT, _DOUBLE, _BFLOAT16, _HALF = 1, 2, 14, 19  # dtypes
_WIDTHS = {_FLOAT: 4, _DOUBLE: 8, _BFLOAT16: 2, _HALF: 2}  # bytes, by dtype
_CODES = {_FLOAT: "f", _DOUBLE: "d", _HALF: "e"}  # codes of `struct`, which has no bfloat16
_FLOATS, _DOUBLES, _HALVES = (0x2D, 0x2A), (0x31, 0x32), (0x68, 0x6A)  # one by one, or packed
_NUMBERS = {_FLOAT: _FLOATS, _DOUBLE: _DOUBLES, _BFLOAT16: _HALVES, _HALF: _HALVES}
_SCALAR_PLUGINS = (b"", b"scalars")


@dataclass(frozen=True, kw_only=True, slots=True)
class Scalar:
    """One value. If it is stored as plain bytes, `code` is its struct code and `place` its offset in the record."""

    tag: bytes
    value: float
    code: str = ""
    place: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class EventMessage:
    """`time` is in seconds since the epoch."""

    time: float
    step: int
    scalars: tuple[Scalar, ...]


def read_event(data: bytes) -> EventMessage:
    """Read the scalars of one record; none if it has other data.

    Raises:
        ValueError: it is not a valid message.
    """
    time, step = 0.0, 0
    scalars: list[Scalar] = []
    for key, start, end in _fields(data, 0, len(data)):
        if key == WALL_TIME:
            (time,) = unpack_from("<d", data, start)
        elif key == STEP:
            step = signed(varint(data, start)[0])
        elif key == SUMMARY:
            values = _fields(data, start, end)
            scalars += (found for kind, at, stop in values if kind == _VALUE and (found := _scalar(data, at, stop)))
    return EventMessage(time=time, step=step, scalars=tuple(scalars))


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Decode the varint at `at`; return it and the position after it.

    Raises:
        ValueError: it does not end.
    """
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number without end")


def _fields(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield key, start and end of the content of every field of the message in `data[start:end]`."""
    while start < end:
        key, start = varint(data, start)
        kind = key & 7
        if kind == 0:
            stop = varint(data, start)[1]
        elif kind == 2:
            length, start = varint(data, start)
            stop = start + length
        elif kind in _FIXED_WIDTHS:
            stop = start + _FIXED_WIDTHS[kind]
        else:
            raise ValueError("a field of no known wire type")
        if stop > end:
            raise ValueError("a field that leaves its message")
        yield key, start, stop
        start = stop


def signed(number: int) -> int:
    """Convert 64 bits to int64."""
    number &= 2**64 - 1
    return number - 2**64 if number >= 2**63 else number


def _scalar(data: bytes, start: int, end: int) -> Scalar | None:
    """Read the scalar of a `Value`; None if it has other data."""
    tag, plugin = b"", b""
    dtype = place = 0
    tensor = None
    for key, at, stop in _fields(data, start, end):
        if key == _TAG:
            tag = data[at:stop]
        elif key == _SIMPLE_VALUE:
            dtype, place = _FLOAT, at
        elif key == _TENSOR:
            tensor = at, stop
        elif key == _METADATA:
            plugin = _plugin(data, at, stop)
    if dtype:
        return Scalar(tag=tag, value=_number(data, dtype, place), code=_CODES[dtype], place=place)
    return _tensor(tag, data, *tensor) if tensor and plugin in _SCALAR_PLUGINS else None


def _plugin(data: bytes, start: int, end: int) -> bytes:
    """Return the plugin's name in a value's metadata."""
    for key, at, stop in _fields(data, start, end):
        if key == _PLUGIN_DATA:
            return next((data[a:b] for kind, a, b in _fields(data, at, stop) if kind == _PLUGIN_NAME), b"")
    return b""


def _tensor(tag: bytes, data: bytes, start: int, end: int) -> Scalar | None:
    """Read the number of a rank-0 tensor from the field that has it."""
    fields = {key: (at, stop) for key, at, stop in _fields(data, start, end) if at < stop}
    dtype = varint(data, fields[_DTYPE][0])[0] if _DTYPE in fields else 0
    if dtype not in _WIDTHS or _SHAPE in fields:  # a shape of rank 0 is an empty message
        return None
    key = next((key for key in (_CONTENT, *_NUMBERS[dtype]) if key in fields), None)
    if key is None:
        return None
    at, stop = fields[key]
    if key in _HALVES:
        bits, behind = varint(data, at)
        return (
            Scalar(tag=tag, value=_number((bits & 0xFFFF).to_bytes(2, "little"), dtype, 0)) if behind == stop else None
        )
    if stop - at != _WIDTHS[dtype]:
        return None
    return Scalar(tag=tag, value=_number(data, dtype, at), code=_CODES.get(dtype, ""), place=at)


def _number(data: bytes, dtype: int, at: int) -> float:
    """Decode the number of this type at `at`."""
    if dtype == _BFLOAT16:  # bfloat16 is the upper half of a float
        return float(unpack("<f", b"\0\0" + data[at : at + 2])[0])
    return float(unpack_from("<" + _CODES[dtype], data, at)[0])
