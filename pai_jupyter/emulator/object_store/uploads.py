"""Multipart uploads: each part is separate content; completing an upload joins them without copying bytes."""

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from pai_jupyter.emulator.object_store.content import ContentDraft
from pai_jupyter.emulator.object_store.transaction import StoreDirectory
from pai_jupyter.emulator.oss_protocol.checksum import combined
from pai_jupyter.emulator.oss_protocol.model import Acl, Content, MultipartUpload, Object, Piece, UploadedPart
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal

SMALLEST_PART = 100 * 1024  # bytes; the last one may be smaller
MOST_PARTS = 10_000


class Uploads:
    """The uploads of all buckets."""

    def __init__(self, shelf: StoreDirectory, now: Callable[[], float]) -> None:
        self._shelf = shelf
        self._now = now

    def begin(
        self,
        bucket: str,
        key: str,
        *,
        headers: Mapping[str, str] | None = None,
        acl: Acl | None = None,
        replaces: bool = True,
    ) -> MultipartUpload:
        """Begin an upload of an object."""
        upload = MultipartUpload(
            upload_id=secrets.token_hex(16).upper(),
            bucket=bucket,
            key=key,
            headers=headers or {},
            acl=acl,
            begun=int(self._now()),
        )
        with self._shelf.changing() as index:
            if self._shelf.find(bucket, key) is not None and not replaces:
                raise OssRefusal(409, "FileAlreadyExists")
            index.put_upload(upload)
        return upload

    def get(self, bucket: str, key: str, upload_id: str) -> MultipartUpload:
        """Return the upload of this object.

        Raises:
            OssRefusal: NoSuchUpload.
        """
        with self._shelf.reading() as index:
            self._shelf.bucket(bucket)
            found = index.upload(upload_id)
        if found is None or (found.bucket, found.key) != (bucket, key):
            raise OssRefusal(404, "NoSuchUpload", UploadId=upload_id)
        return found

    def of(self, bucket: str) -> list[MultipartUpload]:
        """List the uploads of a bucket by key, then by id."""
        with self._shelf.reading() as index:
            self._shelf.bucket(bucket)
            return index.uploads(bucket)

    def put_part(self, bucket: str, key: str, upload_id: str, number: int, draft: ContentDraft) -> UploadedPart:
        """Store the draft as a part, replacing an earlier part with the same number."""
        if not 1 <= number <= MOST_PARTS:
            raise OssRefusal(400, "InvalidArgument", ArgumentName="partNumber", ArgumentValue=str(number))
        part = UploadedPart(number=number, content=draft.content(), modified=int(self._now()))
        with self._shelf.changing() as index:
            self.get(bucket, key, upload_id)
            old = index.part(upload_id, number)
            if old is not None:
                self._shelf.doom(old.content.pieces)
            index.put_part(upload_id, part)
        draft.adopt()
        return part

    def parts(self, bucket: str, key: str, upload_id: str) -> list[UploadedPart]:
        """List the parts by number."""
        with self._shelf.reading() as index:
            self.get(bucket, key, upload_id)
            return index.parts(upload_id)

    def abort(self, bucket: str, key: str, upload_id: str) -> None:
        """Abort an upload and delete its parts."""
        with self._shelf.changing() as index:
            for part in self.parts(bucket, key, upload_id):
                self._shelf.doom(part.content.pieces)
            index.drop_upload(upload_id)

    def complete(
        self, bucket: str, key: str, upload_id: str, named: Sequence[tuple[int, str]] | None, *, replaces: bool = True
    ) -> Object:
        """Join the parts `named` by number and ETag, by default all, to an object; delete the other parts."""
        with self._shelf.changing() as index:
            upload, parts = self.get(bucket, key, upload_id), index.parts(upload_id)
            chosen = parts if named is None else _chosen(parts, named)
            if not chosen:
                raise OssRefusal(400, "InvalidPart")
            if any(part.content.size < SMALLEST_PART for part in chosen[:-1]):
                raise OssRefusal(400, "EntityTooSmall", MinSizeAllowed=str(SMALLEST_PART))
            placed = Object(
                bucket=bucket,
                key=key,
                content=_joined([part.content for part in chosen]),
                kind="Multipart",
                headers=upload.headers,
                acl=upload.acl,
                modified=int(self._now()),
            )
            self._shelf.place(placed, replaces=replaces)
            self._shelf.doom(_left(parts, placed.content.pieces))
            index.drop_upload(upload_id)
        return placed


def _chosen(parts: Sequence[UploadedPart], named: Sequence[tuple[int, str]]) -> list[UploadedPart]:
    there = {part.number: part for part in parts}
    for number, etag in named:
        if number not in there or there[number].content.etag != etag:
            raise OssRefusal(400, "InvalidPart", PartNumber=str(number), ETag=etag)
    if any(number >= following for (number, _), (following, _) in pairwise(named)):
        raise OssRefusal(400, "InvalidPartOrder")
    return [there[number] for number, _ in named]


def _joined(contents: Sequence[Content]) -> Content:
    digest = hashlib.md5(b"".join(bytes.fromhex(content.etag) for content in contents), usedforsecurity=False)
    crc = 0
    for content in contents:
        crc = combined(crc, content.crc, content.size)
    pieces = tuple(piece for content in contents for piece in content.pieces)
    return Content(pieces=pieces, etag=f"{digest.hexdigest().upper()}-{len(contents)}", crc=crc)


def _left(parts: Sequence[UploadedPart], kept: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return tuple({piece for part in parts for piece in part.content.pieces} - set(kept))
