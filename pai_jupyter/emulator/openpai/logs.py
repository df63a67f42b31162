"""Logs: of v1.x the list of a task's logs and the log manager, of v0.14 the pages of YARN's node manager."""

import hashlib
import hmac
import html
import re
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from pai_jupyter.jobs import Job

LASTS = 600  # seconds that the token of an address is good
TAIL = 16_384  # bytes with tail-mode
FILE, ERRORS = "user.pai.stdout", "user.pai.stderr"  # what a task of YARN printed
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


class LogManager:
    """Addresses of logs with tokens of their own, and what stands there."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def locations(self, framework: str, role: str, index: int, attempt: int) -> JSONResponse:
        """Return the list of a task's logs, each with an address that is good for minutes."""
        found = [
            {"name": name, "uri": self._address(framework, f"{role}-{index}", attempt, name)}
            for name in ("all", "stdout", "stderr")
        ]
        return JSONResponse({"locations": found})

    def read(self, request: Request, job: Job | None, replica: str) -> Response:
        """Answer a request at such an address."""
        given = request.query_params
        task = f"{given.get('pod-uid', '')} {given.get('taskrole', '')}"
        known = self._token(given.get("framework-name", ""), task, given.get("ends", ""))
        if not hmac.compare_digest(known, given.get("token", "")) or time.time() > float(given.get("ends") or 0):
            return PlainTextResponse("Forbidden", status_code=403)
        if job is None:
            return PlainTextResponse("Not Found", status_code=404)
        return ranged(request, _content(job, replica))

    def _address(self, framework: str, place: str, attempt: int, name: str) -> str:
        of, ends = hashlib.md5(framework.encode()).hexdigest(), str(int(time.time()) + LASTS)  # noqa: S324
        pod = f"{place}-{attempt}"
        query = {
            "framework-name": of,
            "pod-uid": pod,
            "taskrole": place,
            "ends": ends,
            "token": self._token(of, f"{pod} {place}", ends),
        }
        return f"/log-manager/127.0.0.1:9103/api/v1/logs/{name}?{urlencode(query)}"

    def _token(self, framework: str, role: str, ends: str) -> str:
        return hmac.digest(self._key, f"{framework} {role} {ends}".encode(), "sha256").hex()


def ranged(request: Request, content: bytes) -> Response:
    """Answer with the whole content or the range that is asked for, as nginx does."""
    if request.query_params.get("tail-mode") == "true":
        content = content[-TAIL:]
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None:
        return Response(content, media_type="text/plain")
    first, last = int(found[1]), int(found[2] or len(content) - 1)
    if first >= len(content):
        return Response(status_code=416, headers={"Content-Range": f"bytes */{len(content)}"})
    piece = content[first : last + 1]
    where = f"bytes {first}-{first + len(piece) - 1}/{len(content)}"
    return Response(piece, status_code=206, media_type="text/plain", headers={"Content-Range": where})


def page(content: bytes, start: int, end: int | None) -> HTMLResponse:
    """Return a page of YARN's: what a file has from a byte on, as text; of it as many characters as `end` says bytes."""
    shown = content[start:].decode(errors="replace")[: None if end is None else end - start]
    return HTMLResponse(
        f"<html><body><table><tr><td class=content><pre>{escaped(shown)}</pre></td></tr></table></body></html>"
    )


def escaped(text: str) -> str:
    """Return text as Hadoop 2.7 writes it on pages (commons-lang 2.6): beyond ASCII the numbers of Java's characters."""
    return _BEYOND_ASCII.sub(lambda found: _numbers(found[0]), html.escape(text, quote=False))


def _numbers(text: str) -> str:
    data = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"&#{int.from_bytes(data[at : at + 2])};" for at in range(0, len(data), 2))


def directory(files: Mapping[str, bytes]) -> HTMLResponse:
    """Return YARN's page of a container's logs: their names and lengths."""
    lines = (
        f'<p><a href="{name}/?start=-4096">{name} : Total file length is {len(content)} bytes.</a></p>'
        for name, content in files.items()
    )
    return HTMLResponse(f"<html><body>{''.join(lines)}</body></html>")


def of_container(job: Job | None, replica: str, errors: Path) -> dict[str, bytes]:
    """Return the logs of a task of v0.14; `errors`: where its stderr is."""
    said = errors.read_bytes() if errors.is_file() else b""
    return {FILE: b"" if job is None else _content(job, replica), ERRORS: said}


def _content(job: Job, replica: str) -> bytes:
    path = job.folder.path / "logs" / f"{replica}.log"
    return path.read_bytes() if path.exists() else b""
