"""%pai_tensorboard and the board of the view's tab, over real boards."""

import stat
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from pai_jupyter.config.marker import Marker
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.magics.board_magics import boards_table, finder, link_of, unsecret
from pai_jupyter.tensorboard import Address, TensorBoard, address, list_boards, open_board
from pai_jupyter.wire.tabs.board import address_of, board, locate
from tests.fakes.troubled import TroubledBackend, installed
from tests.support.programs import Program, lines
from tests.support.shells import Shell
from tests.support.started import begin, until

pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'pai_jupyter[lab]'")

HERE = Address(url="/pai-jupyter/boards/b1/")


@pytest.fixture(autouse=True)
def _no_board_is_left(home: Path) -> Iterator[None]:
    yield
    for each in list_boards():
        each.stop()


@pytest.fixture
def shell() -> Iterator[Shell]:
    with Shell() as shell:
        yield shell


@pytest.fixture
def job() -> Job:
    return begin(Program(before=lines(0, 3)), name="demo", backend="process").wait()


def test_a_directory_gets_a_board_and_its_link(shell: Shell, tmp_path: Path) -> None:
    shown = shell.run(f"%pai_tensorboard {tmp_path}").text
    running = list_boards()[0]
    assert shown.startswith(f"TensorBoard {running.id} of {tmp_path.name}: http://127.0.0.1:{running.port}/")


def test_jobs_and_directories_share_one_board(shell: Shell, job: Job, tmp_path: Path) -> None:
    (tmp_path / "one" / "x").mkdir(parents=True)
    (tmp_path / "two" / "x").mkdir(parents=True)
    shell.run(f"%pai_tensorboard demo {tmp_path}/one/x {tmp_path}/two/x")
    assert set(list_boards()[0].folders) == {f"demo {job.id}", f"demo {job.id} workdir", "x", "x (2)"}


def test_boards_are_listed_and_stopped(shell: Shell, job: Job) -> None:
    shell.run("%pai_tensorboard demo")
    assert f"demo {job.id}" in shell.run("%pai_tensorboard --list").text
    assert shell.run("%pai_tensorboard demo --stop").text == f"stopped the TensorBoard of demo {job.id}\n"
    assert shell.run("%pai_tensorboard --list").text.strip() == "no TensorBoard is running."


def test_stop_takes_the_id_of_a_board(shell: Shell, tmp_path: Path) -> None:
    running = open_board({"a": tmp_path}, wait=False)
    assert shell.run(f"%pai_tensorboard --stop {running.id}").text == "stopped the TensorBoard of a\n"


def test_names_of_no_board_keep_no_other_from_being_stopped(shell: Shell, tmp_path: Path) -> None:
    running = open_board({"a": tmp_path}, wait=False)
    result = shell.run(f"%pai_tensorboard nope {running.id} --stop")
    assert isinstance(result.error, NotFoundError)
    assert "'nope'" in str(result.error)
    assert "stopped the TensorBoard of a\n" in result.text
    assert list_boards() == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "no job given. Type: %pai_tensorboard JOB, or a directory, or --list."),
        ("--list --stop", "`--list` takes no other arguments. Type: %pai_tensorboard --list"),
        ("./nowhere", "there is no directory './nowhere'."),
        ("nobody", "nobody"),
    ],
)
def test_what_cannot_be_shown_is_said_in_a_sentence(shell: Shell, line: str, sentence: str) -> None:
    result = shell.run(f"%pai_tensorboard {line}")
    assert sentence in result.text + str(result.error)
    assert list_boards() == []


def test_the_link_holds_hostile_names_as_text(tmp_path: Path) -> None:
    folder = tmp_path / "<img src=x onerror=alert(1)>"
    folder.mkdir()
    link = link_of(open_board({folder.name: folder}, wait=False), lambda _board, _direct: HERE)
    assert "<img" not in link._repr_html_()


def test_a_hub_without_proxy_gets_no_bare_loopback_address(tmp_path: Path) -> None:
    find = locate({"JUPYTERHUB_SERVICE_PREFIX": "/user/ann/"})
    running = open_board({"a": tmp_path}, wait=False)
    assert "127.0.0.1" not in repr(link_of(running, find))
    assert "127.0.0.1" not in repr(boards_table([running], find))


def test_a_saved_output_leads_to_the_board_and_has_no_secret(tmp_path: Path) -> None:
    running = open_board({"a": tmp_path}, wait=False)
    secret = running.app_uri.split("/")[3]
    find = unsecret(locate({}))
    shown = link_of(running, find)
    saved = shown._repr_html_() + repr(shown) + repr(boards_table([running], find)) + repr(running)
    assert secret not in saved
    page = Path(unquote(urlsplit(address_of(running, find).url).path))
    assert f'url={running.app_uri}"' in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_an_output_of_a_kernel_is_saved_and_one_of_a_terminal_is_not() -> None:
    direct = "http://127.0.0.1:1/secret/"
    assert finder(SimpleNamespace(kernel=object()))("b00000000", direct).url == ""
    assert finder(SimpleNamespace())("b00000000", direct).url == direct


@pytest.mark.parametrize(
    ("changes", "url"),
    [
        ({}, "/user/ann/pai-jupyter/boards/b1/"),
        ({"has_boards": False}, "http://127.0.0.1:1/secret/"),  # of an older version, which would not know the address
        ({"home": "/elsewhere"}, "http://127.0.0.1:1/secret/"),  # where it looks there is no such board
    ],
)
def test_a_server_that_can_pass_the_board_on_does(home: Path, changes: dict[str, Any], url: str) -> None:
    known = {"pid": 1, "api": 1, "version": "0", "base_url": "/user/ann/", "home": str(home), "has_proxy": True}
    find = locate({}, Marker(**{**known, "has_boards": True, **changes}))
    assert find("b1", "http://127.0.0.1:1/secret/").url == url


def test_the_tab_starts_shows_and_stops_the_board_of_its_job(job: Job) -> None:
    def find(board: str, direct: str) -> Address:
        return address(board, direct, base_url="/", is_hub=False)

    assert board(job, "show", find)["state"] == "stopped"
    assert board(job, "start", find)["state"] in ("starting", "running")
    until(lambda: board(job, "show", find)["state"] == "running")
    assert board(job, "show", find)["url"] == f"/pai-jupyter/boards/{list_boards()[0].id}/"
    assert board(job, "stop", find)["state"] == "stopped"
    assert list_boards() == []


def test_a_job_opens_its_board_as_the_documents_show_it(job: Job) -> None:
    tensorboard = job.tensorboard()
    assert isinstance(tensorboard, TensorBoard)
    assert tensorboard.app_uri.startswith(f"http://127.0.0.1:{tensorboard.port}/")
    assert tensorboard.status == "running"
    tensorboard.delete()
    assert list_boards() == []


def test_event_files_in_the_cloud_need_a_session_and_get_no_local_board() -> None:
    with installed(TroubledBackend()):
        there = begin(Program(), outputs={"tensorboard": "oss://bucket/logs/"})
    with pytest.raises(SpecError, match="no region is set, so PAI cannot be asked"):
        there.tensorboard()
    assert list_boards() == []
