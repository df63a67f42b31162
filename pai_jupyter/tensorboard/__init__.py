"""Local TensorBoards: one process for one explicit set of folders, on a free port of the loopback interface.

    boards    `TensorBoard`: started, found again, stopped; what `%pai_tensorboard` and the view's tab stand on
    server    the process itself: how it is started, known again, ended
    mirror    what it is shown of a job: files, and no links
    address   where the user's browser finds it

A board outlives the kernel that started it, for its record is a file:

    $PAI_JUPYTER_HOME/tensorboards/<id>/board.json     folders, port, process id
                                        places.json    the directories of jobs that it shows
                                        runs/<name>    a link to each folder of the user's, or what is in that of a job;
                                                       TensorBoard is shown nothing else
                                        board.log      what TensorBoard says of itself

Rule 1: only what was started here is listed, and only that is stopped: a process counts as the board when its command
    line names the board's own folder, which no other process on the machine has a reason to.
Rule 2: TensorBoard asks nobody for a password. It listens on loopback alone, and a link to it goes through the user's
    Jupyter server wherever that can pass it on.
"""

from pai_jupyter.tensorboard.address import Address, address
from pai_jupyter.tensorboard.boards import TensorBoard, find_board, get_board, list_boards, open_board

__all__ = ["Address", "TensorBoard", "address", "find_board", "get_board", "list_boards", "open_board"]
