"""%pai_tensorboard: open, list and stop TensorBoards.

All local jobs and directories of one call get one local board. Each folder in OSS, given or a PAI job's, gets a TensorBoard
app of its own, since an app shows one folder.
"""

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from html import escape
from itertools import chain, count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.backends.tensorboards import board_service_for
from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.jobs import Job, attach, find_job_board, open_job_board
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.tensorboard import (
    Address,
    Board,
    BoardService,
    BoardSource,
    find_board,
    get_board,
    list_boards,
    open_board,
    opener,
)
from pai_jupyter.view import is_stable, said
from pai_jupyter.wire.tabs.board import Locate, address_of, locate
from pai_jupyter.wire.tabs.boards import MOST_APPS, apps_there

HERE_NOTE = "This link works in a browser on the machine that runs the kernel."
ELSEWHERE_NOTE = (
    "To open it in JupyterLab, install pai_jupyter in the environment of the Jupyter server. Otherwise `print(BOARD.app_uri)` "
    "shows its address (BOARD: the result of `job.tensorboard()`). The address contains a secret, so do not save that output."
)


@magics_class
class BoardMagics(Magics):
    """`%pai_tensorboard`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument(
        "source",
        nargs="*",
        metavar="JOB|DIR|oss://...",
        help="jobs (id, prefix, name), directories here or in OSS; for --stop, also ids of boards and apps",
    )
    @argument("--stop", action="store_true", help="stop the boards of these, or all local boards if none is named")
    @argument("--list", action="store_true", help="list local boards, and TensorBoard apps if a session is set up")
    @line_magic
    def pai_tensorboard(self, line: str) -> None:
        """Open one TensorBoard for jobs and directories and show its link; for files in OSS, a TensorBoard app."""
        options = parse(self.pai_tensorboard, expand(line, self.shell.user_ns), is_mixed=True)
        _check(options)
        if options.list:
            _list(finder(self.shell))
        elif options.stop:
            _stop(options.source)
        else:
            _open(options.source, finder(self.shell))


class BoardLink:
    """A board as a line of text or an HTML link; only in a terminal with its secret address, since notebooks are saved."""

    def __init__(self, what: str, shows: str, place: Address) -> None:
        self.what, self.shows, self.place = what, shows, place

    def __repr__(self) -> str:
        if is_stable():
            return "TensorBoard runs"
        return f"{self.what} of {self.shows}: {self.place.url or 'no link'}. {self.place.note}".strip()

    def _repr_html_(self) -> str:
        url, note, what = escape(self.place.url), escape(self.place.note), escape(self.what)
        link = f'<a href="{url}" target="_blank" rel="noopener noreferrer">{what}</a>' if url else what
        return f"<div>{link} of {escape(self.shows)}<br><small>{note}</small></div>"


def finder(shell: Any) -> Locate:  # Any: IPython's shell, untyped
    """Return the board locator for the outputs of `shell`; in a kernel, its addresses have no secrets."""
    find = locate(os.environ)
    return unsecret(find) if getattr(shell, "kernel", None) is not None else find


def unsecret(find: Locate) -> Locate:
    """Wrap `find`: an address with a secret is replaced by an HTML file that opens it, which only its owner can read."""

    def told(board: str, direct: str) -> Address:
        place = find(board, direct)
        if not place.is_secret:
            return place
        page = opener(board)
        if page is None:
            return Address(url="", note=ELSEWHERE_NOTE)
        return Address(url=page.as_uri(), note=f"{HERE_NOTE} {ELSEWHERE_NOTE}")

    return told


def link_of(board: Board, find: Locate) -> BoardLink:
    return BoardLink(_title(board), board.subject, address_of(board, find))


def boards_table(boards: Sequence[Board], find: Locate) -> Table:
    rows = [[board.id, board.last_status, board.subject, _address(board, find)] for board in boards]
    return Table(headers=["board", "state", "shows", "address"], rows=rows, empty="no TensorBoard is running.")


def _address(board: Board, find: Locate) -> str:
    if board.last_status != "running":
        return ""
    return address_of(board, find).url or ("" if board.service else f"port {urlsplit(board.app_uri).port}")


def _check(options: Namespace) -> None:
    if options.list and (options.stop or options.source):
        raise SpecError("`--list` takes no other arguments. Type: %pai_tensorboard --list", field="--list")
    if not (options.list or options.stop or options.source):
        raise SpecError("no job given. Type: %pai_tensorboard JOB, or a directory, or --list.", field="JOB")


def _list(find: Locate) -> None:
    """Show local boards, and apps if the cloud can be asked."""
    apps: Sequence[Board] = []
    try:
        apps = apps_there()
    except PaiJupyterError as exc:
        print(said(f"TensorBoard apps cannot be listed: {exc}"))  # noqa: T201
    display(boards_table([*list_boards(), *apps[:MOST_APPS]], find))


def _open(sources: Sequence[str], find: Locate) -> None:
    """Open one board for all local sources, and a board or app for each remote one."""
    folders: dict[str, Path | JobDirectory] = {}
    for source in sources:
        if service := _service_of(source):
            display(link_of(service.open_board(BoardSource(uri=source), wait=True), find))
        elif found := _folders(source, folders):
            folders |= found
        else:
            display(link_of(open_job_board(attach(source)), find))
    if folders:
        display(link_of(open_board(folders), find))


def _folders(source: str, known: Mapping[str, Path | JobDirectory]) -> Mapping[str, Path | JobDirectory]:
    """Return the folders to show for a directory or a job; empty if the job's event files are in OSS."""
    path = Path(source).expanduser()
    if "/" not in source and not path.is_dir():
        return attach(source).tensorboard_folders()
    if not path.is_dir():
        raise SpecError(f"there is no directory {source!r}.", field="DIR")
    return {_unused(path.resolve().name, known): path}


