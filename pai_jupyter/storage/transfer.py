"""Upload files and directories to a storage and download them.

Rule 1: a file that the target has with the same size and checksum is not moved again. A directory of unchanged files costs a
    listing, not a request per file.
Rule 2: all keys of a directory are checked before the first file is written: none may leave it.
Rule 3: small files are moved by several threads at once; large ones one after the other, each with its own threads.
"""

import os
import threading
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pai_jupyter.errors import NotFoundError
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import FoundFile, disk_errors, place, size_of, sweep, walk
from pai_jupyter.storage.opening import open_storage, scheme_of
from pai_jupyter.storage.progress import Note, Report, TransferProgress, each
from pai_jupyter.storage.protocol import LARGE, Credentials, Entry, Storage

if TYPE_CHECKING:
    from pai_jupyter.storage.hdfs import HdfsAccess

THREADS = 8


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


T = TypeVar("T", bound=_Sized)


def upload(
    path: str | os.PathLike[str],
    uri: str,
    *,
    credentials: Credentials | None = None,
    endpoint: str | None = None,
    region: str | None = None,
    hdfs: "HdfsAccess | None" = None,
    progress: Report | None = None,
    note: Note | None = None,
    cancel: threading.Event | None = None,
) -> str:
    """Copy a file to `uri` (into it if it ends with a slash), or the content of a directory to below `uri`.

    Returns the address of the copy. `progress` receives bytes done and total bytes, from several threads but never two at once.
    `note` receives what the transfer waits for, if it waits. Setting `cancel` ends it; the next call resumes it, as after a kill.

    Raises:
        TransferCancelled: `cancel` was set.
        PaiJupyterError: anything else that prevents a complete copy.
    """
    source, watched = Path(path).expanduser(), TransferProgress(progress, cancel, note=note)
    opened = partial(open_storage, credentials=credentials, endpoint=endpoint, region=region, hdfs=hdfs)
    if source.is_dir():
        storage = opened(uri)
        _upload_all(walk(source), storage, watched)
        return storage.uri
    if not source.is_file():
        raise NotFoundError(f"there is no file or directory {shown(str(path))} to upload. Check the path.")
    above, name = _split(uri)
    if not name or (not scheme_of(uri) and Path(uri).expanduser().is_dir()):
        above, name = uri, source.name
    storage = opened(above)
    watched.expect(size_of(source))
    _upload_file(storage, name, source, storage.head(name), watched)
    return storage.uri + name


def download(
    uri: str,
    path: str | os.PathLike[str],
    *,
    credentials: Credentials | None = None,
    endpoint: str | None = None,
    region: str | None = None,
    hdfs: "HdfsAccess | None" = None,
    without: Collection[str] = (),
    progress: Report | None = None,
    note: Note | None = None,
    cancel: threading.Event | None = None,
) -> Path:
    """Copy the object at `uri` to the file `path` (into it if it is a directory), or all below `uri` to below `path`.

    `without`: names directly below `uri` to leave out.

    Returns the path of the copy; otherwise like `upload`. A file appears once it is complete and verified.

    Raises:
        NotFoundError: there is nothing at `uri`.
        TransferCancelled: `cancel` was set.
        PaiJupyterError: anything else that prevents a complete copy.
    """
    to, watched = Path(path).expanduser(), TransferProgress(progress, cancel, note=note)
    opened = partial(open_storage, credentials=credentials, endpoint=endpoint, region=region, hdfs=hdfs)
    above, name = _split(uri.removesuffix("/"))
    storage = opened(above)
    found = storage.head(name) if name and not uri.endswith("/") else None
    if found is not None:
        to = to / name if to.is_dir() or os.fspath(path).endswith("/") else to
        watched.expect(found.size)
        _make(to.parent)
        _download_file(storage, found, to, watched)
        return to
    below = opened(uri)
    entries = list(below.list(recursive=True))
    if not entries and name and storage.head(name + "/") is None:
        raise NotFoundError(f"there is nothing at {shown(uri)}. Check the address, upper and lower case included.")
    wanted = [entry for entry in entries if entry.key.partition("/")[0] not in without] if without else entries
    _download_all(below, wanted, to, watched)
    return to


def _upload_all(sources: list[FoundFile], storage: Storage, progress: TransferProgress) -> None:
    there = {entry.key: entry for entry in storage.list(recursive=True)}
    progress.expect(sum(source.size for source in sources))

    def upload_one(source: FoundFile) -> None:
        if not source.key.endswith("/"):
            _upload_file(storage, source.key, source.path, there.get(source.key), progress)
        elif source.key not in there:
            storage.put(source.key, b"")

    _spread(upload_one, sources, progress)


def _download_all(storage: Storage, entries: list[Entry], root: Path, progress: TransferProgress) -> None:
    places = {entry.key: place(root, entry.key) for entry in entries}
    progress.expect(sum(entry.size for entry in entries))
    for directory in {path if key.endswith("/") else path.parent for key, path in places.items()} | {root}:
        _make(directory)
    files = [entry for entry in entries if not entry.is_directory]
    _spread(lambda entry: _download_file(storage, entry, places[entry.key], progress), files, progress)


def _spread(action: Callable[[T], None], items: list[T], progress: TransferProgress) -> None:
    each(action, (item for item in items if item.size <= LARGE), workers=THREADS, progress=progress)
    for item in items:
        if item.size > LARGE:
            action(item)


def _upload_file(storage: Storage, key: str, path: Path, there: Entry | None, progress: TransferProgress) -> None:
    """Upload the file unless the object `there` is the same."""
    size = size_of(path)
    if there is not None and there.size == size and storage.holds(key, path, listed=there, progress=progress):
        progress.add(size)
    else:
        storage.put(key, path, progress=progress)


def _download_file(storage: Storage, entry: Entry, to: Path, progress: TransferProgress) -> None:
    if to.is_file() and size_of(to) == entry.size and storage.holds(entry.key, to, listed=entry, progress=progress):
        progress.add(entry.size)
    else:
        storage.get(entry.key, to, listed=entry, progress=progress)


def _make(directory: Path) -> None:
    """Create the directory to download into, and delete drafts of killed downloads."""
    with disk_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
    sweep(directory)


def _split(uri: str) -> tuple[str, str]:
    """Split `uri` into its directory and its last name; no name for a whole bucket."""
    scheme = scheme_of(uri)
    start = len(scheme) + len("://") if scheme else 0
    above, slash, name = uri[start:].rpartition("/")
    if scheme and not slash:
        return uri + "/", ""
    return uri[:start] + (above + slash or "."), name
