"""The storage explorer: files in the outputs of jobs and in buckets, by address. Blocking: call it on a thread.

    job:                          jobs that have a folder on this machine, newest first
    job:<id>/<channel>/<path>     a job's outputs, wherever they are stored
    oss://bucket/key              objects in OSS, read with the key of this process's session
    hdfs://host/path              files in HDFS, read as the user of this process's settings, or of the cluster there

Rule 1: the address of a directory ends with a slash. Every address given out can be sent back, whatever bytes its names
    have: in `job:` addresses special bytes are written %XX, and a % as %25.
Rule 2: outputs of a job can be read, and deleted once the job has ended; nothing can be uploaded there.
Rule 3: buckets, jobs and channels themselves are never deleted here, only what is in them.
"""

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, BinaryIO

from pai_jupyter import path_guard
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.storage import Storage
from pai_jupyter.storage.progress import TransferProgress
from pai_jupyter.wire.files.file_roots import Item
from pai_jupyter.wire.files.output_files import preview
from pai_jupyter.wire.files.uri_resolver import KINDS, ResolvedUri, encodable, find_spot
from pai_jupyter.wire.schema.limits import MOST_ENTRIES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import PreviewAnswer, StorageAnswer, StoredEntry


def listing(uri: str = "", after: str = "") -> "StorageAnswer":
    """List a directory, or the places to start at if `uri` is ""; `after` continues a long listing.

    Raises:
        SpecError: the address is invalid.
        NotFoundError: there is no such directory.
        BackendError: the storage cannot be reached, or refuses.
    """
    if not uri:
        return _places()
    spot = find_spot(uri)
    with path_guard.reading(spot.uri):
        page = spot.root.page(spot.path, MOST_ENTRIES, encodable(after, field="after"))
    return {
        "uri": spot.uri,
        "parent": spot.parent,
        "can_write": spot.store is not None,
        "can_delete": not spot.kept_because,
        "entries": [_entry(item, spot, spot.below(item.name)) for item in page.items],
        "after": page.after,
        "notes": list(page.notes),
    }


def preview_at(uri: str) -> "tuple[PreviewAnswer, tuple[bytes, ...]]":
    """Return the beginning of a file (`PreviewAnswer`), and an image's bytes."""
    spot = _named(uri)
    with path_guard.reading(uri):
        about, buffers = preview(spot.root, spot.path)
    return {"uri": uri, **about}, buffers


def open_at(uri: str) -> tuple[BinaryIO, int]:
    """Open a file for reading and return it with its size in bytes; the caller closes it."""
    spot = _named(uri)
    return spot.root.open(spot.path)


def remove_at(uri: str) -> int:
    """Delete a file, or a directory with everything in it; return the number of files deleted.

    An address that ends with a slash names a directory only.
    """
    spot = _named(uri)
    if spot.kept_because:
        raise PaiJupyterError(f"nothing was deleted: {spot.kept_because}")
    return spot.root.remove(spot.path, is_directory=uri.endswith("/"))


def check_target(uri: str) -> None:
    """Check, without a request, that a file may be uploaded to `uri`.

    Raises:
        SpecError: nothing can be uploaded there.
    """
    _store(_named(uri))
    if uri.endswith("/"):
        raise SpecError("this is the address of a directory. Append the file's name.", field="uri")


def put_at(uri: str, source: Path, cancel: Event) -> "StoredEntry":
    """Upload a file, replacing an existing one, and return its entry; the storage verifies the content.

    Raises:
        TransferCancelled: `cancel` was set; an existing file is unchanged.
    """
    spot = _named(uri)
    _store(spot).put(spot.path, source, progress=TransferProgress(cancel=cancel, is_resumed=False))
    return _told(spot, spot.path)


def make_folder_at(uri: str) -> "StoredEntry":
    """Create a directory, if it does not exist yet, and return its entry."""
    spot = _named(uri)
    _store(spot).put(f"{spot.path}/", b"")
    return _told(spot, f"{spot.path}/")


def _named(uri: str) -> ResolvedUri:
    """Resolve an address inside a bucket or channel.

    Raises:
        SpecError: it is the address of the bucket, job or channel itself.
    """
    spot = find_spot(uri)
    if not spot.path:
        raise SpecError(
            f"{uri[:100]!r} is a bucket, a whole HDFS, a job or a channel. Name a file or directory in it.", field="uri"
        )
    path_guard.checked(spot.path)
    return spot


def _store(spot: ResolvedUri) -> Storage:
    if spot.store is None:
        raise SpecError(
            "files cannot be uploaded into the outputs of jobs. Choose a directory of a bucket or of HDFS.", field="uri"
        )
    return spot.store


def _told(spot: ResolvedUri, key: str) -> "StoredEntry":
    found = _store(spot).head(key)
    if found is None:
        raise NotFoundError(f"{path_guard.shown(spot.path)!r} was uploaded, but has been deleted since.")
    item = Item(name=found.name, is_directory=found.is_directory, size=found.size, modified=found.modified)
    return _entry(item, spot, spot.path)


def _places() -> "StorageAnswer":
    entries: list[StoredEntry] = []
    notes: list[str] = []
    for kind in KINDS.values():
        try:
            for name, uri in kind.places():
                entries.append({**Item(name=name, is_directory=True).to_json(), "uri": uri})
        except PaiJupyterError as exc:
            notes.append(str(exc))
    return {
        "uri": "",
        "parent": None,
        "can_write": False,
        "can_delete": False,
        "entries": entries,
        "after": None,
        "notes": notes,
    }


def _entry(item: Item, spot: ResolvedUri, path: str) -> "StoredEntry":
    return {**item.to_json(), "uri": spot.uri_of(path, is_directory=item.is_directory)}
