"""The storage explorer: what lies in the outputs of jobs and in buckets, by address. Blocking; each runs on a thread.

    job:                          the jobs that have a folder here, the newest first
    job:<id>/<channel>/<path>     what a job has written, wherever its outputs lie
    oss://bucket/key              what is in OSS, with the key of this process's session

Rule 1: the address of a directory ends with a slash. One that was given out can be asked for again, whatever bytes are in
    its names: in those of jobs they stand as %XX, and a % as %25.
Rule 2: what a job writes is read, and deleted when the job has ended; nothing is put there from outside.
Rule 3: a place itself, be it a bucket, a job or a channel, is never deleted here.
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
from pai_jupyter.wire.files.uri_resolver import KINDS, Spot, encodable, find_spot
from pai_jupyter.wire.schema.limits import MOST_ENTRIES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import PreviewAnswer, StorageAnswer, StoredEntry


def listing(uri: str = "", after: str = "") -> "StorageAnswer":
    """List a directory, or the places to start at if `uri` is "" (`StorageAnswer` of the wire).

    Raises:
        SpecError, NotFoundError, BackendError: as everything here.
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
    """Remove a file, or a directory with all that is in it; how many files that were.

    With a slash at its end the address is that of a directory alone.
    """
    spot = _named(uri)
    if spot.kept_because:
        raise PaiJupyterError(f"nothing was deleted: {spot.kept_because}")
    return spot.root.remove(spot.path, is_directory=uri.endswith("/"))


def check_target(uri: str) -> None:
    """Refuse to put a file at `uri`, before it is sent; nothing is asked of a service."""
    _store(_named(uri))
    if uri.endswith("/"):
        raise SpecError("this is the address of a directory. Give the file a name behind it.", field="uri")


def put_at(uri: str, source: Path, cancel: Event) -> "StoredEntry":
    """Put a whole file there, in the place of what is there, verified by the storage; returns its `StoredEntry`.

    Raises:
        TransferCancelled: `cancel` was set; then what was there is there still.
    """
    spot = _named(uri)
    _store(spot).put(spot.path, source, progress=TransferProgress(cancel=cancel, is_resumed=False))
    return _told(spot, spot.path)


def make_folder_at(uri: str) -> "StoredEntry":
    """Make a directory, be it there or not; returns its `StoredEntry`."""
    spot = _named(uri)
    _store(spot).put(f"{spot.path}/", b"")
    return _told(spot, f"{spot.path}/")


def _named(uri: str) -> Spot:
    """Find what `uri` names inside a place.

    Raises:
        SpecError: the address is that of the place itself.
    """
    spot = find_spot(uri)
    if not spot.path:
        raise SpecError(f"{uri[:100]!r} is a place itself. Name something that is in it.", field="uri")
    path_guard.checked(spot.path)
    return spot


def _store(spot: Spot) -> Storage:
    if spot.store is None:
        raise SpecError("nothing is put into the outputs of jobs. Choose a directory of a bucket.", field="uri")
    return spot.store


def _told(spot: Spot, key: str) -> "StoredEntry":
    found = _store(spot).head(key)
    if found is None:
        raise NotFoundError(f"what was just put at {path_guard.shown(spot.path)!r} is gone: somebody has deleted it.")
    item = Item(name=found.name, is_directory=found.is_directory, size=found.size, modified=found.modified)
    return _entry(item, spot, spot.path)


def _places() -> "StorageAnswer":
    entries: list[StoredEntry] = []
    notes: list[str] = []
    for kind in KINDS.values():
        try:
            for name, uri in kind.places().items():
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


def _entry(item: Item, spot: Spot, path: str) -> "StoredEntry":
    return {**item.to_json(), "uri": spot.uri_of(path, is_directory=item.is_directory)}
