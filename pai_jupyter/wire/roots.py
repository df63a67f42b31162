"""Where an output channel is read: a directory of this machine, or a place in a storage of the cloud.

Both give the same two things, the entries of a directory and a file that is open for reading; what a file is and how much
of it is shown is for `files`.
"""

import io
import os
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias, cast

from pai_jupyter.backends.local import output_folder
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.spec import Json
from pai_jupyter.storage import Entry, Storage
from pai_jupyter.wire import inside

READ_AHEAD = 1024 * 1024  # bytes that are asked of a storage at once
Entries: TypeAlias = tuple[list[Json], bool]
"""What is listed, and whether there is more."""


class Root(Protocol):
    """An output channel; paths in it are names with `/` between them."""

    @property
    def uri(self) -> str:
        """Where it is, for people."""

    def entries(self, path: str, most: int) -> Entries:
        """The first `most` entries of a directory, directories before files."""

    def open(self, path: str) -> tuple[BinaryIO, int]:
        """A file, open for reading, and its size; the caller closes it."""


def root_of(job: Job, channel: str) -> Root:
    """Where the channel is read.

    Raises:
        NotFoundError: the job has no such channel, or nothing of it is left.
        SpecError: it lies where nobody here can look.
    """
    place = job.output(channel)
    if place.startswith("oss://"):
        return StorageRoot(_storage(job, place), f"output {channel!r}", place)
    if "://" in place and not place.lower().startswith("file://"):
        raise SpecError(
            f"output {channel!r} lies at {place}, which only jobs reach. Fetch it: job.fetch({channel!r})",
            field="channel",
        )
    return FolderRoot(output_folder(job.folder.path, channel), f"output {channel!r}")


@dataclass(frozen=True)
class FolderRoot:
    """A directory that a job of this machine writes; `inside` says how it is read."""

    folder: Path
    what: str

    @property
    def uri(self) -> str:
        return str(self.folder)

    def entries(self, path: str, most: int) -> Entries:
        def order(entry: os.DirEntry[str]) -> tuple[bool, str]:
            return not entry.is_dir(follow_symlinks=False), entry.name

        with inside.open_folder(self.folder, path, what=self.what) as handle, os.scandir(handle) as found:
            first = nsmallest(most + 1, found, key=order)  # it may have millions
            return [item for entry in first[:most] if (item := _of_entry(entry))], len(first) > most

    def open(self, path: str) -> tuple[BinaryIO, int]:
        file = inside.open_file(self.folder, path, what=self.what)
        return file, os.fstat(file.fileno()).st_size


@dataclass(frozen=True)
class StorageRoot:
    """Objects below a place in OSS, asked for when somebody looks, with the key that this process has."""

    storage: Storage
    what: str
    uri: str

    def entries(self, path: str, most: int) -> Entries:
        prefix = f"{inside.checked(path)}/" if path else ""
        found = (entry for entry in self.storage.list(prefix) if entry.key != prefix)
        first = list(islice(found, most + 1))  # in the order of their keys: what comes later is not asked for
        if not first and path and self.storage.head(prefix) is None:
            raise NotFoundError(f"there is no directory {inside.shown(path)!r} in {self.what}.")
        shown = sorted(first[:most], key=lambda entry: (not entry.is_directory, entry.name))
        return [_of_object(entry) for entry in shown], len(first) > most

    def open(self, path: str) -> tuple[BinaryIO, int]:
        entry = self.storage.head(inside.checked(path)) if path else None
        if entry is None:
            raise NotFoundError(f"there is no file {inside.shown(path)!r} in {self.what}.")
        reading = _Reading(self.storage, path, entry.size)
        return cast(BinaryIO, io.BufferedReader(reading, READ_AHEAD)), entry.size


class _Reading(io.RawIOBase):
    """An object, read from any place in it."""

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

    def readinto(self, buffer: Any) -> int:  # Any: what can be written into, as `io` has it
        data = self._storage.read(self._key, start=self._at, size=min(len(buffer), max(0, self._size - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _storage(job: Job, place: str) -> Storage:
    from pai_jupyter.cloud.session import need_session, session_for  # late: most jobs are of this machine

    ref = job.folder.read().ref
    data = ref.data if ref is not None and ref.backend == "pai" else {}
    address = data.get("address")
    if "region" not in data:
        return need_session().open_storage(place)
    session = session_for(
        str(data["region"]), str(address) if address else None, str(data.get("workspace") or "") or None
    )
    return session.open_storage(place)


def _of_entry(entry: os.DirEntry[str]) -> Json:
    """An entry as JSON; None: it has vanished meanwhile."""
    try:
        is_directory, status = entry.is_dir(follow_symlinks=False), entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return {
        "name": inside.shown(entry.name),
        "is_directory": is_directory,
        "size": status.st_size if entry.is_file(follow_symlinks=False) else 0,
        "modified": status.st_mtime,
    }


def _of_object(entry: Entry) -> Json:
    return {
        "name": inside.shown(entry.name),
        "is_directory": entry.is_directory,
        "size": entry.size,
        "modified": entry.modified,  # None: a directory, which is only the beginning of names
    }
