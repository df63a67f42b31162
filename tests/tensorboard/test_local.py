"""Local boards, with the real TensorBoard: opened, found again by another process, stopped."""

import errno
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from email.message import Message as Headers
from http.client import HTTPConnection
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

import pytest

from pai_jupyter.errors import BackendError, NotFoundError, SpecError
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.tensorboard import (
    TensorBoard,
    address,
    find_board,
    get_board,
    list_boards,
    mirror,
    open_board,
    server,
)
from tests.support.started import DEADLINE, until

pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'pai_jupyter[lab]'")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A directory of event files, in a path that is hard to pass on."""
    from tensorboardX import SummaryWriter

    folder = tmp_path / "a b,训练:1"
    with SummaryWriter(str(folder / "x")) as writer:
        writer.add_scalar("loss", 0.5, 1)
    return folder


@pytest.fixture(autouse=True)
def _no_board_is_left(home: Path) -> Iterator[None]:
    yield
    for board in list_boards():
        board.stop()


Older: TypeAlias = "tuple[TensorBoard, subprocess.Popen[bytes]]"


def ask(board: TensorBoard, path: str, *, host: str | None = None) -> tuple[int, str, Headers]:
    """What the board answers; `path` is one of this machine's address, secret and all."""
    connection = HTTPConnection("127.0.0.1", board.port, timeout=DEADLINE)
    try:
        connection.request("GET", path, headers={"Host": host} if host else {})
        reply = connection.getresponse()
        return reply.status, reply.read().decode(), reply.headers
    finally:
        connection.close()


def secret_of(board: TensorBoard) -> str:
    return urlsplit(board.app_uri).path.strip("/")


def processes_of(board: TensorBoard) -> list[Path]:
    """The board's process and its data server, as /proc has them."""
    return [place for place in Path("/proc").glob("[0-9]*") if is_of(place, board)]


def is_of(place: Path, board: TensorBoard) -> bool:
    try:
        return os.getpgid(int(place.name)) == board.pid
    except ProcessLookupError:
        return False


def listening(place: Path) -> set[int]:
    """The ports of TCP at which a process listens, in whatever network namespace it is."""
    rows = [
        row.split() for name in ("tcp", "tcp6") for row in (place / "net" / name).read_text().split("\n")[1:] if row
    ]
    inodes = {f"socket:[{row[9]}]": int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == "0A"}
    held = [str(file.readlink()) for file in (place / "fd").iterdir() if file.is_symlink()]
    return {inodes[name] for name in held if name in inodes}


def test_a_board_shows_the_given_folders_and_nothing_else(runs: Path) -> None:
    board = open_board({"run/1 训练": runs})
    until(lambda: ask(board, f"/{secret_of(board)}/data/runs")[1] == '["run_1 \\u8bad\\u7ec3/x"]')
    assert board.status == "running"
    assert board.app_uri == f"http://127.0.0.1:{board.port}/{secret_of(board)}/"


def test_a_board_answers_only_who_knows_its_secret(runs: Path) -> None:
    board = open_board({"a": runs})
    secret = secret_of(board)
    assert len(secret) == 43  # 256 bits
    for path in (
        "/",
        "/data/runs",
        f"/{secret}",
        f"/{secret[:-1]}x/data/runs",
        f"/x/../{secret}/",
        "*",
    ):
        status, said, _ = ask(board, path)
        assert (status, said[:25]) == (403, "This TensorBoard is priva")
    status, _, headers = ask(board, f"/{secret}/")
    assert (status, headers["Referrer-Policy"]) == (200, "no-referrer")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("[::1]:{port}", 200),
        ("localhost:7000", 200),  # the other end of a tunnel
        ("evil.example:{port}", 403),
        ("127.0.0.1.evil.example:{port}", 403),
        ("localhost@evil.example", 403),
        ("evil.example#localhost", 403),
    ],
)
def test_a_board_answers_to_no_other_name_than_this_machine_s(runs: Path, host: str, status: int) -> None:
    board = open_board({"a": runs})
    assert ask(board, f"/{secret_of(board)}/", host=host.format(port=board.port))[0] == status


def test_the_secret_is_in_its_file_alone(runs: Path, home: Path) -> None:
    board = open_board({"a": runs})
    secret = secret_of(board).encode()
    assert ask(board, f"/{secret_of(board)}/data/runs")[0] == 200  # which TensorBoard would log
    folder = home / "tensorboards" / board.id
    assert [file.name for file in folder.iterdir() if file.is_file() and secret in file.read_bytes()] == ["secret"]
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in ("secret", "board.log")} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for place in processes_of(board):
        assert secret not in (place / "cmdline").read_bytes() + (place / "environ").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_no_other_port_of_a_board_can_be_reached(runs: Path) -> None:
    board = open_board({"a": runs})
    until(lambda: ask(board, f"/{secret_of(board)}/data/runs")[1] == '["a/x"]')
    here = Path("/proc/self/ns/net").readlink()
    reached = {
        port
        for place in processes_of(board)
        for port in listening(place)
        if port != board.port and (place / "ns" / "net").readlink() == here
    }
    assert reached == set(), "the data server answers everybody"


