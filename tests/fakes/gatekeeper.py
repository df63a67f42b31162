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
from types import TracebackType
from typing import Literal, Self
from urllib.parse import unquote

_REQUEST = re.compile(rb"([A-Z]+ \S+) HTTP/1\.1\r\n")
_BLOCK = 65536
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


class Gatekeeper:
    """Passes connections on to `target`, host:port, while `is_open`; `requests` are the beginnings of all that came, decoded."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.is_open = True
        self.refused = 0
        self.requests: list[str] = []
        self._holds: list[Hold] = []
        self._live: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()

    def hold(self, start: str, side: Side = "request", *, passing: int = 0, skip: int = 0) -> threading.Event:
        """Keep what `Hold` says; the event tells that it is here."""
        hold = Hold(start=start, side=side, passing=passing, skip=skip)
        self._holds.append(hold)
        return hold.came

    def count(self, start: str) -> int:
        """How many requests began so."""
        return sum(request.startswith(start) for request in self.requests)

    def cut(self) -> None:
        """Drop every connection, and refuse new ones until `mend`."""
        self.is_open = False
        with self._lock:
            for end in self._live:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self.is_open = True

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed
            while True:
                client, _ = self._listener.accept()
                if self.is_open:
                    threading.Thread(target=self._connect, args=[client], daemon=True).start()
                else:
                    self.refused += 1
                    client.close()

    def _connect(self, client: socket.socket) -> None:
        host, _, port = self.target.partition(":")
        try:
            server = socket.create_connection((host, int(port)))
        except OSError:
            client.close()
            return
        with client, server:
            with self._lock:
                self._live |= {client, server}
            connection = _Connection(self, client, server)
            answers = threading.Thread(target=connection.pass_answers, daemon=True)
            answers.start()
            connection.pass_requests()
            answers.join()
            with self._lock:
                self._live -= {client, server}

    def notice(self, request: str) -> Hold | None:
        """Note a request, and find out who wants to keep it."""
        with self._lock:
            self.requests.append(request)
            return next((hold for hold in self._holds if hold.is_for(request)), None)


class _Connection:
    def __init__(self, keeper: Gatekeeper, client: socket.socket, server: socket.socket) -> None:
        self._keeper = keeper
        self._client = client
        self._server = server
        self._hold: Hold | None = None

    def pass_requests(self) -> None:
        with suppress(OSError):
            while data := self._client.recv(_BLOCK):
                if found := _REQUEST.match(data):
                    self._hold = self._keeper.notice(unquote(found[1].decode()))
                if not self._pass(data, self._server, "request"):
                    break
        self._end()

    def pass_answers(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(_BLOCK):
                if not self._pass(data, self._client, "answer"):
                    break
        self._end()

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

    def _end(self) -> None:
        for end in (self._client, self._server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
