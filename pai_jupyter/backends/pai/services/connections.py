"""Connections to the services: a session with one client and status pollers, shared while they are used."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from pai_jupyter.backends.pai.services.dlc_service import DlcService
from pai_jupyter.backends.pai.services.job import Kind
from pai_jupyter.backends.pai.services.job_service import JobService, TrainingService
from pai_jupyter.backends.pai.services.status_poller import StatusPoller
from pai_jupyter.backends.shared_connections import SharedConnections
from pai_jupyter.cloud.client import Client
from pai_jupyter.cloud.session import Session, Site


@dataclass(eq=False)
class ServiceConnection:
    """A session with its client, services and status pollers."""

    session: Session
    client: Client
    services: Mapping[Kind, JobService]
    pollers: Mapping[Kind, StatusPoller]

    @classmethod
    def open(cls, session: Session, workspace: str) -> Self:
        client = session.client()
        services: dict[Kind, JobService] = {
            "training": TrainingService(client, workspace),
            "dlc": DlcService(client, workspace, region=session.region_id, is_emulator=session.is_emulator),
        }
        pollers = {kind: StatusPoller(service) for kind, service in services.items()}
        return cls(session=session, client=client, services=services, pollers=pollers)

    async def aclose(self) -> None:
        await self.client.aclose()


class ConnectionPool:
    """The open connections."""

    def __init__(self) -> None:
        self._shared = SharedConnections[tuple[Site, Session], ServiceConnection](_connect)

    @asynccontextmanager
    async def to(self, site: Site, session: Session | None = None) -> AsyncIterator[ServiceConnection]:
        """Share a connection to `site` until its last user leaves; `session` overrides the site's credentials."""
        at = (
            session if session is not None else await asyncio.to_thread(lambda: site.session)
        )  # in a thread: it may read files
        async with self._shared.to((site, at)) as connection:
            yield connection

    async def aclose(self) -> None:
        """Close the connections of this loop; remaining users get an error."""
        await self._shared.aclose()


def _connect(place: tuple[Site, Session]) -> ServiceConnection:
    site, session = place
    return ServiceConnection.open(session, site.workspace)
