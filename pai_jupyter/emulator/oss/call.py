"""The input of an operation, an authorized `OssCall`, and its result, an `Answer`. Operations run on threads."""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from pai_jupyter.emulator.object_store.content import ContentDraft, ContentReader
from pai_jupyter.emulator.object_store.store import ObjectStore
from pai_jupyter.emulator.oss_protocol import options
from pai_jupyter.emulator.oss_protocol.model import Acl, acl_of
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.request import OssRequest
from pai_jupyter.emulator.oss_protocol.xml import TYPE, document

_KEPT = frozenset(
    {"cache-control", "content-disposition", "content-encoding", "content-language", "content-type", "expires"}
)


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Owner, region and endpoint of all buckets, for answers."""

    account_id: str
    region: str
    endpoint: str


@dataclass(frozen=True, kw_only=True)
class OssCall:
    """One call of an operation. The body is in `draft`, an XML body in `text`."""

    request: OssRequest
    store: ObjectStore
    owner: Owner
    draft: ContentDraft
    text: bytes = b""

    @property
    def bucket(self) -> str:
        return self.request.bucket

    @property
    def key(self) -> str:
        return self.request.key

    def number(self, name: str, default: int, *, most: int) -> int:
        """Read a number of the query; `default` if it is missing or empty."""
        text = self.request.query.get(name, "")
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) > most:
            raise OssRefusal(400, "InvalidArgument", ArgumentName=name, ArgumentValue=text)
        return int(text)

    def body(self) -> ContentDraft:
        """Return the body after checking its Content-MD5.

        Raises:
            OssRefusal: InvalidDigest.
        """
        check_digest(self.request, self.draft.md5)
        return self.draft

    def xml(self) -> ElementTree.Element:
        """Parse the body as XML.

        Raises:
            OssRefusal: MalformedXML, or InvalidDigest.
        """
        check_digest(self.request, hashlib.md5(self.text, usedforsecurity=False).digest())
        try:
            return ElementTree.fromstring(self.text)  # noqa: S314  current expat refuses entity bombs
        except ElementTree.ParseError as exc:
            raise OssRefusal(400, "MalformedXML") from exc

    def headers_to_keep(self) -> dict[str, str]:
        """Return the headers to store with the object, its options included.

        Raises:
            OssRefusal: an option is invalid or not supported.
        """
        given = self.request.headers
        kept = {name: text for name, text in given.items() if name in _KEPT or name.startswith("x-oss-meta-")}
        return {"content-type": "application/octet-stream", **kept, **options.given(given)}

    def object_acl(self) -> Acl | None:
        """Return the ACL that the object gets, if the request names one."""
        text = self.request.headers.get("x-oss-object-acl", "default")
        return None if text == "default" else acl_of(text)


@dataclass(kw_only=True)
class Stream:
    """A byte range of an object, read while it is sent."""

    reading: ContentReader
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start

    def blocks(self) -> Iterator[bytes]:
        return self.reading.blocks(self.start, self.end)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of an operation."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | Stream = b""


def xml_answer(name: str, *inside: object, headers: dict[str, str] | None = None) -> Answer:
    """Build an XML answer."""
    return Answer(headers={"content-type": TYPE, **(headers or {})}, body=document(name, *inside))


def check_digest(request: OssRequest, md5: bytes) -> None:
    """Compare the MD5 of the received body with the header Content-MD5, if there is one.

    Raises:
        OssRefusal: InvalidDigest.
    """
    told = request.headers.get("content-md5")
    if told is not None and told != base64.b64encode(md5).decode():
        raise OssRefusal(400, "InvalidDigest", ClientMD5=told)
