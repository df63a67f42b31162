"""Roots that paths are relative to: a directory on this machine, or a prefix in a cloud storage.

Both list a directory, open a file for reading, and delete files and directories, but never the root itself. The type of a
file, and how much of it is shown, is decided in `output_files`.
"""

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from pai_jupyter import path_guard
from pai_jupyter.backends import HoldsOutputs, RunsAsGiven, find_backend, find_info
from pai_jupyter.backends.local import PackedFiles, beside_channels, has_outputs, output_folder, packed_files
from pai_jupyter.contract import BESIDE, WORKDIR, is_cache, output_channels
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.storage import Storage

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import FileEntry

READ_AHEAD = 1024 * 1024  # bytes per request to a storage


@dataclass(frozen=True, kw_only=True)
class Item:
    """An entry of a directory.

    `name` is the name as the system stores it, not necessarily valid text; `size` is in bytes; `modified` is a Unix time in
    seconds, None if unknown.
    """

    name: str
    is_directory: bool
    size: int = 0
    modified: float | None = None
    label: str = ""  # shown to users instead of the name

    def to_json(self) -> "FileEntry":
        return {
            "name": self.label or path_guard.shown(self.name),
            "is_directory": self.is_directory,
            "size": self.size,
            "modified": self.modified,
        }


@dataclass(frozen=True, kw_only=True)
class DirectoryPage:
    """Some entries of a directory; `after` requests the following ones, None if there are none."""

    items: Sequence[Item]
    after: str | None = None
    notes: tuple[str, ...] = ()


class Root(Protocol):
    """A directory tree, e.g. an output channel; paths in it are relative, with `/` between names."""

    @property
    def uri(self) -> str:
        """Its path or address, shown to users."""

    def page(self, path: str, most: int, after: str = "") -> DirectoryPage:
        """List at most `most` entries of a directory, directories first; `after` continues a page."""

    def open(self, path: str) -> tuple[BinaryIO, int]:
        """Open a file for reading and return it with its size in bytes; the caller closes it."""

    def remove(self, path: str, *, is_directory: bool = False) -> int:
        """Delete a file, or a directory with everything in it; return the number of files deleted.

        `is_directory`: delete only the directory; OSS may have a file of the same name.
        """


def root_of(job: Job, channel: str) -> Root:
    """Return the root of an output channel.

    Raises:
        NotFoundError: the job has no such channel, or its files are gone.
        SpecError: it is stored where this process cannot read.
    """
    place = job.output(channel)
    if "://" in place and not place.lower().startswith("file://"):
        storage = _storage(job, place)
        if storage is not None:
            return StorageRoot(storage, f"output {channel!r}", place)
        raise SpecError(
            f"output {channel!r} is at {place}, which only jobs can reach. Download it: job.fetch({channel!r})",
            field="channel",
        )
    what = f"output {channel!r}"
    if (info := find_info(job.backend)) is not None and not info.is_local and not has_outputs(job.folder.path):
        raise SpecError(f"{what} is not on this machine. Download it: job.fetch({channel!r})", field="channel")
    if channel == BESIDE and (beside := _beside(job)) is not None:
        return beside
    folder = output_folder(job.folder.path, channel)
    if channel == WORKDIR and (packed := packed_files(job.folder.path)) is not None:
        return WorkdirRoot(folder, what, packed)
    return FolderRoot(folder, what)


def file_channels(job: Job) -> tuple[str, ...]:
    """Return the output channels to browse: those of the contract, what lies beside them, and the working directory.

    What lies beside them is a channel only if something does, the working directory only if it was recorded. A job that does
    not follow the contract has none.
    """
    backend = find_backend(job.backend)
    if isinstance(backend, RunsAsGiven) and backend.is_as_given(job.spec):
        return ()
    beside, has_workdir = _beside(job), "://" in job.output(WORKDIR) or packed_files(job.folder.path) is not None
    ours = [*([BESIDE] if beside is not None and beside.has_any else []), *([WORKDIR] if has_workdir else [])]
    return (*output_channels(job.spec), *ours)


def _beside(job: Job) -> "BesideRoot | None":
    """Return the root of the files beside the channels in the job folder; an `output_path` may have the user's own."""
    if job.spec.output_path or BESIDE in job.spec.outputs:
        return None
    try:
        folder, names = beside_channels(job.folder.path)
    except (OSError, ValueError):
        return None
    return BesideRoot(folder, f"output {BESIDE!r}", frozenset(names))


@dataclass(frozen=True)
class FolderRoot:
    """A directory that a job on this machine writes; read through `path_guard`."""

    folder: JobDirectory
    what: str

    @property
    def uri(self) -> str:
        return str(self.folder.path)

    def page(self, path: str, most: int, after: str = "") -> DirectoryPage:
        with path_guard.open_folder(self.folder, path, what=self.what) as handle, os.scandir(handle) as found:
            behind = (
                entry
                for entry in found
                if (not after or _order(entry) > _order_after(after)) and self._shows(path, handle, entry)
            )
            first = nsmallest(most + 1, behind, key=_order)  # there may be millions of entries
            items = [item for entry in first[:most] if (item := _of_entry(entry))]
            return DirectoryPage(items=items, after=_name_order(first[most - 1]) if len(first) > most else None)

    def _shows(self, path: str, handle: int, entry: os.DirEntry[str]) -> bool:
        """Return whether an entry of the directory `path`, open as `handle`, is listed."""
        return True

    def open(self, path: str) -> tuple[BinaryIO, int]:
        file = path_guard.open_file(self.folder, path, what=self.what)
        return file, os.fstat(file.fileno()).st_size

    def remove(self, path: str, *, is_directory: bool = False) -> int:
        return path_guard.remove(self.folder, path, what=self.what, is_directory=is_directory)


