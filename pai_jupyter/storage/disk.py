"""Read and write local files: atomic writes, consistent reads, never outside their directory.

Rule 1: a file is written as a hidden draft beside its target and renamed when complete. Its writer locks the draft, so an
    unlocked draft is from a killed process.
Rule 2: a symbolic link counts as its target if that is inside the directory; else it is an error that names it.
Rule 3: system errors become our own sentences.
"""

import errno
import fcntl
import io
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pai_jupyter.errors import LimitExceededError, NotFoundError, PaiJupyterError
from pai_jupyter.storage.address import check_key, shown
from pai_jupyter.storage.progress import TransferProgress

BLOCK = 256 * 1024  # bytes
_DRAFT = re.compile(r"\.pai-[0-9a-f]{16}\.(?:tmp|part)")
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class AlreadyThere(PaiJupyterError):
    """The target exists already."""


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Translate system errors about `path` into our own.

    Raises:
        AlreadyThere: the path exists already.
        LimitExceededError: the disk or the quota is full.
        NotFoundError: it does not exist.
        PaiJupyterError: anything else.
    """
    try:
        yield
    except OSError as exc:
        name = shown(os.fsencode(path).decode(errors="backslashreplace"))
        if exc.errno == errno.EEXIST:
            raise AlreadyThere(f"{name} is there already. Remove it, or choose another name.") from exc
        if exc.errno in _FULL:
            raise LimitExceededError(f"there is no room left for {name}. Free some disk space and try again.") from exc
        if exc.errno == errno.ENOENT:
            raise NotFoundError(f"{name} is not there. Check the path.") from exc
        raise PaiJupyterError(f"cannot use {name}: {exc.strerror or exc}. Choose another place.") from exc


def place(root: Path, key: str) -> Path:
    """Return the path of `key` below `root`.

    Raises:
        SpecError: the key is not a valid file name.
        PaiJupyterError: a link on the path leaves `root`.
    """
    check_key(key)
    path = root / key
    if not _is_inside(path.parent, root):
        raise PaiJupyterError(f"{shown(key)} is refused: a link on the way leads out of {shown(str(root))}. Remove it.")
    return path


def readable(root: Path, key: str) -> Path:
    """Return the path of `key` for reading like `place`, but let the file itself be a link."""
    path = place(root, key)
    if not _is_inside(path, root):
        raise _leaving(key, path)
    return path


def draft_name(token: str, suffix: str) -> str:
    """Return a name for a draft, valid even if the target's name has the maximum length."""
    return f".pai-{token}.{suffix}"


def is_draft(name: str) -> bool:
    """Return whether a file of this name is a draft, perhaps of a killed process."""
    return _DRAFT.fullmatch(name) is not None


@contextmanager
def draft(target: Path, *, replaces: bool = True) -> Iterator[BinaryIO]:
    """Write a draft that replaces `target` when the block succeeds and is deleted when it fails.

    Raises:
        AlreadyThere: `target` exists, and `replaces` is false.
    """
    with disk_errors(target), scratch(target.parent) as (path, out):
        with out:
            yield out
        if replaces:
            path.replace(target)
        else:
            os.link(path, target)  # unlike a rename, a link fails if the target exists


