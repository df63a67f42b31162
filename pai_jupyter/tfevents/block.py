"""Read a piece of an event file fast: bytes to columns by tag. Pure.

A training loop writes the same few records again and again; only time, step and value change. So once one record was parsed
field by field, the value of the next one of its kind is at a known offset:

    head │ 09 time │ 10 step │ 2a 0d 0a 0b 0a 04 "loss" 15 │ value │ rest │ checksum

Rule 1: the fast path takes a record only if just time, step, value and checksum differ from a parsed record with a single
    scalar. The same head means the same length with a verified checksum; the bytes before the value identify the series. All
    other records are parsed (measured: 900,000 and 140,000 scalars a second).
Rule 2: an invalid message is skipped: its frame tells where the next record begins.
"""

from array import array
from dataclasses import dataclass, field
from struct import Struct, calcsize
from typing import TypeAlias

from pai_jupyter.tfevents.frames import CHECKSUM, FRAME, HEAD, data_length
from pai_jupyter.tfevents.messages import STEP, WALL_TIME, Scalar, read_event, varint

MAX_TAGS = 1_000  # of one block
MAX_TAG = 1_000  # bytes of a tag that are used
_BEHIND_TIME = HEAD + 9  # offset of the step in a record for the fast path
_SHIFTS = tuple(
    range(7, 63, 7)
)  # bits of all but the first byte of a step; negative steps have one more and take the slow path

Floats: TypeAlias = "array[float]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """Points of one series in the order written; times are seconds since the epoch."""

    steps: Floats = field(default_factory=lambda: array("d"))
    times: Floats = field(default_factory=lambda: array("d"))
    values: Floats = field(default_factory=lambda: array("d"))

    def append(self, step: float, time: float, value: float) -> None:
        self.steps.append(step)
        self.times.append(time)
        self.values.append(value)


_UNKNOWN: tuple[bytes, Columns | None] = b"", None


@dataclass(kw_only=True, slots=True)
class Block:
    """The series of a piece of a file up to byte `end`, where an incomplete or (`is_damaged`) damaged record begins."""

    columns: dict[str, Columns] = field(default_factory=dict)
    end: int = 0
    is_damaged: bool = False
    is_crowded: bool = False  # it has more than MAX_TAGS tags

    def series(self, tag: bytes) -> Columns | None:
        """Return the columns of `tag`; None if there are too many tags already."""
        name = tag[:MAX_TAG].decode(errors="replace")
        columns = self.columns.get(name)
        if columns is None:
            if len(self.columns) >= MAX_TAGS:
                self.is_crowded = True
                return None
            columns = self.columns[name] = Columns()
        return columns


def read_block(data: bytes) -> Block:
    """Read the records of `data`, which begins with one."""
    block = Block()
    kinds: dict[bytes, _Kind] = {}
    at = 0
    while at + HEAD <= len(data):
        head = data[at : at + HEAD]
        kind = kinds.get(head)
        if kind is None:
            length = data_length(head)
            if length is None:
                block.is_damaged = True
                break
            kind = kinds[head] = _Kind(length + FRAME)
        end = at + kind.size
        if end > len(data):
            break
        try:
            if not kind.read_quickly(data, at, end):
                kind.read_slowly(data, at, end, block)
        except ValueError:  # rule 2
            pass
        at = end
    block.end = at
    return block


class _Kind:
    """Records with the same head, `size` bytes long, and the layouts learned from parsed ones."""

    __slots__ = ("_known", "_layout", "_to_end", "_unpack", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._known: dict[bytes, tuple[bytes, Columns]] = {}  # bytes before the value -> bytes after it, and the series
        self._layout = ""  # of time and value, for `struct`
        self._unpack = Struct("").unpack_from
        self._to_end = 0  # bytes from the value on

    def read_quickly(self, data: bytes, at: int, end: int) -> bool:
        """Append the scalar of this record if its layout is known; return whether it was."""
        if not self._known or data[at + HEAD] != WALL_TIME:
            return False
        step, start = 0, at + _BEHIND_TIME
        if data[start] == STEP:  # inlined `varint`: the call would cost as much as the rest
            step = data[start + 1]
            start += 2
            if step > 0x7F:
                step &= 0x7F
                for shift in _SHIFTS:
                    byte = data[start]
                    start += 1
                    step |= (byte & 0x7F) << shift
                    if byte < 0x80:
                        break
                else:
                    return False
        value = end - self._to_end
        rest, columns = self._known.get(data[start:value], _UNKNOWN)
        if columns is None or (rest and data[end - CHECKSUM - len(rest) : end - CHECKSUM] != rest):
            return False
        time, number = self._unpack(data, at)
        columns.steps.append(step)
        columns.times.append(time)
        columns.values.append(number)
        return True

    def read_slowly(self, data: bytes, at: int, end: int, block: Block) -> None:
        """Parse this record field by field and append its scalars."""
        message = read_event(data[at + HEAD : end - CHECKSUM])
        for scalar in message.scalars:
            columns = block.series(scalar.tag)
            if columns is not None:
                columns.append(message.step, message.time, scalar.value)
                if len(message.scalars) == 1 and scalar.code:
                    self._learn(data, at, message.step, scalar, columns)

    def _learn(self, data: bytes, at: int, step: int, scalar: Scalar, columns: Columns) -> None:
        """Learn the layout of this record, unless its time or step is not where the fast path expects it."""
        start = at + _BEHIND_TIME
        quick_step, start = varint(data, start + 1) if data[start] == STEP else (0, start)
        if data[at + HEAD] != WALL_TIME or quick_step != step:
            return
        value, end = at + HEAD + scalar.place, at + self.size
        layout = f"<{HEAD + 1}xd{value - at - _BEHIND_TIME}x{scalar.code}"
        if layout != self._layout:
            self._layout, self._unpack = layout, Struct(layout).unpack_from
            self._to_end = end - value
            self._known.clear()
        self._known[data[start:value]] = data[value + calcsize("<" + scalar.code) : end - CHECKSUM], columns
