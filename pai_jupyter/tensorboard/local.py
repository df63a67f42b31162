"""Open, find and stop the boards of this machine and user."""

import json
import os
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, Self

from filelock import FileLock

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.path_guard import JobDirectory, hold
from pai_jupyter.store import home, home_errors
from pai_jupyter.store.disk import read_plain
from pai_jupyter.tensorboard import mirror, server
from pai_jupyter.typed_json import Fields

_RECORD = "board.json"


@dataclass(frozen=True, kw_only=True)
class TensorBoard:
    """One local board. `folders` are those that it shows, by run name."""

    id: str
    folders: Mapping[str, Path]
    pid: int
    port: int
    created: float

    @property
    def service(self) -> str:
        return ""

    @property
    def name(self) -> str:
        return f"TensorBoard {self.id}"

    @property
    def is_emulated(self) -> bool:
        return False

    @property
    def subject(self) -> str:
        # the working directory of a job that is shown is a part of it
        return ", ".join(
            name for name in self.folders if name.removesuffix(" workdir") not in self.folders.keys() - {name}
        )

    shows = subject

    @property
    def is_local(self) -> bool:
        return True

    @property
    def app_uri(self) -> str:
        """The board's address on this machine (PAI's name for it).

        It contains the board's secret: everybody with the address can see the board. Do not save it in a notebook.
        """
        return server.address_of(self.port, _folder(self.id))

    @property
    def status(self) -> Literal["running", "stopped"]:
        return "running" if server.is_alive(self.pid, _runs(self.id)) else "stopped"

    last_status = status  # no other process needs to be asked

    @property
    def state(self) -> Literal["starting", "running"]:
        """The state of a listed board; only running boards are listed."""
        return "running" if self.answers else "starting"

    @property
    def answers(self) -> bool:
        """Return whether the board can be opened already."""
        return server.answers(self.port)

    def stop(self) -> None:
        """Stop the board and delete its record; the event files stay. Stopping it twice is allowed."""
        server.end(self.pid, _runs(self.id))
        shutil.rmtree(_folder(self.id), ignore_errors=True)

    delete = stop  # `stop` has deleted everything

    def to_json(self) -> dict[str, object]:
        folders = {name: str(path) for name, path in self.folders.items()}
        return {"id": self.id, "folders": folders, "pid": self.pid, "port": self.port, "created": self.created}

    @classmethod
    def read(cls, board: str) -> Self | None:
        """Read the board with this id; return None if there is none or its record is damaged."""
        try:
            said = Fields.of(json.loads(read_plain(_folder(board) / _RECORD)))
            folders = {name: Path(path) for name, path in said.texts("folders").items()}
            pid, port = said.whole("pid", least=1, most=2**31 - 1), said.whole("port", most=65_535)
            return cls(id=board, folders=folders, pid=pid, port=port, created=said.time("created"))
        except (OSError, ValueError, RecursionError, PaiJupyterError):
            return None


def open_board(folders: Mapping[str, Path | JobDirectory], *, wait: bool = True) -> TensorBoard:
    """Return the board for exactly these folders, starting it if needed; `wait` until it answers.

    A `JobDirectory` is written by a job: its files are shown, but no links (`mirror`). A `Path` is the user's own.

    Raises:
        SpecError: no folder is given, TensorBoard is not installed, or a job has replaced its directory.
        BackendError: TensorBoard does not start.
    """
    if not folders:
        raise SpecError("a TensorBoard needs at least one job or directory. Type: %pai_tensorboard JOB")
    for name, folder in folders.items():
        if isinstance(folder, JobDirectory):
            with (
                suppress(NotFoundError),
                hold(folder, what=f"the directory of {name}"),
            ):  # the directory may be created later
                pass
    board = _id(_paths(folders))
    _make_private(_folder(board).parent)
    with FileLock(_folder(board).parent / f"{board}.lock"):
        running = TensorBoard.read(board)
        if running is not None and not server.has_secret(_folder(board)):
            running.stop()  # a board of an older version, which every user of this machine can open
        if running is None or running.status != "running":
            running = _start(board, {_run_name(name): folder for name, folder in folders.items()})
    if wait:
        server.wait_until_up(running.pid, running.port, _runs(board), _folder(board) / "board.log")
    return running