def test_where_no_network_can_be_had_tensorboard_reads_the_files_itself(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s" * 43)
    program = (
        f"import sys; from pathlib import Path; sys.argv[1:] = ['--logdir', {str(runs)!r}]\n"
        "from pai_jupyter.tensorboard import launcher\n"
        "from tensorboard import program\n"
        "program.TensorBoard.main = lambda self: print('load_fast', self.flags.load_fast)\n"
        f"launcher._serve({str(runs)!r}, 's' * 43, 0, is_alone=False)\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=DEADLINE)
    assert "load_fast false" in said.stdout


@pytest.fixture
def older(runs: Path, home: Path) -> Iterator[Older]:
    """What an older version has started over `runs` under the name "a", and its process."""
    board = open_board({"a": runs}, wait=False)
    folder = home / "tensorboards" / board.id
    server.end(board.pid, folder / "runs")
    (folder / "secret").unlink()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder / "runs"), "--host", "127.0.0.1"]
    with subprocess.Popen([*command, "--port", str(port)], start_new_session=True, stderr=subprocess.DEVNULL) as old:
        try:
            until(lambda: server.is_alive(old.pid, folder / "runs"))  # its words are seen a moment after it has begun
            (folder / "board.json").write_text(json.dumps({**board.to_json(), "pid": old.pid, "port": port}))
            found = TensorBoard.read(board.id)
            assert found is not None
            yield found, old
        finally:
            old.kill()


def test_a_board_of_an_older_version_is_still_listed_shown_and_stopped(older: Older) -> None:
    board, old = older
    assert list_boards() == [board]
    until(lambda: board.answers)
    assert (board.app_uri, ask(board, "/data/runs")[0]) == (f"http://127.0.0.1:{board.port}/", 200)
    board.stop()
    assert old.wait(60) is not None
    assert list_boards() == []


def test_a_board_of_an_older_version_that_is_opened_again_gets_a_secret(older: Older, runs: Path) -> None:
    board, old = older
    again = open_board({"a": runs})
    assert old.wait(60) is not None
    assert (again.id, ask(again, "/data/runs")[0]) == (board.id, 403)
    assert ask(again, f"/{secret_of(again)}/data/runs")[0] == 200


def test_of_a_job_files_are_shown_and_no_links(runs: Path, tmp_path: Path) -> None:
    job = tmp_path / "job"
    (job / "tensorboard").mkdir(parents=True)
    (job / "tensorboard" / "linked").symlink_to(runs)
    os.mkfifo(job / "tensorboard" / "events.out.tfevents.pipe")
    board = open_board({"a": JobDirectory(job, ("tensorboard",))})
    assert ask(board, f"/{secret_of(board)}/data/runs")[1] == "[]"
    (runs / "x").rename(job / "tensorboard" / "x")
    until(lambda: ask(board, f"/{secret_of(board)}/data/runs")[1] == '["a/x"]')


def test_what_a_job_adds_and_removes_is_shown_so(runs: Path, tmp_path: Path) -> None:
    (runs / "link").symlink_to("/")
    places, shown = {"a": JobDirectory(runs.parent, (runs.name,))}, tmp_path / "shown"
    shown.mkdir()
    mirror.fill(shown, places)
    (name,) = [path.name for path in (runs / "x").iterdir()]
    assert [str(path.relative_to(shown)) for path in sorted(shown.rglob("*"))] == ["a", "a/x", f"a/x/{name}"]
    with (runs / "x" / name).open("ab") as file:
        file.write(b"more")
    mirror.fill(shown, places)
    assert (shown / "a" / "x" / name).read_bytes() == (runs / "x" / name).read_bytes()
    (runs / "x" / name).unlink()
    (runs / "x").rmdir()
    mirror.fill(shown, places)
    assert list((shown / "a").iterdir()) == []


def test_of_a_working_directory_only_new_event_files_are_shown(runs: Path, tmp_path: Path) -> None:
    (old,) = (runs / "x").iterdir()
    os.utime(old, (100, 100))
    (runs / "new" / "deep").mkdir(parents=True)
    (runs / "new" / "deep" / "events.out.tfevents.1").write_bytes(b"x")
    (runs / "new" / "model.pt").write_bytes(b"x")
    places = {"a": mirror.NewEvents(runs.parent, (runs.name,), 200.0), "b": JobDirectory(runs)}
    mirror.write_places(tmp_path, dict(places))
    assert mirror.read_places(tmp_path / mirror.PLACES) == places
    shown = tmp_path / "shown"
    shown.mkdir()
    for _ in range(2):
        mirror.fill(shown, {"a": places["a"]})
        found = [str(path.relative_to(shown)) for path in sorted(shown.rglob("*"))]
        assert found == ["a", "a/new", "a/new/deep", "a/new/deep/events.out.tfevents.1"]


