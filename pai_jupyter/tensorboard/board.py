"""The protocols `Board`, a TensorBoard anywhere, and `BoardService`, a service that runs boards.

`TensorBoard` (local.py) is a local process. A service's app is a board that a backend opens
(`pai_jupyter.backends.HasTensorBoard`).

Rule 1: no code checks the class of a board; every difference is a property here.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from pai_jupyter.spec import JobRef

BoardStatus: TypeAlias = Literal["starting", "running", "stopping", "stopped", "failed", "deleted", "unknown"]
BoardState: TypeAlias = Literal["starting", "running", "stopped"]


class Board(Protocol):
    """One TensorBoard."""

    @property
    def id(self) -> str: ...

    @property
    def service(self) -> str:
        """The name of the backend whose service runs the board; "" for a local process."""
        ...

    @property
    def name(self) -> str:
        """The board's name in a list."""
        ...

    @property
    def is_emulated(self) -> bool:
        """Whether its service is an emulator."""
        ...

    @property
    def subject(self) -> str:
        """The jobs or folders that it shows, for a sentence."""
        ...

    @property
    def shows(self) -> str:
        """The address of the event files, or the names of the runs; "" if unknown."""
        ...

    @property
    def app_uri(self) -> str:
        """The board's address with its secret (PAI's name for it); "" while it has none. May ask the service."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether the last known address is on this machine."""
        ...

    @property
    def status(self) -> BoardStatus:
        """The board's current status; asks the service."""
        ...

    @property
    def last_status(self) -> BoardStatus:
        """The status from the last request."""
        ...

    @property
    def state(self) -> BoardState:
        """`last_status` reduced to three states; "starting" until the board can be opened. Makes no request."""
        ...

    @property
    def answers(self) -> bool:
        """Return whether the board can be opened; tries it."""
        ...

    def stop(self) -> None:
        """Stop the board; stopping it twice is allowed."""
        ...

    def delete(self) -> None:
        """Delete the board; the event files stay."""
        ...


@dataclass(frozen=True, kw_only=True)
class BoardSource:
    """The content of a service's board: the folder at `uri`, or the event files of `job` there, under the job's name."""

    uri: str
    job: JobRef | None = None
    name: str = ""


class BoardService(Hashable, Protocol):
    """A service that runs TensorBoards, each for one folder of its storage. Equal services list the same boards."""

    @property
    def name(self) -> str:
        """The backend's name."""
        ...

    @property
    def limit(self) -> int | None:
        """The maximum of running boards per user; None if this process has no access to list them."""
        ...

    @property
    def is_emulated(self) -> bool: ...

    def can_show(self, uri: str) -> bool:
        """Return whether the address is in this service's storage, without a request."""
        ...

    def list_boards(self) -> Sequence[Board]:
        """List the boards, running ones first; [] if `limit` is None.

        Raises:
            PaiJupyterError: the service does not answer or rejects the request.
        """
        ...

    def open_board(self, source: BoardSource, *, wait: bool) -> Board:
        """Find, start or create the board of `source`; `wait` until it answers.

        Raises:
            LimitExceededError: the limit of running boards is reached; it names them.
            SpecError, BackendError: it cannot be created or does not start.
        """
        ...

    def find_board(self, source: BoardSource) -> Board | None:
        """Return the board that `open_board` would find; None if there is none."""
        ...
