"""The line index of a log: where in the bytes a line begins, and when it came. Standard library only, no I/O of its own.

The format, which the supervisor of the process backend writes as well: `logs/<replica>.idx` is a row of records of 24
bytes each, `struct "<QQd"`:

    line     number of a line, from 0
    offset   byte of the log at which that line begins
    time     when its first byte arrived, seconds since the epoch

Rule 1: the first record is (0, 0, time of the first byte).
Rule 2: a record is added at the first line start that is at least 64 KiB behind the previous record, or that arrives at
    least 1.0 s after the previous record's time. A line starts with its first byte, not with the newline before it.
Rule 3: records are appended whole, and after the log bytes that they speak of.

So the index is sparse (24 bytes for 64 KiB), and derived: whatever is missing at its end can be found again by reading
the log from the last record on; only the arrival times are lost. Readers do so, and drop a torn last record.
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
"""What stands for a record that was cut off while somebody read, or that no log can have: behind every line."""
_LAST_TIME = 250_000_000_000.0  # seconds since the epoch; no calendar goes much further


class RecordTable:
    """The records of an index, looked up without reading it whole: `read(size, offset)` gives bytes of the file.

    Records that speak of bytes at or behind `log_size` do not count: that part of the log was cut, or was lost with the
    power. `more` are records behind those of the file, which the reader has found itself.
    """

    def __init__(self, read: Callable[[int, int], bytes], *, index_size: int, log_size: int) -> None:
        self._read = read
        self._more: Sequence[IndexRecord] = ()
        self._stored = index_size // RECORD_SIZE
        while self._stored > 1 and self[self._stored - 1].offset == 0:  # zeros, all that a power failure left
            self._stored -= 1
        if self._stored and (self[0][:2] != (0, 0) or _CUT in (self[0], self[self._stored - 1])):
            self._stored = 0  # somebody else wrote this; the log has all that it could say, but the times
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
        # Before a line there are as many newlines as its number says, at least.
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
    """Reads a log on its way and says which records it adds: `lines` ended so far in `size` bytes."""

    lines: int = 0
    size: int = 0
    at_line_start: bool = True
    last: IndexRecord | None = None

    @classmethod
    def behind(cls, record: IndexRecord | None) -> "Indexer":
        """Create an indexer in the state after this record."""
        return cls(lines=record.line, size=record.offset, last=record) if record else cls()

    def feed(self, data: bytes, time: float) -> list[IndexRecord]:
        """Take in the next bytes, which arrived at `time`; the records to append."""
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
        """Take in what the log has up to `size` by reading it; it passes for having come with the last record."""
        found: list[IndexRecord] = []
        time = self.last.time if self.last else 0.0
        while self.size < size and (data := read(min(BLOCK, size - self.size), self.size)):
            found += self.feed(data, time)
        return found

    def _next_start(self, data: bytes, time: float) -> int | None:
        """Return where in `data` the next line starts that gets a record."""
        due = self.last is None or time - self.last.time >= INTERVAL
        wanted = 0 if due or self.last is None else self.last.offset + STRIDE - self.size
        if wanted <= 0 and self.at_line_start:
            return 0 if data else None
        start = data.find(b"\n", max(wanted - 1, 0)) + 1
        return start if 0 < start < len(data) else None
