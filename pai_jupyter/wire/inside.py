"""Files below a folder that a job writes: opened so that nothing outside can be reached and nothing can block.

The job may still run, and put a link, a pipe or nothing in the place of a file between any two of our looks. So a path is
never checked and then used: the walk goes down by handles, one part at a time, and what was opened is what is read.
Rule 1: no part is a symbolic link. The folder itself may be one: it was given by the user, not by the job.
Rule 2: only plain files are opened. A pipe would wait for somebody to write, a device may do anything.
Rule 3: what is removed is what has the name: of a link the link, and never what it points to.
Rule 4: whatever the system says is one sentence, `NotFoundError` or `SpecError`; `what` names the folder in it.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from pai_jupyter.errors import NotFoundError, SpecError

LONGEST = 4096  # characters of a path
_ESCAPED = 0xDC00  # where Python puts the bytes that are no UTF-8
_SHOWN = 100  # characters of it in a sentence
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MISSING = (errno.ENOENT, errno.ENAMETOOLONG, errno.ESTALE)
_WRONG_KIND = (errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EISDIR)


@contextmanager
def open_folder(root: Path, path: str, *, what: str) -> Iterator[int]:
    """A handle on the directory `path` (names with `/` between them; empty: `root` itself) below `root`.

    Raises:
        NotFoundError: there is no such directory.
        SpecError: the path cannot be meant, leads over a link, or may not be read.
    """
    with _walked(root, _parts(path), what) as handle:
        yield handle


def open_file(root: Path, path: str, *, what: str) -> BinaryIO:
    """The plain file `path` below `root`, open for reading; the caller closes it.

    Raises:
        NotFoundError: there is no such file.
        SpecError: the path cannot be meant, is no plain file, leads over a link, or may not be read.
    """
    parts = _parts(path)
    if not parts:
        raise SpecError(f"no file of {what} was named. Give its path.", field="path")
    with _walked(root, parts[:-1], what) as folder, _errors(folder, parts[-1], what):
        _check_plain(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode)
        handle = os.open(parts[-1], _FILE, dir_fd=folder)
        try:
            _check_plain(os.fstat(handle).st_mode)  # it may be another one by now
            return os.fdopen(handle, "rb")
        except BaseException:
            os.close(handle)
            raise


def remove(root: Path, path: str, *, what: str, is_directory: bool = False) -> int:
    """Remove the file `path` below `root`, or the directory with all that is in it; how many files that were.

    Raises:
        NotFoundError: there is nothing of this name.
        SpecError: the path cannot be meant, is `root` itself, leads over a link, or may not be removed; or a directory was
            meant, and it is none.
    """
    parts = _parts(path)
    if not parts:
        raise SpecError(f"{what} itself is not deleted, only what is in it.", field="path")
    with _walked(root, parts[:-1], what) as folder, _errors(folder, parts[-1], what, done="deleted"):
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


def shown(name: str) -> str:
    """A file's name as text that every transport takes: bytes that are no UTF-8 become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if not name.isascii() else name


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Around work on what is open already: a broken disk, a network file system that has gone."""
    try:
        yield
    except OSError as exc:
        raise SpecError(f"{what} cannot be read: {exc.strerror}.") from exc


def spelled(name: str) -> str:
    """A file's name as text that every transport takes and `unspelled` gives back: other bytes than UTF-8 as %XX."""
    return "".join(
        f"%{ord(sign) - _ESCAPED:02X}" if "\udc80" <= sign <= "\udcff" else "%25" if sign == "%" else sign
        for sign in name
    )


def unspelled(text: str) -> str:
    return unquote(text, errors="surrogateescape")


def checked(path: str) -> str:
    """`path`, when it can be meant.

    Raises:
        SpecError: it leaves the folder, or no file can be called so.
    """
    _parts(path)
    return path


def _parts(path: str) -> list[str]:
    """The names in `path`.

    Raises:
        SpecError: it leaves the folder, or no file can be called so.
    """
    parts = path.split("/") if path else []
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise SpecError(
            f"the path {path[:_SHOWN]!r} is none inside an output. Give names with / between them, e.g. epoch-3/model.pt",
            field="path",
        )
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise SpecError(f"the path {path[:_SHOWN]!r} holds half of a character.", field="path") from None
    return parts


@contextmanager
def _walked(root: Path, parts: Sequence[str], what: str) -> Iterator[int]:
    """A handle on the directory at the end of `parts`."""
    with _errors(None, str(root), what):
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            with _errors(handle, part, what):
                below = os.open(part, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def _check_plain(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))


@contextmanager
def _errors(folder: int | None, name: str, what: str, *, done: str = "read") -> Iterator[None]:
    """Turn what the system says about `name` in the directory `folder`, which is `done`, into our own errors."""
    try:
        yield
    except OSError as exc:
        subject = f"{name[:_SHOWN]!r} in {what}"
        if exc.errno in _MISSING:
            raise NotFoundError(f"there is no {subject}, or no longer.") from exc
        if exc.errno in _WRONG_KIND:
            raise SpecError(f"{subject} {_kind(folder, name)}", field="path") from exc
        raise SpecError(f"{subject} cannot be {done}: {exc.strerror or exc}.", field="path") from exc


def _kind(folder: int | None, name: str) -> str:
    """What is in the place of the file or directory that was looked for."""
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
