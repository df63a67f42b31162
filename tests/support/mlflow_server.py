"""MLflow's real server, in its own environment, and a proxy of the tests' own in front of it that fails as it is told."""

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from tests.support.needs import lacking
from tests.support.paths import ROOT
from tests.support.patience import DEADLINE
from tests.support.started import until

_PYTHON = ROOT / ".venv-mlflow" / "bin" / "python"
_ENVIRONMENT = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
_PASSED = ("Content-Type", "Authorization")


@contextmanager
def mlflow_server(directory: Path) -> Iterator[str]:
    """Run the server over SQLite in `directory`; yield its address."""
    if not [
        *(ROOT / ".venv-mlflow").glob("lib/*/site-packages/flask")
    ]:  # an older one is without the server's libraries
        remedy = "`rm -rf .venv-mlflow; make .venv-mlflow/.done` installs it"
        lacking("mlflow", "MLflow's server is not installed", remedy=remedy)
    port = _free_port()
    words = [str(_PYTHON), "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    words += [
        "--backend-store-uri",
        f"sqlite:///{directory}/mlflow.db",
        "--artifacts-destination",
        f"{directory}/files",
    ]
    with (directory / "server.log").open("wb") as log:
        server = subprocess.Popen(
            words, stdout=log, stderr=log, cwd=directory, env={**os.environ, **_ENVIRONMENT}, start_new_session=True
        )
    try:
        address = f"http://127.0.0.1:{port}"
        until(lambda: _answers(address) or server.poll() is not None)
        assert server.poll() is None, (directory / "server.log").read_text()
        yield address
    finally:
        os.killpg(server.pid, 15)  # with the process that answers
        server.wait(DEADLINE)


def _answers(address: str) -> bool:
    with suppress(httpx.HTTPError):
        return httpx.get(f"{address}/health", timeout=5).status_code == 200
    return False


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class FaultyProxy:
    """Passes requests on to `target`. The next of `faults` is done to the next request that changes something, then `usual`.

    A fault: a status (it never reaches the server), "lost" (it reaches the server, and the answer is dropped), "late" (it reaches the
    server when `go` is set, long after its sender has given up), "" (none). `on_path`: only to requests whose path has this in it.
    """

    target: str
    usual: Any = ""  # Any: a fault, as above
    faults: list[Any] = field(default_factory=list)  # Any: as above
    on_path: str = ""
    paths: list[str] = field(default_factory=list)  # of all requests
    bodies: list[bytes] = field(default_factory=list)  # as above
    headers: list[dict[str, str]] = field(default_factory=list)
    go: threading.Event = field(default_factory=threading.Event)
    on_request: Callable[[], None] = lambda: None
    _server: ThreadingHTTPServer | None = None
    _port: int = 0
    _client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=DEADLINE))
    _late: list[threading.Thread] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Be there, at the same address as before."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                proxy._take(self)

            def do_POST(self) -> None:
                proxy._take(self)

            def do_PUT(self) -> None:
                proxy._take(self)

            def log_message(self, *words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        """Be away: connections are refused."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def let_late_ones_go(self) -> None:
        """Let the requests through that nobody waits for any more."""
        self.go.set()
        for thread in self._late:
            thread.join(DEADLINE)

    def _take(self, request: BaseHTTPRequestHandler) -> None:
        data = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.paths.append(request.path)
        self.bodies.append(data)
        self.headers.append(dict(request.headers))
        self.on_request()
        changes = request.command != "GET" and "/search" not in request.path and self.on_path in request.path
        fault = (self.faults.pop(0) if self.faults else self.usual) if changes else ""
        if fault == "late":
            self._late.append(threading.current_thread())
            self.go.wait(DEADLINE)
        if isinstance(fault, int):
            return self._answer(request, fault, b"oops", "text/plain")
        answer = self._pass(request, data)
        if fault in ("lost", "late"):
            request.close_connection = True
            return None
        return self._answer(request, answer.status_code, answer.content, answer.headers.get("Content-Type", ""))

    def _pass(self, request: BaseHTTPRequestHandler, data: bytes) -> httpx.Response:
        headers = {name: request.headers[name] for name in _PASSED if name in request.headers}
        return self._client.request(request.command, f"{self.target}{request.path}", content=data, headers=headers)

    def _answer(self, request: BaseHTTPRequestHandler, status: int, content: bytes, kind: str) -> None:
        with suppress(OSError):  # nobody waits any more
            request.send_response(status)
            request.send_header("Content-Type", kind)
            request.send_header("Content-Length", str(len(content)))
            request.end_headers()
            request.wfile.write(content)


@contextmanager
def faulty_proxy(target: str) -> Iterator[FaultyProxy]:
    proxy = FaultyProxy(target)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.go.set()
        proxy.stop()
        proxy._client.close()
