"""A bucket on loopback that speaks as much OSS as our storage does: signatures, checksums, parts, listings, and faults.

It keeps objects in memory, refuses what the service would refuse, and breaks what it is told to break.
"""

import base64
import hashlib
import http.server
import io
import re
import socket
import struct
import sys
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal, Self
from urllib.parse import quote
from xml.sax.saxutils import escape

from pai_jupyter.emulator.oss_protocol.checksum import crc64 as crc64_of
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.emulator.oss_protocol.request import OssRequest, read
from pai_jupyter.emulator.oss_protocol.signatures import check

BUCKET, REGION = "pai-test", "cn-test"
KEY_ID, SECRET = "LTAI-test-key", "secret-of-the-test"
SMALLEST_PART = 100 * 1024

Break = Literal[
    "reset",
    "cut",
    "corrupt",
    "truncate",
    "lost",
    "hold",
    "html",
    "blank",
    "moved",
    "no-etag",
    "store-corrupted",
    "no-crc",
    "no-range",
]
"""reset: no answer · cut: the connection breaks in the middle of the request · corrupt, truncate: the body of the answer ·
lost: it is done, but nobody is told · hold: until `gate` is set · html, blank, moved: from
somebody on the way, a page, nothing, another address · no-etag: the answer has none · store-corrupted: what was sent ·
no-crc: the answer has no checksum · no-range: it is the whole object, as from a proxy that knows no ranges"""

Respond = tuple[int, dict[str, str], bytes]


def crc64(data: bytes) -> str:
    """As the service computes it, in decimal."""
    return str(crc64_of(data))


