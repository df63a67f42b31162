"""A real Jupyter server with our extension: its own folders, its own home of jobs, below a prefix as a hub gives it.

The extension is enabled by the very file that the wheel installs.
"""

import http.client
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message as Headers
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from pai_jupyter.jobs import Job
from pai_jupyter.store import JobStore
from tests.support.paths import ROOT
from tests.support.started import DEADLINE, until

CONFIG = ROOT / "labextension" / "jupyter-config" / "pai_jupyter.json"
OTHERS = ("jupyterlab", "notebook", "notebook_shim", "jupyter_lsp", "jupyter_server_terminals")
TOKEN = "a token"
PREFIX = "/user/jo.e/"
AUTHORIZED = {"Authorization": f"token {TOKEN}"}
# jsonschema looks for a grammar of addresses, and takes a second to compile it if it finds one: more than all the rest.
_START = """
import sys
sys.modules["rfc3987_syntax"] = None
{before}
from jupyter_server.serverapp import main
main()
"""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a request was answered with."""

    status: int
    headers: Headers
    body: bytes

    def json(self) -> Any:  # Any: JSON values
        return json.loads(self.body)

    def frame(self) -> tuple[Any, list[bytes]]:  # Any: JSON values
        return read_frame(self.body)


def read_frame(frame: str | bytes) -> tuple[Any, list[bytes]]:  # Any: JSON values
    """The JSON and the binary parts of a frame, as `pai_jupyter.wire.protocol.messages` writes them."""
    if isinstance(frame, str):
        return json.loads(frame), []
    (length,) = struct.unpack_from("<I", frame)
    body, parts, at = json.loads(frame[4 : 4 + length]), [], 4 + length
    for size in body.pop("buffers"):
        assert at % 8 == 0
        parts.append(frame[at : at + size])
        at += size + -size % 8
    return body, parts


@dataclass(frozen=True, kw_only=True)
class Browser:
    """A browser that is logged in: its cookies."""

    cookies: Mapping[str, str]

    def headers(self, **others: str) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **others}

    def changing(self, **others: str) -> dict[str, str]:
        """The headers of a request that changes something."""
        return self.headers(**{"X-XSRFToken": self.cookies["_xsrf"]}, **others)


@dataclass
class Server:
    """One server process; `folder` is all that it has on the disk."""

    folder: Path
    process: "subprocess.Popen[bytes]" = field(init=False)
    port: int = field(init=False)
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def store(self) -> JobStore:
        return JobStore(self.home)

    @property
    def runtime_dir(self) -> Path:
        return self.folder / "runtime"

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}{PREFIX}pai-jupyter/api/socket"

    def start(self, *, before: str = "", **options: str) -> None:
        """Start it, `before` being run in its process first, and wait until it answers."""
        arguments = {
            "ServerApp.base_url": PREFIX,
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": "0",
            "ServerApp.root_dir": str(self.folder),
            "ServerApp.open_browser": "False",
            "ServerApp.allow_root": "True",
            "IdentityProvider.token": TOKEN,
            **options,
        }
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START.format(before=before), *(f"--{n}={v}" for n, v in arguments.items())],
                env=self.environ,
                stdout=log,
                stderr=log,
            )
        until(lambda: self._listens() or self.process.poll() is not None)
        assert self.process.poll() is None, self.log

    def ask(
        self, path: str, *, method: str = "GET", headers: Mapping[str, str] = AUTHORIZED, body: bytes | None = None
    ) -> Reply:
        """Send a request for `path`, sign for sign: below our part of the server, or "/..." below the server's own prefix."""
        target = PREFIX + path[1:] if path.startswith("/") else f"{PREFIX}pai-jupyter/api/{path}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        try:
            connection.request(method, target, body=body, headers=dict(headers))
            response = connection.getresponse()
            return Reply(status=response.status, headers=response.headers, body=response.read())
        finally:
            connection.close()

    def log_in(self) -> Browser:
        pages = [self.ask(page, headers={}) for page in ("/login", f"/login?token={quote(TOKEN)}")]
        found = [cookie for page in pages for cookie in page.headers.get_all("Set-Cookie") or ()]
        parts = (cookie.partition(";")[0].partition("=") for cookie in found)
        return Browser(cookies={name: value for name, _, value in parts})

    def stop(self, signal_number: int = signal.SIGTERM) -> None:
        self.process.send_signal(signal_number)
        self.process.wait(timeout=DEADLINE)

    def _listens(self) -> bool:
        """Whether the server can be reached; Jupyter itself notes where, a moment too early."""
        try:
            noted = json.loads((self.runtime_dir / f"jpserver-{self.process.pid}.json").read_text())
            self.port = noted["port"]
            socket.create_connection(("127.0.0.1", self.port)).close()
        except (OSError, ValueError):
            return False
        return True


def environment(folder: Path) -> dict[str, str]:
    """The environment of Jupyter programs that have all their folders in `folder`, and our extension enabled there.

    Those of others are switched off, for the tests' time; jupyter-server-proxy, which ours asks for, is left.
    """
    enabled = folder / "config" / "jupyter_server_config.d"
    enabled.mkdir(parents=True, exist_ok=True)
    shutil.copy(CONFIG, enabled)
    off = {"ServerApp": {"jpserver_extensions": dict.fromkeys(OTHERS, False)}}
    (enabled / "others.json").write_text(json.dumps(off))
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "IPYTHONDIR": "ipython",
        "PAI_JUPYTER_HOME": "home",
    }
    given = {name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"}
    return {**given, "JUPYTER_PREFER_ENV_PATH": "0", **{name: str(folder / place) for name, place in places.items()}}


@contextmanager
def running_server(folder: Path, **given: str) -> Iterator[Server]:
    """A server in `folder`, ended behind the block."""
    server = Server(folder=folder, environ=environment(folder))
    server.start(**given)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def run_kernel(server: Server, code: str) -> None:
    """Start a kernel through the server, as a notebook does, and run `code` in it to its end."""
    from jupyter_client.blocking.client import BlockingKernelClient

    reply = server.ask("/api/kernels", method="POST", body=b"{}")
    assert reply.status == 201, reply.body
    client = BlockingKernelClient(connection_file=str(server.runtime_dir / f"kernel-{reply.json()['id']}.json"))
    client.load_connection_file()
    client.start_channels()
    try:
        _await_ready(client)
        assert client.execute_interactive(code, timeout=DEADLINE)["content"]["status"] == "ok"
    finally:
        client.stop_channels()


def _await_ready(client: Any) -> None:  # Any: jupyter_client's, which is untyped
    """Wait until the kernel answers; the client knows it by its heartbeat alone, and takes one that is late for its death."""
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            client.wait_for_ready(timeout=DEADLINE)
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
        else:
            return


@pytest.fixture
def job(server: Server, job_id: str) -> Job:
    """The job that the fixture `job_id` has made in the home of the fixture `server`."""
    return Job(JobStore(server.home).open(job_id))


@pytest.fixture
def model(job: Job) -> Path:
    return Path(job.output("model"))
