"""List and open the files that a job has written; the job is not trusted.

Rule 1: a link is followed only if its target is below the directory; a link to a directory inside of a linked directory is
    not followed. The directory itself must not be a link (`path_guard`).
Rule 2: the job may replace anything by a link between listing and opening: files are never opened through a link.
Rule 3: files that cannot be read are left out and reported; the others are still listed.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pai_jupyter.path_guard import JobDirectory, hold_plainly
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import is_draft

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # NONBLOCK: opening a pipe must not block
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
_REPLACED = frozenset({errno.ENOTDIR, errno.ELOOP})


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file or an empty directory; the key of a directory ends with a slash. `real` is the path with links resolved."""

    key: str
    path: Path
    real: Path
    info: os.stat_result


class OutputTree:
    """The files below `root`; `left_out` names those that were left out and why, a sentence each."""

    def __init__(self, place: JobDirectory | Path) -> None:
        given = place if isinstance(place, JobDirectory) else JobDirectory(place)
        self._place = JobDirectory(Path(os.path.realpath(given.base)), given.parts)
        self.root = self._place.path
        self.left_out: list[str] = []

    def files(self) -> Iterator[File]:
        """Yield all files and the empty directories."""
        with suppress(FileNotFoundError):
            yield from self._below("", self.root, is_linked=False)

    def _below(self, prefix: str, directory: Path, *, is_linked: bool) -> Iterator[File]:
        try:
            with self._held(directory) as handle:
                every = [self._look_at(entry, directory, prefix, is_linked=is_linked) for entry in _entries(handle)]
        except OSError as exc:
            self.leave_out(prefix, exc)
            return
        for found in every:
            if found is None:
                continue
            if not found.key.endswith("/") or self._is_empty(found.real):
                yield found
            else:
                yield from self._below(found.key, found.real, is_linked=is_linked or found.path != found.real)

    def _held(self, directory: Path) -> AbstractContextManager[int]:
        return hold_plainly(self._place.below(*directory.relative_to(self.root).parts))

    def _is_empty(self, directory: Path) -> bool:
        with suppress(OSError), self._held(directory) as handle, os.scandir(handle) as entries:
            return next(entries, None) is None
        return False  # `_below` then reports the error

    def _look_at(self, entry: os.DirEntry[str], directory: Path, prefix: str, *, is_linked: bool) -> File | None:
        key, path = prefix + entry.name, directory / entry.name
        try:
            key.encode()
        except UnicodeEncodeError:
            self.left_out.append(f"{_name(key)}: its name is not UTF-8.")
            return None
        try:
            real = Path(os.path.realpath(path)) if entry.is_symlink() else path
            wrong = self._wrong_link(path, real) if entry.is_symlink() else None
            info = entry.stat(follow_symlinks=entry.is_symlink() and wrong is None)
        except OSError as exc:
            self.leave_out(key, exc)
            return None
        wrong = wrong or _wrong_kind(info, is_behind_two=is_linked and entry.is_symlink())
        if wrong:
            self.left_out.append(f"{_name(key)}: {wrong}")
            return None
        key += "/" if stat.S_ISDIR(info.st_mode) else ""
        return File(key=key, path=path, real=real, info=info)

    def _wrong_link(self, path: Path, real: Path) -> str | None:
        if not real.is_relative_to(self.root):
            return "it is a link out of the directory."
        return "it is a link to a directory that contains it." if path.is_relative_to(real) and path != real else None

    @contextmanager
    def opened(self, file: File) -> Iterator[BinaryIO]:
        """Open the file for reading, if it is still a regular file."""
        with self._held(file.real.parent) as folder:
            fd = os.open(file.real.name, _FILE, dir_fd=folder)
        with os.fdopen(fd, "rb") as opened:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "it is no longer a file")
            yield opened

    def leave_out(self, key: str, exc: OSError) -> None:
        """Record why `key` is left out, unless it was deleted meanwhile."""
        if not key and exc.errno in _REPLACED:
            self.left_out.append(f"{str(self.root)!r} was replaced by a link or a file, which is not followed.")
        elif exc.errno not in _GONE:
            self.left_out.append(f"{_name(key)}: {exc.strerror or exc}.")


def _wrong_kind(info: os.stat_result, *, is_behind_two: bool) -> str | None:
    if not stat.S_ISDIR(info.st_mode) and not stat.S_ISREG(info.st_mode):
        return "it is neither a file nor a directory."
    return (
        "it is a link to a directory inside of a linked directory."
        if is_behind_two and stat.S_ISDIR(info.st_mode)
        else None
    )


def _entries(handle: int) -> list[os.DirEntry[str]]:
    with os.scandir(handle) as entries:
        return sorted((each for each in entries if not is_draft(each.name)), key=lambda each: each.name)


def _name(key: str) -> str:
    return shown(os.fsencode(key).decode(errors="backslashreplace"))
