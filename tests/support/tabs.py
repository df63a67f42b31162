"""Clients of the server's socket: a browser tab, and one that never reads."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from tests.support.server import AUTHORIZED, PREFIX, Server, read_frame
from tests.support.started import DEADLINE


class Tab:
    """The socket of one browser tab."""

    def __init__(self, connection: WebSocketClientConnection) -> None:
        self.connection = connection
        self.pushes: list[Any] = []  # Any: JSON values
        self._answers: dict[object, Any] = {}
        self._is_closed = False

    async def send(self, request: object) -> None:
        frame = request if isinstance(request, str | bytes) else json.dumps(request)
        await self.connection.write_message(frame, binary=isinstance(frame, bytes))

    async def ask(self, kind: str, job: str = "", **parameters: Any) -> Any:  # Any: JSON values
        """The answer to a request; what is pushed meanwhile is kept."""
        request_id = f"{kind} {len(self._answers)}"
        await self.send({"id": request_id, "kind": kind, "job": job, "view": "v", **parameters})
        return await self.answer_to(request_id)

    async def answer_to(self, request_id: object) -> Any:
        while request_id not in self._answers:
            await self._take()
        return self._answers[request_id]

    async def see(self, condition: Callable[[Any], object]) -> Any:
        """The first push, of those that came or are to come, for which `condition` holds."""
        seen = 0
        while True:
            for push in self.pushes[seen:]:
                if condition(push):
                    return push
            seen = len(self.pushes)
            await self._take()

    async def closed(self) -> tuple[int | None, str | None]:
        """Code and reason with which the server closes the socket."""
        with suppress(ConnectionResetError):
            while not self._is_closed:
                await self._take()
        return self.connection.close_code, self.connection.close_reason

    async def _take(self) -> None:
        async with asyncio.timeout(DEADLINE):
            frame = await self.connection.read_message()
        self._is_closed = frame is None
        if frame is None:
            raise ConnectionResetError("the server has closed the socket")
        body, _ = read_frame(frame)
        if "seq" in body:
            self.pushes.append(body)
        else:
            self._answers[body["id"]] = body


class DeafClient:
    """A client of the socket that asks and asks and never reads an answer."""

    def __init__(self, server: Server) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port))
        self.port = self._socket.getsockname()[1]
        headers = {
            **AUTHORIZED,
            "Host": f"127.0.0.1:{server.port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version": "13",
        }
        lines = [f"GET {PREFIX}pai-jupyter/api/socket HTTP/1.1", *(f"{n}: {v}" for n, v in headers.items())]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        assert self._socket.recv(12) == b"HTTP/1.1 101"

    def ask_until_closed(self, request: object, watch: Callable[[], None]) -> None:
        """Send `request` for as long as the server holds the line; `watch` is called all the while."""
        text = json.dumps(request).encode()
        whole = b"\x81" + struct.pack("!BH", 0x80 | 126, len(text)) + bytes(4) + text  # its mask changes nothing
        self._socket.settimeout(0.05)
        deadline, left = time.monotonic() + DEADLINE, whole
        with closing(self._socket), suppress(ConnectionError):
            while time.monotonic() < deadline:
                watch()
                with suppress(TimeoutError):
                    left = left[self._socket.send(left) :] or whole
            raise AssertionError("the server holds the line")


@asynccontextmanager
async def open_tab(server: Server, headers: Mapping[str, str] = AUTHORIZED) -> AsyncIterator[Tab]:
    """A socket to the server, closed behind the block."""
    connection = await websocket_connect(HTTPRequest(server.socket_url, headers=dict(headers)), max_message_size=2**30)
    tab = Tab(connection)
    try:
        yield tab
    finally:
        connection.close()
        await tab.closed()
