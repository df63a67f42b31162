"""Buckets and objects on the disk of this machine, as OSS keeps them: for the HTTP side, and for the jobs of the emulator.

Rule 1: each method happens as a whole, whatever other threads do, and whenever the emulator is killed.
Rule 2: what OSS would refuse is a `OssRefusal` with its code, also towards jobs: their user reads what the cloud would say.
Rule 3: bytes go from and to the disk in blocks; how large an object is makes no difference to the memory.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pai_jupyter.emulator.object_store import listing
from pai_jupyter.emulator.object_store.content import ContentDraft, ContentReader
from pai_jupyter.emulator.object_store.mirror import Mirror
from pai_jupyter.emulator.object_store.transaction import Shelf
from pai_jupyter.emulator.object_store.uploads import Uploads
from pai_jupyter.emulator.oss_protocol.checksum import combined
from pai_jupyter.emulator.oss_protocol.model import Acl, Bucket, Content, Object, check_bucket_name
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.path_guard import JobDirectory


class ObjectStore:
    """All buckets of an emulator, in a directory that is its alone."""

    def __init__(self, root: Path, *, now: Callable[[], float] = time.time) -> None:
        self._shelf = Shelf(root)
        self._now = now
        self._mirror = Mirror(self, self._shelf, now)
        self.uploads = Uploads(self._shelf, now)

    def close(self) -> None:
        with self._shelf.reading() as index:
            index.close()

    def exists(self, bucket: str) -> bool:
        with self._shelf.reading() as index:
            return index.bucket(bucket) is not None

    def bucket(self, name: str) -> Bucket:
        """Return the bucket of this name.

        Raises:
            Refusal: NoSuchBucket.
        """
        return self._shelf.bucket(name)

    def buckets(self) -> list[Bucket]:
        """List all buckets by name."""
        with self._shelf.reading() as index:
            return index.buckets()

    def create_bucket(self, name: str, acl: Acl | None = None) -> None:
        """Make it, or change who has access to it; without `acl` one that is there stays as it is."""
        check_bucket_name(name)
        with self._shelf.changing() as index:
            old = index.bucket(name)
            if old is None:
                index.put_bucket(Bucket(name=name, acl=acl or "private", created=int(self._now())))
            elif acl is not None:
                index.put_bucket(replace(old, acl=acl))

    def remove_bucket(self, name: str) -> None:
        """Remove a bucket with nothing in it; uploads in parts count as something."""
        with self._shelf.changing() as index:
            self._shelf.bucket(name)
            if index.uploads(name) or self.page(name, limit=1).objects:
                raise OssRefusal(409, "BucketNotEmpty", BucketName=name)
            index.drop_bucket(name)

    def draft(self, data: bytes = b"") -> ContentDraft:
        """Content to be written, then handed to `put` or `append`, or to an upload."""
        return self._shelf.contents.draft(data)

    def put(
        self,
        bucket: str,
        key: str,
        draft: ContentDraft,
        *,
        headers: Mapping[str, str] | None = None,
        acl: Acl | None = None,
        replaces: bool = True,
    ) -> Object:
        """Make the draft an object, in place of the one with this key."""
        placed = Object(
            bucket=bucket,
            key=key,
            content=draft.content(),
            kind="Normal",
            headers=headers or {},
            acl=acl,
            modified=int(self._now()),
        )
        with self._shelf.changing():
            self._shelf.place(placed, replaces=replaces)
        draft.adopt()
        return placed

    def append(
        self,
        bucket: str,
        key: str,
        position: int,
        draft: ContentDraft,
        *,
        headers: Mapping[str, str],
        acl: Acl | None = None,
    ) -> Object:
        """Add the draft to the end of an object, which is at `position`; at 0 one is made, which alone takes the headers."""
        added = draft.content()
        with self._shelf.changing():
            old = self._shelf.find(bucket, key)
            if old is not None and old.kind != "Appendable":
                raise OssRefusal(409, "ObjectNotAppendable")
            size = old.content.size if old else 0
            if position != size:
                refusal = OssRefusal(409, "PositionNotEqualToLength")
                raise refusal.with_headers(x_oss_next_append_position=str(size))
            placed = Object(
                bucket=bucket,
                key=key,
                content=_joined(old.content, added) if old else added,
                kind="Appendable",
                headers=old.headers if old else headers,
                acl=old.acl if old else acl,
                modified=int(self._now()),
            )
            self._shelf.place(placed)
        draft.adopt()
        return placed

    def copy(
        self,
        source: Object,
        bucket: str,
        key: str,
        *,
        headers: Mapping[str, str],
        acl: Acl | None = None,
        replaces: bool = True,
    ) -> Object:
        """Make a copy of `source`, which must be open for reading. No byte is copied, and it may be its own copy."""
        content = self._shelf.contents.link(source.content)
        placed = replace(
            source,
            bucket=bucket,
            key=key,
            content=content,
            kind="Multipart" if source.kind == "Multipart" else "Normal",
            headers=headers,
            acl=acl,
            modified=int(self._now()),
        )
        try:
            with self._shelf.changing():
                self._shelf.place(placed, replaces=replaces)
        except OssRefusal:
            self._shelf.contents.remove(content.pieces)
            raise
        return placed

    def set_object_acl(self, bucket: str, key: str, acl: Acl | None) -> None:
        """Change who has access; None: as the bucket's."""
        with self._shelf.changing():
            self._shelf.place(replace(self.get(bucket, key), acl=acl))

    def set_headers(self, bucket: str, key: str, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
        """Change what comes back with the object."""
        with self._shelf.changing():
            found = self.get(bucket, key)
            self._shelf.place(replace(found, headers=change(found.headers)))

    def find(self, bucket: str, key: str) -> Object | None:
        """Return the object with this key, or None."""
        return self._shelf.find(bucket, key)

    def get(self, bucket: str, key: str) -> Object:
        """Return the object with this key.

        Raises:
            Refusal: NoSuchKey.
        """
        found = self._shelf.find(bucket, key)
        if found is None:
            raise OssRefusal(404, "NoSuchKey", Key=key)
        return found

    def open(self, bucket: str, key: str) -> tuple[Object, ContentReader]:
        """Open the object; its bytes stay readable until closed, even if it is replaced or deleted."""
        with self._shelf.reading():
            found = self.get(bucket, key)
            return found, self._shelf.contents.open(found.content)

    def delete(self, bucket: str, key: str) -> None:
        """Remove the object; one that is not there is no error."""
        with self._shelf.changing() as index:
            found = self._shelf.find(bucket, key)
            if found is not None:
                index.drop_object(bucket, key)
                self._shelf.doom(found.content.pieces)

    def page(
        self, bucket: str, *, prefix: str = "", delimiter: str = "", after: str = "", limit: int = 1000
    ) -> listing.ListingPage:
        """Return a page of the bucket's listing."""
        with self._shelf.reading() as index:
            self._shelf.bucket(bucket)
            return listing.page(
                lambda start, end: index.objects(bucket, start, end),
                prefix=prefix,
                delimiter=delimiter,
                after=after,
                limit=limit,
            )

    def materialise(self, bucket: str, prefix: str, to: Path) -> list[str]:
        """Write the objects below `prefix` as files below `to`; or, if it names an object, that one, into `to`.

        A file appears under its name when it is whole. Returns what was left out, a sentence each: keys that are no safe
        paths, or names that the disk does not take.
        """
        return self._mirror.materialise(bucket, prefix, to)

    def absorb(self, directory: JobDirectory | Path, bucket: str, prefix: str) -> list[str]:
        """Store the files below `directory` as objects below `prefix`, as far as they changed since they were last the same.

        Files that were removed stay objects; an object that was deleted or replaced meanwhile stays so until its file
        changes. Returns what was left out, a sentence each: links that lead out, names that can be no keys, files that
        change at this moment, which the next call takes.
        """
        return self._mirror.absorb(directory, bucket, prefix)


def _joined(first: Content, second: Content) -> Content:
    # The ETag of an appendable object changes with each append, and says nothing of the bytes.
    etag = hashlib.md5(f"{first.etag}{second.etag}".encode(), usedforsecurity=False).hexdigest().upper()
    crc = combined(first.crc, second.crc, second.size)
    return Content(pieces=first.pieces + second.pieces, etag=etag, crc=crc)