@dataclass(frozen=True)
class BesideRoot(FolderRoot):
    """The directory of all outputs without those of channels, whose names are `without`."""

    without: frozenset[str]

    @property
    def has_any(self) -> bool:
        try:
            return bool(self.page("", 1).items)
        except PaiJupyterError:  # gone, or replaced by the job
            return False

    def _shows(self, path: str, handle: int, entry: os.DirEntry[str]) -> bool:
        return bool(path) or entry.name not in self.without


@dataclass(frozen=True)
class WorkdirRoot(FolderRoot):
    """A working directory: lists what the job wrote, not what was packed, and no caches."""

    packed: PackedFiles

    def _shows(self, path: str, handle: int, entry: os.DirEntry[str]) -> bool:
        name = f"{path}/{entry.name}" if path else entry.name
        if is_cache(entry.name):
            return False
        try:
            if not entry.is_dir(follow_symlinks=False):
                return self.packed.is_written(name, entry.stat(follow_symlinks=False))
            if name not in self.packed.folders:
                return True
            with path_guard.open_folder(self.folder, name, what=self.what) as below:
                return next(self.packed.written(below, f"{name}/"), None) is not None
        except (OSError, PaiJupyterError):  # deleted meanwhile
            return False


@dataclass(frozen=True)
class StorageRoot:
    """What lies below a prefix in OSS, or in HDFS, read with this process's key or user."""

    storage: Storage
    what: str
    uri: str

    def page(self, path: str, most: int, after: str = "") -> DirectoryPage:
        prefix = f"{path_guard.checked(path)}/" if path else ""
        listed = self.storage.list(prefix, after=prefix + after if after else "")
        first = list(
            islice((entry for entry in listed if entry.key != prefix), most + 1)
        )  # one more: is there a next page?
        if not first and path and not after and self.storage.head(prefix) is None:
            raise NotFoundError(f"there is no directory {path_guard.shown(path)!r} in {self.what}.")
        items = [
            Item(name=entry.name, is_directory=entry.is_directory, size=entry.size, modified=entry.modified)
            for entry in sorted(first[:most], key=lambda entry: (not entry.is_directory, entry.name))
        ]
        return DirectoryPage(items=items, after=first[most - 1].key.removeprefix(prefix) if len(first) > most else None)

    def open(self, path: str) -> tuple[BinaryIO, int]:
        entry = self.storage.head(path_guard.checked(path)) if path else None
        if entry is None:
            raise NotFoundError(f"there is no file {path_guard.shown(path)!r} in {self.what}.")
        reading = _Reading(self.storage, path, entry.size)
        return cast(BinaryIO, io.BufferedReader(reading, READ_AHEAD)), entry.size

    def remove(self, path: str, *, is_directory: bool = False) -> int:
        if not path:
            raise SpecError(f"{self.what} itself cannot be deleted. Delete files or directories in it.", field="path")
        path_guard.checked(path)
        if not is_directory and self.storage.head(path) is not None:
            self.storage.delete([path])
            return 1
        self.page(path, 1)  # raises if there is no such directory
        return self.storage.delete_tree(f"{path}/")


class _Reading(io.RawIOBase):
    """An object as a seekable stream."""

    def __init__(self, storage: Storage, key: str, size: int) -> None:
        self._storage, self._key, self._size, self._at = storage, key, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:  # Any: a writable buffer, as in `io`
        data = self._storage.read(self._key, start=self._at, size=min(len(buffer), max(0, self._size - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _storage(job: Job, place: str) -> Storage | None:
    """Open the storage of an output; None if only jobs can reach it."""
    backend = find_backend(job.backend)
    if isinstance(backend, HoldsOutputs):
        return backend.open_output(job.folder.read().ref, place)
    if place.startswith("hdfs://"):
        from pai_jupyter.cloud.hdfs import hdfs_session  # late, as below

        return hdfs_session().open_storage(place)
    if not place.startswith("oss://"):
        return None
    from pai_jupyter.cloud.session import need_session  # late: most jobs run on this machine

    return need_session().open_storage(place)


def _order(entry: os.DirEntry[str]) -> tuple[bool, str]:
    return not entry.is_dir(follow_symlinks=False), entry.name


def _name_order(entry: os.DirEntry[str]) -> str:
    """Encode the end of a page as text for `_order_after`."""
    is_file, name = _order(entry)
    return f"{int(is_file)}{path_guard.spelled(name)}"


def _order_after(text: str) -> tuple[bool, str]:
    return text[:1] == "1", path_guard.unspelled(text[1:])


def _of_entry(entry: os.DirEntry[str]) -> Item | None:
    """Build the item of a directory entry; None if it has been deleted meanwhile."""
    try:
        is_directory, status = entry.is_dir(follow_symlinks=False), entry.stat(follow_symlinks=False)
    except OSError:
        return None
    size = status.st_size if entry.is_file(follow_symlinks=False) else 0
    return Item(name=entry.name, is_directory=is_directory, size=size, modified=status.st_mtime)