@dataclass(frozen=True, kw_only=True)
class Key:
    """An access key that the service knows."""

    secret: str
    is_expired: bool = False


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One object, or one part."""

    data: bytes
    etag: str
    crc: str
    headers: Mapping[str, str] = field(default_factory=dict)
    modified: datetime = field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))

    @classmethod
    def of(cls, data: bytes, **headers: str) -> Self:
        etag = hashlib.md5(data, usedforsecurity=False).hexdigest().upper()
        return cls(data=data, etag=etag, crc=crc64(data), headers=headers)


@dataclass(kw_only=True)
class Fault:
    """What goes wrong, with the next `times` requests that fit, after the first `after` of them."""

    what: Break | OssRefusal
    method: str
    query: str
    key: str
    times: int
    after: int

    def fits(self, request: OssRequest) -> bool:
        return (
            request.method == self.method
            and (not self.query or self.query in request.query)
            and self.key in request.key
        )


class FakeOss:
    """One bucket, `BUCKET`. `objects` is what is in it; `requests` what was asked, in the order of arrival."""

    def __init__(self) -> None:
        self.objects: dict[str, Stored] = {}
        self.uploads: dict[str, tuple[str, dict[int, Stored]]] = {}
        self.requests: list[OssRequest] = []
        self.versions: set[str] = set()
        self.keys: dict[tuple[str, str | None], Key] = {(KEY_ID, None): Key(secret=SECRET)}
        self.clock = timedelta()
        self.page = 1000
        self.gate = threading.Event()
        self._faults: list[Fault] = []
        self._lock = threading.Lock()
        self._server = _Server(self)

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def uri(self, key: str = "") -> str:
        return f"oss://{BUCKET}.{self.endpoint}/{key}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()

    def put(self, key: str, data: bytes, **headers: str) -> None:
        self.objects[key] = Stored.of(data, **headers)

    def fault(
        self, what: Break | OssRefusal, method: str, *, query: str = "", key: str = "", times: int = 1, after: int = 0
    ) -> None:
        self._faults.append(Fault(what=what, method=method, query=query, key=key, times=times, after=after))

    def asked(self, method: str, query: str = "") -> list[OssRequest]:
        """The requests of this method, with this name in their query."""
        return [one for one in self.requests if one.method == method and (not query or query in one.query)]

    def begin(self, request: OssRequest) -> Break | None:
        """Note the request; what is to be broken with it.

        Raises:
            Refusal: the fault is an error answer.
        """
        with self._lock:
            self.requests.append(request)
            for fault in self._faults:
                if fault.fits(request) and fault.times > 0:
                    if fault.after > 0:
                        fault.after -= 1
                        continue
                    fault.times -= 1
                    if isinstance(fault.what, OssRefusal):
                        raise fault.what
                    return fault.what
        return None

    def check(self, request: OssRequest) -> None:
        now = datetime.now(UTC) + self.clock
        version = check(request, self._secret_of, region=REGION, now=now.timestamp())
        if version is None:
            raise OssRefusal(403, "AccessDenied")
        self.versions.add(version)
        if request.bucket != BUCKET:
            raise OssRefusal(404, "NoSuchBucket")

    def _secret_of(self, key_id: str, token: str | None) -> str:
        if not any(known == key_id for known, _ in self.keys):
            raise OssRefusal(403, "InvalidAccessKeyId")
        key = self.keys.get((key_id, token))
        if key is None or key.is_expired:
            raise OssRefusal(403, "SecurityTokenExpired" if key else "InvalidSecurityToken")
        return key.secret

    def respond(self, request: OssRequest, body: bytes) -> Respond:
        with self._lock:
            return self._operation(request)(request, body)

    def _operation(self, request: OssRequest) -> Callable[[OssRequest, bytes], Respond]:
        match request.method, bool(request.key):
            case "GET", False:
                return self._list
            case "POST", False if "delete" in request.query:
                return self._delete_many
            case "POST", True if "uploads" in request.query:
                return self._begin_upload
            case "POST", True if "uploadId" in request.query:
                return self._complete
            case "PUT", True:
                return self._put_part if "uploadId" in request.query else self._put
            case "GET", True:
                return self._list_parts if "uploadId" in request.query else self._get
            case "HEAD", True:
                return self._get
            case "DELETE", True:
                return self._abort if "uploadId" in request.query else self._delete
        raise OssRefusal(405, "MethodNotAllowed")

    def _put(self, request: OssRequest, body: bytes) -> Respond:
        self._refuse_overwrite(request)
        self.objects[request.key] = stored = Stored.of(body)
        return 200, {"ETag": f'"{stored.etag}"', "x-oss-hash-crc64ecma": stored.crc}, b""

    def _refuse_overwrite(self, request: OssRequest) -> None:
        if request.headers.get("x-oss-forbid-overwrite") == "true" and request.key in self.objects:
            raise OssRefusal(409, "FileAlreadyExists")

    def _get(self, request: OssRequest, _body: bytes) -> Respond:
        stored = self.objects.get(request.key)
        if stored is None:
            raise OssRefusal(404, "NoSuchKey")
        if request.headers.get("if-match", stored.etag).strip('"') != stored.etag:
            raise OssRefusal(412, "PreconditionFailed")
        headers = {
            "ETag": f'"{stored.etag}"',
            "x-oss-hash-crc64ecma": stored.crc,
            "Last-Modified": format_datetime(stored.modified, usegmt=True),
            "Content-Type": "application/octet-stream",
            **stored.headers,
        }
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        if asked is None:
            return 200, headers, stored.data
        start, size = int(asked[1]), len(stored.data)
        if start >= size:
            if request.headers.get("x-oss-range-behavior") == "standard":
                raise OssRefusal(416, "InvalidRange")
            return 200, headers, stored.data
        end = min(int(asked[2] or size - 1), size - 1)
        headers["Content-Range"] = f"bytes {start}-{end}/{size}"
        return 206, headers, stored.data[start : end + 1]

    def _delete(self, request: OssRequest, _body: bytes) -> Respond:
        self.objects.pop(request.key, None)
        return 204, {}, b""

    def _delete_many(self, request: OssRequest, body: bytes) -> Respond:
        digest = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
        if request.headers.get("content-md5") != digest:
            raise OssRefusal(400, "InvalidDigest")
        keys = [node.text or "" for node in ElementTree.fromstring(body).iterfind("Object/Key")]
        for key in keys:
            self.objects.pop(key, None)
        deleted = "".join(f"<Deleted><Key>{quote(key, safe='')}</Key></Deleted>" for key in keys)
        return _xml(f"<DeleteResult><EncodingType>url</EncodingType>{deleted}</DeleteResult>")

    def _list(self, request: OssRequest, _body: bytes) -> Respond:
        prefix, delimiter = request.query.get("prefix", ""), request.query.get("delimiter", "")
        after = base64.b64decode(request.query.get("continuation-token", "")).decode()
        names: dict[str, Stored | None] = {}
        for key in sorted(self.objects, key=str.encode):
            if key.startswith(prefix):
                end = key.find(delimiter, len(prefix)) if delimiter else -1
                names[key if end < 0 else key[: end + 1]] = self.objects[key] if end < 0 else None
        left = [name for name in names if name.encode() > after.encode()]
        shown = left[: min(self.page, int(request.query.get("max-keys", "100")))]
        rows = "".join(_row(name, names[name]) for name in shown)
        more = len(shown) < len(left)
        last = base64.b64encode("".join(shown[-1:]).encode()).decode()
        token = f"<NextContinuationToken>{last}</NextContinuationToken>"
        return _xml(
            f"<ListBucketResult><Name>{BUCKET}</Name><EncodingType>url</EncodingType><KeyCount>{len(shown)}</KeyCount>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{token if more else ''}{rows}</ListBucketResult>"
        )

    def _begin_upload(self, request: OssRequest, _body: bytes) -> Respond:
        self._refuse_overwrite(request)
        upload_id = f"UPLOAD{len(self.uploads)}"
        self.uploads[upload_id] = (request.key, {})
        return _xml(
            f"<InitiateMultipartUploadResult><Bucket>{BUCKET}</Bucket><Key>{escape(request.key)}</Key>"
            f"<UploadId>{upload_id}</UploadId></InitiateMultipartUploadResult>"
        )

    def _upload(self, request: OssRequest) -> dict[int, Stored]:
        key, parts = self.uploads.get(request.query["uploadId"], ("", {}))
        if key != request.key:
            raise OssRefusal(404, "NoSuchUpload")
        return parts

    def _put_part(self, request: OssRequest, body: bytes) -> Respond:
        stored = Stored.of(body)
        self._upload(request)[int(request.query["partNumber"])] = stored
        return 200, {"ETag": f'"{stored.etag}"', "x-oss-hash-crc64ecma": stored.crc}, b""

    def _list_parts(self, request: OssRequest, _body: bytes) -> Respond:
        after = int(request.query.get("part-number-marker") or 0)
        numbers = sorted(number for number in self._upload(request) if number > after)
        shown = numbers[: self.page]
        rows = "".join(
            f"<Part><PartNumber>{number}</PartNumber><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f'<ETag>"{part.etag}"</ETag><HashCrc64ecma>{part.crc}</HashCrc64ecma><Size>{len(part.data)}</Size></Part>'
            for number in shown
            for part in [self._upload(request)[number]]
        )
        return _xml(
            f"<ListPartsResult><NextPartNumberMarker>{shown[-1] if shown else 0}</NextPartNumberMarker>"
            f"<IsTruncated>{str(len(shown) < len(numbers)).lower()}</IsTruncated>{rows}</ListPartsResult>"
        )

    def _abort(self, request: OssRequest, _body: bytes) -> Respond:
        self._upload(request)
        del self.uploads[request.query["uploadId"]]
        return 204, {}, b""

    def _complete(self, request: OssRequest, body: bytes) -> Respond:
        parts = self._upload(request)
        self._refuse_overwrite(request)
        named = [
            (int(node.findtext("PartNumber") or 0), (node.findtext("ETag") or "").strip('"'))
            for node in ElementTree.fromstring(body).iterfind("Part")
        ]
        if any(number not in parts or parts[number].etag != etag for number, etag in named):
            raise OssRefusal(400, "InvalidPart")
        if [number for number, _ in named] != sorted(number for number, _ in named):
            raise OssRefusal(400, "InvalidPartOrder")
        if any(len(parts[number].data) < SMALLEST_PART for number, _ in named[:-1]):
            raise OssRefusal(400, "EntityTooSmall")
        data = b"".join(parts[number].data for number, _ in named)
        stored = Stored.of(data)
        self.objects[request.key] = stored
        del self.uploads[request.query["uploadId"]]
        answer = f"<CompleteMultipartUploadResult><ETag>{stored.etag}</ETag></CompleteMultipartUploadResult>"
        return 200, {"ETag": f'"{stored.etag}"', "x-oss-hash-crc64ecma": stored.crc}, answer.encode()


def _xml(text: str) -> Respond:
    return 200, {"Content-Type": "application/xml"}, text.encode()


def _row(name: str, stored: Stored | None) -> str:
    if stored is None:
        return f"<CommonPrefixes><Prefix>{quote(name, safe='')}</Prefix></CommonPrefixes>"
    return (
        f"<Contents><Key>{quote(name, safe='')}</Key><LastModified>{stored.modified:%Y-%m-%dT%H:%M:%S}.000Z</LastModified>"
        f'<ETag>"{stored.etag}"</ETag><Type>Normal</Type><Size>{len(stored.data)}</Size>'
        "<StorageClass>Standard</StorageClass></Contents>"
    )


class _Broken(Exception):
    """The connection is to be reset now."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, oss: FakeOss) -> None:
        self.oss = oss
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:  # Any: what socketserver has
        """A client that went away is nothing to tell."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: _Server

    def log_message(self, *_: object) -> None:
        pass

    def serve(self) -> None:
        request, oss = self._request(), self.server.oss
        try:
            broken = oss.begin(request)
            body = self._body(broken)
            oss.check(request)
            if broken == "hold":
                oss.gate.wait(30)
            if broken == "store-corrupted":
                body = _flipped(body)
            if broken == "no-range":
                plain = {name: value for name, value in request.headers.items() if name != "range"}
                request = replace(request, headers=plain)
            answer = oss.respond(request, body)
        except OssRefusal as refusal:
            self._body(None)
            self._refuse(refusal)
        except (_Broken, ConnectionError):
            self._reset()
        else:
            self._answer(*answer, broken)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve  # noqa: N815

    def _request(self) -> OssRequest:
        self._read = False
        path, _, query = self.path.partition("?")
        headers = [(name.encode(), value.encode("latin-1")) for name, value in self.headers.items()]
        return read(self.command, path.encode(), query.encode(), headers)

    def _body(self, broken: Break | None) -> bytes:
        if self._read:
            return b""
        self._read = True
        size = int(self.headers.get("Content-Length") or 0)
        if broken == "cut":
            self.rfile.read(size // 2)
            raise _Broken
        body = self._chunks() if self.headers.get("Transfer-Encoding") == "chunked" else self.rfile.read(size)
        if broken == "reset":
            raise _Broken
        return body

    def _chunks(self) -> bytes:
        whole = io.BytesIO()
        while size := int(self.rfile.readline(), 16):
            whole.write(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return whole.getvalue()

    def _answer(self, status: int, headers: dict[str, str], body: bytes, broken: Break | None) -> None:
        if broken == "lost":
            self._reset()
            return
        is_portal = broken in ("html", "blank", "moved")
        if is_portal:
            page = b"<html><p>Please log in<br></html>" if broken == "html" else b""
            status, headers, body = 200, {"Content-Type": "text/html"} if page else {}, page
        if broken == "moved":
            status, headers = 302, {"Location": "/login"}
        if broken == "no-etag":
            headers.pop("ETag")
        if broken == "no-crc":
            headers.pop("x-oss-hash-crc64ecma", None)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if not is_portal:
            self.send_header("x-oss-request-id", "5F3A0123456789ABCDEF0123")
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(
                _flipped(body) if broken == "corrupt" else body[: len(body) // (2 if broken == "truncate" else 1)]
            )
        if broken == "truncate":
            self.wfile.flush()
            self.close_connection = True

    def _refuse(self, refusal: OssRefusal) -> None:
        more = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in refusal.more.items())
        text = f"<Error><Code>{refusal.code}</Code><Message>said the fake</Message>{more}</Error>".encode()
        headers = {"Content-Type": "application/xml"}
        if self.command == "HEAD":
            headers["x-oss-err"] = base64.b64encode(text).decode()
        self._answer(refusal.status, headers, text, None)

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()


def _flipped(body: bytes) -> bytes:
    middle = len(body) // 2
    return body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :] if body else body
