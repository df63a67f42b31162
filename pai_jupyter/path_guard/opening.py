"""Open, create and remove below a `JobDirectory`, one part of the path at a time, never through a link."""

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

_SHOWN = 100  # characters of a name in a sentence
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
        SpecError: the path is invalid, contains a link, or is not readable.
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
    """Open the directory `root` and yield its descriptor; system errors reach the caller.

    Raises:
        OSError: it or a directory above it does not exist or is not a directory.
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
    """Create the directory `root` and its missing parents below the base.

    Raises:
        OSError: a directory cannot be created.
        SpecError: something else has the name of a directory.
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
        SpecError: the path is invalid, is not a regular file, contains a link, or is not readable.
    """
    parts = split(path)
    if not parts:
        raise SpecError(f"no file of {what} was named. Give its path.", field="path")
    with _walked(root, parts[:-1], what) as folder, _errors(folder, parts[-1], _named(parts[-1], what)):
        return open_plain(parts[-1], folder)


def open_plain(name: str, folder: int) -> BinaryIO:
    """Open the regular file `name` in the directory with descriptor `folder` for reading; the caller closes it.

    Raises:
        OSError: it is not a regular file, or cannot be read.
    """
    _check_plain(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)  # opening a device may do anything
    handle = os.open(name, _FILE, dir_fd=folder)
    try:
        _check_plain(os.fstat(handle).st_mode)  # it may have been replaced since
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def remove(root: JobDirectory, path: str, *, what: str, is_directory: bool = False) -> int:
    """Remove the file or directory tree `path` below `root`; return the number of files removed.

    Raises:
        NotFoundError: it does not exist.
        SpecError: the path is invalid, is `root` itself, contains a link, or cannot be removed; or `is_directory` and it is not
        one.
    """
    parts = split(path)
    if not parts:
        raise SpecError(f"{what} itself cannot be deleted. Delete files or directories in it.", field="path")
    with _walked(root, parts[:-1], what) as folder, _errors(folder, parts[-1], _named(parts[-1], what), done="deleted"):
        if not stat.S_ISDIR(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode):
            if is_directory:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            os.unlink(parts[-1], dir_fd=folder)
            return 1
        try:
            count = sum(len(files) for _, _, files, _ in os.fwalk(parts[-1], dir_fd=folder))
            shutil.rmtree(
                parts[-1], dir_fd=folder
            )  # `rmtree` also works by descriptors: a link put in the way is not followed
        except RecursionError as exc:
            raise SpecError(
                f"{parts[-1][:_SHOWN]!r} in {what} is nested too deeply. Delete it in a terminal: rm -r", field="path"
            ) from exc
        return count


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Translate system errors while reading an open file: a broken disk, a lost network file system."""
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
    """Name part `number` of a path for a sentence: the root, a directory above it, or an entry in it."""
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
    """Translate system errors about `name` in the directory `folder`; `done` is the participle of the action."""
    try:
        yield
    except OSError as exc:
        if exc.errno in _MISSING:
            raise NotFoundError(f"there is no {subject}, or no longer.") from exc
        if exc.errno in _WRONG_KIND:
            raise SpecError(f"{subject} {_kind(folder, name)}", field="path") from exc
        raise SpecError(f"{subject} cannot be {done}: {exc.strerror or exc}.", field="path") from exc


def _kind(folder: int | None, name: str) -> str:
    """Describe what is found instead of the expected file or directory."""
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
