"""Buckets and objects on the local disk, with the rules of OSS, for HTTP requests and for the emulator's jobs.

Rule 1: each method is atomic, for other threads and if the emulator is killed.
Rule 2: what OSS would refuse raises `OssRefusal` with OSS's code, for jobs, too: their users get the cloud's message.
Rule 3: bytes are read and written in blocks, so memory does not depend on an object's size.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pai_jupyter.emulator.object_store import listing
from pai_jupyter.emulator.object_store.content import ContentDraft, ContentReader
from pai_jupyter.emulator.object_store.mirror import Mirror
from pai_jupyter.emulator.object_store.transaction import StoreDirectory
from pai_jupyter.emulator.object_store.uploads import Uploads
from pai_jupyter.emulator.oss_protocol.checksum import combined
from pai_jupyter.emulator.oss_protocol.model import Acl, Bucket, Content, Object, check_bucket_name
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.path_guard import JobDirectory


class ObjectStore:
    """All buckets of an emulator, in a directory that no other process uses."""

    def __init__(self, root: Path, *, now: Callable[[], float] = time.time) -> None:
        self._shelf = StoreDirectory(root)
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
            OssRefusal: NoSuchBucket.
        """
        return self._shelf.bucket(name)

    def buckets(self) -> list[Bucket]:
        """List all buckets by name."""
        with self._shelf.reading() as index:
            return index.buckets()

    def create_bucket(self, name: str, acl: Acl | None = None) -> None:
        """Create a bucket, or change the ACL of an existing one; without `acl` an existing one stays as it is."""
        check_bucket_name(name)
        with self._shelf.changing() as index:
            old = index.bucket(name)
            if old is None:
                index.put_bucket(Bucket(name=name, acl=acl or "private", created=int(self._now())))
            elif acl is not None:
                index.put_bucket(replace(old, acl=acl))

    def remove_bucket(self, name: str) -> None:
        """Delete an empty bucket; one with unfinished uploads is not empty."""
        with self._shelf.changing() as index:
            self._shelf.bucket(name)
            if index.uploads(name) or self.page(name, limit=1).objects:
                raise OssRefusal(409, "BucketNotEmpty", BucketName=name)
            index.drop_bucket(name)

    def draft(self, data: bytes = b"") -> ContentDraft:
        """Create content to write, for `put`, `append` or an upload."""
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
        """Store the draft as an object, replacing an existing one with this key."""
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
        """Append the draft to an object of exactly `position` bytes; only position 0 creates it, with the headers."""
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
        """Copy `source`, which must be open for reading, by links; source and target may be the same."""
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
        """Change the ACL of an object; None = that of its bucket."""
        with self._shelf.changing():
            self._shelf.place(replace(self.get(bucket, key), acl=acl))

    def set_headers(self, bucket: str, key: str, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> None:
        """Change the stored headers of an object."""
        with self._shelf.changing():
            found = self.get(bucket, key)
            self._shelf.place(replace(found, headers=change(found.headers)))

    def find(self, bucket: str, key: str) -> Object | None:
        """Return the object with this key, or None."""
        return self._shelf.find(bucket, key)

    def get(self, bucket: str, key: str) -> Object:
        """Return the object with this key.

        Raises:
            OssRefusal: NoSuchKey.
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
        """Delete the object, if it exists."""
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
        """Write the objects below `prefix` as files below `to`; if `prefix` names an object, only that one, into `to`.

        A file gets its name when it is complete. Returns what was left out, a sentence each: keys that are not safe paths,
        and names that the disk refuses.
        """
        return self._mirror.materialise(bucket, prefix, to)

    def absorb(self, directory: JobDirectory | Path, bucket: str, prefix: str) -> list[str]:
        """Store the files below `directory` as objects below `prefix`, if they changed since they last equalled their objects.

        Deleting a file does not delete its object; a deleted or replaced object is restored only when its file changes.
        Returns what was left out, a sentence each: links out of the directory, names that cannot be keys, and files that
        change while they are read, which the next call stores.
        """
        return self._mirror.absorb(directory, bucket, prefix)


def _joined(first: Content, second: Content) -> Content:
    # The ETag of an appendable object changes with each append, but is not a checksum of its bytes.
    etag = hashlib.md5(f"{first.etag}{second.etag}".encode(), usedforsecurity=False).hexdigest().upper()
    crc = combined(first.crc, second.crc, second.size)
    return Content(pieces=first.pieces + second.pieces, etag=etag, crc=crc)
