"""What the store holds, as values. No I/O.

Rule 1: an object's bytes never change: a new version has new `Content`. An append adds a piece, a copy links the same ones.
Rule 2: sums are told as OSS tells them: ETag in upper-case hex, CRC-64 of the whole.
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
    """A file with a stretch of an object's bytes."""

    name: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """The bytes of an object or of a part, in order, with their sums."""

    pieces: tuple[Piece, ...]
    etag: str
    crc: int

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """`created` in seconds since 1970."""

    name: str
    acl: Acl
    created: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Object:
    """`headers` come back with it; names in lower case. `acl` is None where the bucket's holds. `modified` in seconds."""

    bucket: str
    key: str
    content: Content
    kind: Kind
    headers: Mapping[str, str]
    acl: Acl | None
    modified: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MultipartUpload:
    """An upload in parts that is neither complete nor aborted."""

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
    """Refuse what can be no bucket.

    Raises:
        Refusal: InvalidBucketName.
    """
    if not _BUCKET.fullmatch(name):
        raise OssRefusal(400, "InvalidBucketName", BucketName=name)


def check_key(key: str) -> None:
    """Refuse what can be no key in OSS; a `..` in it is nothing to OSS.

    Raises:
        Refusal: InvalidObjectName.
    """
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        size = 0  # it came as bytes that are no UTF-8
    if not 0 < size <= LONGEST_KEY or key[0] in "/\\":
        raise OssRefusal(400, "InvalidObjectName")


def acl_of(text: str) -> Acl:
    """Parse the ACL of a header.

    Raises:
        Refusal: it names none.
    """
    for acl in ACLS:
        if text == acl:
            return acl
    raise OssRefusal(400, "InvalidArgument", ArgumentName="x-oss-acl", ArgumentValue=text)
