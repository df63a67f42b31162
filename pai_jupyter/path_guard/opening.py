"""Opening and removing below a `JobDirectory`, one part of a path at a time, and never through a link."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.path_guard.job_directory import JobDirectory
from pai_jupyter.path_guard.names import split

_SHOWN = 100  # characters of it in a sentence
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BASE = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MISSING = (errno.ENOENT, errno.ENAMETOOLONG, errno.ESTALE)
_WRONG_KIND = (errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EISDIR)


@contextmanager
def open_folder(root: JobDirectory, path: str, *, what: str) -> Iterator[int]:
    """Open the directory `path` below `root` (names joined by `/`; empty: `root`) and yield its descriptor.

    Raises:
        NotFoundError: there is no such directory.
        SpecError: the path cannot be meant, leads over a link, or may not be read.
    """
    with _walked(root, split(path), what) as handle:
        yield handle


@contextmanager
def hold(root: JobDirectory, *, what: str) -> Iterator[int]:
    """Open the directory `root` itself and yield its descriptor.

    Raises:
        NotFoundError, SpecError: as `open_folder`.
    """
    with _walked(root, (), what) as handle:
        yield handle


@contextmanager
def hold_plainly(root: JobDirectory) -> Iterator[int]:
    """Open the directory `root` and yield its descriptor; let the caller word the system's errors.

    Raises:
        OSError: there is none, or something else is in its place, or in that of a directory above it.
    """
    handle = os.open(root.base, _BASE)
    try:
        for part in root.parts:
            below = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def make_folder(root: JobDirectory, *, what: str) -> None:
    """Make the directory `root` below its base, and those above it, as far as they are not there.

    Raises:
        OSError: one cannot be made.
        SpecError: something else is in the place of one.
    """
    handle = os.open(root.base, _BASE)
    try:
        for number, part in enumerate(root.parts):
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=handle)
            with _errors(handle, part, _subject(root, number, part, what)):
                below = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = below
    finally:
        os.close(handle)


def open_file(root: JobDirectory, path: str, *, what: str) -> BinaryIO:
    """Open the regular file `path` below `root` for reading; the caller closes it.

    Raises:
        NotFoundError: there is no such file.
        SpecError: the path cannot be meant, is no plain file, leads over a link, or may not be read.
    """
    parts = split(path)
    if not parts:
        raise SpecError(f"no file of {what} was named. Give its path.", field="path")
    with _walked(root, parts[:-1], what) as folder, _errors(folder, parts[-1], _named(parts[-1], what)):
        return open_plain(parts[-1], folder)


def open_plain(name: str, folder: int) -> BinaryIO:
    """Open the regular file `name` in the directory with descriptor `folder` for reading; the caller closes it.

    Raises:
        OSError: it is none, or cannot be read.
    """
    _check_plain(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)  # opening a device may do anything
    handle = os.open(name, _FILE, dir_fd=folder)
    try:
        _check_plain(os.fstat(handle).st_mode)  # it may be another one by now
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def remove(root: JobDirectory, path: str, *, what: str, is_directory: bool = False) -> int:
    """Remove the file `path` below `root`, or the directory with all that is in it; how many files that were.

    Raises:
        NotFoundError: there is nothing of this name.
        SpecError: the path cannot be meant, is `root` itself, leads over a link, or may not be removed; or a directory was
            meant, and it is none.
    """
    parts = split(path)
    if not parts:
        raise SpecError(f"{what} itself is not deleted, only what is in it.", field="path")
    with _walked(root, parts[:-1], what) as folder, _errors(folder, parts[-1], _named(parts[-1], what), done="deleted"):
        if not stat.S_ISDIR(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode):
            if is_directory:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            os.unlink(parts[-1], dir_fd=folder)
            return 1
        try:
            count = sum(len(files) for _, _, files, _ in os.fwalk(parts[-1], dir_fd=folder))
            shutil.rmtree(parts[-1], dir_fd=folder)  # by handles as well: a link that takes a place is not followed
        except RecursionError as exc:
            raise SpecError(
                f"{parts[-1][:_SHOWN]!r} in {what} is nested too deeply. Delete it in a terminal: rm -r", field="path"
            ) from exc
        return count


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Around work on what is open already: a broken disk, a network file system that has gone."""
    try:
        yield
    except OSError as exc:
        raise SpecError(f"{what} cannot be read: {exc.strerror}.") from exc


@contextmanager
def _walked(root: JobDirectory, parts: Sequence[str], what: str) -> Iterator[int]:
    """Open the directory at the end of `parts` below `root` and yield its descriptor."""
    with _errors(None, str(root.base), _named(str(root.base), what)):
        handle = os.open(root.base, _BASE)
    try:
        for number, part in enumerate((*root.parts, *parts)):
            with _errors(handle, part, _subject(root, number, part, what)):
                below = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def _subject(root: JobDirectory, number: int, part: str, what: str) -> str:
    """Name part `number` of a path for a sentence: the root, what is above it, or what is in it."""
    if number == len(root.parts) - 1:
        return what
    return _named(part, what) if number >= len(root.parts) else f"{part[:_SHOWN]!r}, which holds {what},"


def _named(name: str, what: str) -> str:
    return f"{name[:_SHOWN]!r} in {what}"


def _check_plain(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))


@contextmanager
def _errors(folder: int | None, name: str, subject: str, *, done: str = "read") -> Iterator[None]:
    """Turn what the system says about `name` in the directory `folder`, which is `done`, into our own errors."""
    try:
        yield
    except OSError as exc:
        if exc.errno in _MISSING:
            raise NotFoundError(f"there is no {subject}, or no longer.") from exc
        if exc.errno in _WRONG_KIND:
            raise SpecError(f"{subject} {_kind(folder, name)}", field="path") from exc
        raise SpecError(f"{subject} cannot be {done}: {exc.strerror or exc}.", field="path") from exc


def _kind(folder: int | None, name: str) -> str:
    """Describe what is in the place of the file or directory that was looked for."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            target = os.readlink(name, dir_fd=folder)
            return f"is a link to {target[:_SHOWN]!r}, which is not followed. Open what it points to."
    except OSError:
        return "has just changed. Look again."
    if stat.S_ISDIR(mode):
        return "is a directory. List it instead."
    if stat.S_ISREG(mode):
        return "is a file, no directory. Open it instead."
    return "is no plain file (a pipe, a socket or a device), which cannot be shown."
