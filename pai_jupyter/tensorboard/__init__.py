"""TensorBoards: one protocol, `Board`, for processes of this machine and for those that a backend's service runs.

    board     the protocols `Board` and `BoardService`
    local     `TensorBoard`, a board of this machine: started, found again, stopped
    server    its process: how it is started, known again, ended
    mirror    what it is shown of a job: files, and no links
    launcher  the program of that process: TensorBoard behind a guard
    address   where the user's browser finds it

A local board is one process for one explicit set of folders, on a free port of the loopback interface. It outlives the
kernel that started it, for its record is a file:

    $PAI_JUPYTER_HOME/tensorboards/<id>/board.json     folders, port, process id
                                        places.json    the directories of jobs that it shows
                                        runs/<name>    a link to each folder of the user's, or what is in that of a job;
                                                       TensorBoard is shown nothing else
                                        board.log      what TensorBoard says of itself
                                        secret         what its address begins with (0600)
                                        open.html      leads a browser of this machine there (0600)

Rule 1: only what was started here is listed, and only that is stopped: a process counts as the board when its command
    line names the board's own folder, which no other process on the machine has a reason to.
Rule 2: TensorBoard asks nobody for a password, and every user of a machine reaches its loopback. So the launcher serves
    it below a secret alone, and a link goes through the user's Jupyter server, which knows the user and reads the secret.
Rule 3: the secret stays in its file. No command line, record, log or saved output of a notebook holds it; an address
    that does (`Address.is_secret`) is shown where nothing is saved.
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
