"""Jobs recorded by earlier versions open in every way that there is: `tests/data/recorded` has them, as they were written.

What is expected of a job is read out of its own files here, by nothing but `json`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.hyperparameters import same
from pai_jupyter.jobs import all_rows, attach, close_runtime, draft_rerun, list_jobs, runtime
from pai_jupyter.spec import Scalar
from pai_jupyter.store import MASKED
from pai_jupyter.training import cell_as_run
from pai_jupyter.view import JOB_MIME, draw_job
from pai_jupyter.wire import Selection
from tests.support.cloud_sessions import configure
from tests.support.emulators import Emulator
from tests.support.recorded import RECORDED, Recorded, every, store
from tests.support.shells import Shell
from tests.support.wire import Client


@pytest.fixture(autouse=True)
def _stored(request: pytest.FixtureRequest, home: Path) -> Iterator[None]:
    """The store of this test has the job that the test is about, else all of them."""
    own = getattr(request.node, "callspec", None)
    store([own.params["recorded"]] if own else RECORDED, home)
    yield
    close_runtime()


@pytest.fixture
def service(running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What jobs of PAI are prepared at."""
    running.put("data/a.csv", "1,2\n")
    configure(running, home, monkeypatch)


async def ask(recorded: Recorded, kind: str, **asked: Any) -> dict[str, Any]:
    """What a view is answered. (Any: JSON values)"""
    async with Client() as client:
        return dict(await client.ok(kind, recorded.id, **asked))


# --- all of them -----------------------------------------------------------------------------------------------------


def test_there_is_one_of_every_kind() -> None:
    kinds = {(each.record["backend"], each.state["status"]) for each in RECORDED}
    assert kinds >= {
        *(("process", status) for status in ("succeeded", "failed", "stopped")),
        *(("pai", status) for status in ("succeeded", "failed")),
        ("docker", "succeeded"),
    }
    refs = [json.loads((each.path / "state.json").read_text())["ref"] for each in RECORDED if each.is_remote]
    assert {ref["data"]["kind"] for ref in refs} == {"training", "dlc"}
    assert any(len(each.logs) > 1 for each in RECORDED)
    for field in ("asked_by", "stem", "given", "cell", "notebook"):
        assert any(each.record.get(field) for each in RECORDED), field
        assert not all(each.record.get(field) for each in RECORDED), field


def test_all_of_them_are_listed() -> None:
    damage: list[str] = []
    listed = {job.id: job for job in list_jobs(on_damage=damage.append)}
    assert not damage
    assert {job_id: str(job.status) for job_id, job in listed.items()} == {
        each.id: each.state["status"] for each in RECORDED
    }


def test_the_panel_lists_all_of_them() -> None:
    rows = {row.id: row for row in runtime().run(all_rows())}
    assert {row.id: (row.name, str(row.status), row.trouble) for row in rows.values()} == {
        each.id: (each.name, each.state["status"], "") for each in RECORDED
    }
    for each in RECORDED:
        assert [text.partition("=")[0] for text in rows[each.id].values] == [*each.values]
        assert bool(rows[each.id].metric) == bool(each.state["metrics"])
    answer = Selection.parse({"text": "in-docker"}).answer([*rows.values()])
    assert answer["count"] == sum(each.name == "in-docker" for each in RECORDED)


def test_the_magic_lists_all_of_them() -> None:
    with Shell() as shell:
        table = shell.run(f"%pai_jobs -n {len(RECORDED) + 1}")
        assert table.error is None
        assert all(each.id in table.text for each in RECORDED)


# --- each of them ----------------------------------------------------------------------------------------------------


@every
def test_it_can_be_attached_to(recorded: Recorded) -> None:
    job = attach(recorded.id)
    assert (job.name, str(job.status), job.place) == (recorded.name, recorded.state["status"], recorded.record["place"])
    assert job.spec.to_json().keys() == recorded.record["spec"].keys()
    assert {*job.outputs} >= {"model", "checkpoints", "tensorboard"}
    assert attach(recorded.name).name == recorded.name


@every
def test_its_log_and_its_metrics_are_whole(recorded: Recorded) -> None:
    job = attach(recorded.id)
    assert {replica: [line.text for line in job.logs(replica=replica)] for replica in recorded.logs} == {
        replica: log.splitlines() for replica, log in recorded.logs.items()
    }
    assert sorted(line.text for line in job.logs()) == sorted(recorded.lines)
    assert job.metrics() == {name: numbers[0] for name, numbers in recorded.state["metrics"].items()}
    for name, numbers in recorded.state["metrics"].items():
        assert [metric.value for metric in job.metric_values(name)][-1] == numbers[0]


