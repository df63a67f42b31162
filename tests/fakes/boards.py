"""A service whose TensorBoards are records, and a backend that has it."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pai_jupyter.errors import LimitExceededError, UnavailableError
from pai_jupyter.tensorboard import Board, BoardSource, BoardState, BoardStatus
from tests.fakes.troubled import TroubledBackend


@dataclass(kw_only=True)
class FakeBoard:
    id: str
    source: BoardSource
    service: str = "fake"
    app_uri: str = "https://boards.example/1/"
    is_emulated: bool = False
    last_status: BoardStatus = "running"

    @property
    def name(self) -> str:
        return f"board of {self.subject}"

    @property
    def subject(self) -> str:
        return self.source.name or self.source.uri

    @property
    def shows(self) -> str:
        return self.source.uri

    @property
    def is_local(self) -> bool:
        return urlsplit(self.app_uri).hostname == "127.0.0.1"

    @property
    def status(self) -> BoardStatus:
        return self.last_status

    @property
    def state(self) -> BoardState:
        return "running" if self.last_status == "running" else "stopped"

    @property
    def answers(self) -> bool:
        return self.last_status == "running"

    def stop(self) -> None:
        self.last_status = "stopped"

    def delete(self) -> None:
        self.last_status = "deleted"


@dataclass(kw_only=True, eq=False)
class FakeBoardService:
    name: str = "fake"
    limit: int | None = 2
    is_emulated: bool = False
    is_down: bool = False
    boards: list[FakeBoard] = field(default_factory=list)

    def can_show(self, uri: str) -> bool:
        return uri.startswith("fake://")

    def list_boards(self) -> list[FakeBoard]:
        if self.is_down:
            raise UnavailableError("the fake is down.")
        return list(self.boards)

    def open_board(self, source: BoardSource, *, wait: bool) -> Board:
        found = self.find_board(source)
        if found is not None:
            return found
        if len(self.boards) == self.limit:
            raise LimitExceededError("too many fakes.")
        self.boards.append(FakeBoard(id=f"fake-{len(self.boards)}", source=source))
        return self.boards[-1]

    def find_board(self, source: BoardSource) -> Board | None:
        return next((board for board in self.boards if board.source == source), None)


class BackendWithBoards(TroubledBackend):
    """A fake backend whose service runs TensorBoards."""

    def __init__(self) -> None:
        super().__init__()
        self.service = FakeBoardService()

    def board_service(self) -> FakeBoardService:
        return self.service
