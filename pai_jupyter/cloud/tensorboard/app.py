"""One TensorBoard app."""

from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from pai_jupyter.cloud.client import Client, dlc
from pai_jupyter.cloud.client.operation import Operation
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard.limit import listing_what_runs
from pai_jupyter.cloud.tensorboard.states import AppStatus, status_of
from pai_jupyter.cloud.tensorboard.waiting import STALE_FOR, UP_WITHIN, answers, fetch_app, wait_until_up
from pai_jupyter.errors import NotFoundError
from pai_jupyter.spec import Json


class TensorBoardApp:
    """A TensorBoard app of PAI or the emulator, returned by `open_app`, `open_job_app`, `find_app` and `list_apps`."""

    service = ""  # a backend that creates the app sets its own name

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
        """The name of the app's job; else the folder."""
        return self.name if self.source_id else self.shows or self.name

    @property
    def source_id(self) -> str:
        """The service's id of the app's job; "" for a folder."""
        return str(self._fields.get("SourceId") or "")

    @property
    def shows(self) -> str:
        """The address of its event files as the service reports it; "" if it does not."""
        return str(self._fields.get("Uri") or self._fields.get("SummaryPath") or "")

    @property
    def created(self) -> str:
        """The creation time, in UTC as the service writes it."""
        return str(self._fields.get("GmtCreateTime") or "")

    @property
    def is_emulated(self) -> bool:
        return self._session.is_emulator

    @property
    def app_uri(self) -> str:
        """The app's address for a browser (PAI's name for it); "" while it has none."""
        if not self._fields.get("TensorboardUrl"):
            self._refresh()
        return self._last_uri

    @property
    def is_local(self) -> bool:
        """Whether its last known address is on this machine: an emulator's app."""
        return urlsplit(self._last_uri).hostname == "127.0.0.1"

    @property
    def state(self) -> Literal["starting", "running", "stopped"]:
        """`last_status` reduced to three states."""
        match self.last_status:
            case "running":
                return "running"
            case "starting" | "unknown":
                return "starting"
            case _:
                return "stopped"

    @property
    def last_status(self) -> AppStatus:
        """The status from the last request."""
        return status_of(self._fields.get("Status"))

    @property
    def status(self) -> AppStatus:
        """The app's current status; asks the service."""
        self._refresh()
        return self.last_status

    @property
    def answers(self) -> bool:
        """Return whether the app can be opened; tries it."""
        url = self.app_uri
        return self._session.ask(lambda _: answers(url))

    def wait(self, timeout: float = UP_WITHIN) -> "TensorBoardApp":
        """Wait (at most `timeout` seconds) until the app can be opened.

        Raises:
            BackendError: it has ended.
            UnavailableError: it does not answer in time.
        """
        self._fields = self._session.ask(lambda client: wait_until_up(client, self._session, self.id, within=timeout))
        return self

    def start(self, *, wait: bool = True) -> None:
        """Start the app again; a running app is left alone.

        Raises:
            LimitExceededError: the limit of running apps is reached; it names them.
        """
        if self.status not in ("starting", "running"):
            self._fields |= self._session.ask(lambda client: start(client, self._session, self.id, wait=wait))
        elif wait:
            self.wait()

    def stop(self) -> None:
        """Stop the app, which then no longer counts and can be started again. Stopping it twice is allowed."""
        self._do(dlc.STOP_TENSORBOARD, "stopped")

    def delete(self) -> None:
        """Delete the app; the event files stay."""
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
            self._fields |= self._session.ask(lambda client: fetch_app(client, self._session, self.id))
        except NotFoundError:
            self._fields["Status"] = "Deleted"


async def start(
    client: Client, session: Session, app: str, *, wait: bool, within: float = UP_WITHIN
) -> dict[str, Json]:
    """Start an app, `wait` until it answers, and return the service's fields."""
    path, query = {"tensorboard_id": app}, {"WorkspaceId": session.workspace_id}
    async with listing_what_runs(client, session):
        await client.call(dlc.START_TENSORBOARD, path=path, query=query)
    if wait:
        return await wait_until_up(client, session, app, within=within, stale_for=STALE_FOR)
    return await fetch_app(client, session, app)
