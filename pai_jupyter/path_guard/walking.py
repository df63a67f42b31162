"""Walk a directory that a job writes, by descriptors."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import BinaryIO

from pai_jupyter.path_guard.opening import open_plain

DEEPEST = 200  # nested directories; each holds a descriptor while it is listed
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """The entry `name` of the directory `handle`, open until the next entry; `above` are the path's parts."""

    above: tuple[str, ...]
    name: str
    handle: int
    status: os.stat_result

    @property
    def path(self) -> str:
        return "/".join((*self.above, self.name))

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.status.st_mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.status.st_mode)

    @contextmanager
    def hold(self) -> Iterator[int]:
        """Open the directory and yield its descriptor.

        Raises:
            OSError: it is not one, or no longer.
        """
        handle = os.open(self.name, _FOLDER, dir_fd=self.handle)
        try:
            yield handle
        finally:
            os.close(handle)

    def open(self) -> BinaryIO:
        """Open the regular file for reading; the caller closes it.

        Raises:
            OSError: it is not one, or no longer.
        """
        return open_plain(self.name, self.handle)


def walk(
    handle: int,
    leave_out: Callable[[str, OSError], None] | None = None,
    *,
    enter: Callable[[str], bool] = lambda name: True,
) -> Iterator[FoundEntry]:
    """Yield every entry below the directory `handle`, parents first; skip entries that disappear meanwhile.

    `leave_out` is called with the path and the error of a directory that cannot be listed; "" is `handle` itself. Directories
    whose name `enter` rejects are not listed.
    """
    yield from _walk(handle, (), leave_out or (lambda path, exc: None), enter)


def _walk(
    handle: int, above: tuple[str, ...], leave_out: Callable[[str, OSError], None], enter: Callable[[str], bool]
) -> Iterator[FoundEntry]:
    try:
        names = sorted(os.listdir(handle))
    except OSError as exc:
        leave_out("/".join(above), exc)
        return
    for name in names:
        try:
            found = FoundEntry(above, name, handle, os.stat(name, dir_fd=handle, follow_symlinks=False))
        except OSError:
            continue
        yield found
        if found.is_directory and enter(name):
            yield from _look_into(found, leave_out, enter)


def _look_into(
    found: FoundEntry, leave_out: Callable[[str, OSError], None], enter: Callable[[str], bool]
) -> Iterator[FoundEntry]:
    if len(found.above) >= DEEPEST:
        leave_out(found.path, OSError(errno.ENAMETOOLONG, "it is nested too deeply"))
        return
    try:
        with found.hold() as below:
            yield from _walk(below, (*found.above, found.name), leave_out, enter)
    except FileNotFoundError:
        return
    except OSError as exc:
        leave_out(found.path, exc)


def scan(
    handle: int, above: str = "", depth: int = 0, *, enter: Callable[[str], bool] = lambda name: True
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield the path and entry of everything below the directory `handle`, in system order, at any size.

    An entry is valid until the next one. Unreadable directories are skipped, and those whose name `enter` rejects.
    """
    below = []
    with suppress(OSError), os.scandir(handle) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and enter(entry.name):
                below.append(entry.name)
            yield above + entry.name, entry
    for name in below if depth < DEEPEST else ():
        try:
            inner = os.open(name, _FOLDER, dir_fd=handle)
        except OSError:
            continue
        try:
            yield from scan(inner, f"{above}{name}/", depth + 1, enter=enter)
        finally:
            os.close(inner)
