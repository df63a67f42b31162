"""Write append-only files: the log of a replica, and the sparse index of its lines.

An index record (24 bytes, `<QQd`) is a line's number, its byte offset and its arrival time. The first is (0, 0, t);
another follows at the first line that begins at least 64 KiB after the last one, or arrives at least 1 s later.
"""

import errno
import os
import stat
import struct

RECORD = struct.Struct("<QQd")
SPACING = 64 * 1024  # bytes
INTERVAL = 1.0  # seconds
_NEWLINE = 10
FULL = (errno.ENOSPC, errno.EDQUOT)
FAULTY = (
    errno.EIO,
    errno.EFBIG,
)  # a failing disk or a file size limit: both may be fixed while the job runs


_PLAIN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def open_plain(path: str, flags: int) -> int:
    """Open a file without blocking; reject links and pipes, by which the job may have replaced it.

    Raises:
        OSError: it cannot be opened, or is a link or a pipe.
    """
    file = os.open(path, flags | _PLAIN, 0o600)
    if stat.S_ISFIFO(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), path)
    return file


class Appender:
    """Appends to one file; bytes that a full or faulty disk does not accept stay pending."""

    def __init__(self, path: str) -> None:
        self._file = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._pending = memoryview(b"")
        self.trouble = 0  # errno of the last write

    def append(self, data: bytes | memoryview) -> bool:
        """Append a copy of `data`; return whether all of it is in the file now."""
        if self._pending:
            self._pending = memoryview(bytes(self._pending) + data)
            return self.flush()
        self._pending = memoryview(data)
        is_written = self.flush()
        self._pending = memoryview(bytes(self._pending))
        return is_written

    def flush(self) -> bool:
        while self._pending:
            try:
                self._pending = self._pending[os.write(self._file, self._pending) :]
            except OSError as exc:
                if exc.errno not in (*FULL, *FAULTY):
                    raise
                self.trouble = exc.errno
                return False
        self.trouble = 0
        return True


class LineIndex:
    """Decides which lines of a growing log get a record. Pure: bytes and times in, records out."""

    def __init__(self) -> None:
        self._lines = 0  # line breaks so far
        self._size = 0
        self.is_at_start = True  # the next byte begins a line
        self._offset = -SPACING  # offset and time of the last record
        self._time = 0.0

    def records(self, block: bytes | bytearray, size: int, now: float) -> bytes:
        """Return the index records for the first `size` bytes of `block`, appended to the log at time `now`."""
        out = b""
        counted = 0  # the line breaks before it are in `_lines`
        while (start := self._next_start(block, size, now)) >= 0:
            self._lines += block.count(b"\n", counted, start)
            counted = start
            self._offset, self._time = self._size + start, now
            out += RECORD.pack(self._lines, self._offset, now)
        self._lines += block.count(b"\n", counted, size)
        self._size += size
        self.is_at_start = block[size - 1] == _NEWLINE if size else self.is_at_start
        return out

    def _next_start(self, block: bytes | bytearray, size: int, now: float) -> int:
        """Return the offset in `block` of the next line to index; -1 if there is none."""
        wanted = 0 if now - self._time >= INTERVAL else self._offset + SPACING - self._size
        if wanted <= 0 and self.is_at_start:
            return 0 if size else -1
        start = block.find(b"\n", max(wanted - 1, 0), size) + 1
        return start if 0 < start < size else -1


class LogWriter:
    """The log of one replica with its index, which refers only to bytes in the log file."""

    def __init__(self, stem: str) -> None:
        self.size = 0
        self._log = Appender(stem + ".log")
        self._index_file = Appender(stem + ".idx")
        self._index = LineIndex()
        self._records = b""

    @property
    def is_at_start(self) -> bool:
        """Whether the next byte begins a line."""
        return self._index.is_at_start

    @property
    def trouble(self) -> int:
        """The errno that prevents writing; 0 = none."""
        return self._log.trouble or self._index_file.trouble

    def take(self, block: bytes | bytearray, size: int, now: float) -> bool:
        """Append a copy of the first `size` bytes of `block`; return whether the disk accepted all.

        If False, call `flush` again later and take nothing until then.
        """
        self.size += size
        self._records += self._index.records(block, size, now)
        self._log.append(memoryview(block)[:size])
        return self.flush()

    def flush(self) -> bool:
        if not self._log.flush():
            return False
        records, self._records = self._records, b""
        return self._index_file.append(records)
