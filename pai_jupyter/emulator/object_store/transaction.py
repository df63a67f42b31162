"""Index and contents as one: what is said in `changing` happens as a whole, then what nothing needs any more is removed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pai_jupyter.emulator.object_store.content import ContentStore
from pai_jupyter.emulator.object_store.index import ObjectIndex
from pai_jupyter.emulator.oss_protocol.model import Bucket, Object, Piece, check_key
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal


class Shelf:
    """What the store keeps, below a directory that it has to itself."""

    def __init__(self, root: Path) -> None:
        self.contents = ContentStore(root / "content")
        self.index = ObjectIndex(root / "index.sqlite")
        self.contents.sweep(self.index.pieces())
        self._lock = threading.RLock()
        self._doomed: list[Piece] = []

    @contextmanager
    def reading(self) -> Iterator[ObjectIndex]:
        """Hold the index for reading; nobody changes it meanwhile."""
        with self._lock:
            yield self.index

    @contextmanager
    def changing(self) -> Iterator[ObjectIndex]:
        """Hold the index for a transaction: all that the block does, or nothing if it fails."""
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
        """Remove these when the change is made."""
        self._doomed += pieces

    def place(self, new: Object, *, replaces: bool = True) -> None:
        """Within a change, put the object in the place of the one with its key.

        Raises:
            Refusal: there is no such bucket, it can be no key, or there is one and it is not to be replaced.
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
            Refusal: there is no such bucket, or it can be no key.
        """
        self.bucket(bucket)
        check_key(key)
        with self._lock:
            return self.index.find(bucket, key)

    def bucket(self, name: str) -> Bucket:
        """Return the bucket of this name.

        Raises:
            Refusal: there is none.
        """
        with self._lock:
            found = self.index.bucket(name)
        if found is None:
            raise OssRefusal(404, "NoSuchBucket", BucketName=name)
        return found
