"""Buckets, objects and uploads of the store, as values. No I/O.

Rule 1: an object's bytes never change; a new version has new `Content`. An append adds a piece, a copy links the pieces.
Rule 2: checksums are those of OSS: ETag in upper-case hexadecimal, CRC-64 of the whole object.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal

Acl = Literal["private", "public-read", "public-read-write"]
Kind = Literal["Normal", "Multipart", "Appendable"]
ACLS: tuple[Acl, ...] = ("private", "public-read", "public-read-write")
LONGEST_KEY = 1023  # bytes
_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A file with a part of an object's bytes; `size` in bytes."""

    name: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """The bytes of an object or an uploaded part: its pieces in order, and checksums."""

    pieces: tuple[Piece, ...]
    etag: str
    crc: int

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """A bucket; `created` is a Unix time in seconds."""

    name: str
    acl: Acl
    created: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Object:
    """An object; `headers` (names in lower case) are returned with it. `acl` None = the bucket's. `modified`: Unix seconds."""

    bucket: str
    key: str
    content: Content
    kind: Kind
    headers: Mapping[str, str]
    acl: Acl | None
    modified: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MultipartUpload:
    """A multipart upload that is neither completed nor aborted."""

    upload_id: str
    bucket: str
    key: str
    headers: Mapping[str, str]
    acl: Acl | None
    begun: int


@dataclass(frozen=True, kw_only=True, slots=True)
class UploadedPart:
    """One part of an upload."""

    number: int
    content: Content
    modified: int


def check_bucket_name(name: str) -> None:
    """Check the name of a bucket.

    Raises:
        OssRefusal: InvalidBucketName.
    """
    if not _BUCKET.fullmatch(name):
        raise OssRefusal(400, "InvalidBucketName", BucketName=name)


def check_key(key: str) -> None:
    """Check the key of an object; OSS allows `..` in it.

    Raises:
        OssRefusal: InvalidObjectName.
    """
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        size = 0  # received as bytes that are not UTF-8
    if not 0 < size <= LONGEST_KEY or key[0] in "/\\":
        raise OssRefusal(400, "InvalidObjectName")


def acl_of(text: str) -> Acl:
    """Parse the ACL of a header.

    Raises:
        OssRefusal: it is not a known ACL.
    """
    for acl in ACLS:
        if text == acl:
            return acl
    raise OssRefusal(400, "InvalidArgument", ArgumentName="x-oss-acl", ArgumentValue=text)
