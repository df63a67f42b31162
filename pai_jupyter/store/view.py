"""A snapshot of a growing log: windows of raw lines in constant memory.

Rule 1: everything is read with `pread` in blocks; with mmap, truncation would kill the kernel (SIGBUS).
Rule 2: of a line longer than `CLIP` only the first and last `CLIP / 2` bytes are kept, with a mark between them. The end has
    the newest state of a progress bar, which is shown.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from pai_jupyter.store.index import BLOCK, STRIDE, IndexRecord, RecordTable

CLIP = 1024 * 1024  # bytes of a line
_START = IndexRecord(0, 0, 0.0)  # the start, if there are no records


@dataclass(frozen=True, kw_only=True)
class LogView:
    """The first `size` bytes of the open log `fd`, and the records of their lines.

    `lines` counts an unfinished last one, `finished` does not.
    """

    fd: int
    size: int
    lines: int
    finished: int
    records: RecordTable

    def read(self, offset: int, size: int) -> bytes:
        """Return at most `size` bytes; fewer at the end or if the file was truncated since."""
        return os.pread(self.fd, max(0, min(size, self.size - offset)), offset)

    def record(self, number: int) -> IndexRecord:
        """Return the record with this number; -1 is the beginning of the log."""
        return self.records[number] if number >= 0 else _START

    def numbered(self, start: int, *, block: int = BLOCK) -> Iterator[tuple[int, bytes, float]]:
        """Yield number, raw bytes without newline and arrival time of each line from `start`, reading `block` bytes at once."""
        at = self.records.before_line(start)
        record = self.record(at)
        behind = self._record_behind(at)
        for number, raw in enumerate(self._raw_lines(self.offset_of(start), start, block), start):
            while behind and behind.line <= number:
                at, record = at + 1, behind
                behind = self._record_behind(at)
            yield number, raw, record.time

    def offset_of(self, line: int) -> int:
        """Return the offset of this line; the size if there is no such line."""
        record = self.record(self.records.before_line(line))
        return self._skip(record.offset, line - record.line)

    def lines_before(self, offset: int) -> int:
        """Return how many lines end before this byte."""
        record = self.record(self.records.before_offset(offset))
        lines, at = record.line, record.offset
        while block := self.read(at, min(BLOCK, offset - at)):
            lines += block.count(b"\n")
            at += len(block)
        return lines

    def recent(self, lines: int, size: int) -> int:
        """Return the number of the first of the last `lines` lines, or of about the last `size` bytes if less."""
        record = self.record(self.records.before_offset(max(self.size - size, 0)))
        return max(self.lines - lines, record.line, 0)

    def line_end(self, offset: int) -> int:
        """Return the offset of the newline at or after `offset`; the size without one."""
        while block := self.read(offset, BLOCK):
            found = block.find(b"\n")
            if found >= 0:
                return offset + found
            offset += len(block)
        return self.size

    def clipped(self, start: int, end: int) -> bytes:
        """Return the bytes of a line, shortened in the middle if longer than `CLIP`."""
        if end - start <= CLIP:
            return self.read(start, end - start)
        half = CLIP // 2
        mark = f" … [{end - start - CLIP} bytes left out] … ".encode()
        return self.read(start, half) + mark + self.read(end - half, half)

    def _record_behind(self, number: int) -> IndexRecord | None:
        return self.records[number + 1] if number + 1 < len(self.records) else None

    def _skip(self, offset: int, lines: int) -> int:
        """Return the offset of the line `lines` lines after the one at `offset`."""
        while lines > 0 and (block := self.read(offset, STRIDE)):  # about the largest distance between records
            ended = block.count(b"\n")
            if ended >= lines:
                at = -1
                for _ in range(lines):
                    at = block.find(b"\n", at + 1)
                return offset + at + 1
            lines -= ended
            offset += len(block)
        return offset

    def _raw_lines(self, offset: int, number: int, size: int) -> Iterator[bytes]:
        while block := self.read(offset, size):
            start = 0
            while (end := block.find(b"\n", start)) >= 0:
                yield block[start:end]
                start = end + 1
                number += 1
            offset += start
            if start == 0:  # longer than a block, or the unfinished last line, e.g. a bar of any length
                end = self.size if number >= self.finished else self.line_end(offset + len(block))
                yield self.clipped(offset, end)
                offset = end + 1
                number += 1
