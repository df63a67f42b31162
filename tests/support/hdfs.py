"""What tests of HDFS share: an HDFS as they see it, and the emulated one, in this process."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import httpx
import pytest
import uvicorn
from starlette.types import ASGIApp

from pai_jupyter.emulator.server.hdfs import HdfsEmulator
from pai_jupyter.emulator.server.serving import TransportProtocol
from pai_jupyter.emulator.state.faults import FaultName, Rule
from pai_jupyter.storage import Storage, open_storage
from pai_jupyter.storage.hdfs import HdfsAccess
from tests.support.started import until

USER = "alice"


class Addressed(Protocol):
    """An HDFS of which the base of its WebHDFS is known."""

    @property
    def base(self) -> str: ...


class Hdfs(Addressed, Protocol):
    """An HDFS, real or emulated."""

    def set_safe_mode(self, *, is_on: bool) -> None: ...

    def without_data_node(self) -> AbstractContextManager[None]:
        """The data node is away, and the name node still names it."""


def access(hdfs: Addressed, user: str = USER) -> HdfsAccess:
    return HdfsAccess.of(user=user, base=hdfs.base)


def open_hdfs(hdfs: Hdfs, path: str = "", *, user: str = USER) -> Storage:
    return open_storage(uri(path), hdfs=access(hdfs, user))


def uri(path: str) -> str:
    return f"hdfs://127.0.0.1/{path}"


def ask(hdfs: Addressed, method: str, path: str, op: str, *, user: str = "root", **parameters: str) -> httpx.Response:
    """A request to the name node, as it is."""
    query = {"op": op, "user.name": user, **parameters}
    return httpx.request(method, f"{hdfs.base}/{quote(path)}", params=query, trust_env=False, timeout=30)


@contextmanager
def place(hdfs: Addressed, name: str) -> Iterator[str]:
    """A directory in which everybody may write, for the time of the block; its path."""
    ask(hdfs, "PUT", name, "MKDIRS")
    ask(hdfs, "PUT", name, "SETPERMISSION", permission="777")
    try:
        yield name
    finally:
        ask(hdfs, "DELETE", name, "DELETE", recursive="true")


@dataclass(kw_only=True)
class EmulatedHdfs:
    """The emulated HDFS and its address."""

    emulator: HdfsEmulator
    base: str
    data_node: str

    def set_safe_mode(self, *, is_on: bool) -> None:
        self.emulator.name_node.is_safe = is_on

    @contextmanager
    def without_data_node(self) -> Iterator[None]:
        self.fail(FaultName.DATA_NODE_AWAY, times=None)
        try:
            yield
        finally:
            self.emulator.faults.clear()

    def fail(self, name: FaultName, action: str | None = None, *, times: int | None = 1, seconds: float = 2.0) -> None:
        self.emulator.faults.rules.append(Rule(name=name, action=action, times=times, seconds=seconds))


@contextmanager
def emulated(data: Path, *, is_decoding_twice: bool = True) -> Iterator[EmulatedHdfs]:
    """An emulated HDFS for the time of the block, both its nodes on threads of this process."""
    with socket.create_server(("127.0.0.1", 0)) as names, socket.create_server(("127.0.0.1", 0)) as content:
        where = [f"127.0.0.1:{each.getsockname()[1]}" for each in (names, content)]
        emulator = HdfsEmulator(data, address=where[0], data_node=where[1], is_decoding_twice=is_decoding_twice)
        servers = [_server(emulator.serve_names), _server(emulator.serve_content)]
        threads = [
            threading.Thread(target=asyncio.run, args=(server.serve(sockets=[listening]),))
            for server, listening in zip(servers, (names, content), strict=True)
        ]
        for thread in threads:
            thread.start()
        until(lambda: all(server.started for server in servers))
        try:
            yield EmulatedHdfs(emulator=emulator, base=f"http://{where[0]}/webhdfs/v1", data_node=where[1])
        finally:
            for server in servers:
                server.should_exit = True
            for thread in threads:
                thread.join()
            emulator.close()


def _server(app: ASGIApp) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        interface="asgi3",
        http=TransportProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


@pytest.fixture(scope="module")
def emulated_hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedHdfs]:
    with emulated(tmp_path_factory.mktemp("hdfs")) as hdfs:
        yield hdfs
