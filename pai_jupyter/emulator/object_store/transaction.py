"""Atomic changes of index and contents: commits the block of `changing`, then deletes files that are no longer used."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pai_jupyter.emulator.object_store.content import ContentStore
from pai_jupyter.emulator.object_store.index import ObjectIndex
from pai_jupyter.emulator.oss_protocol.model import Bucket, Object, Piece, check_key
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal


class StoreDirectory:
    """Index and contents of the store, in a directory that no other process uses."""

    def __init__(self, root: Path) -> None:
        self.contents = ContentStore(root / "content")
        self.index = ObjectIndex(root / "index.sqlite")
        self.contents.sweep(self.index.pieces())
        self._lock = threading.RLock()
        self._doomed: list[Piece] = []

    @contextmanager
    def reading(self) -> Iterator[ObjectIndex]:
        """Lock the index for reading, so that it does not change meanwhile."""
        with self._lock:
            yield self.index

    @contextmanager
    def changing(self) -> Iterator[ObjectIndex]:
        """Lock the index and run the block as a transaction, rolled back if it raises."""
        with self._lock:
            try:
                with self.index as index:
                    yield index
            except BaseException:
                self._doomed.clear()
                raise
            doomed, self._doomed = self._doomed, []
        self.contents.remove(doomed)

    def doom(self, pieces: tuple[Piece, ...]) -> None:
        """Delete these files after the transaction has been committed."""
        self._doomed += pieces

    def place(self, new: Object, *, replaces: bool = True) -> None:
        """Store an object's metadata within a transaction, replacing an object with the same key.

        Raises:
            OssRefusal: there is no such bucket, the key is invalid, or the object exists and must not be replaced.
        """
        old = self.find(new.bucket, new.key)
        if old is not None and not replaces:
            raise OssRefusal(409, "FileAlreadyExists")
        if old is not None:
            self.doom(tuple(set(old.content.pieces) - set(new.content.pieces)))
        self.index.put_object(new)

    def find(self, bucket: str, key: str) -> Object | None:
        """Find the object with this key, if any.

        Raises:
            OssRefusal: there is no such bucket, or the key is invalid.
        """
        self.bucket(bucket)
        check_key(key)
        with self._lock:
            return self.index.find(bucket, key)

    def bucket(self, name: str) -> Bucket:
        """Return the bucket of this name.

        Raises:
            OssRefusal: there is none.
        """
        with self._lock:
            found = self.index.bucket(name)
        if found is None:
            raise OssRefusal(404, "NoSuchBucket", BucketName=name)
        return found
