"""TensorBoards over REST: opened over jobs of this machine or a folder in OSS, listed together, stopped by exact id."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pai_jupyter.cloud.tensorboard import list_apps
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobRef
from pai_jupyter.tensorboard import Address
from pai_jupyter.wire.tabs import boards
from tests.support.cloud_sessions import session_at
from tests.support.emulators import Emulator
from tests.support.server import Reply, Server
from tests.support.started import until
from tests.support.wire import RecordedJob

pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'pai_jupyter[lab]'")


def opened(server: Server, **body: object) -> Reply:
    return server.ask("tensorboards", method="POST", body=json.dumps(body).encode())


def listed(server: Server) -> dict[str, Any]:  # Any: JSON values
    return {board["id"]: board for board in server.ask("tensorboards").json()["boards"]}


@pytest.fixture(autouse=True)
def swept(server: Server, cloud: Emulator) -> Iterator[None]:
    """No board is left to the next test."""
    yield
    for board in listed(server).values():
        if board["where"] == "here":
            server.ask(f"tensorboards/{board['id']}", method="DELETE")
    for app in list_apps(session=session_at(cloud)):
        app.delete()


@pytest.fixture
def far(server: Server, cloud: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedJob]:
    """A job of the emulator, whose event files are in OSS."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    place: Mapping[str, Any] = {"kind": "training", "id": "t1", "region": "cn-emulator", "workspace": "10001"}
    ref = JobRef(backend="pai", job_id="far", data={**place, "address": cloud.address})
    written = RecordedJob("far", ref=ref, output_path="oss://emulator/far")
    yield written
    written.release()
    server.store.remove("far")


def test_one_board_over_jobs_is_opened_listed_and_stopped(server: Server, job: Job) -> None:
    reply = opened(server, jobs=[job.id, job.id])
    assert reply.status == 200
    board = reply.json()
    assert (board["where"], board["shows"]) == ("here", f"{job.name} {job.id}")
    until(lambda: listed(server)[board["id"]]["state"] == "running")
    assert listed(server)[board["id"]]["url"] == f"/user/jo.e/pai-jupyter/boards/{board['id']}/"
    assert opened(server, jobs=[job.id]).json()["id"] == board["id"]
    stopped = server.ask(f"tensorboards/{board['id']}", method="DELETE").json()
    assert (stopped["state"], stopped["url"]) == ("stopped", "")
    assert board["id"] not in listed(server)


def test_an_app_over_a_folder_is_opened_at_once_and_counted_against_the_limit(server: Server) -> None:
    board = opened(server, uri="oss://emulator/logs/").json()
    assert (board["where"], board["state"]) == ("pai", "starting")
    told = server.ask("tensorboards").json()
    assert (told["limit"], told["is_emulator"]) == (5, True)
    assert [each["id"] for each in told["boards"]] == [board["id"]]
    assert server.ask(f"tensorboards/{board['id']}", method="DELETE").json()["state"] == "stopped"
    assert listed(server)[board["id"]]["state"] == "stopped"


def test_a_sixth_app_is_refused_with_those_that_run(server: Server) -> None:
    apps = [opened(server, uri=f"oss://emulator/{number}/").json()["id"] for number in range(5)]
    refused = opened(server, uri="oss://emulator/6/")
    assert (refused.status, refused.json()["type"]) == (409, "LimitExceededError")
    assert all(app in refused.json()["message"] for app in apps)


def test_a_job_in_the_cloud_gets_an_app_of_its_own(server: Server, far: RecordedJob) -> None:
    board = opened(server, jobs=["far"]).json()
    assert board["where"] == "pai"
    assert board["shows"].endswith("/far/tensorboard/")


def test_jobs_here_and_in_the_cloud_fit_no_single_board(
    server: Server, cloud: Emulator, job: Job, far: RecordedJob
) -> None:
    refused = opened(server, jobs=[job.id, "far"])
    assert refused.status == 400
    assert "Open it alone" in refused.json()["message"]
    assert not [board for board in listed(server).values() if board["where"] == "here"]
    assert not list_apps(session=session_at(cloud))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"jobs": []},
        {"jobs": ["j"] * 101},
        {"jobs": "j1"},
        {"jobs": [1]},
        {"jobs": [None]},
        {"jobs": {}},
        {"uri": 1},
        {"uri": "/etc"},
        {"uri": "job:j1/model/"},
        {"uri": "oss://" + "x" * 5_000},
        {"uri": "oss://b"},
        {"uri": "oss://emulator.evil.example/x"},
        {"uri": "oss://emulator/\ud800"},
        {"jobs": ["j1"], "uri": "oss://emulator/"},
    ],
)
def test_what_no_board_can_be_over_is_refused_in_a_sentence(server: Server, body: dict[str, object]) -> None:
    reply = opened(server, **body)
    assert reply.status == 400
    assert reply.json()["type"] == "SpecError"


def test_a_job_that_is_not_there_is_not_found(server: Server) -> None:
    assert opened(server, jobs=["j0"]).status == 404


@pytest.mark.parametrize("board", ["b", "b0000000", "nothing", "%2e%2e", "..%2f..", "%00", "*"])
def test_only_a_board_of_exactly_this_id_is_stopped(server: Server, job: Job, board: str) -> None:
    running = opened(server, jobs=[job.id]).json()["id"]
    assert server.ask(f"tensorboards/{board}", method="DELETE").status == 404
    assert running in listed(server)


def test_a_service_that_does_not_answer_hides_no_board_here(server: Server, cloud: Emulator, job: Job) -> None:
    board = opened(server, jobs=[job.id]).json()["id"]  # what was listed before is forgotten
    cloud.fault("expired-token", action="ListTensorboards", times=None)
    try:
        told = server.ask("tensorboards").json()
    finally:
        cloud.clear_faults()
    assert [each["id"] for each in told["boards"]] == [board]
    assert "TensorBoard apps cannot be listed" in told["notes"][0]


def test_of_very_many_apps_the_first_are_listed_with_a_note(
    server: Server, cloud: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", cloud.address)
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    monkeypatch.setattr(boards, "MOST_APPS", 1)
    for name in ("a", "b"):
        opened(server, uri=f"oss://emulator/{name}/")
    told = boards.boards(lambda _board, _direct: Address(url=""))
    assert len(told["boards"]) == 1
    assert told["notes"] == ["showing 1 of 2 TensorBoard apps. For all, type: %pai_tensorboard --list"]


def test_tabs_that_look_at_the_same_time_cost_one_list(server: Server, cloud: Emulator) -> None:
    server.ask("tensorboards")
    cloud.fault("expired-token", action="ListTensorboards", times=None)
    try:
        assert server.ask("tensorboards").json()["notes"] == []
    finally:
        cloud.clear_faults()
