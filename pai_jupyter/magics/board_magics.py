"""%pai_tensorboard: one local board for several jobs or directories, listed and stopped from anywhere."""

import os
from argparse import Namespace
from collections.abc import Mapping
from html import escape
from itertools import chain, count
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import attach
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table
from pai_jupyter.tensorboard import Address, TensorBoard, find_board, get_board, list_boards, open_board
from pai_jupyter.view import is_stable
from pai_jupyter.wire.board import Locate, locate


@magics_class
class BoardMagics(Magics):
    """Magics over TensorBoards."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument(
        "source", nargs="*", metavar="JOB|DIR", help="jobs (id, prefix, name), directories; for --stop, also board ids"
    )
    @argument("--stop", action="store_true", help="stop the board of these, or every board when none is named")
    @argument("--list", action="store_true", help="list the boards that run")
    @line_magic
    def pai_tensorboard(self, line: str) -> None:
        """Open one TensorBoard over jobs and directories, and show its link."""
        options = parse(self.pai_tensorboard, expand(line, self.shell.user_ns))
        _check(options)
        if options.list:
            display(boards_table(list_boards(), locate(os.environ)))
        elif options.stop:
            _stop(options.source)
        else:
            board = open_board(_folders(options.source))
            display(BoardLink(board, locate(os.environ)(board.port)))


class BoardLink:
    """A board as a line of text, or a link."""

    def __init__(self, board: TensorBoard, place: Address) -> None:
        self.board, self.place = board, place

    def __repr__(self) -> str:
        shown = ", ".join(self.board.folders)
        if is_stable():
            return "TensorBoard runs"
        return f"TensorBoard {self.board.id} of {shown}: {self.place.url or 'no link'}. {self.place.note}".strip()

    def _repr_html_(self) -> str:
        url, note = escape(self.place.url), escape(self.place.note)
        link = (
            f'<a href="{url}" target="_blank" rel="noopener">TensorBoard {self.board.id}</a>' if url else "TensorBoard"
        )
        return f"<div>{link} of {escape(', '.join(self.board.folders))}<br><small>{note}</small></div>"


def boards_table(boards: list[TensorBoard], find: Locate) -> Table:
    rows = [[board.id, ", ".join(board.folders), find(board.port).url or f"port {board.port}"] for board in boards]
    return Table(headers=["board", "shows", "address"], rows=rows, empty="no TensorBoard runs here.")


def _check(options: Namespace) -> None:
    if options.list and (options.stop or options.source):
        raise SpecError("`--list` stands alone. Type: %pai_tensorboard --list", field="--list")
    if not (options.list or options.stop or options.source):
        raise SpecError("which jobs? Type: %pai_tensorboard JOB, or a directory, or --list.", field="JOB")


def _folders(sources: list[str]) -> dict[str, Path]:
    """What to show: of a directory itself, of a job its event files."""
    folders: dict[str, Path] = {}
    for source in sources:
        path = Path(source).expanduser()
        if "/" in source or path.is_dir():
            if not path.is_dir():
                raise SpecError(f"there is no directory {source!r}.", field="DIR")
            folders[_unused(path.resolve().name, folders)] = path
            continue
        folders.update(attach(source).check_tensorboard_folders())
    return folders


def _unused(name: str, folders: Mapping[str, Path]) -> str:
    """`name`, or the first of "name (2)", "name (3)" that is free."""
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain([name], numbered) if each not in folders)


def _stop(sources: list[str]) -> None:
    boards = [_running(source) for source in sources] if sources else list_boards()
    for board in boards:
        board.stop()
        print(f"stopped the TensorBoard of {', '.join(board.folders)}")  # noqa: T201
    if not boards:
        print("no TensorBoard runs here.")  # noqa: T201


def _running(source: str) -> TensorBoard:
    """The running board that has this id, or shows just this."""
    for board in list_boards():
        if board.id == source:
            return board
    return find_board(_folders([source])) or get_board(source)
