"""A cluster of OpenPAI of the YARN generation: its REST server, and its HDFS, as one application.

The name node answers at the cluster's address, as behind its proxy (`/webhdfs/api/v1`) and as itself (`/webhdfs/v1`); the data node at
a port of its own. Everybody may write into the root directory: clients make `/USER/JOB` and `/demo` there.
"""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import Message, Receive, Scope, Send

from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.openpai.app import OpenPaiEmulator
from pai_jupyter.emulator.server.hdfs import HdfsEmulator
from pai_jupyter.emulator.server.serving import HOST, TransportProtocol
from pai_jupyter.emulator.webhdfs.namespace import SUPERUSER


class YarnCluster:
    """The ASGI application of such a cluster."""

    def __init__(self, world: EmulatorContext) -> None:
        self._listening = socket.create_server((HOST, 0))
        self._files = HdfsEmulator(
            world.data / "hdfs",
            address=world.address.partition("://")[2],
            data_node=f"{HOST}:{self._listening.getsockname()[1]}",
            now=world.now,
            faults=world.faults,
        )
        self._files.names.change("", SUPERUSER, permission="777")
        self._rest = OpenPaiEmulator(world, "yarn", files=self._files.names)
        self._data_node = _DataNodeServer(
            uvicorn.Config(
                self._files.serve_content,
                interface="asgi3",
                http=TransportProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=1,
            )
        )
        self._serving: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/webhdfs/"):
            await self._files.serve_names(scope, receive, send)
            return

        async def with_data_node(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                self._serving = asyncio.create_task(self._data_node.serve(sockets=[self._listening]))
            elif message["type"] == "lifespan.shutdown.complete":
                await self._end()
            await send(message)

        await self._rest(scope, receive, with_data_node)

    async def _end(self) -> None:
        self._data_node.should_exit = True
        if self._serving is not None:
            await self._serving
        self._files.close()


class _DataNodeServer(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the server of the cluster's address, which ends this one, too."""
        yield
