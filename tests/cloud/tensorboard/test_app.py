"""TensorBoard apps: opened, found again, waited for, limited; %pai_tensorboard over what lies in OSS."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from pai_jupyter.cloud.client import Client, dlc
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard import TensorBoardApp, find_app, list_apps, open_app, open_job_app, opening
from pai_jupyter.cloud.tensorboard.states import ALIVE, status_of
from pai_jupyter.errors import (
    BackendError,
    LimitExceededError,
    NotFoundError,
    SpecError,
    UnavailableError,
    UncertainError,
)
from pai_jupyter.spec import Json
from pai_jupyter.tensorboard import list_boards
from tests.fakes.troubled import TroubledBackend, installed
from tests.support.cloud_sessions import configure, session_at
from tests.support.emulators import Emulator
from tests.support.patience import DEADLINE
from tests.support.programs import Program
from tests.support.shells import Shell
from tests.support.started import begin

pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'pai_jupyter[lab]'")
tensorboardX = pytest.importorskip("tensorboardX")  # noqa: N816  its own name

LOGS = "oss://emulator/logs/"


@pytest.fixture
def session(running: Emulator) -> Iterator[Session]:
    session = session_at(running)
    yield session
    running.clear_faults()
    for app in list_apps(session=session):
        app.delete()


def write_scalar(running: Emulator, folder: Path, key: str, tag: str) -> None:
    """Put an event file with one value into OSS."""
    with tensorboardX.SummaryWriter(str(folder)) as writer:
        writer.add_scalar(tag, 0.5, 1)
    file = next(folder.iterdir())
    running.put(f"{key}/{file.name}", file.read_bytes())


def until_shown(app: TensorBoardApp, run: str, tag: str) -> None:
    deadline = time.monotonic() + DEADLINE
    while True:
        with urlopen(f"{app.app_uri}data/plugin/scalars/tags", timeout=10) as answer:
            if tag in json.load(answer).get(run, {}):
                return
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_an_app_shows_what_lies_in_a_folder_and_what_comes_later(
    running: Emulator, session: Session, tmp_path: Path
) -> None:
    write_scalar(running, tmp_path / "a", "logs/first", "loss")
    app = open_app(LOGS, session=session)
    assert (app.status, app.answers, app.is_emulated) == ("running", True, True)
    until_shown(app, "first", "loss")
    write_scalar(running, tmp_path / "b", "logs/训练 2", "acc")
    until_shown(app, "训练 2", "acc")


@pytest.mark.parametrize("same", ["oss://emulator/logs", LOGS])
def test_a_folder_has_one_app(session: Session, same: str) -> None:
    app = open_app(LOGS, session=session)
    assert open_app(same, session=session).id == app.id
    other = open_app("oss://emulator/other/logs/", session=session, wait=False)
    assert other.id != app.id
    found = find_app(same, session=session)
    assert found is not None
    assert found.id == app.id


def test_a_stopped_app_is_started_again(session: Session) -> None:
    app = open_app(LOGS, session=session)
    app.stop()
    app.stop()
    assert (app.last_status, app.status, app.answers) == ("stopped", "stopped", False)
    again = open_app(LOGS, session=session)
    assert (again.id, again.status, again.answers) == (app.id, "running", True)
    again.stop()
    again.start()
    assert again.answers


def test_a_deleted_app_is_gone(session: Session) -> None:
    app = open_app(LOGS, session=session)
    app.delete()
    app.delete()
    assert app.status == "deleted"
    assert find_app(LOGS, session=session) is None
    assert list_apps(session=session) == []


def test_a_job_has_one_app_whatever_it_is_called(
    running: Emulator, session: Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(running, home, monkeypatch)
    place: dict[str, Json] = {"kind": "training", "id": "train1", "region": "cn-emulator", "workspace": "10001"}
    place["address"] = running.address
    app = open_job_app(place, LOGS, "iris", wait=False)
    assert (app.name, app.source_id) == ("iris", "train1")
    assert open_job_app(place, LOGS, "renamed", wait=False).id == app.id
    assert open_job_app({**place, "id": "train2"}, LOGS, "iris", wait=False).id != app.id
    found = find_app(LOGS, place=place)
    assert found is not None
    assert found.id == app.id


def test_at_the_limit_it_is_said_which_apps_there_are_and_how_to_stop_one(session: Session) -> None:
    apps = [open_app(f"oss://emulator/{number}/", session=session, wait=False) for number in range(5)]
    with pytest.raises(LimitExceededError) as refusal:
        open_app("oss://emulator/6/", session=session)
    assert all(app.id in str(refusal.value) for app in apps)
    assert str(refusal.value).endswith(f"Stop one, e.g. the oldest: %pai_tensorboard --stop {apps[0].id}")
    assert (refusal.value.code, bool(refusal.value.request_id)) == ("TensorboardLimitExceeded", True)
    apps[0].stop()
    apps[0] = open_app("oss://emulator/6/", session=session, wait=False)
    stopped = find_app("oss://emulator/0/", session=session)
    assert stopped is not None
    with pytest.raises(LimitExceededError, match="no more may run"):
        stopped.start()


def test_an_answer_that_was_lost_makes_no_second_app(running: Emulator, session: Session) -> None:
    running.fault("lost-answer", action="CreateTensorboard")
    app = open_app(LOGS, session=session, wait=False)
    assert [each.id for each in list_apps(session=session)] == [app.id]


def test_the_error_of_a_list_does_not_stand_for_that_of_the_create(
    running: Emulator, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.fault("lost-answer", action="CreateTensorboard")
    find, looks = opening._find, iter([True])

    async def once(*arguments: Any) -> Any:  # Any: those of the real one
        if next(looks, False):
            return await find(*arguments)
        raise NotFoundError("the workspace is gone.")

    monkeypatch.setattr(opening, "_find", once)
    with pytest.raises(UncertainError, match="look before you try again"):
        open_app(LOGS, session=session, wait=False)
    assert len(list_apps(session=session)) == 1


def test_a_wait_has_an_end_and_the_app_goes_on(session: Session) -> None:
    with pytest.raises(UnavailableError, match=r"does not answer after 0.01 s; it is (Creating|not there yet)"):
        open_app(LOGS, session=session, timeout=0.01)
    assert [each.last_status for each in list_apps(session=session)] == ["starting"]


def test_an_app_that_has_ended_is_not_waited_for(session: Session) -> None:
    app = open_app(LOGS, session=session)
    app.stop()
    with pytest.raises(BackendError, match="has ended: Stopped"):
        app.wait()


def test_an_app_over_no_bucket_is_refused(session: Session) -> None:
    with pytest.raises(SpecError, match="in an existing bucket"):
        open_app("oss://no-such-bucket/logs/", session=session)


def test_apps_that_run_are_listed_first(session: Session) -> None:
    first, second = (open_app(f"oss://emulator/{number}/", session=session, wait=False) for number in range(2))
    second.stop()
    assert [each.id for each in list_apps(session=session)] == [first.id, second.id]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("Pending", "Creating"), "starting"),
        (("Running", "RUNNING"), "running"),
        (("Stopped", "Succeeded"), "stopped"),
        (("Stopping",), "stopping"),
        (("Failed", "Creating_Failed", "CreatingFailed"), "failed"),
        (("Deleting", "Deleted"), "deleted"),
        (("Hibernating", "", None), "unknown"),
    ],
)
def test_every_word_of_the_service_means_something(words: tuple[str | None, ...], status: str) -> None:
    assert {status_of(word) for word in words} == {status}
    assert (status in ALIVE) == (status in ("starting", "running", "stopping", "unknown"))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"])
def test_an_address_that_is_no_page_is_none(session: Session, url: str) -> None:
    app = TensorBoardApp({"TensorboardId": "t", "TensorboardUrl": url, "Status": "Running"}, session)
    assert app.app_uri == ""
    assert not app.answers


@pytest.fixture
def shell(running: Emulator, session: Session, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    configure(running, home, monkeypatch)
    with Shell() as shell:
        yield shell
    for board in list_boards():
        board.stop()


def test_the_magic_opens_lists_and_stops_an_app(shell: Shell, session: Session) -> None:
    shown = shell.run(f"%pai_tensorboard {LOGS}").text
    app = list_apps(session=session)[0]
    assert shown.startswith(f"TensorBoard app {app.id} (emulator) of {app.shows}: {app.app_uri}.")
    listed = shell.run("%pai_tensorboard --list").text
    assert [word in listed for word in (app.id, "running", app.shows, app.app_uri)] == [True] * 4
    stopped = f"stopped the TensorBoard app {app.id} (emulator) of {app.shows}\n"
    assert shell.run(f"%pai_tensorboard --stop {LOGS}").text == stopped
    assert app.status == "stopped"
    assert shell.run(f"%pai_tensorboard --stop {app.id}").text == stopped


def test_the_magic_opens_boards_and_apps_side_by_side(shell: Shell, session: Session, tmp_path: Path) -> None:
    shown = shell.run(f"%pai_tensorboard {tmp_path} {LOGS}").text
    assert f"TensorBoard {list_boards()[0].id} of {tmp_path.name}: " in shown
    assert f"TensorBoard app {list_apps(session=session)[0].id} (emulator) of oss://emulator" in shown


def test_the_boards_here_are_listed_when_the_cloud_does_not_answer(
    shell: Shell, tmp_path: Path, running: Emulator
) -> None:
    shell.run(f"%pai_tensorboard {tmp_path}")
    running.fault("expired-token", action="ListTensorboards", times=None)
    listed = shell.run("%pai_tensorboard --list").text
    assert "TensorBoard apps cannot be listed: " in listed
    assert list_boards()[0].id in listed


def test_a_job_whose_event_files_are_in_oss_gets_an_app(shell: Shell, session: Session) -> None:
    with installed(TroubledBackend()):
        job = begin(Program(), name="logged", outputs={"tensorboard": "oss://emulator/of-job/"})
        assert "TensorBoard app" in shell.run("%pai_tensorboard logged").text
        app = list_apps(session=session)[0]
        assert (app.name.partition("-")[0], job.tensorboard().app_uri) == ("of", app.app_uri)
        assert f"stopped the TensorBoard app {app.id}" in shell.run("%pai_tensorboard --stop logged").text
    assert app.status == "stopped"


async def test_the_request_is_the_official_sdks(running: Emulator) -> None:
    """Field by field what pai-vectors/tensorboard_create.json has; fields that nobody gave are not sent."""
    sent: list[dict[str, Any]] = []

    class Watched(Client):
        async def call(self, operation: Any, **parts: Any) -> dict[str, Json]:
            if operation is dlc.CREATE_TENSORBOARD:
                sent.append(parts["body"])
            return await super().call(operation, **parts)

    from pai_jupyter.cloud.tensorboard.opening import _create, _Wanted

    there = session_at(running)
    wanted = _Wanted(
        uri="oss://emulator.127.0.0.1/pai/tb/", name="看板", source_type="TrainingJob", source_id="train000001"
    )
    async with Watched(there.endpoints, there.credentials) as client:
        app = await _create(client, there, wanted, "10001")
        await client.call(dlc.DELETE_TENSORBOARD, path={"tensorboard_id": app})
    assert sent == [
        {
            "DataSourceType": "OSS",
            "DisplayName": "看板",
            "SourceId": "train000001",
            "SourceType": "TrainingJob",
            "SummaryRelativePath": "/",
            "Uri": "oss://emulator.127.0.0.1/pai/tb/",
            "WorkspaceId": "10001",
        }
    ]
