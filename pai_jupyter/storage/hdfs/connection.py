"""Ask WebHDFS: one request to the name node and, for content, a second one to the data node that it names.

Rule 1: content is never sent to the name node, and a redirect is followed by hand: a library that follows it would send the
    content twice.
Rule 2: both requests have time limits, and an error names the machine that does not answer.
Rule 3: no cookie is kept, and nothing but the name of the user is sent: WebHDFS checks no password.
Rule 4: some data nodes decode a path twice (`%2541` is `A`), others once (`%41`); which they do is asked before a path with
    `%` goes there, by a request that changes nothing.
"""

import json
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeGuard
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

import httpcore
import httpx

from pai_jupyter.storage.disk import BLOCK, Body
from pai_jupyter.storage.hdfs.address import HdfsAccess, encoded
from pai_jupyter.storage.hdfs.faults import HdfsFault, NoAnswerError, NotHdfsError

TIMEOUT = httpx.Timeout(60, connect=10, pool=None)  # seconds without a byte; seconds to connect
_CONNECTIONS = httpx.Limits(max_connections=32, max_keepalive_connections=16)
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})
_PROBE = ".pai-%2541"  # `%` encoded once: the name of a file that nobody has
_PROBED_TWICE = ".pai-A"


class WebHdfs:
    """The requests of one user to one WebHDFS."""

    def __init__(self, base: str, access: HdfsAccess) -> None:
        self._base = base
        self._access = access
        self._user = access.name

    def ask(self, method: str, path: str, op: str, **parameters: str) -> dict[str, Any]:  # Any: parsed JSON
        """Return the name node's answer; {} if it has no body."""
        answer = self._first(method, path, op, parameters)
        if answer.is_redirect:
            raise NotHdfsError(f"a redirect to {answer.headers.get('location', '')[:100]}")
        return _parsed(answer) if answer.content else {}

    def status(self, path: str) -> dict[str, Any]:  # Any: parsed JSON
        """Return the `FileStatus` of a file or directory."""
        return _status(self.ask("GET", path, "GETFILESTATUS").get("FileStatus"))

    def listed(self, path: str) -> list[tuple[str, dict[str, Any]]]:  # Any: parsed JSON
        """Return the names in a directory with the `FileStatus` of each; of a file nothing."""
        found = self.ask("GET", path, "LISTSTATUS").get("FileStatuses")
        every = found.get("FileStatus") if isinstance(found, dict) else None
        if not isinstance(every, list):
            raise NotHdfsError("a list without FileStatus")
        named = [(_name(status), _status(status)) for status in every]
        return [(name, status) for name, status in named if name]  # a file has no name here

    def file_count(self, path: str) -> int:
        """Return how many files are below a directory."""
        found = self.ask("GET", path, "GETCONTENTSUMMARY").get("ContentSummary")
        count = found.get("fileCount") if isinstance(found, dict) else None
        if not _is_number(count):
            raise NotHdfsError("a summary without fileCount")
        return count

    @contextmanager
    def opened(self, path: str, *, start: int = 0, size: int | None = None) -> Iterator[httpx.Response]:
        """Open `size` bytes of a file from `start`; the answer's body is read in the block."""
        span = {"offset": str(start)} | ({} if size is None else {"length": str(size)})
        with self._second("GET", self._located("GET", path, "OPEN", span)) as answer:
            yield answer

    def send(self, method: str, path: str, op: str, body: Body, **parameters: str) -> None:
        """Send content: `CREATE` or `APPEND`."""
        with self._second(method, self._located(method, path, op, parameters), body) as answer:
            answer.read()

    def _first(self, method: str, path: str, op: str, parameters: dict[str, str]) -> httpx.Response:
        query = urlencode({"op": op, "user.name": self._user, **parameters}, quote_via=quote)
        node = urlsplit(self._base).netloc
        with _answering(node, is_data_node=False):
            answer = self._http.request(method, f"{self._base}/{encoded(path)}?{query}")
        _check(answer)
        return answer

    def _located(self, method: str, path: str, op: str, parameters: dict[str, str]) -> SplitResult:
        """Return the address at a data node that the name node gives, as it is reached from here."""
        answer = self._first(method, path, op, parameters)
        if not answer.is_redirect or "location" not in answer.headers:
            raise NotHdfsError(f"status {answer.status_code} where the address of a data node is due")
        named = urlsplit(answer.headers["location"])
        if named.scheme not in ("http", "https") or not named.netloc:
            raise NotHdfsError(
                f"a redirect to {answer.headers['location'][:100]}, where the address of a data node is due"
            )
        located = named._replace(netloc=self._access.reached(named.netloc))
        if "%" in path and self._is_decoded_twice(located):
            return located._replace(path=located.path.replace("%", "%25"))
        return located

    @contextmanager
    def _second(self, method: str, located: SplitResult, body: Body | None = None) -> Iterator[httpx.Response]:
        about = {} if body is None else {"content-length": str(body.len), "content-type": "application/octet-stream"}
        asked = self._http.build_request(
            method, located.geturl(), content=None if body is None else iter(body), headers=about
        )
        with _answering(located.netloc, is_data_node=True):
            answer = self._http.send(asked, stream=True)
            try:
                if not answer.is_success:
                    answer.read()
                _check(answer)
                if answer.is_redirect:
                    raise NotHdfsError(f"a redirect by {located.netloc}, where content is due")
                yield answer
            finally:
                answer.close()

    def _is_decoded_twice(self, located: SplitResult) -> bool:
        known = _decoding(os.getpid())
        if located.netloc not in known:
            query = {"op": "OPEN", "user.name": self._user}
            query |= {name: value for name, value in parse_qsl(located.query) if name == "namenoderpcaddress"}
            base = located.path[: located.path.index("/v1/") + len("/v1/")] if "/v1/" in located.path else "/"
            probe = located._replace(path=base + _PROBE, query=urlencode(query))
            with _answering(located.netloc, is_data_node=True):
                answer = self._http.get(probe.geturl())
            known[located.netloc] = _PROBED_TWICE in answer.text
        return known[located.netloc]

    @property
    def _http(self) -> httpx.Client:
        return _client(os.getpid(), urlsplit(self._base).hostname in _HERE)


