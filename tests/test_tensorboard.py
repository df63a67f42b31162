"""Local boards, with the real TensorBoard: opened, found again by another process, stopped."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from pai_jupyter.errors import BackendError, NotFoundError, SpecError
from pai_jupyter.path_guard import Place
from pai_jupyter.tensorboard import address, find_board, get_board, list_boards, mirror, open_board, server
from tests.started import until

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


def ask(port: int, path: str) -> str:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def test_a_board_shows_the_given_folders_and_nothing_else(runs: Path) -> None:
    board = open_board({"run/1 训练": runs})
    until(lambda: ask(board.port, "/data/runs") == '["run_1 \\u8bad\\u7ec3/x"]')
    assert board.status == "running"
    assert board.app_uri == f"http://127.0.0.1:{board.port}/"


def test_of_a_job_files_are_shown_and_no_links(runs: Path, tmp_path: Path) -> None:
    job = tmp_path / "job"
    (job / "tensorboard").mkdir(parents=True)
    (job / "tensorboard" / "linked").symlink_to(runs)
    os.mkfifo(job / "tensorboard" / "events.out.tfevents.pipe")
    board = open_board({"a": Place(job, ("tensorboard",))})
    assert ask(board.port, "/data/runs") == "[]"
    (runs / "x").rename(job / "tensorboard" / "x")
    until(lambda: ask(board.port, "/data/runs") == '["a/x"]')


def test_what_a_job_adds_and_removes_is_shown_so(runs: Path, tmp_path: Path) -> None:
    (runs / "link").symlink_to("/")
    places, shown = {"a": Place(runs.parent, (runs.name,))}, tmp_path / "shown"
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


def test_where_no_file_may_be_linked_a_copy_grows_with_it(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "another disk")

    monkeypatch.setattr(os, "link", refuse)
    places, shown = {"a": Place(runs)}, tmp_path / "shown"
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
        open_board({"a": Place(tmp_path, ("tensorboard",))}, wait=False)


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
    ("base_url", "has_proxy", "is_hub", "url", "note"),
    [
        ("/", True, False, "/proxy/6006/", ""),
        ("/user/ann/", True, True, "/user/ann/proxy/6006/", ""),
        ("/user/ann/", False, True, "", "jupyter-server-proxy"),
        (None, False, True, "", "port 6006 of the hub's machine"),
        (None, False, False, "http://127.0.0.1:6006/", "on the machine that runs the kernel"),
        ("/", False, False, "http://127.0.0.1:6006/", "jupyter-server-proxy"),
    ],
)
def test_the_link_works_from_where_the_user_sits(
    base_url: str | None, has_proxy: bool, is_hub: bool, url: str, note: str
) -> None:
    found = address(6006, base_url=base_url, has_proxy=has_proxy, is_hub=is_hub)
    assert found.url == url
    assert note in found.note
