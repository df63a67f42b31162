"""The TensorBoard tab over a job of PAI: an app at the service, started, shown where the browser finds it, stopped."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.tensorboard import TensorBoardApp, list_apps
from pai_jupyter.errors import AuthError, NotFoundError, PaiJupyterError, UnavailableError
from pai_jupyter.jobs import Job, close_runtime
from pai_jupyter.spec import JobRef, JobSpec, Json
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.tensorboard import Address, address, list_boards
from pai_jupyter.wire.schema.tabs import BoardAnswer
from pai_jupyter.wire.tabs.board import Action, Locate, address_of, board
from pai_jupyter.wire.tabs.boards import direct_address
from tests.fakes.openapi import Fault, OpenApi, code, dropped, says
from tests.support.emulators import REGION, WORKSPACE, Emulator
from tests.support.pai_jobs import hurry, rehearsal, rehearsed, session_at
from tests.support.programs import Program
from tests.support.started import begin, until

pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'pai_jupyter[lab]'")
__all__ = ["rehearsal", "rehearsed"]  # fixtures


@pytest.fixture
def far(rehearsed: PaiBackend) -> Iterator[Job]:
    """A job that has run at the emulator."""
    job = begin(Program(), name="far", backend="pai", image_uri="img:1", instance_type="ecs.c6.large")
    yield job.wait(60)
    for app in list_apps():
        app.delete()
    close_runtime()


def proxied(board: str, direct: str) -> Address:
    return address(board, direct, base_url="/user/me/", is_hub=False)


def of_a_hub(board: str, direct: str) -> Address:
    return address(board, direct, base_url=None, is_hub=True)


def app_of(job: Job) -> TensorBoardApp:
    ref = job.folder.read().ref
    assert ref is not None
    (app,) = (app for app in list_apps() if app.source_id == ref.data["id"])
    return app


def shown_when_up(job: Job, find: Locate = proxied) -> BoardAnswer:
    board(job, "start", find)
    until(lambda: board(job, "show", find)["state"] == "running")
    return board(job, "show", find)


def test_a_job_without_an_app_gets_none_by_looking(far: Job) -> None:
    for action in ("show", "stop"):
        assert board(far, action, proxied) == {"state": "stopped", "url": "", "note": ""}
    assert list_apps() == []


def test_an_app_that_is_started_is_shown_through_the_jupyter_server(far: Job) -> None:
    assert board(far, "start", proxied)["state"] in ("starting", "running")
    shown = shown_when_up(far)
    app = app_of(far)
    assert shown == {"state": "running", "url": f"/user/me/pai-jupyter/boards/{app.id}/", "note": ""}
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", app.app_uri)  # the emulator's has a secret as well
    assert list_boards() == []  # none of this machine's


def test_behind_a_hub_that_passes_nothing_on_it_is_said_what_to_install(far: Job) -> None:
    shown = shown_when_up(far, of_a_hub)
    assert (shown["state"], shown["url"]) == ("running", "")
    assert "Open it in a notebook of a Jupyter server that has pai_jupyter" in str(shown["note"])


def test_a_stopped_app_is_the_one_that_starts_again(far: Job) -> None:
    shown_when_up(far)
    first = app_of(far)
    assert board(far, "stop", proxied)["state"] == "stopped"
    assert first.status in ("stopping", "stopped")
    assert board(far, "show", proxied)["state"] == "stopped"
    shown_when_up(far)
    assert app_of(far).id == first.id


def test_an_app_that_was_deleted_elsewhere_is_none(far: Job) -> None:
    shown_when_up(far)
    app_of(far).delete()
    assert board(far, "show", proxied)["state"] == "stopped"


def test_a_job_that_is_not_on_pai_yet_says_so(rehearsal: Emulator, rehearsed: PaiBackend) -> None:
    for action in ("show", "start"):
        with pytest.raises(NotFoundError, match="is not submitted yet, so it has no TensorBoard"):
            board(written(None), action, proxied)


# --- what an emulator cannot be -----------------------------------------------------------------------------------------


def written(ref: JobRef | None) -> Job:
    """A job on record with its event files in OSS."""
    spec = JobSpec(name="a", command="true", output_path="oss://emulator/out/")
    record = JobRecord(id=f"j{len(list(JobStore().folders()))}", spec=spec, backend="pai", created=1.0)
    folder = JobStore().create(record)
    if ref is not None:
        folder.start(ref, folder.read().state)
    return Job(folder)


async def answer(home: Path, action: Action, plan: Callable[[str], list[Fault]]) -> BoardAnswer:
    """What the tab is told where a service answers as planned; a plan may use its address."""
    async with OpenApi() as service:
        service.plan.extend(plan(service.address))
        data: dict[str, Json] = {"kind": "training", "id": "t1", "region": REGION, "workspace": WORKSPACE}
        job = written(JobRef(backend="pai", job_id="j", data={**data, "address": service.address}))
        with session_at(service.address, home, values={}):
            return await asyncio.to_thread(board, job, action, proxied)


def app(status: str, url: str = "") -> dict[str, Json]:
    return {"TensorboardId": "tb1", "Status": status, "SourceId": "t1", "TensorboardUrl": url}


def listed(*apps: dict[str, Json]) -> Fault:
    return says(200, json.dumps({"Tensorboards": apps, "TotalCount": len(apps)}))


async def test_an_app_of_the_cloud_is_shown_at_its_own_address(home: Path) -> None:
    def plan(service: str) -> list[Fault]:
        told = app("Running", f"{service.replace('127.0.0.1', 'localhost')}/tb1?x=1")
        return [listed(told), says(200, told), says(302, "", Location="/login")]

    said = await answer(home, "show", plan)
    assert re.fullmatch(r"http://localhost:\d+/tb1\?x=1", said["url"])
    assert (said["state"], said["note"]) == ("running", "")


@pytest.mark.parametrize(
    ("status", "state"),
    [("Creating", "starting"), ("Running", "starting"), ("Stopped", "stopped"), ("Failed", "stopped")],
)
async def test_an_app_without_an_address_is_not_shown(home: Path, status: str, state: str) -> None:
    plan = [listed(app(status)), *[says(200, app(status))] * 3]
    assert await answer(home, "show", lambda _: plan) == {"state": state, "url": "", "note": ""}


@pytest.mark.parametrize(
    ("fault", "error"), [(code(403, "Forbidden"), AuthError), (dropped, UnavailableError)], ids=["forbidden", "dropped"]
)
async def test_a_service_that_does_not_tell_is_a_sentence(
    home: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, error: type[PaiJupyterError]
) -> None:
    hurry(monkeypatch)
    with pytest.raises(error):
        await answer(home, "show", lambda _: [fault] * 8)


class _Creating:
    """A session whose service says "Creating" of every app, as it does for a moment after the app answers."""

    is_emulator = True

    def ask(self, work: object) -> dict[str, str]:
        return {"Status": "Creating", "TensorboardUrl": "http://127.0.0.1:9/secret/"}


def test_an_app_that_answers_before_the_service_says_so_is_passed_on_already() -> None:
    app = TensorBoardApp({"TensorboardId": "tensorboard-early"}, cast(Session, _Creating()))
    assert address_of(app, lambda board, _: Address(url=f"/{board}/")).url == "/tensorboard-early/"
    assert direct_address(app.id) == "http://127.0.0.1:9/secret/"
