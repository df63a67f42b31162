"""All TensorBoards: local ones, and apps of services. Blocking.

Rule 1: each configured service is asked once per list; local boards are listed even if it fails.
Rule 2: a board shows all requested jobs, or none is opened. An app of a service shows one folder.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.backends import HasTensorBoard
from pai_jupyter.backends.tensorboards import backends_with_boards, board_service_for
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.jobs import open_job_board
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.tensorboard import Board, BoardService, BoardSource, find_by_id, list_boards, open_board
from pai_jupyter.wire.files.uri_resolver import bucket_url
from pai_jupyter.wire.protocol.jobs import find_job
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.protocol.ttl_cache import CachedAnswer
from pai_jupyter.wire.schema.limits import MAX_ID, MOST_BOARD_JOBS
from pai_jupyter.wire.schema.rest import FolderBoardAsked
from pai_jupyter.wire.tabs.board import Locate, address_of, shown_board

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import BoardLimit, BoardRow, BoardsAnswer

MOST_APPS = 20  # per list; running ones come first
_LISTED_FOR = 5.0  # seconds for which a list of apps is cached
_HERE = "here"  # `where` of a local board

_kept: defaultdict[str, CachedAnswer[Sequence[Board]]] = defaultdict(lambda: CachedAnswer(_LISTED_FOR))  # by service
_looked: CachedAnswer[Board | None] = CachedAnswer(
    _LISTED_FOR
)  # loading a board's page makes dozens of requests at once


def boards(find: Locate) -> "BoardsAnswer":
    """List local boards, and at most `MOST_APPS` apps."""
    backends, apps = backends_with_boards(), list[Board]()
    notes: list[str] = []
    for backend in backends:
        try:
            apps += _listed(backend.board_service())
        except PaiJupyterError as exc:
            notes.append(f"TensorBoard apps cannot be listed: {exc}")
    if len(apps) > MOST_APPS:
        notes.append(f"showing {MOST_APPS} of {len(apps)} TensorBoard apps. For all, type: %pai_tensorboard --list")
    every: list[Board] = [*list_boards(), *apps[:MOST_APPS]]
    return {"boards": [_row(board, find) for board in every], **_limit(backends), "notes": notes}


def open_asked(asked: Mapping[str, object], find: Locate) -> "BoardRow":
    """Open a board for `jobs`, or for the `uri` of a folder in OSS; return its row without waiting for it to be up.

    Raises:
        SpecError: the request is invalid, a board cannot show it, or TensorBoard is not installed.
        LimitExceededError: the limit of apps is reached; the message names the apps.
    """
    fields = RequestFields(asked, FolderBoardAsked)
    if fields.has("jobs") == fields.has("uri"):
        raise SpecError('a TensorBoard needs either {"jobs": [id, ...]} or {"uri": "oss://..."}.', field="jobs")
    board = _over_folder(fields.text("uri")) if fields.has("uri") else _over_jobs(asked["jobs"])
    _kept.clear()
    return _row(board, find)


def stop_board(board: str, find: Locate) -> "BoardRow":
    """Stop the board or app with exactly this id.

    Raises:
        NotFoundError: there is none.
    """
    every: list[Board] = [*list_boards()]
    if not any(each.id == board for each in every):
        every += apps_there()
    found = next((each for each in every if each.id == board), None)
    if found is None:
        raise NotFoundError(f"no TensorBoard {board[:MAX_ID]!r} is running. Type: %pai_tensorboard --list")
    found.stop()
    _kept.clear()
    return {**_row(found, find), "state": "stopped", "url": ""}


def direct_address(board: str) -> str:
    """Return the local address of the running or starting board with exactly this id. The address contains a secret.

    Raises:
        NotFoundError: there is none.
    """
    local = find_by_id(board)
    if local is not None:
        return local.app_uri
    app = _looked.get(board, partial(_emulated_app, board))
    # An app may already answer while the service still reports it as "starting".
    if app is not None and app.last_status in ("starting", "running") and (direct := app.app_uri) and app.is_local:
        return direct
    _looked.forget()
    raise NotFoundError(f"no TensorBoard {board[:MAX_ID]!r} is running. Type: %pai_tensorboard --list")


def _emulated_app(board: str) -> Board | None:
    """Find the emulator's app with this id, in its current state; None if there is none."""
    app = shown_board(board)
    if app is not None:
        _ = app.status  # asks the service
        return app
    services = [backend.board_service() for backend in backends_with_boards()]
    apps = (each for service in services if service.is_emulated for each in _listed(service))
    return next((each for each in apps if each.id == board), None)


def apps_there() -> list[Board]:
    """List the apps of all services that are set up.

    Raises:
        PaiJupyterError: a service does not answer, or refuses.
    """
    return [app for backend in backends_with_boards() for app in backend.board_service().list_boards()]


def _listed(service: BoardService) -> Sequence[Board]:
    return _kept[service.name].get(service, service.list_boards)


def _limit(backends: Sequence[HasTensorBoard]) -> "BoardLimit":
    """Return the limit of apps, if a service has one, and whether that service is the emulator."""
    for backend in backends:
        with suppress(PaiJupyterError):
            service = backend.board_service()
            if service.limit is not None:
                return {"limit": service.limit, "is_emulator": service.is_emulated}
    return {"limit": None, "is_emulator": False}


def _over_folder(uri: str) -> Board:
    service = board_service_for(uri)
    if service is None:
        raise SpecError(f"{uri[:100]!r} is not a folder in OSS. Write oss://BUCKET/FOLDER/.", field="uri")
    if uri.startswith("oss://"):
        from pai_jupyter.cloud.session import need_session  # late: most users never need it

        bucket_url(uri, need_session())
    return service.open_board(BoardSource(uri=uri), wait=False)


def _over_jobs(asked: object) -> Board:
    ids = asked if isinstance(asked, list) else []
    if not 1 <= len(ids) <= MOST_BOARD_JOBS or not all(isinstance(each, str) for each in ids):
        raise SpecError(f"`jobs` must be a list of 1 to {MOST_BOARD_JOBS} ids.", field="jobs")
    jobs = [find_job(each) for each in ids]
    folders: dict[str, Path | JobDirectory] = {}
    for job in jobs:
        here = job.tensorboard_folders()
        if not here and len(jobs) > 1:
            raise SpecError(
                f"the event files of job {job.id} are in OSS, where one TensorBoard app shows one job. Open it alone.",
                field="jobs",
            )
        folders |= here
    return open_board(folders, wait=False) if folders else open_job_board(jobs[0], wait=False)


def _row(board: Board, find: Locate) -> "BoardRow":
    """Build one row of the list (`BoardRow`)."""
    state = board.state
    url = address_of(board, find).url if state == "running" else ""
    where = board.service or _HERE
    return {"id": board.id, "name": board.name, "state": state, "where": where, "url": url, "shows": board.shows}
