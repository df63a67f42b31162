"""What all formats write to, and how they say that they cannot."""

from __future__ import annotations

import importlib
import io
import os
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Tuple  # Any: values are of any type

LIMIT = 1 << 30  # bytes of all values of a channel together
BLOCK = 64 << 20  # bytes of an array that are written at once

Planned = Optional[Tuple[str, Dict[str, Any], Callable[["Sink"], object]]]  # format, its own entries, what writes it


class ValueNotWritten(Exception):
    """A value cannot be written. The message completes "`name` "."""


class TooLarge(ValueNotWritten):
    """The values are larger than `LIMIT` together."""


class ValueNotRead(Exception):
    """A value cannot be read. The message completes "`name` "."""


class Sink(io.RawIOBase):
    """Passes what is written on to `put`, counts it, and raises `TooLarge` when no `room` (one number) is left."""

    def __init__(self, put: Callable[[Any], object], room: List[int]) -> None:
        self._put = put
        self._room = room
        self.count = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # Any: whatever has a buffer
        piece = data if isinstance(data, bytes) else memoryview(data).cast("B")
        self._room[0] -= len(piece)
        if self._room[0] < 0:
            raise TooLarge(f"makes the values larger than {LIMIT >> 20} MiB together. Write it to a file instead.")
        self._put(piece)
        self.count += len(piece)
        return len(piece)

    def write_pieces(self, data: memoryview) -> None:
        for start in range(0, len(data), BLOCK):
            self.write(data[start : start + BLOCK])

    def tell(self) -> int:
        return self.count


def needed(library: str) -> Any:
    """Import the library of a format."""
    try:
        return importlib.import_module(library)
    except ImportError as exc:
        raise ValueNotRead(f"needs the package {library}. Add %pip install {library} to the cell.") from exc


def rest_of(file: BinaryIO) -> int:
    """Return the number of bytes after the position in the file."""
    at = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(at)
    return end - at


def first_line(exc: BaseException) -> str:
    """Return the first words of a library's error."""
    return " ".join(str(exc).split())[:200] or type(exc).__name__
