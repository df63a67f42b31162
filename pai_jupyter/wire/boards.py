"""All TensorBoards: those on this machine, and the apps where this process works in the cloud. Blocking.

Rule 1: the service is asked once for the list, and only where a session is set up; a board here is listed whatever it says.
Rule 2: a board is opened over all jobs that are asked for, or not at all. An app shows one folder.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.jobs import Board, open_job_board
from pai_jupyter.path_guard import Place
from pai_jupyter.tensorboard import TensorBoard, find_by_id, list_boards, open_board
from pai_jupyter.wire.board import Locate, address_of, is_local, shown_app
from pai_jupyter.wire.jobs import find_job
from pai_jupyter.wire.kept import Kept
from pai_jupyter.wire.places import bucket_url
from pai_jupyter.wire.requests import Fields
from pai_jupyter.wire.schema.asked import FolderBoardAsked
from pai_jupyter.wire.schema.limits import MAX_ID, MOST_BOARD_JOBS

if TYPE_CHECKING:
    from pai_jupyter.cloud.session import Session
    from pai_jupyter.cloud.tensorboard import TensorBoardApp
    from pai_jupyter.wire.schema.panel import BoardLimit, BoardPlace, BoardRow, BoardsAnswer, BoardState

MOST_APPS = 20  # in a list; those that run come first
_LISTED_FOR = 5.0  # seconds that a list of apps is good for

_kept: Kept[list["TensorBoardApp"]] = Kept(_LISTED_FOR)
_looked: Kept["TensorBoardApp | None"] = Kept(_LISTED_FOR)  # a page of a board makes dozens of requests at once


def boards(find: Locate) -> "BoardsAnswer":
    """All that there are (`BoardsAnswer` of the wire)."""
    notes: list[str] = []
    apps: Sequence[TensorBoardApp] = []
    try:
        apps = _kept.get(_session(), apps_there)
    except PaiJupyterError as exc:
        notes.append(f"the apps cannot be listed: {exc}")
    if len(apps) > MOST_APPS:
        notes.append(f"of {len(apps)} apps the first {MOST_APPS} are listed; %pai_tensorboard --list shows all.")
    every: list[Board] = [*list_boards(), *apps[:MOST_APPS]]
    return {"boards": [_row(board, find) for board in every], **_service(), "notes": notes}


def open_asked(asked: Mapping[str, object], find: Locate) -> "BoardRow":
    """Open one over the `jobs`, or over the `uri` of a folder in OSS, and say how it stands at once (`BoardRow`).

    Raises:
        SpecError: nothing that a board can show, or TensorBoard is not installed.
        LimitExceededError: there are as many apps as there may be; it says which.
    """
    fields = Fields(asked, FolderBoardAsked)
    if fields.has("jobs") == fields.has("uri"):
        raise SpecError('a TensorBoard is opened over {"jobs": [id, ...]} or over {"uri": "oss://..."}.', field="jobs")
    board = _over_folder(fields.text("uri")) if fields.has("uri") else _over_jobs(asked["jobs"])
    _kept.forget()
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
    _kept.forget()
    return {**_row(found, find), "state": "stopped", "url": ""}


def direct_address(board: str) -> str:
    """Where the board of exactly this id answers on this machine, or will soon; the address holds its secret.

    Raises:
        NotFoundError: there is none.
    """
    local = find_by_id(board)
    if local is not None:
        return local.app_uri
    app = _looked.get(board, partial(_emulated_app, board))
    # Its address is given out once it answers, which the service may say ("starting") only a moment later.
    if app is not None and app.last_status in ("starting", "running") and is_local(app, app.app_uri):
        return app.app_uri
    _looked.forget()
    raise NotFoundError(f"no TensorBoard {board[:MAX_ID]!r} runs here. Type: %pai_tensorboard --list")


def _emulated_app(board: str) -> "TensorBoardApp | None":
    """The emulator's app of this id as it stands now; of this process's emulator, or of one that it has shown an app of."""
    app = shown_app(board)
    if app is not None:
        _ = app.status  # asks
        return app
    session = _session()
    apps = _kept.get(session, apps_there) if session is not None and session.is_emulator else []
    return next((each for each in apps if each.id == board), None)


def apps_there() -> "list[TensorBoardApp]":
    """The apps that there are where this process works in the cloud; none where it does not."""
    session = _session()
    if session is None:
        return []
    from pai_jupyter.cloud.tensorboard import list_apps  # late: most users have no app

    return list_apps(session=session)


def _session() -> "Session | None":
    """Where apps may be: the service wants to know of which workspace."""
    from pai_jupyter.cloud.session import get_default_session

    session = get_default_session()
    return session if session is not None and session.workspace_id else None


def _service() -> "BoardLimit":
    """How many apps there may be, where there may be any; and whether that place is PAI or only rehearses it."""
    try:
        session = _session()
    except PaiJupyterError:
        session = None
    if session is None:
        return {"limit": None, "is_emulator": False}
    from pai_jupyter.cloud.tensorboard import LIMIT

    return {"limit": LIMIT, "is_emulator": session.is_emulator}


def _over_folder(uri: str) -> Board:
    if not uri.startswith("oss://"):
        raise SpecError(f"{uri[:100]!r} is no folder in OSS. Write oss://BUCKET/FOLDER/.", field="uri")
    from pai_jupyter.cloud.session import need_session
    from pai_jupyter.cloud.tensorboard import open_app

    bucket_url(uri, need_session())
    return open_app(uri, wait=False)


def _over_jobs(asked: object) -> Board:
    ids = asked if isinstance(asked, list) else []
    if not 1 <= len(ids) <= MOST_BOARD_JOBS or not all(isinstance(each, str) for each in ids):
        raise SpecError(f"`jobs` must be a list of 1 to {MOST_BOARD_JOBS} ids.", field="jobs")
    jobs = [find_job(each) for each in ids]
    folders: dict[str, Path | Place] = {}
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
    """One line of the list (`BoardRow`)."""
    state = _state(board)
    where: BoardPlace = "here" if isinstance(board, TensorBoard) else "pai"
    if isinstance(board, TensorBoard):
        name, shows = f"TensorBoard {board.id}", ", ".join(board.folders)
    else:
        name, shows = board.name, board.shows
    url = address_of(board, find).url if state == "running" else ""
    return {"id": board.id, "name": name, "state": state, "where": where, "url": url, "shows": shows}


def _state(board: Board) -> "BoardState":
    if isinstance(board, TensorBoard):
        return "running" if board.answers else "starting"
    match board.last_status:
        case "running":
            return "running"
        case "starting" | "unknown":
            return "starting"
        case _:
            return "stopped"