def blocks(answer: httpx.Response) -> Iterator[bytes]:
    """Yield the body of an answer that `opened` gives.

    Behind the first block, which empties the buffers of httpx, a long body is read from the socket itself: in full blocks, and
    copied once instead of four times. The connection is not used again, and a data node closes it anyway.
    """
    raw = answer.iter_raw()
    first = next(raw, b"")
    yield first
    left = int(answer.headers.get("content-length", 0)) - len(first)
    connection = _socket(answer) if left > 0 else None
    yield from raw if connection is None else _direct(connection, left)


def _direct(connection: socket.socket, left: int) -> Iterator[bytes]:
    connection.settimeout(TIMEOUT.read)
    with _in_words_of_httpx(), connection.makefile("rb") as body:
        while left > 0 and (block := body.read(min(BLOCK, left))):
            left -= len(block)
            yield block
    if left > 0:
        raise httpx.RemoteProtocolError(f"the connection ended {left} bytes before the end")


def _socket(answer: httpx.Response) -> socket.socket | None:
    """Return the socket that gives the body of an answer; None in TLS within the TLS of a proxy, where it gives what is encrypted."""
    stream: httpcore.NetworkStream | None = answer.extensions.get("network_stream")
    if stream is None or isinstance(stream.get_extra_info("ssl_object"), ssl.SSLObject):
        return None
    found: socket.socket | None = stream.get_extra_info("socket")
    return found


@contextmanager
def _in_words_of_httpx() -> Iterator[None]:
    """Translate the errors of a socket into those of httpx."""
    try:
        yield
    except TimeoutError as exc:
        raise httpx.ReadTimeout(str(exc)) from exc
    except OSError as exc:
        raise httpx.ReadError(str(exc)) from exc


@lru_cache(maxsize=2)
def _client(process: int, is_here: bool) -> httpx.Client:
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    return httpx.Client(
        timeout=TIMEOUT, limits=_CONNECTIONS, trust_env=not is_here, follow_redirects=False, cookies=no_cookies
    )


@lru_cache(maxsize=1)
def _decoding(process: int) -> dict[str, bool]:
    """Return which data nodes decode a path twice, by `HOST:PORT`."""
    return {}


@contextmanager
def _answering(node: str, *, is_data_node: bool) -> Iterator[None]:
    try:
        yield
    except httpx.TransportError as exc:
        raise NoAnswerError(node, exc, is_data_node=is_data_node) from exc


def _check(answer: httpx.Response) -> None:
    """Raise the error that an answer, read already, stands for."""
    status = answer.status_code
    if answer.is_success or answer.is_redirect:
        return
    if status == 401:
        raise HdfsFault(status, "AuthenticationException", "")
    told = _parsed(answer).get("RemoteException") if "json" in answer.headers.get("content-type", "") else None
    if isinstance(told, dict):
        raise HdfsFault(status, str(told.get("exception", "")), str(told.get("message", "")))
    if status >= 500:  # a gateway's, too
        raise HdfsFault(status, "", f"status {status}")
    is_page = "html" in answer.headers.get("content-type", "")
    raise NotHdfsError(f"an HTML page with status {status}" if is_page else f"status {status}")


def _status(found: object) -> dict[str, Any]:  # Any: parsed JSON
    """Return a `FileStatus` that has what is used of it."""
    numbers = ("length", "modificationTime")
    if not isinstance(found, dict) or not all(_is_number(found.get(each)) for each in numbers):
        raise NotHdfsError("a status without length and time")
    if not isinstance(found.get("type"), str):
        raise NotHdfsError("a status without type")
    return found


def _name(status: object) -> str:
    """Return the name of a `FileStatus`; names that lead out of their directory are none."""
    name = status.get("pathSuffix") if isinstance(status, dict) else None
    if not isinstance(name, str) or "/" in name or name in (".", ".."):
        raise NotHdfsError("a list with a name that no file has")
    return name


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _parsed(answer: httpx.Response) -> dict[str, Any]:  # Any: parsed JSON
    try:
        found = json.loads(answer.content, strict=False)
    except ValueError as exc:
        raise NotHdfsError(f"status {answer.status_code} and no JSON") from exc
    if not isinstance(found, dict):
        raise NotHdfsError(f"status {answer.status_code} and JSON that is no object")
    return found
