"""Write the archive: a tar compressed as a sequence of gzip members. `unpacking` reads it.

Rule 1: the same files give the same bytes: sorted names, zero times, no owner, two modes, fixed block size.
Rule 2: a file is read once; its bytes are hashed, searched for secrets and packed in one pass.

Every MiB of the tar is its own gzip member (RFC 1952 allows a sequence), so that threads compress members in parallel, and a
stored tree can be followed by new files without compressing it again.
"""

import errno
import hashlib
import os
import stat
import tarfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import BinaryIO, Self

from pai_jupyter.errors import PackageError
from pai_jupyter.package.files import FileSignature, Source
from pai_jupyter.package.manifest import FILE_MODE, LINK_MODE, PackagedFile
from pai_jupyter.package.secrets import SecretScanner

BLOCK = 1 << 20
_THREADS = min(4, os.cpu_count() or 1)
_GZIP = 31  # zlib's wbits for a gzip header, whose time is then 0
_REPLACED = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO)  # replaced: missing, below a file, a link, a socket
END_OF_TAR = bytes(2 * tarfile.BLOCKSIZE)


class GzipWriter:
    """Compresses written data in blocks to gzip members in `out`. Uses no thread for less than a block."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._buffer = bytearray()
        self._pool: ThreadPoolExecutor | None = None
        self._pending: deque[Future[bytes]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)

    def write(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= BLOCK:
            block = bytes(memoryview(self._buffer)[:BLOCK])
            del self._buffer[:BLOCK]
            self._submit(block)

    def _submit(self, block: bytes) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="pai-jupyter-package")
        self._pending.append(self._pool.submit(zlib.compress, block, 1, _GZIP))
        if len(self._pending) > 2 * _THREADS:  # bounds memory for any size of tree
            self._out.write(self._pending.popleft().result())

    def _finish(self) -> None:
        while self._pending:
            self._out.write(self._pending.popleft().result())
        if self._buffer:
            self._out.write(zlib.compress(self._buffer, 1, _GZIP))


def examine(source: Source, scanner: SecretScanner, sink: Callable[[bytes], object] | None = None) -> tuple[str, int]:
    """Read `source` once; return its sha256 and the line that looks like an access key id (0 = none). `sink` gets the bytes.

    Raises:
        PackageError: it cannot be read, contains a secret, or changes while it is read.
    """
    if source.mode == LINK_MODE:
        return hashlib.sha256(source.target.encode()).hexdigest(), 0
    total, scan = hashlib.sha256(), scanner.scan(source.name)
    for chunk in _read(source):
        total.update(chunk)
        scan.feed(chunk)
        if sink is not None:
            sink(chunk)
    return total.hexdigest(), scan.suspect_line


def pack(sources: Iterable[Source], out: BinaryIO, scanner: SecretScanner) -> Iterator[tuple[PackagedFile, int]]:
    """Write the entries of `sources` to `out`, without the end of the tar; yield each file and its suspect line (0 = none)."""
    with GzipWriter(out) as writer:
        for source in sources:
            writer.write(_header(source.name, source.size, source.mode, source.target))
            sha256, line = examine(source, scanner, writer.write)
            writer.write(_padding(source.size))
            yield PackagedFile(name=source.name, size=source.size, mode=source.mode, sha256=sha256), line


def pack_extra(files: Mapping[str, bytes], out: BinaryIO, scanner: SecretScanner) -> Iterator[tuple[PackagedFile, int]]:
    """Write the entries of `files` and the end of the tar to `out`."""
    with GzipWriter(out) as writer:
        for name in sorted(files):
            data, scan = files[name], scanner.scan(name)
            scan.feed(data)
            writer.write(_header(name, len(data), FILE_MODE) + data + _padding(len(data)))
            sha256 = hashlib.sha256(data).hexdigest()
            yield PackagedFile(name=name, size=len(data), mode=FILE_MODE, sha256=sha256), scan.suspect_line
        writer.write(END_OF_TAR)


def _header(name: str, size: int, mode: int, target: str = "") -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.linkname = size, mode, target
    if target:
        info.type = tarfile.SYMTYPE
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "strict")


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


def _read(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a file, exactly as many as its header states."""
    try:
        # The file may have been replaced since the walk: follow no link, and do not block on a pipe.
        handle = os.open(source.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as exc:
        raise _changed(source) if exc.errno in _REPLACED else _unreadable(source, exc) from exc
    try:
        left = source.size if _is_unchanged(handle, source) else -1
        while left > 0:
            chunk = os.read(handle, min(left, BLOCK))
            left = left - len(chunk) if chunk else -1
            yield chunk
        if left < 0 or not _is_unchanged(handle, source):
            raise _changed(source)
    except OSError as exc:
        raise _unreadable(source, exc) from exc
    finally:
        os.close(handle)


def _changed(source: Source) -> PackageError:
    return PackageError(
        f"{source.path!r} changed while it was packed. Run this again when it is at rest, or name it in .paiignore."
    )


def _unreadable(source: Source, exc: OSError) -> PackageError:
    return PackageError(f"{source.path!r} cannot be read: {exc.strerror}. Name it in .paiignore.")


def _is_unchanged(handle: int, source: Source) -> bool:
    info = os.fstat(handle)
    return stat.S_ISREG(info.st_mode) and FileSignature.of(info) == source.signature
