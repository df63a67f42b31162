"""What stands between a client and a server, and can be cut: live connections dropped, new ones refused."""

import socket
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from types import TracebackType
from typing import Self

BLOCK = 65536  # bytes


class Proxy(ABC):
    """Passes connections of `listener` on while `is_open`."""

    def __init__(self, listener: socket.socket) -> None:
        self.is_open = True
        self.refused = 0  # connections that came while it was cut
        self._listener = listener
        self._live: set[socket.socket] = set()
        self._lock = threading.Lock()

    @abstractmethod
    def _dial(self) -> socket.socket:
        """Connect to the server; an OSError where nobody listens."""

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        end(self._listener)  # wakes the thread that accepts
        self._listener.close()

    def cut(self) -> None:
        """Drop every connection, and refuse new ones until `mend`."""
        self.is_open = False
        self.drop()

    def mend(self) -> None:
        self.is_open = True

    def drop(self) -> None:
        """Drop every connection that there is."""
        with self._lock:
            end(*self._live)

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
        with client, suppress(OSError), self._dial() as server:
            with self._lock:
                self._live |= {client, server}
                if not self.is_open:  # it was cut meanwhile
                    end(client, server)
            self._carry(client, server)
            with self._lock:
                self._live -= {client, server}

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        """Pass on what comes, both ways, until one side ends."""
        answers = threading.Thread(target=_pump, args=(server, client), daemon=True)
        answers.start()
        _pump(client, server)
        answers.join()


def end(*sockets: socket.socket) -> None:
    """End connections at once, whoever is reading from them or writing to them."""
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(BLOCK):
            sink.sendall(data)
    end(source, sink)
