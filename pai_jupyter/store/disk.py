"""Disk access of this package: atomic writes, private modes, errors as sentences.

Rule 1: a failed write leaves the file unchanged, so that the call can be repeated when there is space.
Rule 2: no buffered file objects: a forked child of the kernel would flush its copy of a buffer on exit.
Rule 3: folders are 0700 and files 0600 under any umask: logs and values are private.
Rule 4: a file that a job can write may have become a link, a pipe or an endless file. `open_plain` rejects links and pipes, and
    `read_plain` limits the bytes it reads.
"""

import errno
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pai_jupyter.errors import LimitExceededError, NotFoundError, PaiJupyterError

MAX_RECORD = 64 * 1024 * 1024  # the most bytes of a file that is read whole
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ESTALE})
_ODD = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENXIO})  # a link, not a folder (or a link to one), a socket
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})  # e.g. a mounted bucket
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PLAIN = os.O_RDONLY | _SAFE


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate system errors about `path` into our own.

    Raises:
        LimitExceededError: the disk, the quota or the largest file size is reached.
        NotFoundError: the file or its folder does not exist.
        PaiJupyterError: anything else, e.g. a read-only disk.
    """
    try:
        yield
    except OSError as exc:
        raise _translate(exc, path) from exc


def _translate(exc: OSError, path: Path) -> PaiJupyterError:
    if exc.errno in _FULL:
        return LimitExceededError(
            f"there is no room left for '{path}'. Free some disk space, or set PAI_JUPYTER_HOME to a folder that has some."
        )
    if exc.errno in _GONE:
        return NotFoundError(f"'{path}' is gone. Type %pai_jobs to see the jobs that are there.")
    return PaiJupyterError(
        f"cannot use '{path}': {exc.strerror or exc}. Check its permissions, or set PAI_JUPYTER_HOME to a folder of yours."
    )


def make_folder(path: Path) -> None:
    """Create `path` and its missing parents; existing ones keep their mode."""
    if not path.is_dir():
        make_folder(path.parent)
        with suppress(FileExistsError):  # another process has created it
            make_new_folder(path)


def make_new_folder(path: Path) -> None:
    """Create `path`; raise FileExistsError if it exists."""
    path.mkdir(mode=0o700)
    path.chmod(0o700)  # the umask may have removed bits


def replace_file(path: Path, data: bytes) -> None:
    """Replace the content of `path` by `data` durably: after a crash it has either the old or the new bytes."""
    draft = path.with_name(path.name + ".tmp")
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _SAFE, 0o600)
        try:
            os.fchmod(fd, 0o600)
            write_at(fd, data, 0)
            os.fsync(fd)
        finally:
            os.close(fd)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def create_file(path: Path, data: bytes) -> None:
    """Create `path` with its content at once; raise FileExistsError if it exists, whoever made it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        _write_new(draft, data)
        try:
            os.link(draft, path)
        except OSError as exc:
            if exc.errno not in _NO_LINKS:
                raise
            _write_new(path, data)
    finally:
        with suppress(OSError):
            draft.unlink()


