"""How this room touches the disk: whole or not at all, private, and with errors that are sentences.

Rule 1: a write that fails leaves the file as it was, so that the same call can be repeated when there is room again.
Rule 2: nothing is buffered in file objects. A forked child of the kernel would flush its copy of a buffer at its exit.
Rule 3: folders are 0700 and files 0600, whatever the umask: logs and values are the user's own affair.
Rule 4: what a job can write may be anything by the time that it is read: a link to another file, a pipe without an end, a
    file without an end. `open_plain` opens none of the first, and `read_plain` reads so many bytes at most.
"""

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pai_jupyter.errors import LimitExceededError, NotFoundError, PaiJupyterError

MAX_RECORD = 64 * 1024 * 1024  # bytes of a file that is read as a whole
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ESTALE})
_ODD = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENXIO})  # a link, no folder (a link to one is none), a socket
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PLAIN = os.O_RDONLY | _SAFE


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what the system says about `path` into our own errors.

    Raises:
        LimitExceededError: the disk, the quota or the largest file size is reached.
        NotFoundError: the file or its folder is gone.
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
    """Make `path` and those above it that are missing; what is there already keeps its mode."""
    if not path.is_dir():
        make_folder(path.parent)
        with suppress(FileExistsError):  # another process was quicker
            make_new_folder(path)


def make_new_folder(path: Path) -> None:
    """Make `path`; FileExistsError when there is something already."""
    path.mkdir(mode=0o700)
    path.chmod(0o700)  # the umask may have taken bits away


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` in the place of `path`, durably: after a crash it holds either the old bytes or the new ones."""
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


def write_at(fd: int, data: bytes, offset: int) -> None:
    """Write all of `data` at `offset`."""
    view = memoryview(data)
    while view:
        written = os.pwrite(fd, view, offset)
        view, offset = view[written:], offset + written


def open_plain(path: Path) -> int:
    """Open a regular file for reading and return its descriptor; refuse links for the file and its folder.

    Raises:
        OSError: it is not there, or may not be read.
        PaiJupyterError: something else is in its place.
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
    """Open a file of the job folder like `open_plain`, but let the folder be behind a link of the user's."""
    try:
        return _checked(os.open(path, _PLAIN), path)
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.ENXIO):
            raise _not_plain(path) from exc
        raise


def read_plain(path: Path, limit: int = MAX_RECORD) -> bytes:
    """Read a regular file whole; the folder that it is in may be a link.

    Raises:
        OSError: it is not there, or may not be read.
        PaiJupyterError: something else is in its place, or it is larger than `limit`.
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
    """A file of one writer that grows by whole pieces; `length` is how much of it counts."""

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
        """Drop what is behind `length`."""
        if length < self.length:
            with translated(self.path):
                os.ftruncate(self._fd, length)
            self.length = length

    def append(self, data: bytes) -> None:
        """Add `data`, or raise and leave the file as it was."""
        with translated(self.path):
            try:
                write_at(self._fd, data, self.length)
            except OSError:
                os.ftruncate(self._fd, self.length)
                raise
        self.length += len(data)
        self._is_synced = self._is_synced and not data

    def sync(self) -> None:
        """Have everything appended so far on the disk itself."""
        if not self._is_synced:
            with translated(self.path):
                os.fdatasync(self._fd)
            self._is_synced = True

    def read(self, size: int, offset: int) -> bytes:
        with translated(self.path):
            return os.pread(self._fd, size, offset)

    def close(self) -> None:
        fd, self._fd = self._fd, -1  # the number may soon stand for another file
        if fd >= 0:
            os.close(fd)


def to_bytes(value: Any) -> bytes:  # Any: JSON values
    """JSON on one line as UTF-8; what is no character (a lone surrogate) stays a JSON escape."""
    return _JSON.encode(value).encode("utf-8", "backslashreplace")


def read_json(path: Path) -> Any:  # Any: parsed JSON
    """Read and parse a JSON file.

    Raises:
        NotFoundError: there is no such file.
        PaiJupyterError: it cannot be read, or holds no JSON object.
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