def find_board(folders: Mapping[str, Path | JobDirectory]) -> TensorBoard | None:
    """Return the running board for exactly these folders; None if there is none."""
    board = TensorBoard.read(_id(_paths(folders)))
    return board if board is not None and board.status == "running" else None


def find_by_id(board: str) -> TensorBoard | None:
    """Return the running board with exactly this id; None if there is none."""
    found = TensorBoard.read(board) if re.fullmatch(r"b[0-9a-f]{8}", board) else None
    return found if found is not None and found.status == "running" else None


def opener(board: str) -> Path | None:
    """Write a page, for its owner only, that redirects a local browser to the board; it has the secret.

    None if no board here has this id.
    """
    running = find_by_id(board)
    if running is None:
        return None
    path = _folder(board) / "open.html"
    page = f'<!doctype html><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url={running.app_uri}">'
    with home_errors():
        server.write_private(path, page.encode())
    return path


def list_boards() -> list[TensorBoard]:
    """List the running boards, oldest first; clean up those that have ended."""
    found = []
    with home_errors(), suppress(FileNotFoundError):
        for folder in home().joinpath("tensorboards").iterdir():
            board = TensorBoard.read(folder.name) if folder.is_dir() else None
            if board is not None and board.status == "running":
                found.append(board)
            elif board is not None:
                board.stop()
    return sorted(found, key=lambda board: board.created)


def get_board(name: str) -> TensorBoard:
    """Return the running board with this id or unique id prefix.

    Raises:
        NotFoundError: there is no such board, or there are several.
    """
    fitting = [board for board in list_boards() if board.id.startswith(name)]
    if len(fitting) != 1:
        raise NotFoundError(f"no single TensorBoard {name!r} runs here. Type: %pai_tensorboard --list")
    return fitting[0]


def _paths(folders: Mapping[str, Path | JobDirectory]) -> dict[str, Path]:
    paths = {
        name: folder.path if isinstance(folder, JobDirectory) else Path(folder) for name, folder in folders.items()
    }
    return {_run_name(name): path.absolute() for name, path in paths.items()}


def _start(board: str, folders: Mapping[str, Path | JobDirectory]) -> TensorBoard:
    folder, runs = _folder(board), _runs(board)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _make_private(folder)
        _make_private(runs)
        for name, path in folders.items():
            if not isinstance(path, JobDirectory):
                (runs / name).symlink_to(Path(path).absolute())
        mirror.write_places(folder, {name: place for name, place in folders.items() if isinstance(place, JobDirectory)})
        pid, port = server.start(runs, folder / "board.log", places=folder / mirror.PLACES)
        made = TensorBoard(id=board, folders=_paths(folders), pid=pid, port=port, created=time.time())
        (folder / _RECORD).write_text(json.dumps(made.to_json()))
    except OSError as exc:
        raise PaiJupyterError(f"cannot start a TensorBoard in '{folder}': {exc.strerror}. Is there room?") from exc
    return made


def _make_private(path: Path) -> None:
    with home_errors():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def _id(folders: Mapping[str, Path]) -> str:
    """Derive the board's id from its folders and their names."""
    return "b" + sha256(os.fsencode(repr(sorted(folders.items())))).hexdigest()[:8]


def _run_name(name: str) -> str:
    """Convert `name` to a link's name: one path component, not hidden."""
    return re.sub(r"[/\0]", "_", name).lstrip(".")[:100] or "run"


def _folder(board: str) -> Path:
    return home() / "tensorboards" / board


def _runs(board: str) -> Path:
    return _folder(board) / "runs"
