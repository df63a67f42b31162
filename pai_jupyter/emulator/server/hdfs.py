"""The emulated HDFS as two ASGI applications, with faults before both: `HdfsEmulator`.

The actions of faults are `HDFS:CREATE` at the name node and `HDFS-DATA:CREATE` at the data node, and so on.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pai_jupyter.emulator.server.fault_injection import abort_connection, suffer
from pai_jupyter.emulator.state.faults import FaultName, Faults, Rule
from pai_jupyter.emulator.webhdfs.data_node import DataNode
from pai_jupyter.emulator.webhdfs.name_node import NameNode
from pai_jupyter.emulator.webhdfs.namespace import Namespace

NOWHERE = "127.0.0.1:1"  # where no data node listens
CUT_AFTER = 1024 * 1024  # bytes of an upload


class HdfsEmulator:
    """An HDFS in the directory `data`; `address` and `data_node` are `HOST:PORT` of its two applications.

    `faults`: those of an emulator of which it is a part.
    """

    def __init__(
        self,
        data: Path,
        *,
        address: str,
        data_node: str,
        now: Callable[[], float] = time.time,
        faults: Faults | None = None,
        is_decoding_twice: bool = True,
    ) -> None:
        self.names = Namespace(data, now)
        self.faults = faults or Faults()
        self.name_node = NameNode(self.names, address=address, data_node=data_node)
        self.data_node = DataNode(self.names, self.name_node, is_decoding_twice=is_decoding_twice)

    def close(self) -> None:
        self.names.close()

    async def serve_names(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the name node."""
        request, rule = Request(scope, receive), self._rule(scope, "HDFS")
        is_away = rule is not None and rule.name is FaultName.DATA_NODE_AWAY

        async def respond(send: Send) -> None:
            answer = await asyncio.to_thread(self.name_node.answer, request, data_node=NOWHERE if is_away else "")
            await answer(scope, receive, send)

        await suffer(None if is_away else rule, request, respond, send)

    async def serve_content(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the data node."""
        request, rule = Request(scope, receive), self._rule(scope, "HDFS-DATA")
        is_cut = rule is not None and rule.name is FaultName.CUT

        async def respond(send: Send) -> None:
            answer: Response | None = await self.data_node.answer(request, most=CUT_AFTER if is_cut else None)
            if answer is None:
                await abort_connection(request)
            else:
                await answer(scope, receive, send)

        await suffer(None if is_cut else rule, request, respond, send)

    def _rule(self, scope: Scope, service: str) -> Rule | None:
        operation = parse_qs(scope["query_string"].decode("latin-1")).get("op", [""])[0].upper()
        path = bytes(scope["raw_path"]).decode("latin-1")
        return self.faults.strike(f"{service}:{operation}", scope["method"], path)
