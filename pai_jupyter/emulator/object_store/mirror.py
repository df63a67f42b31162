"""Copy objects to a job's files, and its files to objects, as the cloud does by mounting a bucket.

`absorb` runs repeatedly while a job writes. The stamp (size, times, inode) of a file that equals its object is recorded, so
that it is not read again, even after a restart.

Rule 1: no stamp is recorded for a file changed within the last moment, since another change could leave the stamp the same.
Rule 2: a file that changes while it is read is left for the next call, so that no object mixes two versions.
Rule 3: names that cannot be a path or a key are left out and reported. A full disk is an error.
"""

import errno
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol

from pai_jupyter.emulator.object_store.content import BLOCK, ContentDraft, ContentReader
from pai_jupyter.emulator.object_store.listing import ListingPage
from pai_jupyter.emulator.object_store.transaction import StoreDirectory
from pai_jupyter.emulator.object_store.tree import File, OutputTree
from pai_jupyter.emulator.oss_protocol.model import Bucket, Object
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.errors import LimitExceededError, PaiJupyterError
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.storage.address import shown
from pai_jupyter.storage.disk import disk_errors, draft, place

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SETTLED = 0.05  # seconds; times of a file system may be in steps of 0.01 s


class MirroredStore(Protocol):
    """The methods of the store that a mirror uses."""

    def bucket(self, name: str) -> Bucket: ...
    def draft(self) -> ContentDraft: ...
    def put(self, bucket: str, key: str, draft: ContentDraft) -> Object: ...
    def find(self, bucket: str, key: str) -> Object | None: ...
    def open(self, bucket: str, key: str) -> tuple[Object, ContentReader]: ...
    def page(self, bucket: str, *, prefix: str, after: str) -> ListingPage: ...


class Mirror:
    """Copies between directories and buckets."""

    def __init__(self, store: MirroredStore, shelf: StoreDirectory, now: Callable[[], float]) -> None:
        self._store = store
        self._shelf = shelf
        self._now = now
        with shelf.changing() as index:
            index.drop_stamps_of_gone()
        self._locks: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)

    def materialise(self, bucket: str, prefix: str, to: Path) -> list[str]:
        """Implement `ObjectStore.materialise`."""
        self._store.bucket(bucket)
        with disk_errors(to):
            to.mkdir(parents=True, exist_ok=True)
        to, left_out = Path(os.path.realpath(to)), list[str]()
        stamps = self._stamps(to)
        for found, name in self._named(bucket, prefix):
            try:
                self._write(found, name, to, stamps)
            except LimitExceededError:
                raise
            except PaiJupyterError as exc:
                left_out.append(f"{shown(found.key)}: {exc}")
        return left_out

    def _stamps(self, directory: Path) -> dict[bytes, tuple[str, str]]:
        with self._shelf.reading() as index:
            return index.stamps(os.fsencode(directory))

    def _named(self, bucket: str, prefix: str) -> Iterator[tuple[Object, str]]:
        """Yield the objects at `prefix`, each with its path."""
        single = self._store.find(bucket, prefix) if prefix and not prefix.endswith("/") else None
        if single is not None:
            yield single, prefix.rpartition("/")[2]
            return
        prefix, after = _directory(prefix), ""
        while True:
            page = self._store.page(bucket, prefix=prefix, after=after)
            yield from ((found, found.key[len(prefix) :]) for found in page.objects if found.key != prefix)
            if page.next is None:
                return
            after = page.next

    def _write(self, found: Object, name: str, root: Path, stamps: Mapping[bytes, tuple[str, str]]) -> None:
        path = place(root, name)
        known = stamps.get(os.fsencode(path))
        if known is not None and known == (_stamp_of(path, found), found.content.etag):
            return  # the file already equals the object
        with disk_errors(path):
            (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            try:
                found = self._write_file(found, path)
            except OssRefusal:
                return  # the object was deleted meanwhile
        stamp = _stamp_of(path, found)
        if stamp is not None:  # None: the file was deleted meanwhile
            self._note(path, stamp, found.content.etag)

    def _write_file(self, found: Object, path: Path) -> Object:
        found, reading = self._store.open(found.bucket, found.key)  # its current version
        with reading, draft(path) as out:
            for block in reading.blocks():
                out.write(block)
        return found

    def absorb(self, directory: JobDirectory | Path, bucket: str, prefix: str) -> list[str]:
        """Implement `ObjectStore.absorb`."""
        self._store.bucket(bucket)
        tree = OutputTree(directory)
        with self._locks[tree.root]:  # an older version of a file must not be stored after a newer one
            stamps = self._stamps(tree.root)
            for file in tree.files():
                key = _directory(prefix) + file.key
                known, _ = stamps.get(os.fsencode(file.path), ("", ""))
                if known != _stamp(bucket, key, file.info):
                    self._take(file, bucket, key, tree)
        return tree.left_out

    def _take(self, file: File, bucket: str, key: str, tree: OutputTree) -> None:
        began = self._now()
        try:
            taken = self._store_file(file, bucket, key, tree)
        except OssRefusal as exc:
            tree.left_out.append(f"{shown(file.key)}: {exc.message}")
        except OSError as exc:
            if exc.errno in _FULL:
                raise LimitExceededError("the disk is too full for the objects of the emulator.") from exc
            tree.leave_out(file.key, exc)
        else:
            if taken is None:
                tree.left_out.append(f"{shown(file.key)}: it changed while it was read.")
            elif began - max(taken[0].st_mtime, taken[0].st_ctime) > _SETTLED:
                self._note(file.path, _stamp(bucket, key, taken[0]), taken[1].content.etag)

    def _store_file(self, file: File, bucket: str, key: str, tree: OutputTree) -> tuple[os.stat_result, Object] | None:
        """Store a file; return its status and the object, or None if it changed while it was read."""
        body, info = self._store.draft(), file.info
        try:
            if not key.endswith("/"):
                with tree.opened(file) as source:
                    if not _copy(source, body):
                        return None
                    info = os.fstat(source.fileno())
            return info, self._store.put(bucket, key, body)
        finally:
            body.discard()

    def _note(self, path: Path, stamp: str, etag: str) -> None:
        with self._shelf.changing() as index:
            index.put_stamp(os.fsencode(path), stamp, etag)


def _copy(source: BinaryIO, body: ContentDraft) -> bool:
    """Copy a file; return whether it stayed unchanged meanwhile."""
    before = os.fstat(source.fileno())
    while block := source.read(BLOCK):
        body.write(block)
    return _looks(before) == _looks(os.fstat(source.fileno())) and body.size == before.st_size


def _stamp_of(path: Path, found: Object) -> str | None:
    try:
        return _stamp(found.bucket, found.key, path.stat())
    except OSError:
        return None


def _stamp(bucket: str, key: str, info: os.stat_result) -> str:
    if key.endswith("/"):
        return f"{bucket}/{key}"  # a directory has nothing that can change
    return f"{bucket}/{key} {_looks(info)}"


def _looks(info: os.stat_result) -> str:
    return f"{info.st_size} {info.st_mtime_ns} {info.st_ctime_ns} {info.st_ino}"


def _directory(prefix: str) -> str:
    return prefix if not prefix or prefix.endswith("/") else prefix + "/"
