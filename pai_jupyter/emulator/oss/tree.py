"""The files below a directory that a job has written, which may be hostile: what there is, and how it is opened safely.

Rule 1: a link counts as what it points to, if that is below the directory, and if it is not reached through another link.
Rule 2: between looking and opening a job may put a link in the place of anything: nothing is opened through one.
Rule 3: what cannot be taken is left out and said, and never keeps the rest from being taken.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import is_draft

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not hold us
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR})


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file, or a directory with nothing in it, whose key ends with a slash. `real` is its path without any link."""

    key: str
    path: Path
    real: Path
    info: os.stat_result


class Tree:
    """The files below `root`, a path without links. `left_out` is what could not be taken, a sentence each."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self.left_out: list[str] = []

    def files(self) -> Iterator[File]:
        """All files, and directories with nothing in them."""
        with suppress(FileNotFoundError):
            yield from self._below("", self.root, is_linked=False)

    def _below(self, prefix: str, directory: Path, *, is_linked: bool) -> Iterator[File]:
        for entry in self._scan(prefix, directory):
            found = self._look_at(entry, prefix, is_linked=is_linked)
            if found is None:
                continue
            if not found.key.endswith("/") or self._is_empty(found.real):
                yield found
            else:
                yield from self._below(found.key, found.real, is_linked=is_linked or entry.is_symlink())

    def _scan(self, prefix: str, directory: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(directory) as entries:
                return sorted((each for each in entries if not is_draft(each.name)), key=lambda each: each.name)
        except OSError as exc:
            self.leave_out(prefix, exc)
            return []

    def _is_empty(self, directory: Path) -> bool:
        with suppress(OSError), os.scandir(directory) as entries:
            return next(entries, None) is None
        return False  # then it is looked into, and what is wrong is said

    def _look_at(self, entry: os.DirEntry[str], prefix: str, *, is_linked: bool) -> File | None:
        key = prefix + entry.name
        try:
            key.encode()
        except UnicodeEncodeError:
            self.left_out.append(f"{_name(key)}: its name is not UTF-8.")
            return None
        try:
            real = Path(os.path.realpath(entry.path)) if entry.is_symlink() else Path(entry.path)
            info = entry.stat()
        except OSError as exc:
            self.leave_out(key, exc)
            return None
        wrong = self._wrong(entry, real, info, is_linked=is_linked)
        if wrong:
            self.left_out.append(f"{_name(key)}: {wrong}")
            return None
        key += "/" if stat.S_ISDIR(info.st_mode) else ""
        return File(key=key, path=Path(entry.path), real=real, info=info)

    def _wrong(self, entry: os.DirEntry[str], real: Path, info: os.stat_result, *, is_linked: bool) -> str | None:
        if not stat.S_ISDIR(info.st_mode) and not stat.S_ISREG(info.st_mode):
            return "it is neither a file nor a directory."
        if not entry.is_symlink():
            return None
        if not real.is_relative_to(self.root):
            return "it is a link that leads out of the directory."
        if Path(entry.path).is_relative_to(real):
            return "it is a link to a directory that it is in."
        return "it is a link behind another link." if is_linked and stat.S_ISDIR(info.st_mode) else None

    @contextmanager
    def opened(self, file: File) -> Iterator[BinaryIO]:
        """The file for reading, if it is still one, and still where it was."""
        at = os.open(self.root, _DIRECTORY)
        try:
            *above, name = file.real.relative_to(self.root).parts
            for part in above:
                below = os.open(part, _DIRECTORY, dir_fd=at)
                os.close(at)
                at = below
            fd = os.open(name, _FILE, dir_fd=at)
        finally:
            os.close(at)
        with os.fdopen(fd, "rb") as opened:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "it is no file any more")
            yield opened

    def leave_out(self, key: str, exc: OSError) -> None:
        """Say why `key` is not taken, unless it is just gone."""
        if exc.errno not in _GONE:
            self.left_out.append(f"{_name(key)}: {exc.strerror or exc}.")


def _name(key: str) -> str:
    return shown(os.fsencode(key).decode(errors="backslashreplace"))
