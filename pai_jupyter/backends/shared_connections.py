"""Connections of a backend: each is shared while it is used, and closed by its last user.

A connection belongs to the event loop that opened it: the runtime's, or a test's own.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    async def aclose(self) -> None: ...


Place = TypeVar("Place", bound=Hashable)
Connection = TypeVar("Connection", bound=Closable)


@dataclass(eq=False)
class _Used(Generic[Connection]):
    connection: Connection
    users: int = 0


class SharedConnections(Generic[Place, Connection]):
    """The open connections, by loop and place; `connect` opens one, without a request."""

    def __init__(self, connect: Callable[[Place], Connection]) -> None:
        self._connect = connect
        self._open: dict[tuple[asyncio.AbstractEventLoop, Place], _Used[Connection]] = {}

    @asynccontextmanager
    async def to(self, place: Place) -> AsyncIterator[Connection]:
        """Share a connection until its last user leaves."""
        key = (asyncio.get_running_loop(), place)
        used = self._open.get(key)
        if used is None:
            used = self._open[key] = _Used(self._connect(place))
        used.users += 1
        try:
            yield used.connection
        finally:
            used.users -= 1
            if used.users == 0:
                if self._open.get(key) is used:
                    del self._open[key]
                await used.connection.aclose()

    async def aclose(self) -> None:
        """Close the connections of this loop; remaining users get an error."""
        loop = asyncio.get_running_loop()
        for key in [key for key in self._open if key[0] is loop]:
            await self._open.pop(key).connection.aclose()
