"""Connections to PAIFlow while they are used, and the nodes of each run, asked for once for all who follow one.

A connection belongs to the event loop that opened it: the runtime's, or a test's own.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pai_jupyter.cloud.client import Client
from pai_jupyter.cloud.flow import FlowNode, FlowService
from pai_jupyter.cloud.flow.pipelines import address_of
from pai_jupyter.cloud.session import Session, Site
from pai_jupyter.errors import PaiJupyterError

FRESH = 1.0  # seconds that an answer, or a failure to get one, is good for everybody


class RunSnapshot:
    """The nodes of one run as they were a moment ago."""

    def __init__(self, service: FlowService, run: str) -> None:
        self._service = service
        self._run = run
        self._asking = asyncio.Lock()
        self._root = ""
        self._nodes: dict[str, FlowNode] = {}
        self._failure: PaiJupyterError | None = None
        self._at = float("-inf")

    async def look(self, node: str) -> FlowNode:
        """Return a node as it is.

        Raises:
            NotFoundError: there is no such run or node.
            PaiJupyterError: the service does not answer.
        """
        async with self._asking:
            known = self._nodes.get(node)
            if known is not None and known.is_over:
                return known
            if time.monotonic() - self._at > FRESH:
                await self._ask()
        if self._failure is not None:
            raise self._failure
        found = self._nodes.get(node)
        return found if found is not None else await self._service.get_node(self._run, node)

    async def _ask(self) -> None:
        try:
            self._root = self._root or (await self._service.get_run(self._run)).node_id
            if self._root:
                tree = await self._service.tree(self._run, self._root, known=self._nodes)
                self._nodes = {}
                self._keep(tree)
            self._failure = None
        except PaiJupyterError as exc:
            self._failure = exc
        self._at = time.monotonic()

    def _keep(self, node: FlowNode) -> None:
        self._nodes[node.id] = node
        for child in node.children:
            self._keep(child)


@dataclass(eq=False)
class FlowConnection:
    """A session with its client and service, and its number of users."""

    session: Session
    client: Client
    service: FlowService
    runs: dict[str, RunSnapshot] = field(default_factory=dict)
    users: int = 0

    def run(self, run: str) -> RunSnapshot:
        return self.runs.setdefault(run, RunSnapshot(self.service, run))


class FlowConnections:
    """The open connections."""

    def __init__(self) -> None:
        self._open: dict[tuple[asyncio.AbstractEventLoop, Site, Session], FlowConnection] = {}

    @asynccontextmanager
    async def to(self, site: Site) -> AsyncIterator[FlowConnection]:
        """Share a connection to `site` until its last user leaves."""
        session = await asyncio.to_thread(lambda: site.session)  # in a thread: it may read files
        key = (asyncio.get_running_loop(), site, session)
        connection = self._open.get(key)
        if connection is None:
            client = session.client()
            service = FlowService(client, site.workspace, address=address_of(session))
            connection = self._open[key] = FlowConnection(session, client, service)
        connection.users += 1
        try:
            yield connection
        finally:
            connection.users -= 1
            if connection.users == 0:
                self._open.pop(key, None)
                await connection.client.aclose()

    async def aclose(self) -> None:
        """Close the connections of this loop; remaining users get an error."""
        loop = asyncio.get_running_loop()
        for key in [key for key in self._open if key[0] is loop]:
            await self._open.pop(key).client.aclose()
