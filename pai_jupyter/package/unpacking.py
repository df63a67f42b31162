"""Unpack an untrusted archive completely or not at all, and never outside its directory.

Rule 1: the archive is read once, forward. Files are written into a new directory without links; links are created last, after
    all were resolved in memory (see `member_tree`). So nothing is written through a link.
Rule 2: the new directory is a sibling of the target and replaces it when complete; else it is removed.
Rule 3: a small archive may unpack to endless data: bytes, files and ratio are limited.
"""

import errno
import gzip
import hashlib
import os
import secrets
import shutil
import stat
import zlib
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from pai_jupyter.errors import LimitExceededError, PackageError, PaiJupyterError
from pai_jupyter.package.manifest import FILE_MODE, LINK_MODE, PROGRAM_MODE, PackagedFile, digest
from pai_jupyter.package.member_tree import MemberTree, TooLargeError
from pai_jupyter.package.members import DamagedTarError, Member, MemberKind, padding, read_members

MAX_BYTES = 2 << 30  # bytes of the unpacked tar, unless `allow_large`
MAX_FILES = 200_000  # directories and links count
MAX_RATIO, RATIO_FROM = 200, 100_000_000  # unpacked bytes per packed byte; checked after RATIO_FROM bytes
_ENDLESS = 1 << 62
_PIECE = 1 << 20


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def unpack(archive: Path, to: Path, *, allow_large: bool = False) -> None:
    """Unpack `archive` into the directory `to`, which must be empty or missing.

    Files get the current time: some tools reject times of 1970 (a zip cannot store them). `allow_large` lifts the limits of
    bytes and files, for a trusted archive.

    Raises:
        PackageError: a member is not a file, directory or link, or would leave `to`; or the archive is damaged or unreadable.
        TooLargeError: it exceeds the limits and `allow_large` is false.
        LimitExceededError: the disk is full. In all cases nothing is left behind.
    """
    fresh = to.with_name(f".{to.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        fresh.mkdir()
        try:
            _unpack_into(fresh, archive, allow_large=allow_large)
            if to.is_dir():
                fresh.chmod(to.stat().st_mode & 0o7777)
            fresh.rename(to)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    except (DamagedTarError, gzip.BadGzipFile, EOFError, zlib.error) as exc:
        raise PackageError(f"{str(archive)!r} is damaged: {exc}. Make it again.") from exc
    except OSError as exc:
        raise _disk_error(exc, archive, to) from exc


def digest_of(directory: Path) -> str:
    """Return the digest of an unpacked directory; it equals the digest of its package."""
    return digest(list_files(directory))


def list_files(directory: Path) -> list[PackagedFile]:
    """Return the files of an unpacked directory, sorted by name, as in the list of its package."""
    found = []
    for parent, folders, names in os.walk(directory):
        for path in (Path(parent, name) for name in (*names, *folders)):
            if not path.is_symlink() and path.is_dir():
                continue
            found.append(_packaged(path, path.relative_to(directory).as_posix()))
    return sorted(found, key=lambda file: file.name)


def _packaged(path: Path, name: str) -> PackagedFile:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        target = os.fsencode(path.readlink())
        return PackagedFile(name=name, size=0, mode=LINK_MODE, sha256=hashlib.sha256(target).hexdigest())
    mode = PROGRAM_MODE if status.st_mode & stat.S_IXUSR else FILE_MODE
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return PackagedFile(name=name, size=status.st_size, mode=mode, sha256=content)


def _unpack_into(fresh: Path, archive: Path, *, allow_large: bool) -> None:
    with archive.open("rb") as packed, gzip.open(packed) as stream:
        bounded = _BoundedReader(stream, packed, allow_large=allow_large)
        try:
            _extract(bounded, fresh, MemberTree(_ENDLESS if allow_large else MAX_FILES), bounded.limit)
            while bounded.read(_PIECE):  # reads to the end: gzip's checksum follows the data
                pass
        except PackageError as exc:
            kind = TooLargeError if isinstance(exc, TooLargeError) else PackageError
            raise kind(f"{str(archive)!r} was not unpacked: {exc}.") from exc


def _extract(stream: "_BoundedReader", fresh: Path, tree: MemberTree, limit: int) -> None:
    total = 0
    for member in read_members(stream.read):
        path = tree.add(member)
        size = tree.sizes[path] if member.kind in (MemberKind.FILE, MemberKind.HARD_LINK) else 0
        total += size  # a hard link counts like its file: packing the tree again stores it twice
        if total > limit:
            raise _too_large(limit)
        match member.kind:
            case MemberKind.DIRECTORY:
                (fresh / path).mkdir(parents=True, exist_ok=True)
            case MemberKind.FILE:
                _write(stream, member, _cleared(fresh / path))
            case MemberKind.HARD_LINK:
                _link(fresh / tree.linked_file(member), fresh / path)
            case MemberKind.LINK:
                pass  # created last
    tree.check_links()
    for path, target in tree.links.items():
        (fresh / path).parent.mkdir(parents=True, exist_ok=True)
        (fresh / path).symlink_to(target)


def _write(stream: "_BoundedReader", member: Member, path: Path) -> None:
    """Write the data of `member`, next in `stream`, to the new file `path`."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb", buffering=0) as out:
        left = member.size
        while left > 0:
            data = stream.read(min(left, _PIECE))
            if not data:
                raise DamagedTarError("it is cut")
            _write_all(out, data)
            left -= len(data)
        os.fchmod(handle, _mode(member.mode))
    if len(stream.read(padding(member.size))) < padding(member.size):
        raise DamagedTarError("it is cut")


def _write_all(out: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[out.write(rest) :]


def _mode(mode: int) -> int:
    """Return the mode as tarfile's `data` filter does: no set-uid, no write for others, read and write for the owner."""
    return (mode & 0o755 if mode & 0o100 else mode & 0o644) | 0o600


def _link(source: Path, path: Path) -> None:
    if source == path:
        return
    _cleared(path)
    try:
        os.link(source, path, follow_symlinks=False)
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        shutil.copy(source, path, follow_symlinks=False)  # no hard links on this disk, or too many


def _cleared(path: Path) -> Path:
    """Remove an earlier file at `path` and return `path`: of two members with one name, the last counts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        path.unlink()
    return path


class _BoundedReader:
    """Reads the unpacked bytes of an archive, up to the limits."""

    def __init__(self, stream: _Readable, packed: BinaryIO, *, allow_large: bool) -> None:
        self._stream = stream
        self._packed = packed
        self._is_bounded = not allow_large
        self._at = 0
        self.limit = _ENDLESS if allow_large else MAX_BYTES

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes (at most a piece and a header); fewer only at the end."""
        data = self._stream.read(size)
        while len(data) < size and (more := self._stream.read(size - len(data))):
            data += more
        self._at += len(data)
        self._check()
        return data

    def _check(self) -> None:
        if self._at > self.limit:
            raise _too_large(self.limit)
        if self._is_bounded and self._at > RATIO_FROM and self._at > MAX_RATIO * self._packed.tell():
            raise TooLargeError(
                f"one byte of it becomes more than {MAX_RATIO}, as in an archive that is made to fill a disk"
            )


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(f"unpacked it has more than {limit / (1 << 30):.0f} GiB")


def _disk_error(exc: OSError, archive: Path, to: Path) -> PaiJupyterError:
    if exc.errno in (errno.ENOSPC, errno.EDQUOT):
        return LimitExceededError(f"there is no room in {str(to)!r} to unpack the package. Make room there.")
    return PackageError(f"{str(archive)!r} cannot be unpacked into {str(to)!r}: {exc.strerror or exc}.")
