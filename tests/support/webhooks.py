"""A webhook of the tests' own, on loopback: it takes messages, fails, cuts off, is slow or away, as it is told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.patience import DEADLINE


@dataclass(frozen=True)
class Taken:
    """A request that was taken."""

    path: str
    body: dict[str, Any]  # Any: JSON values
    headers: dict[str, str]


@dataclass
class Webhook:
    """What the server does is in `answers`, one for each request; when they are used up, `usual` is done.

    An answer: (status, text), (status, text, headers), "cut" (the request is read, and the connection ends), "slow" (the answer comes
    when `go` is set).
    """

    usual: Any = (200, "ok")  # Any: an answer, as above
    answers: list[Any] = field(default_factory=list)  # Any: as above
    taken: list[Taken] = field(default_factory=list)  # answered by 200
    asked: int = 0
    go: threading.Event = field(default_factory=threading.Event)
    on_request: Callable[[], None] = lambda: None
    _server: ThreadingHTTPServer | None = None
    _port: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}/hook?token=s3cr3t-token-0815"

    @property
    def texts(self) -> list[str]:
        return [str(it.body.get("text")) for it in self.taken]

    @property
    def alerts(self) -> list[str]:
        return [str(it.body.get("alert")) for it in self.taken]

    def start(self) -> None:
        """Be there, at the same address as before."""
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                hook._take(self)

            def log_message(self, *words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        """Be away: connections are refused."""
        self.go.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _take(self, request: BaseHTTPRequestHandler) -> None:
        self.asked += 1
        data = request.rfile.read(int(request.headers["Content-Length"]))
        self.on_request()
        answer = self.answers.pop(0) if self.answers else self.usual
        taken = Taken(request.path, json.loads(data), dict(request.headers))
        if answer == "cut":
            self.taken.append(taken)
            request.close_connection = True
            return
        if answer == "slow":
            self.go.wait(DEADLINE)
            answer = (200, "ok")
        status, text, *headers = answer
        if status == 200:
            self.taken.append(taken)
        request.send_response(status)
        for name, value in (headers[0] if headers else {}).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(text.encode())))
        request.end_headers()
        request.wfile.write(text.encode())


@contextmanager
def webhook(**given: Any) -> Iterator[Webhook]:  # Any: fields of a webhook
    hook = Webhook(**given)
    hook.start()
    try:
        yield hook
    finally:
        hook.stop()
