"""Find, create and list the apps of jobs and folders."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pai_jupyter.cloud.client import Client, UncertainError, dlc
from pai_jupyter.cloud.session import Session, need_session, session_for
from pai_jupyter.cloud.tensorboard.app import TensorBoardApp, start
from pai_jupyter.cloud.tensorboard.limit import App, listed, listing_what_runs
from pai_jupyter.cloud.tensorboard.states import ALIVE, AppStatus, status_of
from pai_jupyter.cloud.tensorboard.waiting import STALE_FOR, UP_WITHIN, fetch_app, wait_until_up
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.spec import Json
from pai_jupyter.storage import OssUrl, parse_oss_url

_SOURCE_TYPES = {"training": "TrainingJob", "dlc": "job"}  # by the kind of job, as `JobRef.data` has it
_BEST_FIRST: tuple[AppStatus, ...] = ("running", "starting", "unknown", "stopping", "stopped")
_NAME = 60  # characters; the service does not document its limit


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """The app to open: what it shows, and the source or name by which it is found."""

    uri: str
    name: str
    source_type: str = ""
    source_id: str = ""

    @property
    def query(self) -> dict[str, str]:
        if self.source_id:
            return {"SourceType": self.source_type, "SourceId": self.source_id}
        return {"DisplayName": self.name}

    def fits(self, app: App) -> bool:
        wanted, found = (self.source_id, "SourceId") if self.source_id else (self.name, "DisplayName")
        return app.get(found) == wanted and status_of(app.get("Status")) in _BEST_FIRST


def open_app(
    uri: str, *, session: Session | None = None, wait: bool = True, timeout: float = UP_WITHIN
) -> TensorBoardApp:
    """Open the app for an `oss://` folder: the existing one, started if need be, or a new one.

    `wait` (at most `timeout` seconds) until it can be opened.

    Raises:
        LimitExceededError: the limit of running apps is reached; it names them.
        SpecError, BackendError: it cannot be created or does not start.
    """
    session = session or need_session()
    return _open(session, _of_folder(uri, session), wait=wait, timeout=timeout)


def open_job_app(
    place: Mapping[str, Json], uri: str, name: str, *, wait: bool = True, timeout: float = UP_WITHIN
) -> TensorBoardApp:
    """Open the app `name` of a PAI job whose event files are at `uri`; `place` is its `JobRef.data`.

    Raises:
        LimitExceededError, SpecError, BackendError: as `open_app`.
    """
    session = _session_of(place)
    return _open(session, _of_job(place, uri, name, session), wait=wait, timeout=timeout)


def find_app(
    uri: str, *, place: Mapping[str, Json] | None = None, session: Session | None = None
) -> TensorBoardApp | None:
    """Return the app that `open_app` or `open_job_app` would find, without creating one; None if there is none."""
    session = _session_of(place) if place else session or need_session()
    wanted = _of_job(place, uri, "", session) if place else _of_folder(uri, session)
    found = session.ask(lambda client: _find(client, session, wanted))
    return TensorBoardApp(found, session) if found else None


def list_apps(*, session: Session | None = None) -> list[TensorBoardApp]:
    """List the apps: running ones first, each group newest first."""
    session = session or need_session()
    apps = session.ask(lambda client: listed(client, session))
    there = [app for app in apps if status_of(app.get("Status")) != "deleted"]
    there.sort(key=lambda app: status_of(app.get("Status")) not in ALIVE)
    return [TensorBoardApp(app, session) for app in there]


def _open(session: Session, wanted: _Wanted, *, wait: bool, timeout: float) -> TensorBoardApp:
    workspace = session.require_workspace()  # may call `ask` itself, so not inside `work`

    async def work(client: Client) -> Mapping[str, Json]:
        found = await _find(client, session, wanted)
        if found is None:
            app = await _create(client, session, wanted, workspace)
        elif status_of(found.get("Status")) in ("stopping", "stopped"):
            return await start(client, session, found["TensorboardId"], wait=wait, within=timeout)
        else:
            app = str(found["TensorboardId"])
        if wait:
            return await wait_until_up(client, session, app, within=timeout, stale_for=STALE_FOR if not found else 0)
        return await fetch_app(client, session, app)

    return TensorBoardApp(session.ask(work), session)


async def _find(client: Client, session: Session, wanted: _Wanted) -> App | None:
    apps = [app for app in await listed(client, session, **wanted.query) if wanted.fits(app)]
    return min(apps, key=lambda app: _BEST_FIRST.index(status_of(app.get("Status"))), default=None)


async def _create(client: Client, session: Session, wanted: _Wanted, workspace: str) -> str:
    """Create the app and return its id; after a lost answer, look whether it was created."""
    body: dict[str, Json] = {
        "DataSourceType": "OSS",
        "Uri": wanted.uri,
        "DisplayName": wanted.name,
        "SummaryRelativePath": "/",  # the service requires it; the official SDK sends it, too
        "WorkspaceId": workspace,
    }
    if wanted.source_id:
        body |= {"SourceType": wanted.source_type, "SourceId": wanted.source_id}
    try:
        async with listing_what_runs(client, session):
            made = await client.call(dlc.CREATE_TENSORBOARD, body=body)
    except UncertainError as lost:
        try:
            found = await _find(client, session, wanted)
        except PaiJupyterError as exc:  # report the error of the create, not of the list
            raise lost from exc
        if found is None:
            raise
        made = found
    return str(made["TensorboardId"])


def _of_job(place: Mapping[str, Json], uri: str, name: str, session: Session) -> _Wanted:
    url = _folder(uri, session)
    source_type = _SOURCE_TYPES.get(str(place.get("kind")), _SOURCE_TYPES["training"])
    return _Wanted(uri=str(url), name=name[:_NAME], source_type=source_type, source_id=str(place["id"]))


def _of_folder(uri: str, session: Session) -> _Wanted:
    url = _folder(uri, session)
    last = url.object_key.rstrip("/").rpartition("/")[2] or url.bucket_name
    digest = hashlib.sha256(f"{url.bucket_name}/{url.object_key}".encode(errors="surrogatepass")).hexdigest()[:8]
    return _Wanted(uri=str(url), name=f"{last[: _NAME - 9]}-{digest}")


def _folder(uri: str, session: Session) -> OssUrl:
    """Add the trailing slash and the endpoint that the service needs to an address."""
    url = parse_oss_url(uri)
    endpoint = url.endpoint or (session.oss_endpoint or "").partition("://")[2] or session.oss_endpoint
    if not endpoint:
        raise SpecError(f"nobody says where the bucket {url.bucket_name!r} is. Type: %pai_config set endpoint=...")
    key = url.object_key if url.object_key.endswith("/") or not url.object_key else url.object_key + "/"
    return OssUrl(bucket_name=url.bucket_name, object_key=key, endpoint=endpoint)


def _session_of(place: Mapping[str, Json]) -> Session:
    def text(name: str) -> str | None:
        value = place.get(name)
        return value if isinstance(value, str) and value else None

    region, job = text("region"), text("id")
    if region is None or job is None:
        raise NotFoundError("the record of this job does not say where in the cloud it is.")
    return session_for(region, text("address"), text("workspace"))
