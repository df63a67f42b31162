"""The line index of a log: byte offsets and arrival times of lines. Standard library only, no I/O of its own.

The format, also written by the process backend's supervisor: `logs/<replica>.idx` is a sequence of 24-byte records, `struct
"<QQd"`:

    line     number of a line, from 0
    offset   byte of the log at which that line begins
    time     when its first byte arrived, seconds since the epoch

Rule 1: the first record is (0, 0, time of the first byte).
Rule 2: a record is added at the first line start that is at least 64 KiB after the previous record, or at least 1.0 s later. A
    line starts with its first byte, not with the newline before it.
Rule 3: records are appended whole, after the log bytes to which they refer.

So the index is sparse (24 bytes per 64 KiB) and derived: readers rebuild a missing end from the log after the last record,
losing only arrival times, and drop an incomplete last record.
"""

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

STRIDE = 64 * 1024  # bytes
INTERVAL = 1.0  # seconds
BLOCK = 256 * 1024
_FORMAT = struct.Struct("<QQd")
RECORD_SIZE = _FORMAT.size


class IndexRecord(NamedTuple):
    line: int
    offset: int
    time: float

    def pack(self) -> bytes:
        return _FORMAT.pack(*self)


_CUT = IndexRecord(2**63, 2**63, 0.0)
"""Replaces a truncated or impossible record; sorts after every line."""
_LAST_TIME = 250_000_000_000.0  # seconds since the epoch; about the limit of `datetime`


class RecordTable:
    """The records of an index, looked up without reading all of it; `read(size, offset)` returns bytes of the file.

    Records at or after byte `log_size` are ignored: that part of the log was truncated or lost in a power failure. `more` are
    later records that the reader has computed itself.
    """

    def __init__(self, read: Callable[[int, int], bytes], *, index_size: int, log_size: int) -> None:
        self._read = read
        self._more: Sequence[IndexRecord] = ()
        self._stored = index_size // RECORD_SIZE
        while self._stored > 1 and self[self._stored - 1].offset == 0:  # zeros left by a power failure
            self._stored -= 1
        if self._stored and (self[0][:2] != (0, 0) or _CUT in (self[0], self[self._stored - 1])):
            self._stored = 0  # not ours; the log has the same facts except times
        self._stored = bisect_left(self, log_size, key=lambda record: record.offset)

    def extend(self, more: Sequence[IndexRecord]) -> None:
        self._more = more

    def __len__(self) -> int:
        return self._stored + len(self._more)

    def __getitem__(self, number: int) -> IndexRecord:
        if number >= self._stored:
            return self._more[number - self._stored]
        data = self._read(RECORD_SIZE, number * RECORD_SIZE)
        if len(data) != RECORD_SIZE:
            return _CUT
        record = IndexRecord(*_FORMAT.unpack(data))
        # Line N has at least N bytes (newlines) before it.
        return record if record.line <= record.offset < _CUT.offset and 0 <= record.time <= _LAST_TIME else _CUT

    @property
    def last(self) -> IndexRecord | None:
        last = self[len(self) - 1] if len(self) else None
        return None if last is _CUT else last

    def before_line(self, line: int) -> int:
        """Return the number of the last record at or before this line; -1 without one."""
        return bisect_right(self, line, key=lambda record: record.line) - 1

    def before_offset(self, offset: int) -> int:
        """Return the number of the last record at or before this byte; -1 without one."""
        return bisect_right(self, offset, key=lambda record: record.offset) - 1


@dataclass
class Indexer:
    """Computes the records of a growing log; `lines` have ended so far in `size` bytes."""

    lines: int = 0
    size: int = 0
    at_line_start: bool = True
    last: IndexRecord | None = None

    @classmethod
    def behind(cls, record: IndexRecord | None) -> "Indexer":
        """Create an indexer in the state after this record."""
        return cls(lines=record.line, size=record.offset, last=record) if record else cls()

    def feed(self, data: bytes, time: float) -> list[IndexRecord]:
        """Process the next bytes, which arrived at `time`; return the records to append."""
        found: list[IndexRecord] = []
        counted = 0
        while (start := self._next_start(data, time)) is not None:
            self.lines += data.count(b"\n", counted, start)
            counted = start
            self.last = IndexRecord(self.lines, self.size + start, time)
            found.append(self.last)
        self.lines += data.count(b"\n", counted)
        self.size += len(data)
        if data:
            self.at_line_start = data.endswith(b"\n")
        return found

    def catch_up(self, read: Callable[[int, int], bytes], size: int) -> list[IndexRecord]:
        """Process the log up to `size` by reading it; its arrival time is that of the last record."""
        found: list[IndexRecord] = []
        time = self.last.time if self.last else 0.0
        while self.size < size and (data := read(min(BLOCK, size - self.size), self.size)):
            found += self.feed(data, time)
        return found

    def _next_start(self, data: bytes, time: float) -> int | None:
        """Return the offset in `data` of the next line start that gets a record."""
        due = self.last is None or time - self.last.time >= INTERVAL
        wanted = 0 if due or self.last is None else self.last.offset + STRIDE - self.size
        if wanted <= 0 and self.at_line_start:
            return 0 if data else None
        start = data.find(b"\n", max(wanted - 1, 0)) + 1
        return start if 0 < start < len(data) else None
