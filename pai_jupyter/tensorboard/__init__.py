"""TensorBoards: the protocol `Board`, for local processes and for boards that a backend's service runs.

    board     the protocols `Board` and `BoardService`
    local     `TensorBoard`, a local board: start, find, stop
    server    its process: start, identify, end
    mirror    the files of a job that it shows, without links
    launcher  the program of that process: TensorBoard behind an access check
    address   its address for the user's browser

A local board is one process for one set of folders, on a free loopback port. It outlives its kernel, since its record is a
file:

    $PAI_JUPYTER_HOME/tensorboards/<id>/board.json     folders, port, process id
                                        places.json    the directories of jobs that it shows
                                        runs/<name>    a link to each of the user's folders, or the files of a job;
                                                       TensorBoard sees nothing else
                                        board.log      TensorBoard's output
                                        secret         the first part of its URL path (0600)
                                        open.html      redirects a browser of this machine to it (0600)

Rule 1: only boards that were started here are listed and stopped: a process is the board if its command line names the board's
    folder, which no other process does.
Rule 2: TensorBoard has no password, and every user of a machine can reach loopback ports. So the launcher serves it only below
    a secret path, and links go through the user's Jupyter server, which authenticates the user and reads the secret.
Rule 3: the secret stays in its file, never in a command line, record, log or saved output of a notebook; an address with it
    (`Address.is_secret`) is shown only where nothing is saved.
"""

from pai_jupyter.tensorboard.address import VIEWS, Address, address
from pai_jupyter.tensorboard.board import Board, BoardService, BoardSource, BoardState, BoardStatus
from pai_jupyter.tensorboard.local import (
    TensorBoard,
    find_board,
    find_by_id,
    get_board,
    list_boards,
    open_board,
    opener,
)

__all__ = [
    "Address",
    "Board",
    "BoardService",
    "BoardSource",
    "BoardState",
    "BoardStatus",
    "TensorBoard",
    "VIEWS",
    "address",
    "find_board",
    "find_by_id",
    "get_board",
    "list_boards",
    "open_board",
    "opener",
]
