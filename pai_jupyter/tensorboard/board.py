"""The protocols of a TensorBoard: `Board`, whoever runs it, and `BoardService`, which runs boards elsewhere.

`TensorBoard` (local.py) is a process of this machine. An app of a service is a board that a backend opens
(`pai_jupyter.backends.HasTensorBoard`).

Rule 1: nobody asks of what class a board is. What differs is a property here.
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
        """The name of the backend whose service runs the board; "" for a process of this machine."""
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
        """The jobs or folders in a sentence."""
        ...

    @property
    def shows(self) -> str:
        """The address of the event files, or the names of the runs; "" if nobody says."""
        ...

    @property
    def app_uri(self) -> str:
        """The board's address, secret and all (the name that PAI's documents use); "" while it has none. May ask."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether the last known address is one of this machine."""
        ...

    @property
    def status(self) -> BoardStatus:
        """How the board stands; asks."""
        ...

    @property
    def last_status(self) -> BoardStatus:
        """How the board stood when a service was last asked."""
        ...

    @property
    def state(self) -> BoardState:
        """`last_status` in the three words of a list; "starting" while nobody can look at the board. Asks no service."""
        ...

    @property
    def answers(self) -> bool:
        """Whether the board can be looked at already; looks."""
        ...

    def stop(self) -> None:
        """End the board. Stopping it twice does nothing."""
        ...

    def delete(self) -> None:
        """End the board for good; what it showed stays where it is."""
        ...


@dataclass(frozen=True, kw_only=True)
class BoardSource:
    """What a board of a service shows: the folder at `uri`, or the event files of `job` there, under the job's name."""

    uri: str
    job: JobRef | None = None
    name: str = ""


class BoardService(Hashable, Protocol):
    """TensorBoards that a service runs, each over one folder of its storage. Equal ones give the same list."""

    @property
    def name(self) -> str:
        """The backend's name."""
        ...

    @property
    def limit(self) -> int | None:
        """How many boards of one user may run at once; None where this process has no access to list them."""
        ...

    @property
    def is_emulated(self) -> bool: ...

    def can_show(self, uri: str) -> bool:
        """Return whether the address is in this service's storage, without asking anybody."""
        ...

    def list_boards(self) -> Sequence[Board]:
        """List the boards, running ones first; none where `limit` is None.

        Raises:
            PaiJupyterError: the service gives no answer, or refuses.
        """
        ...

    def open_board(self, source: BoardSource, *, wait: bool) -> Board:
        """Find, start or make the board of `source`; `wait` until it answers.

        Raises:
            LimitExceededError: as many run as may; it says which.
            SpecError, BackendError: it cannot be made, or does not come up.
        """
        ...

    def find_board(self, source: BoardSource) -> Board | None:
        """Find the board that `open_board` would."""
        ...
