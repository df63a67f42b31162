"""A Unix socket between a client and a server, which a test can cut."""

import shutil
import socket
import tempfile
from pathlib import Path
from types import TracebackType

from tests.fakes.proxy import Proxy


class SocketProxy(Proxy):
    """Passes connections on to the socket at `target` while `is_open`."""

    def __init__(self, target: str) -> None:
        self._target = target.removeprefix("unix://")
        self._folder = Path(tempfile.mkdtemp(prefix="pai-"))  # short: a socket's path has at most 107 bytes
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{self._folder}/socket")
        listener.listen()
        super().__init__(listener)

    @property
    def address(self) -> str:
        return f"unix://{self._folder}/socket"

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, exc, trace)
        shutil.rmtree(self._folder)

    def _dial(self) -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(self._target)
        except OSError:
            server.close()
            raise
        return server
