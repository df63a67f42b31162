"""The TensorBoard tab: a TensorBoard ("board") for the event files of one job, on this machine or as an app of its service.

Blocking, but nothing here waits for a board to be up.

The Metrics tab reads scalars itself. A board is for what only TensorBoard draws: histograms, images, profiles.
"""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeAlias

from pai_jupyter.config.marker import Marker, server_of_this_kernel
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs import Job, find_job_board, open_job_board
from pai_jupyter.store import home
from pai_jupyter.tensorboard import Address, Board, address
from pai_jupyter.wire.protocol.jobs import Handler
from pai_jupyter.wire.protocol.messages import Message
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.asked import BoardActionAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import BoardAnswer, JobBoardState

Action: TypeAlias = Literal["show", "start", "stop"]
Locate: TypeAlias = Callable[[str, str], Address]
"""Turns a board's id and local address into the address for the user's browser."""

MOST_SHOWN = 100  # local boards that are remembered
_shown: dict[str, Board] = {}  # oldest first
_lock = Lock()
_HUB = ("JUPYTERHUB_SERVICE_PREFIX", "JUPYTERHUB_API_TOKEN")


def locate(environ: Mapping[str, str], server: Marker | None = None) -> Locate:
    """Build the board locator for a browser that uses `server`, by default this kernel's server."""
    server = server or server_of_this_kernel(environ)
    is_hub = any(name in environ for name in _HUB)
    passes_on = server is not None and server.has_boards and _shares_home(server)
    base_url = server.base_url if server is not None and passes_on else None

    def find(board: str, direct: str) -> Address:
        return address(board, direct, base_url=base_url, is_hub=is_hub)

    return find


def _shares_home(server: Marker) -> bool:
    """Return whether `server` uses the same data directory; otherwise it does not know this process's boards."""
    try:
        return server.home == str(home())
    except PaiJupyterError:  # without a data directory there are no boards
        return False


def board_handler(find: Locate) -> Handler:
    """Build the handler of `board` requests; `find` comes from the host, which knows its browser's address."""

    def handle(job: Job, parameters: Mapping[str, object]) -> Message:
        return Message(body=board(job, RequestFields(parameters, BoardActionAsked).word("action"), find))

    return handle


def board(job: Job, action: Action, find: Locate) -> "BoardAnswer":
    """Do `action` to the board of `job` and return its state afterwards.

    Raises:
        SpecError: TensorBoard is not installed.
    """
    found = open_job_board(job, wait=False) if action == "start" else find_job_board(job)
    if found is not None and action == "stop":
        found.stop()
        found = None
    return _describe(found, find)


def _describe(found: Board | None, find: Locate) -> "BoardAnswer":
    if found is None or found.status in ("stopping", "stopped", "failed", "deleted"):
        return _answer("stopped")
    if not found.answers:
        return _answer("starting")
    place = address_of(found, find)
    return _answer("running", url=place.url, note=place.note)


def address_of(found: Board, find: Locate) -> Address:
    """Return a board's address for the user's browser; an app of the emulator counts as local."""
    direct = found.app_uri
    if not found.is_local:
        return Address(url=direct)
    with _lock:  # the HTTP handler of boards reads it from other threads
        _shown.pop(found.id, None)
        _shown[found.id] = found
        if len(_shown) > MOST_SHOWN:
            del _shown[next(iter(_shown))]
    return find(found.id, direct)


def shown_board(board: str) -> Board | None:
    """Return the local board with this id whose address this process gave out lately, or None.

    It also finds an app of another emulator than the configured one, which only the job knows.
    """
    with _lock:
        return _shown.get(board)


def _answer(state: "JobBoardState", *, url: str = "", note: str = "") -> "BoardAnswer":
    return {"state": state, "url": url, "note": note}