def _write_new(path: Path, data: bytes) -> None:
    """Create a file, or leave none."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600)
    try:
        os.fchmod(fd, 0o600)
        write_at(fd, data, 0)
        os.fsync(fd)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(fd)


def write_at(fd: int, data: bytes, offset: int) -> None:
    """Write all of `data` at `offset`."""
    view = memoryview(data)
    while view:
        written = os.pwrite(fd, view, offset)
        view, offset = view[written:], offset + written


def mark_of(path: Path) -> tuple[int, ...]:
    """Return a value that changes whenever a file is replaced; () if there is no file."""
    try:
        status = path.lstat()
    except OSError:
        return ()
    # Other fields of a directory change with its content, which does not matter.
    return (status.st_ino, status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else (status.st_ino,)


def open_plain(path: Path) -> int:
    """Open a regular file for reading and return its descriptor; refuse links for the file and its folder.

    Raises:
        OSError: it does not exist or is not readable.
        PaiJupyterError: it is not a regular file.
    """
    try:
        folder = os.open(path.parent, _FOLDER)
        try:
            fd = os.open(path.name, _PLAIN, dir_fd=folder)
        finally:
            os.close(folder)
    except OSError as exc:
        if exc.errno in _ODD:
            raise _not_plain(path) from exc
        raise
    return _checked(fd, path)


def open_record(path: Path) -> int:
    """Open a file of the job folder like `open_plain`, but allow a link of the user to the folder."""
    try:
        return _checked(os.open(path, _PLAIN), path)
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.ENXIO):
            raise _not_plain(path) from exc
        raise


def read_plain(path: Path, limit: int = MAX_RECORD) -> bytes:
    """Read a regular file whole; its folder may be a link.

    Raises:
        OSError: it does not exist or is not readable.
        PaiJupyterError: it is not a regular file, or larger than `limit` bytes.
    """
    with open(open_record(path), "rb", buffering=0) as file:
        fd = file.fileno()
        if os.fstat(fd).st_size > limit:
            raise PaiJupyterError(
                f"'{path}' is damaged: it is larger than {limit >> 20} MiB. Remove what was put there."
            )
        return file.read(limit + 1)


def _checked(fd: int, path: Path) -> int:
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _not_plain(path)
    return fd


def _not_plain(path: Path) -> PaiJupyterError:
    return PaiJupyterError(
        f"'{path}' is not read: it is no plain file any more, but a link, a pipe or a directory, or lies in a folder that is "
        "a link. Remove what was put there."
    )


class AppendFile:
    """An append-only file with one writer; only its first `length` bytes are valid."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with translated(path):
            try:
                fd = os.open(path, os.O_RDWR | os.O_CREAT | _SAFE, 0o600)
            except OSError as exc:
                if exc.errno in (errno.ELOOP, errno.EISDIR):
                    raise _not_plain(path) from exc
                raise
            self._fd = _checked(fd, path)
            os.fchmod(self._fd, 0o600)
            self.length = os.fstat(self._fd).st_size
        self._is_synced = True

    def cut(self, length: int) -> None:
        """Truncate the file to `length`."""
        if length < self.length:
            with translated(self.path):
                os.ftruncate(self._fd, length)
            self.length = length

    def append(self, data: bytes) -> None:
        """Append `data`, or raise and leave the file unchanged."""
        with translated(self.path):
            try:
                write_at(self._fd, data, self.length)
            except OSError:
                os.ftruncate(self._fd, self.length)
                raise
        self.length += len(data)
        self._is_synced = self._is_synced and not data

    def sync(self) -> None:
        """Sync everything appended so far to disk."""
        if not self._is_synced:
            with translated(self.path):
                os.fdatasync(self._fd)
            self._is_synced = True

    def read(self, size: int, offset: int) -> bytes:
        with translated(self.path):
            return os.pread(self._fd, size, offset)

    def close(self) -> None:
        fd, self._fd = self._fd, -1  # the descriptor's number may be reused
        if fd >= 0:
            os.close(fd)


def to_bytes(value: Any) -> bytes:  # Any: JSON values
    """Serialize to one line of UTF-8 JSON; lone surrogates stay JSON escapes."""
    return _JSON.encode(value).encode("utf-8", "backslashreplace")


def read_json(path: Path) -> Any:  # Any: parsed JSON
    """Read and parse a JSON file.

    Raises:
        NotFoundError: it does not exist.
        PaiJupyterError: it cannot be read, or is not a JSON object.
    """
    with translated(path):
        data = read_plain(path)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as exc:
        raise PaiJupyterError(f"'{path}' is damaged: {exc}. The logs beside it may still be read.") from exc
    if not isinstance(value, dict):
        raise PaiJupyterError(f"'{path}' is damaged: it holds no JSON object. The logs beside it may still be read.")
    return value