@contextmanager
def scratch(directory: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """Create a temporary file for the block; `sweep` deletes those of killed processes."""
    path, fd = _new_draft(directory)
    try:
        with os.fdopen(fd, "wb") as out:
            yield path, out
    finally:
        path.unlink(missing_ok=True)


def sweep(directory: Path) -> None:
    """Delete drafts of killed processes; resumable downloads in parts use another kind of file."""
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if is_draft(entry.name) and entry.name.endswith(".tmp"):
                _remove_unless_held(Path(entry.path))


def _new_draft(directory: Path) -> tuple[Path, int]:
    while True:
        path = directory / draft_name(secrets.token_hex(8), "tmp")
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another process has swept it
            os.close(fd)
            continue
        except OSError:  # without locks on this disk nothing is swept
            return path, fd
        if os.fstat(fd).st_nlink:
            return path, fd
        os.close(fd)


def _remove_unless_held(path: Path) -> None:
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(fd)


class Body:
    """The bytes of one transfer, read once by a request or a copy. `len` gives a request their number."""

    def __init__(self, file: BinaryIO, size: int, path: Path, add: Callable[[int], None]) -> None:
        self.len = size
        self._left = size
        self._file = file
        self._path = path
        self._add = add

    def read(self, amount: int = -1) -> bytes:
        wanted = self._left if amount < 0 else min(amount, self._left)
        with disk_errors(self._path):  # checked here: the HTTP library would report a network error
            block = self._file.read(wanted)
        if len(block) < wanted:
            raise PaiJupyterError(
                f"{shown(str(self._path))} became shorter while it was read. Try again when it is done."
            )
        self._left -= wanted
        self._add(wanted)
        return block

    def __iter__(self) -> Iterator[bytes]:
        while block := self.read(BLOCK):
            yield block


@contextmanager
def reading(
    source: Path | bytes, progress: TransferProgress, *, start: int = 0, size: int | None = None
) -> Iterator[Body]:
    """Read `size` bytes of `source` from `start`, or all; a failed block takes back the progress it reported."""
    path = Path("bytes") if isinstance(source, bytes) else source
    with disk_errors(path):
        file = io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
    with file, progress.attempt() as add:
        end = file.seek(0, io.SEEK_END)
        file.seek(start)
        yield Body(file, end - start if size is None else size, path, add)


def size_of(source: Path | bytes) -> int:
    if isinstance(source, bytes):
        return len(source)
    with disk_errors(source):
        return source.stat().st_size


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundFile:
    """A file below a directory; or a directory, whose key ends with a slash."""

    key: str
    path: Path
    size: int
    modified: float


def walk(root: Path) -> list[FoundFile]:
    """Return all files below `root` and its empty directories, in key order.

    Raises:
        PaiJupyterError: a link that leaves `root` or is circular, a special file, or a name that is not UTF-8.
    """
    found: list[FoundFile] = []
    pending = [("", root, frozenset({os.path.realpath(root)}))]
    while pending:
        prefix, directory, above = pending.pop()
        entries = scan(directory)
        if prefix and not entries:
            found.append(FoundFile(key=prefix, path=directory, size=0, modified=0))
        for entry in entries:
            one = _look_at(entry, prefix, root)
            if not one.key.endswith("/"):
                found.append(one)
                continue
            real = os.path.realpath(one.path)
            if real in above:
                raise PaiJupyterError(f"{shown(one.key)} is a link to a directory that it is in. Remove the link.")
            pending.append((one.key, one.path, above | {real}))
    return sorted(found, key=lambda one: one.key.encode())


def _look_at(entry: os.DirEntry[str], prefix: str, root: Path) -> FoundFile:
    key, path = prefix + entry.name, Path(entry.path)
    if entry.is_symlink() and not _is_inside(path, root):
        raise _leaving(key, path)
    with disk_errors(path):
        info = entry.stat()
    if stat.S_ISDIR(info.st_mode):
        return FoundFile(key=key + "/", path=path, size=0, modified=0)
    if not stat.S_ISREG(info.st_mode):
        raise PaiJupyterError(f"{shown(key)} is a pipe, a socket or a device. Move it elsewhere.")
    return FoundFile(key=key, path=path, size=info.st_size, modified=info.st_mtime)


def scan(directory: Path) -> list[os.DirEntry[str]]:
    """List a directory by name, without drafts.

    Raises:
        PaiJupyterError: a name is not UTF-8, so it cannot be a key.
    """
    with disk_errors(directory), os.scandir(directory) as entries:
        found = [entry for entry in entries if not is_draft(entry.name)]
    for entry in found:
        try:
            entry.name.encode()
        except UnicodeEncodeError as exc:
            name = os.fsencode(entry.name).decode(errors="backslashreplace")
            raise PaiJupyterError(f"the file name '{name}' is not UTF-8. Rename the file.") from exc
    return sorted(found, key=lambda entry: entry.name.encode())


def leads_out(entry: os.DirEntry[str], root: Path) -> bool:
    """Return whether this is a link to a place outside `root` or a broken link."""
    return entry.is_symlink() and not (_is_inside(Path(entry.path), root) and Path(entry.path).exists())


def _is_inside(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _leaving(key: str, path: Path) -> PaiJupyterError:
    target = os.fsencode(path.readlink()).decode(errors="backslashreplace") if path.is_symlink() else "elsewhere"
    return PaiJupyterError(
        f"{shown(key)} is a link to {shown(target)}, outside of its directory. Replace it by what it points to."
    )
