"""TensorBoards of a backend that nobody has heard of: what its service runs is opened, listed and stopped like any other."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from pai_jupyter.backends import HasTensorBoard
from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard import TensorBoardApp
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.tensorboard import Address, Board, BoardSource, TensorBoard
from pai_jupyter.wire.tabs.board import board
from pai_jupyter.wire.tabs.boards import boards, direct_address, open_asked, stop_board
from tests.fakes.boards import BackendWithBoards, FakeBoard
from tests.fakes.troubled import installed
from tests.support.programs import Program
from tests.support.shells import Shell
from tests.support.started import begin

EVENTS = "fake://events/"


def nowhere(_board: str, _direct: str) -> Address:
    return Address(url="/passed-on/")


@pytest.fixture
def backend(home: Path) -> Iterator[BackendWithBoards]:
    backend = BackendWithBoards()
    with installed(backend):
        yield backend


@pytest.fixture
def job(backend: BackendWithBoards) -> Job:
    return begin(Program(), name="there", backend="fake", outputs={"tensorboard": EVENTS}).wait()


def test_boards_of_all_kinds_keep_one_protocol() -> None:
    local = TensorBoard(id="b1", folders={"a": Path("/a")}, pid=2, port=3, created=1.0)
    app = TensorBoardApp({"TensorboardId": "t1", "DisplayName": "iris"}, cast(Session, None))
    every: list[Board] = [local, app, FakeBoard(id="f1", source=BoardSource(uri=EVENTS))]  # mypy holds them to it
    assert [(each.name, each.subject, each.is_local) for each in every] == [
        ("TensorBoard b1", "a", True),
        ("iris", "iris", False),
        (f"board of {EVENTS}", EVENTS, False),
    ]
    assert isinstance(PaiBackend(), HasTensorBoard)


def test_the_board_of_a_job_is_opened_and_found_where_the_job_ran(job: Job, backend: BackendWithBoards) -> None:
    opened = job.tensorboard()
    assert isinstance(opened, FakeBoard)
    assert (opened.source.uri, opened.source.name) == (EVENTS, "there")
    assert opened.source.job is not None
    assert opened.source.job.job_id == job.id
    shown = {"state": "running", "url": "https://boards.example/1/", "note": ""}
    assert board(job, "show", nowhere) == shown
    assert board(job, "stop", nowhere)["state"] == "stopped"
    assert backend.service.boards[0].status == "stopped"


def test_event_files_that_a_job_put_into_a_storage_are_shown_by_the_service_of_that_storage(
    backend: BackendWithBoards,
) -> None:
    spec = JobSpec(name="here", command="true", output_path="fake://out/")
    job = Job(JobStore().create(JobRecord(id="j1", spec=spec, backend="process", created=1.0)))
    opened = job.tensorboard()
    assert isinstance(opened, FakeBoard)
    assert (opened.shows, opened.source.job) == ("fake://out/tensorboard/", None)
    assert backend.service.boards == [opened]


def test_event_files_in_a_storage_that_no_service_shows_are_a_sentence(home: Path) -> None:
    spec = JobSpec(name="here", command="true", output_path="hdfs://out/")
    job = Job(JobStore().create(JobRecord(id="j1", spec=spec, backend="process", created=1.0)))
    with pytest.raises(SpecError, match="which no TensorBoard can show"):
        job.tensorboard()


def test_its_boards_are_listed_opened_over_folders_and_stopped(backend: BackendWithBoards) -> None:
    row = open_asked({"uri": EVENTS}, nowhere)
    told = boards(nowhere)
    assert (told["boards"], told["notes"]) == ([row], [])
    assert (row["where"], row["state"], row["shows"]) == ("fake", "running", EVENTS)
    assert (told["limit"], told["is_emulator"]) == (2, False)
    assert stop_board(str(row["id"]), nowhere)["state"] == "stopped"
    assert backend.service.boards[0].status == "stopped"


def test_a_board_elsewhere_is_never_passed_on(backend: BackendWithBoards) -> None:
    row = open_asked({"uri": EVENTS}, nowhere)
    assert row["url"] == "https://boards.example/1/"
    with pytest.raises(NotFoundError):
        direct_address(str(row["id"]))


def test_a_board_of_an_emulated_service_is_passed_on(backend: BackendWithBoards) -> None:
    backend.service.is_emulated = True
    open_asked({"uri": EVENTS}, nowhere)
    backend.service.boards[0].app_uri = "http://127.0.0.1:9/secret/"
    assert direct_address("fake-0") == "http://127.0.0.1:9/secret/"
    assert boards(nowhere)["boards"][0]["url"] == "/passed-on/"


def test_a_service_that_is_down_hides_no_other(backend: BackendWithBoards) -> None:
    backend.service.is_down = True
    assert boards(nowhere)["notes"] == ["TensorBoard apps cannot be listed: the fake is down."]


def test_a_folder_that_no_service_shows_is_refused(backend: BackendWithBoards) -> None:
    with pytest.raises(SpecError, match="is not a folder in OSS"):
        open_asked({"uri": "nobody://x/"}, nowhere)


def test_the_magic_opens_lists_and_stops_them(backend: BackendWithBoards) -> None:
    with Shell() as shell:
        opened = shell.run(f"%pai_tensorboard {EVENTS}").text
        assert opened.startswith(f"TensorBoard app fake-0 of {EVENTS}: https://boards.example/1/")
        assert "https://boards.example/1/" in shell.run("%pai_tensorboard --list").text
        stopped = shell.run(f"%pai_tensorboard --stop {EVENTS}").text
        assert stopped == f"stopped the TensorBoard app fake-0 of {EVENTS}\n"
        assert "stopped" in shell.run("%pai_tensorboard --list").text
