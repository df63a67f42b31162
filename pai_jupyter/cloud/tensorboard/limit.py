"""The limit of apps (PAI: five per user), and listing apps."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from pai_jupyter.cloud.client import Client, dlc
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard.states import ALIVE, status_of
from pai_jupyter.errors import LimitExceededError

LIMIT = 5  # apps of one user that may run at once
_EVER = "2018-01-01T00:00:00Z"  # without a time the service lists only the last seven days
App = dict[str, Any]  # an object of the service


async def listed(client: Client, session: Session, **query: str) -> list[App]:
    """List the apps that match the query, newest first."""
    everything = {
        "WorkspaceId": session.workspace_id,
        "StartTime": _EVER,
        "SortBy": "GmtCreateTime",
        "Order": "desc",
        **query,
    }
    return [app async for page in client.pages(dlc.LIST_TENSORBOARDS, query=everything) for app in page]


@asynccontextmanager
async def listing_what_runs(client: Client, session: Session) -> AsyncIterator[None]:
    """Replace the service's error about the limit by a sentence that names the apps and how to stop one."""
    try:
        yield
    except LimitExceededError as exc:
        alive = [app for app in await listed(client, session) if status_of(app.get("Status")) in ALIVE]
        raise LimitExceededError(_sentence(alive), code=exc.code, request_id=exc.request_id) from exc


def _sentence(alive: Sequence[App]) -> str:
    if not alive:
        return "there are too many TensorBoard apps, of others or in other workspaces: stop one in the console."
    names = "; ".join(f"{app['TensorboardId']} {app.get('DisplayName', '')!r}" for app in alive)
    oldest = alive[-1]["TensorboardId"]
    return (
        f"there are {len(alive)} TensorBoard apps already, and no more may run: {names}. "
        f"Stop one, e.g. the oldest: %pai_tensorboard --stop {oldest}"
    )
