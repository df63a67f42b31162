"""One app in the user's hands."""

from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from pai_jupyter.cloud.client import Client, dlc
from pai_jupyter.cloud.client.operation import Operation
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard.limit import listing_what_runs
from pai_jupyter.cloud.tensorboard.states import AppStatus, status_of
from pai_jupyter.cloud.tensorboard.waiting import STALE_FOR, UP_WITHIN, answers, told, wait_until_up
from pai_jupyter.errors import NotFoundError
from pai_jupyter.spec import Json


class TensorBoardApp:
    """A TensorBoard app of PAI, or of the emulator. Made by `open_app`, `open_job_app`, `find_app` and `list_apps`."""

    service = ""  # whoever makes it for a backend sets that one's name

    def __init__(self, fields: Mapping[str, Json], session: Session) -> None:
        self._fields = dict(fields)
        self._session = session

    def __repr__(self) -> str:
        return f"<TensorBoardApp {self.id} {self.name!r} {status_of(self._fields.get('Status'))}>"

    @property
    def id(self) -> str:
        return str(self._fields["TensorboardId"])

    @property
    def name(self) -> str:
        return str(self._fields.get("DisplayName") or self.id)

    @property
    def subject(self) -> str:
        """The job that the app belongs to, by its name; else the folder."""
        return self.name if self.source_id else self.shows or self.name

    @property
    def source_id(self) -> str:
        """The service's id of the job that the app belongs to; "" for one of a folder."""
        return str(self._fields.get("SourceId") or "")

    @property
    def shows(self) -> str:
        """Where its event files are, as the service tells it; "" where it does not."""
        return str(self._fields.get("Uri") or self._fields.get("SummaryPath") or "")

    @property
    def created(self) -> str:
        """When the app was made, in UTC as the service writes it."""
        return str(self._fields.get("GmtCreateTime") or "")

    @property
    def is_emulated(self) -> bool:
        return self._session.is_emulator

    @property
    def app_uri(self) -> str:
        """Where a browser finds the app (the name that the documents use); "" while it has no address."""
        if not self._fields.get("TensorboardUrl"):
            self._refresh()
        return self._last_uri

    @property
    def is_local(self) -> bool:
        """Whether its last known address is of this machine: an emulator's app."""
        return urlsplit(self._last_uri).hostname == "127.0.0.1"

    @property
    def state(self) -> Literal["starting", "running", "stopped"]:
        """`last_status` in the three words of a list."""
        match self.last_status:
            case "running":
                return "running"
            case "starting" | "unknown":
                return "starting"
            case _:
                return "stopped"

    @property
    def last_status(self) -> AppStatus:
        """How the app stood when the service was last asked."""
        return status_of(self._fields.get("Status"))

    @property
    def status(self) -> AppStatus:
        """How the app stands; asks the service."""
        self._refresh()
        return self.last_status

    @property
    def answers(self) -> bool:
        """Whether the app can be looked at already; looks."""
        url = self.app_uri
        return self._session.ask(lambda _: answers(url))

    def wait(self, timeout: float = UP_WITHIN) -> "TensorBoardApp":
        """Wait (at most `timeout` seconds) until the app can be looked at.

        Raises:
            BackendError: it has ended.
            UnavailableError: it does not answer in time.
        """
        self._fields = self._session.ask(lambda client: wait_until_up(client, self._session, self.id, within=timeout))
        return self

    def start(self, *, wait: bool = True) -> None:
        """Start the app again; one that runs stays as it is.

        Raises:
            LimitExceededError: as many run as may; it says which.
        """
        if self.status not in ("starting", "running"):
            self._fields |= self._session.ask(lambda client: start(client, self._session, self.id, wait=wait))
        elif wait:
            self.wait()

    def stop(self) -> None:
        """End the app, which then counts no more, and may be started again. Stopping it twice does nothing."""
        self._do(dlc.STOP_TENSORBOARD, "stopped")

    def delete(self) -> None:
        """End the app for good; what it showed stays where it is."""
        self._do(dlc.DELETE_TENSORBOARD, "deleted")

    def _do(self, operation: Operation, after: AppStatus) -> None:
        path, query = {"tensorboard_id": self.id}, {"WorkspaceId": self._session.workspace_id}
        try:
            self._session.ask(lambda client: client.call(operation, path=path, query=query))
        except NotFoundError:
            after = "deleted"
        self._fields["Status"] = after

    @property
    def _last_uri(self) -> str:
        url = str(self._fields.get("TensorboardUrl") or "")
        return url if urlsplit(url).scheme in ("http", "https") else ""

    def _refresh(self) -> None:
        try:
            self._fields |= self._session.ask(lambda client: told(client, self._session, self.id))
        except NotFoundError:
            self._fields["Status"] = "Deleted"


async def start(
    client: Client, session: Session, app: str, *, wait: bool, within: float = UP_WITHIN
) -> dict[str, Json]:
    """Start an app, and `wait` until it answers; gives what the service says of it."""
    path, query = {"tensorboard_id": app}, {"WorkspaceId": session.workspace_id}
    async with listing_what_runs(client, session):
        await client.call(dlc.START_TENSORBOARD, path=path, query=query)
    if wait:
        return await wait_until_up(client, session, app, within=within, stale_for=STALE_FOR)
    return await told(client, session, app)
