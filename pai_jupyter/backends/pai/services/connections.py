"""Shared connections to the services: one client and status pollers per session, while they are used.

A connection belongs to the event loop that opened it: the runtime's, or a test's own.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from pai_jupyter.backends.pai.services.dlc_service import DlcService
from pai_jupyter.backends.pai.services.job import Kind
from pai_jupyter.backends.pai.services.job_service import JobService, TrainingService
from pai_jupyter.backends.pai.services.status_poller import StatusPoller
from pai_jupyter.cloud.client import Client
from pai_jupyter.cloud.session import Session, Site


@dataclass(eq=False)
class ServiceConnection:
    """A session with its client, services and status pollers, and its number of users."""

    session: Session
    client: Client
    services: Mapping[Kind, JobService]
    pollers: Mapping[Kind, StatusPoller]
    users: int = 0

    @classmethod
    def open(cls, session: Session, workspace: str) -> Self:
        client = session.client()
        services: dict[Kind, JobService] = {
            "training": TrainingService(client, workspace),
            "dlc": DlcService(client, workspace, region=session.region_id, is_emulator=session.is_emulator),
        }
        pollers = {kind: StatusPoller(service) for kind, service in services.items()}
        return cls(session=session, client=client, services=services, pollers=pollers)


class ConnectionPool:
    """The open connections."""

    def __init__(self) -> None:
        self._open: dict[tuple[asyncio.AbstractEventLoop, Site, Session], ServiceConnection] = {}

    @asynccontextmanager
    async def to(self, site: Site, session: Session | None = None) -> AsyncIterator[ServiceConnection]:
        """Share a connection to `site` until its last user leaves; `session` overrides the site's credentials."""
        at = (
            session if session is not None else await asyncio.to_thread(lambda: site.session)
        )  # in a thread: it may read files
        key = (asyncio.get_running_loop(), site, at)
        connection = self._open.get(key)
        if connection is None:
            connection = self._open[key] = ServiceConnection.open(at, site.workspace)
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
