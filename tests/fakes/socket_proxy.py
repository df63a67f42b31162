"""A Unix socket between a client and a server, which a test can cut: live connections dropped, new ones refused."""

import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self


class SocketProxy:
    """Passes connections on to the socket at `target` while `is_open`."""

    def __init__(self, target: str) -> None:
        self._target = target.removeprefix("unix://")
        self._folder = Path(tempfile.mkdtemp(prefix="pai-"))  # short: a socket's path has at most 107 bytes
        self._listener = socket.socket(socket.AF_UNIX)
        self._live: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.is_open = True
        self.refused = 0  # connections that came while it was cut

    @property
    def address(self) -> str:
        return f"unix://{self._folder}/socket"

    def __enter__(self) -> Self:
        self._listener.bind(self.address.removeprefix("unix://"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        _end(self._listener)
        shutil.rmtree(self._folder)

    def cut(self) -> None:
        """Drop every connection, and refuse new ones until `mend`."""
        self.is_open = False
        self.drop()

    def mend(self) -> None:
        self.is_open = True

    def drop(self) -> None:
        """Drop every connection that there is."""
        with self._lock:
            for end in self._live:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed
            while True:
                client, _ = self._listener.accept()
                if self.is_open:
                    self._connect(client)
                else:
                    self.refused += 1
                    client.close()

    def _connect(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(self._target)
        except OSError:
            client.close()
            server.close()
            return
        with self._lock:
            self._live |= {client, server}
        pumps = [
            threading.Thread(target=self._pump, args=ends, daemon=True) for ends in ((client, server), (server, client))
        ]
        for pump in pumps:
            pump.start()
        threading.Thread(target=self._close_after, args=(pumps, client, server), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _close_after(self, pumps: list[threading.Thread], *ends: socket.socket) -> None:
        for pump in pumps:
            pump.join()
        with self._lock:
            self._live -= set(ends)
        for end in ends:
            end.close()


def _end(listener: socket.socket) -> None:
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
    listener.close()