def test_where_no_file_may_be_linked_a_copy_grows_with_it(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "another disk")

    monkeypatch.setattr(os, "link", refuse)
    places, shown = {"a": JobDirectory(runs)}, tmp_path / "shown"
    shown.mkdir()
    (name,) = [path.name for path in (runs / "x").iterdir()]
    for more in (b"", b"more", b"and more"):
        with (runs / "x" / name).open("ab") as file:
            file.write(more)
        mirror.fill(shown, places)
        assert (shown / "a" / "x" / name).read_bytes() == (runs / "x" / name).read_bytes()
    (runs / "x" / name).write_bytes(b"anew")
    mirror.fill(shown, places)
    assert (shown / "a" / "x" / name).read_bytes() == b"anew"


def test_a_link_in_the_place_of_a_jobs_directory_is_refused(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "tensorboard").symlink_to(runs)
    with pytest.raises(SpecError, match=r"is a link to .*, which is not followed"):
        open_board({"a": JobDirectory(tmp_path, ("tensorboard",))}, wait=False)


def test_the_same_folders_are_shown_by_one_board(runs: Path) -> None:
    first = open_board({"a": runs}, wait=False)
    assert open_board({"a": runs}, wait=False) == first
    assert open_board({"b": runs}, wait=False) != first
    assert len(list_boards()) == 2


def test_another_process_finds_the_board_and_stops_it(runs: Path) -> None:
    board = open_board({"a": runs}, wait=False)
    program = (
        "from pai_jupyter.tensorboard import list_boards\nfor board in list_boards(): board.stop(); print(board.id)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.split() == [board.id]
    assert board.status == "stopped"
    assert list_boards() == []


def test_stopping_leaves_what_was_shown(runs: Path) -> None:
    board = open_board({"a": runs}, wait=False)
    board.stop()
    board.stop()
    assert any(runs.rglob("*tfevents*"))
    assert find_board({"a": runs}) is None


def test_a_process_that_got_the_number_later_is_no_board_and_is_left_alone(runs: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        assert not server.is_alive(other.pid, runs)
        server.end(other.pid, runs)
        assert other.poll() is None
        other.kill()


def test_a_board_that_was_killed_is_forgotten_and_opened_anew(runs: Path) -> None:
    board = open_board({"a": runs}, wait=False)
    os.kill(board.pid, 9)
    until(lambda: board.status == "stopped")
    assert list_boards() == []
    again = open_board({"a": runs}, wait=False)
    assert (again.id, again.status) == (board.id, "running")


def test_a_board_is_found_by_the_beginning_of_its_id(runs: Path) -> None:
    board = open_board({"a": runs}, wait=False)
    assert get_board(board.id[:5]) == board
    with pytest.raises(NotFoundError, match=r"no single TensorBoard 'nope' runs here. Type: %pai_tensorboard --list"):
        get_board("nope")


def test_a_board_that_ends_at_once_says_what_it_said(tmp_path: Path) -> None:
    log = tmp_path / "board.log"
    log.write_text("starting\nValueError: no such plugin\n\n")
    with pytest.raises(BackendError, match="TensorBoard ended at once: ValueError: no such plugin"):
        server.wait_until_up(2**22 + 1, 1, tmp_path, log)


def test_no_folder_is_refused() -> None:
    with pytest.raises(SpecError, match=r"needs at least one job or directory. Type: %pai_tensorboard JOB"):
        open_board({})


def test_a_damaged_record_is_no_board(home: Path) -> None:
    folder = home / "tensorboards" / "b1"
    folder.mkdir(parents=True)
    folder.joinpath("board.json").write_text('{"folders": 3}')
    assert list_boards() == []


@pytest.mark.parametrize(
    ("base_url", "is_hub", "url", "note"),
    [
        ("/", False, "/pai-jupyter/boards/b1/", ""),
        ("/user/ann/", True, "/user/ann/pai-jupyter/boards/b1/", ""),
        (
            None,
            True,
            "",
            "port 6006 of the hub's machine. Open it in a notebook of a Jupyter server that has pai_jupyter in its environment",
        ),
        (None, False, "http://127.0.0.1:6006/secret/", "on the machine that runs the kernel"),
    ],
)
def test_the_link_works_from_where_the_user_sits(base_url: str | None, is_hub: bool, url: str, note: str) -> None:
    found = address("b1", "http://127.0.0.1:6006/secret/", base_url=base_url, is_hub=is_hub)
    assert found.url == url
    assert note in found.note
    assert found.is_secret is ("secret" in url)
