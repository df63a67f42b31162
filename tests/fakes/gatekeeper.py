"""A TCP proxy in front of a service, at which a test decides what gets through.

hold       one request, or its answer, stays here until its client is gone
cut, mend  live connections are dropped and new ones refused; `target` may be changed meanwhile
"""

import re
import select
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from tests.fakes.proxy import BLOCK, Proxy, end

_REQUEST = re.compile(rb"([A-Z]+ \S+) HTTP/1\.1\r\n")
Side = Literal["request", "answer"]


@dataclass(kw_only=True)
class Hold:
    """What is kept: of the first request that begins so (`skip` more are let through), all behind `passing` bytes."""

    start: str
    side: Side
    passing: int = 0
    skip: int = 0
    came: threading.Event = field(default_factory=threading.Event)

    def is_for(self, request: str) -> bool:
        if self.came.is_set() or not request.startswith(self.start):
            return False
        self.skip -= 1
        return self.skip < 0


class Gatekeeper(Proxy):
    """Passes connections on to `target`, host:port, while `is_open`; `requests` are the beginnings of all that came, decoded."""

    def __init__(self, target: str) -> None:
        super().__init__(socket.create_server(("127.0.0.1", 0)))
        self.target = target
        self.requests: list[str] = []
        self._holds: list[Hold] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def hold(self, start: str, side: Side = "request", *, passing: int = 0, skip: int = 0) -> threading.Event:
        """Keep what `Hold` says; the event tells that it is here."""
        hold = Hold(start=start, side=side, passing=passing, skip=skip)
        self._holds.append(hold)
        return hold.came

    def count(self, start: str) -> int:
        """How many requests began so."""
        return sum(request.startswith(start) for request in self.requests)

    def notice(self, request: str) -> Hold | None:
        """Note a request, and find out who wants to keep it."""
        with self._lock:
            self.requests.append(request)
            return next((hold for hold in self._holds if hold.is_for(request)), None)

    def _dial(self) -> socket.socket:
        host, _, port = self.target.partition(":")
        return socket.create_connection((host, int(port)))

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        connection = _Connection(self, client, server)
        answers = threading.Thread(target=connection.pass_answers, daemon=True)
        answers.start()
        connection.pass_requests()
        answers.join()


class _Connection:
    def __init__(self, keeper: Gatekeeper, client: socket.socket, server: socket.socket) -> None:
        self._keeper = keeper
        self._client = client
        self._server = server
        self._hold: Hold | None = None

    def pass_requests(self) -> None:
        with suppress(OSError):
            while data := self._client.recv(BLOCK):
                if found := _REQUEST.match(data):
                    self._hold = self._keeper.notice(unquote(found[1].decode()))
                if not self._pass(data, self._server, "request"):
                    break
        end(self._client, self._server)

    def pass_answers(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(BLOCK):
                if not self._pass(data, self._client, "answer"):
                    break
        end(self._client, self._server)

    def _pass(self, data: bytes, to: socket.socket, side: Side) -> bool:
        """Pass it on; or as much of it as may pass, and wait until the client is gone."""
        hold = self._hold
        if hold is None or hold.side != side:
            to.sendall(data)
            return True
        to.sendall(data[: hold.passing])
        hold.passing -= len(data)
        if hold.passing >= 0:
            return True
        hold.came.set()
        gone = select.poll()
        gone.register(self._client, select.POLLRDHUP)
        gone.poll()
        return False