@every
def test_it_is_drawn_in_a_notebook(recorded: Recorded) -> None:
    drawn = draw_job(attach(recorded.id))
    small, html, text = drawn[JOB_MIME], str(drawn["text/html"]), str(drawn["text/plain"])
    assert isinstance(small, dict)
    assert (small["id"], small["state"]) == (recorded.id, recorded.state["status"])
    for name in (recorded.name, *recorded.state["metrics"], *recorded.values):
        assert name in html
        assert name in text
    assert recorded.lines[-1] in text


@every
async def test_a_view_opens_on_it(recorded: Recorded) -> None:
    async with Client() as client:
        snapshot = await client.hello(recorded.id)
    assert snapshot["state"]["status"] == recorded.state["status"]
    assert snapshot["job"]["name"] == recorded.name
    assert {*snapshot["job"]["replicas"]} >= {*recorded.logs}
    assert {*snapshot["job"]["values"]} == {*recorded.values}
    assert {*snapshot["state"]["metrics"]} == {*recorded.state["metrics"]}


@every
async def test_its_lines_and_its_points_are_answered(recorded: Recorded) -> None:
    for replica, log in recorded.logs.items():
        answer = await ask(recorded, "lines", replica=replica, start=0, stop=100)
        assert answer["lines"] == log.splitlines()
        word = log.split()[0] if log.split() else "nothing"
        found = await ask(recorded, "search", replica=replica, pattern=word)
        assert found["count"] == sum(word in line for line in log.splitlines())
    series = (await ask(recorded, "points", group="metrics"))["series"]
    assert {each["name"] for each in series} >= {*recorded.state["metrics"]}
    event_files = (recorded.path / "output" / "tensorboard").glob("*tfevents*")
    assert ("tensorboard" in {each["source"] for each in series}) == any(event_files)


@every
async def test_its_source_is_shown(recorded: Recorded) -> None:
    source = await ask(recorded, "source")
    assert source["cell"] == (recorded.record.get("cell") or "")
    assert "train.py" in json.dumps(source)
    await ask(recorded, "environment")
    assert not (await ask(recorded, "overview"))["is_recorded"]
    assert attach(recorded.id).provenance is None
    assert {line["kind"] for line in (await ask(recorded, "difference", to=recorded.id))["lines"]} <= {
        "same",
        "skipped",
    }


@every
async def test_its_files_are_listed(recorded: Recorded) -> None:
    if recorded.is_remote:  # they lie in a bucket
        return
    for path in sorted((recorded.path / "output").rglob("*")):
        if path.is_file() and not path.parent.is_symlink():
            channel, name = path.parent.name, path.name
            names = [entry["name"] for entry in (await ask(recorded, "files", channel=channel, path=""))["entries"]]
            assert name in names


@every
def test_its_outputs_are_fetched(recorded: Recorded, tmp_path: Path) -> None:
    if recorded.is_remote or not (recorded.path / "output" / "model" / "model.txt").is_file():
        return
    place = attach(recorded.id).fetch("model", tmp_path / "model")
    assert (place / "model.txt").read_bytes() == (recorded.path / "output" / "model" / "model.txt").read_bytes()


@pytest.mark.usefixtures("service")
@every
def test_a_rerun_of_it_is_prepared(
    recorded: Recorded, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if recorded.record["backend"] == "docker":
        monkeypatch.setenv("DOCKER_HOST", request.getfixturevalue("engine").address)
    monkeypatch.setenv("MY_TOKEN", "hunter2-hunter2")  # one was given it, and it is not recorded
    changed = dict.fromkeys([*recorded.values][:1], 1)
    with draft_rerun(attach(recorded.id), changed) as ready:
        assert ready.spec.hyperparameters == {**recorded.values, **changed}
        assert ready.spec.command == recorded.record["spec"]["command"]
        assert MASKED not in ready.spec.environments.values()
        assert ready.package.path.stat().st_size


@every
def test_its_cell_is_cloned(recorded: Recorded) -> None:
    job = attach(recorded.id)
    if (cell := recorded.record.get("cell")) is None:
        return
    again = cell_as_run(job.folder.record)
    assert again.splitlines()[1:] == cell.splitlines()[1:]
    assert all(_says(again, name, value) for name, value in recorded.values.items())
    with Shell() as shell:
        assert shell.run(f"%pai_attach {recorded.id} --source").error is None
        assert shell.next_input == again


def _says(cell: str, name: str, value: Scalar) -> bool:
    """Whether the cell gives this value: on its magic's line, or as the default in its code."""
    line, _, code = cell.partition("\n")
    words = [word for word in line.split() if word.startswith(f"{name}=")] or [
        text.partition("#")[0] for text in code.splitlines() if text.startswith((f"{name}:", f"{name} ="))
    ]
    return bool(words) and same(json.loads(words[-1].rpartition("=")[2]), value)
