"""Wait until an app answers: the service reports `Running` before its TensorBoard can be opened."""

import asyncio
from collections.abc import Iterator
from itertools import chain, repeat
from urllib.parse import urlsplit

import httpx

from pai_jupyter.cloud.client import Client, dlc
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard.states import status_of
from pai_jupyter.errors import BackendError, UnavailableError
from pai_jupyter.spec import Json

UP_WITHIN = 300.0  # seconds
STALE_FOR = 10.0  # seconds after a start in which the service may still report the old status
_LOOK = 5.0  # seconds of one try
_ENDED = ("stopped", "failed", "deleted")


async def fetch_app(client: Client, session: Session, app: str) -> dict[str, Json]:
    """Ask the service about one app."""
    query = {"WorkspaceId": session.workspace_id}
    return await client.call(dlc.GET_TENSORBOARD, path={"tensorboard_id": app}, query=query)


async def wait_until_up(
    client: Client, session: Session, app: str, *, within: float, stale_for: float = 0.0
) -> dict[str, Json]:
    """Wait until an app answers and return the service's fields. Times are in seconds.

    Raises:
        BackendError: it has ended.
        UnavailableError: it does not answer in time.
    """
    fields: dict[str, Json] = {}
    clock = asyncio.get_running_loop()
    begun = clock.time()
    try:
        async with asyncio.timeout(within):
            for pause in _pauses():
                fields = await fetch_app(client, session, app)
                status = status_of(fields.get("Status"))
                if status == "running" and await answers(fields.get("TensorboardUrl")):
                    return fields
                if status in _ENDED and clock.time() - begun >= stale_for:
                    raise BackendError(f"TensorBoard app {app} has ended: {_reason(fields)}.")
                await asyncio.sleep(pause)
    except TimeoutError:
        pass
    raise UnavailableError(
        f"TensorBoard app {app} does not answer after {within:g} s; it is {fields.get('Status', 'not there yet')}. "
        "Look again in a while: %pai_tensorboard --list"
    )


async def answers(url: Json) -> bool:
    """Return whether a page can be opened there: anything but a server error."""
    if not isinstance(url, str) or urlsplit(url).scheme not in ("http", "https"):
        return False
    is_here = urlsplit(url).hostname in ("127.0.0.1", "localhost")
    try:
        async with httpx.AsyncClient(timeout=_LOOK, trust_env=not is_here) as http:
            return (await http.get(url)).status_code < httpx.codes.INTERNAL_SERVER_ERROR
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return False


def _pauses() -> Iterator[float]:
    return chain((0.2, 0.3, 0.5, 1.0, 2.0), repeat(5.0))


def _reason(fields: dict[str, Json]) -> str:
    parts = [str(fields.get(name)) for name in ("Status", "ReasonCode", "ReasonMessage") if fields.get(name)]
    return ", ".join(parts).rstrip(".") or "no reason is given"
