"""The bytes of all objects on disk: files that are written once and never changed, with random names.

Rule 1: a file is in use only once the index names it; unused files of a killed emulator are deleted at the next start.
Rule 2: a file that is being read is kept until it is closed, even if its object is replaced or deleted meanwhile.
Rule 3: bytes are read and written in blocks; checksums are computed on the way.
"""

import hashlib
import os
import secrets
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Self

from pai_jupyter.emulator.oss_protocol.checksum import crc64
from pai_jupyter.emulator.oss_protocol.model import Content, Piece

BLOCK = 1024 * 1024  # bytes
_NAME = 16  # random bytes


class ContentStore:
    """The files below a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._read: Counter[str] = Counter()
        self._pending_removal: set[str] = set()
        for first in range(256):
            (directory / f"{first:02x}").mkdir(parents=True, exist_ok=True, mode=0o700)

    def draft(self, data: bytes = b"") -> "ContentDraft":
        """Create new content that begins with `data`."""
        draft = ContentDraft(self._new())
        draft.write(data)
        return draft

    def link(self, content: Content) -> Content:
        """Create hard links to the content's files; either copy can be removed without the other."""
        names = [self._new() for _ in content.pieces]
        for piece, path in zip(content.pieces, names, strict=True):
            os.link(self._path(piece.name), path)
        pieces = tuple(
            Piece(name=path.name, size=piece.size) for piece, path in zip(content.pieces, names, strict=True)
        )
        return Content(pieces=pieces, etag=content.etag, crc=content.crc)

    def open(self, content: Content) -> "ContentReader":
        """Open the content; its files are kept until the reader is closed."""
        with self._lock:
            self._read.update(piece.name for piece in content.pieces)
        return ContentReader(self, content)

    def close(self, content: Content) -> None:
        with self._lock:
            self._read.subtract(piece.name for piece in content.pieces)
            over = {piece.name for piece in content.pieces if not self._read[piece.name]}
            for name in over:
                del self._read[name]
            doomed = self._pending_removal & over
            self._pending_removal -= doomed
        self._unlink(doomed)

    def remove(self, pieces: Iterable[Piece]) -> None:
        """Delete the files; those being read, once they are closed."""
        with self._lock:
            names = {piece.name for piece in pieces}
            later = {name for name in names if self._read[name]}
            self._pending_removal |= later
        self._unlink(names - later)

    def sweep(self, known: set[str]) -> None:
        """Delete all files except the `known` ones."""
        for directory in self._directory.iterdir():
            self._unlink({path.name for path in directory.iterdir()} - known)

    def file(self, piece: Piece) -> BinaryIO:
        return self._path(piece.name).open("rb")

    def _unlink(self, names: Iterable[str]) -> None:
        for name in names:
            self._path(name).unlink(missing_ok=True)

    def _new(self) -> Path:
        return self._path(secrets.token_hex(_NAME))

    def _path(self, name: str) -> Path:
        return self._directory / name[:2] / name


class ContentDraft:
    """Content that is being written; `discard` deletes it unless it was adopted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._crc = 0
        self._is_adopted = False
        self.size = 0

    def write(self, block: bytes | bytearray) -> None:
        if not block:
            return  # an empty object has no file
        if self._file is None:
            self._file = self._path.open("xb")
        self._file.write(block)
        self._md5.update(block)
        self._crc = crc64(block, self._crc)
        self.size += len(block)

    @property
    def md5(self) -> bytes:
        return self._md5.digest()

    def content(self) -> Content:
        """Finish writing and return the content."""
        self._close()
        pieces = (Piece(name=self._path.name, size=self.size),) if self.size else ()
        return Content(pieces=pieces, etag=self._md5.hexdigest().upper(), crc=self._crc)

    def adopt(self) -> None:
        """Keep the content, since the index names it now."""
        self._is_adopted = True

    def discard(self) -> None:
        """Delete the content, unless it was adopted."""
        self._close()
        if not self._is_adopted:
            self._path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class ContentReader:
    """Content that is being read; its files are kept until `close`."""

    def __init__(self, contents: ContentStore, content: Content) -> None:
        self._contents = contents
        self._is_closed = False
        self.content = content

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._contents.close(self.content)

    def blocks(self, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Yield the bytes from `start` up to but not including `end`, in blocks."""
        end = self.content.size if end is None else end
        offset = 0
        for piece in self.content.pieces:
            first, last = max(start - offset, 0), min(end - offset, piece.size)
            if first < last:
                yield from self._blocks_of(piece, first, last)
            offset += piece.size

    def _blocks_of(self, piece: Piece, position: int, end: int) -> Iterator[bytes]:
        with self._contents.file(piece) as file:
            file.seek(position)
            while position < end:
                block = file.read(min(BLOCK, end - position))
                if not block:
                    raise OSError(f"the file {piece.name} of the store is shorter than it was written")
                position += len(block)
                yield block