def _unused(name: str, folders: Mapping[str, Path | JobDirectory]) -> str:
    """Return `name`, or the first of "name (2)", "name (3)", ... that is not taken."""
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in folders)


def _stop(sources: Sequence[str]) -> None:
    boards: Sequence[str | Board] = sources or list_boards()
    failed: list[PaiJupyterError] = []
    for source in boards:
        try:
            _stop_one(_running(source) if isinstance(source, str) else source)
        except PaiJupyterError as exc:  # stop the others
            failed.append(exc)
    for error in failed[:-1]:
        print(said(str(error)))  # noqa: T201
    if failed:
        raise failed[-1]
    if not boards:
        print(said("no TensorBoard is running."))  # noqa: T201


def _stop_one(board: Board) -> None:
    board.stop()
    if board.service:
        print(said(f"stopped the TensorBoard app {board.id}{_emulated(board)} of {board.subject}"))  # noqa: T201
    else:
        print(said(f"stopped the TensorBoard of {board.subject}"))  # noqa: T201


def _running(source: str) -> Board:
    """Find the board or app with this id, or one that shows exactly this source."""
    for board in list_boards():
        if board.id == source:
            return board
    service = _service_of(source)
    found = service.find_board(BoardSource(uri=source)) if service else _board_of(source)
    if found is None:
        raise NotFoundError(f"no single TensorBoard {source!r} runs here. Type: %pai_tensorboard --list")
    return found


def _board_of(source: str) -> Board | None:
    """Find the board of a directory or job, else the board with this id prefix, else the app with this id, else None."""
    if "/" in source or Path(source).expanduser().is_dir():
        return find_board(_folders(source, {}))
    try:
        job: Job | None = attach(source)
    except PaiJupyterError:
        job = None
    if job is not None and (found := find_job_board(job)) is not None:
        return found
    try:
        return get_board(source)
    except NotFoundError:
        return next((app for app in apps_there() if app.id == source), None)


def _title(board: Board) -> str:
    return f"TensorBoard app {board.id}{_emulated(board)}" if board.service else f"TensorBoard {board.id}"


def _emulated(board: Board) -> str:
    return " (emulator)" if board.is_emulated else ""


def _service_of(source: str) -> BoardService | None:
    """Return the service that shows an address; None for local paths."""
    return board_service_for(source) if "://" in source else None
