"""All TensorBoards: those on this machine, and those of the services that run some. Blocking.

Rule 1: a service is asked once for the list, and only where one is set up; a board here is listed whatever it says.
Rule 2: a board is opened over all jobs that are asked for, or not at all. An app shows one folder.
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
from pai_jupyter.wire.protocol.ttl_cache import Kept
from pai_jupyter.wire.schema.asked import FolderBoardAsked
from pai_jupyter.wire.schema.limits import MAX_ID, MOST_BOARD_JOBS
from pai_jupyter.wire.tabs.board import Locate, address_of, shown_board

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import BoardLimit, BoardRow, BoardsAnswer

MOST_APPS = 20  # in a list; those that run come first
_LISTED_FOR = 5.0  # seconds that a list of apps is good for
_HERE = "here"  # the wire's word for a board of this machine

_kept: defaultdict[str, Kept[Sequence[Board]]] = defaultdict(lambda: Kept(_LISTED_FOR))  # by service
_looked: Kept[Board | None] = Kept(_LISTED_FOR)  # a page of a board makes dozens of requests at once


def boards(find: Locate) -> "BoardsAnswer":
    """List all boards, and the apps up to a limit (`BoardsAnswer` of the wire)."""
    backends, apps = backends_with_boards(), list[Board]()
    notes: list[str] = []
    for backend in backends:
        try:
            apps += _listed(backend.board_service())
        except PaiJupyterError as exc:
            notes.append(f"the apps cannot be listed: {exc}")
    if len(apps) > MOST_APPS:
        notes.append(f"of {len(apps)} apps the first {MOST_APPS} are listed; %pai_tensorboard --list shows all.")
    every: list[Board] = [*list_boards(), *apps[:MOST_APPS]]
    return {"boards": [_row(board, find) for board in every], **_limit(backends), "notes": notes}


def open_asked(asked: Mapping[str, object], find: Locate) -> "BoardRow":
    """Open one over the `jobs`, or over the `uri` of a folder in OSS, and say how it stands at once (`BoardRow`).

    Raises:
        SpecError: nothing that a board can show, or TensorBoard is not installed.
        LimitExceededError: there are as many apps as there may be; it says which.
    """
    fields = RequestFields(asked, FolderBoardAsked)
    if fields.has("jobs") == fields.has("uri"):
        raise SpecError('a TensorBoard is opened over {"jobs": [id, ...]} or over {"uri": "oss://..."}.', field="jobs")
    board = _over_folder(fields.text("uri")) if fields.has("uri") else _over_jobs(asked["jobs"])
    _kept.clear()
    return _row(board, find)


def stop_board(board: str, find: Locate) -> "BoardRow":
    """Stop the board or the app of exactly this id.

    Raises:
        NotFoundError: there is none.
    """
    every: list[Board] = [*list_boards()]
    if not any(each.id == board for each in every):
        every += apps_there()
    found = next((each for each in every if each.id == board), None)
    if found is None:
        raise NotFoundError(f"no TensorBoard {board[:MAX_ID]!r} runs here.")
    found.stop()
    _kept.clear()
    return {**_row(found, find), "state": "stopped", "url": ""}


def direct_address(board: str) -> str:
    """Return the local address, which holds a secret, of the board with exactly this id, up or starting.

    Raises:
        NotFoundError: there is none.
    """
    local = find_by_id(board)
    if local is not None:
        return local.app_uri
    app = _looked.get(board, partial(_emulated_app, board))
    # Its address is given out once it answers, which the service may say ("starting") only a moment later.
    if app is not None and app.last_status in ("starting", "running") and (direct := app.app_uri) and app.is_local:
        return direct
    _looked.forget()
    raise NotFoundError(f"no TensorBoard {board[:MAX_ID]!r} runs here. Type: %pai_tensorboard --list")


def _emulated_app(board: str) -> Board | None:
    """Find the emulator's app with this id, in its current state; None if there is none."""
    app = shown_board(board)
    if app is not None:
        _ = app.status  # asks
        return app
    services = [backend.board_service() for backend in backends_with_boards()]
    apps = (each for service in services if service.is_emulated for each in _listed(service))
    return next((each for each in apps if each.id == board), None)


def apps_there() -> list[Board]:
    """List the boards of all services; none where nothing is set up.

    Raises:
        PaiJupyterError: a service gives no answer, or refuses.
    """
    return [app for backend in backends_with_boards() for app in backend.board_service().list_boards()]


def _listed(service: BoardService) -> Sequence[Board]:
    return _kept[service.name].get(service, service.list_boards)


def _limit(backends: Sequence[HasTensorBoard]) -> "BoardLimit":
    """Return the limit of apps, if there is one, and whether its service is an emulator."""
    for backend in backends:
        with suppress(PaiJupyterError):
            service = backend.board_service()
            if service.limit is not None:
                return {"limit": service.limit, "is_emulator": service.is_emulated}
    return {"limit": None, "is_emulator": False}


def _over_folder(uri: str) -> Board:
    service = board_service_for(uri)
    if service is None:
        raise SpecError(f"{uri[:100]!r} is no folder in OSS. Write oss://BUCKET/FOLDER/.", field="uri")
    if uri.startswith("oss://"):
        from pai_jupyter.cloud.session import need_session  # late: most users open none

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
                f"the event files of job {job.id} are in OSS, and a TensorBoard app shows those of one job. Open it alone.",
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
