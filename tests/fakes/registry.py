"""A registry of images on loopback, just enough for an engine to pull from: one tag, or a refusal."""

import gzip
import hashlib
import http.server
import io
import json
import platform
import shutil
import tarfile
import threading
from http import HTTPStatus
from types import TracebackType
from typing import Self

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
REFUSALS = {
    HTTPStatus.UNAUTHORIZED: "UNAUTHORIZED",
    HTTPStatus.FORBIDDEN: "DENIED",
    HTTPStatus.NOT_FOUND: "MANIFEST_UNKNOWN",
}


class Registry:
    """Offers the image `image`, a busybox, unless it is told to `refuse` with a status."""

    def __init__(self, *, refuse: HTTPStatus | None = None) -> None:
        self._refuse = refuse
        self._blobs: dict[str, bytes] = {}
        self._manifest = self._make_image()
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                registry._answer(self)

            do_HEAD = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def image(self) -> str:
        return f"127.0.0.1:{self._server.server_port}/tiny:1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        place = request.path.rsplit("/", 1)[-1]
        if request.path == "/v2/":
            self._send(request, HTTPStatus.OK, b"{}", "application/json")
        elif self._refuse is not None:
            problem = {"errors": [{"code": REFUSALS[self._refuse], "message": "said the registry"}]}
            self._send(request, self._refuse, json.dumps(problem).encode(), "application/json")
        elif "/manifests/" in request.path:
            self._send(request, HTTPStatus.OK, self._manifest, MANIFEST)
        else:
            self._send(request, HTTPStatus.OK, self._blobs[place], "application/octet-stream")

    def _send(self, request: http.server.BaseHTTPRequestHandler, status: HTTPStatus, content: bytes, kind: str) -> None:
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(content)))
        request.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(content)

    def _make_image(self) -> bytes:
        layer = _busybox()
        config = {
            "architecture": {"aarch64": "arm64"}.get(platform.machine(), "amd64"),
            "os": "linux",
            "config": {"Env": ["PATH=/bin"]},
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
        }
        kinds = "application/vnd.docker.container.image.v1+json", "application/vnd.docker.image.rootfs.diff.tar.gzip"
        parts = [
            self._put(content) | {"mediaType": kind}
            for content, kind in zip((json.dumps(config).encode(), gzip.compress(layer, 1)), kinds, strict=True)
        ]
        return json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": parts[0], "layers": parts[1:]}).encode()

    def _put(self, content: bytes) -> dict[str, object]:
        self._blobs[_digest(content)] = content
        return {"digest": _digest(content), "size": len(content)}


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _busybox() -> bytes:
    """A layer with busybox as `sh`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(shutil.which("busybox") or "busybox", "bin/busybox")
        link = tarfile.TarInfo("bin/sh")
        link.type, link.linkname = tarfile.SYMTYPE, "busybox"
        tar.addfile(link)
    return packed.getvalue()
