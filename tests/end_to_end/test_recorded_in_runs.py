"""Jobs recorded before there were provenance, prices, tags and counters open in all that is shown of runs.

What is expected of a job is read out of its own files here, as in test_recorded_jobs.py.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

import pai_jupyter
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import all_rows, attach, close_runtime, runtime
from pai_jupyter.report import write_report
from pai_jupyter.stacks import py_spy
from tests.support.recorded import RECORDED, Recorded, every, store
from tests.support.server import Server, running_server
from tests.support.shells import Shell
from tests.support.wire import Client

MEASURED = {"cpu", "memory", "gpu", "gpu_memory"}  # what was measured of a job's resources then
VALUES = sorted({name for each in RECORDED for name in each.values})
METRICS = sorted({name for each in RECORDED for name in each.state["metrics"]})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("server")) as server:
        store(RECORDED, server.home)
        yield server


@pytest.fixture(autouse=True)
def _same_home(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """These tests and their server have one store, with all the jobs."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(server.home))
    yield
    close_runtime()


def record_of(server: Server, recorded: Recorded) -> bytes:
    return (server.home / "jobs" / recorded.id / "job.json").read_bytes()


# --- all of them -----------------------------------------------------------------------------------------------------


def test_they_are_rows_of_the_table_without_price_tags_or_alerts() -> None:
    rows = runtime().run(all_rows())
    assert {row.id for row in rows} == {each.id for each in RECORDED}
    assert all((row.cost, row.tags, row.is_starred, row.note, row.alert) == (None, (), False, "", None) for row in rows)


def test_the_table_has_their_values_and_metrics_as_columns(server: Server) -> None:
    columns = ["job:id", *(f"value:{name}" for name in VALUES), *(f"last:{name}" for name in METRICS)]
    body = json.dumps({"columns": columns, "limit": len(RECORDED)}).encode()
    answer = server.ask("table", method="POST", body=body).json()
    cells = {line["cells"][0]: dict(zip(columns, line["cells"], strict=True)) for line in answer["lines"]}
    for each in RECORDED:
        assert {cells[each.id][f"value:{name}"] for name in VALUES if name not in each.values} <= {None}
        for name, numbers in each.state["metrics"].items():
            assert cells[each.id][f"last:{name}"] == numbers[0]


def test_they_are_a_data_frame() -> None:
    frame = pai_jupyter.runs()
    assert {*frame.index} == {each.id for each in RECORDED}
    assert {*METRICS} <= {*frame.columns}
    name = METRICS[0]
    told = {each.id: each.state["metrics"][name][0] for each in RECORDED if name in each.state["metrics"]}
    assert frame[name].dropna().to_dict() == told


def test_the_magic_filters_sorts_groups_and_writes_them(tmp_path: Path) -> None:
    measured = [each for each in RECORDED if METRICS[0] in each.state["metrics"]]
    with Shell() as shell:
        found = shell.run(f"%pai_runs {METRICS[0]}>-1 --sort {METRICS[0]} --columns id -n 99")
        assert {*found.text.split()} == {"id", *(each.id for each in measured)}
        assert shell.run("%pai_runs state:succeeded --group-by backend").error is None
        assert shell.run(f"%pai_runs --csv {tmp_path}/all.csv").error is None
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + len(RECORDED)


@pytest.mark.parametrize("kind", ["html", "ipynb"])
def test_they_are_in_one_report(tmp_path: Path, kind: str) -> None:
    path = write_report(tmp_path / f"all.{kind}", "")
    text = path.read_text()
    assert all(each.id in text for each in RECORDED)
    if kind == "ipynb":
        nbformat.validate(json.loads(text))


# --- each of them ----------------------------------------------------------------------------------------------------


@every
def test_it_has_no_price_and_what_it_used_is_what_was_measured(recorded: Recorded) -> None:
    job = attach(recorded.id)
    assert job.cost is None
    events = [json.loads(line) for line in (recorded.path / "events.jsonl").read_text().splitlines()]
    is_measured = any(event["kind"] == "Usage" for event in events)
    assert {*job.usage()} == ({"cpu_hours", "peak_memory"} if is_measured else set())


@every
async def test_its_overview_and_its_resources_are_answered(recorded: Recorded) -> None:
    async with Client() as client:
        snapshot = await client.hello(recorded.id)
        overview = await client.ok("overview", recorded.id)
        usage = await client.ok("points", recorded.id, group="usage")
    assert "cost" not in snapshot["job"]
    assert not overview["is_recorded"]
    assert {each["name"] for each in usage["series"]} <= MEASURED


@every
def test_tags_star_name_and_note_are_kept_beside_its_record(server: Server, recorded: Recorded) -> None:
    before, job = record_of(server, recorded), attach(recorded.id)
    job.tag("old", f"of-{recorded.id}")
    job.star()
    job.note = "before"
    job.rename("renamed")
    (row,) = [row for row in runtime().run(all_rows()) if row.id == recorded.id]
    assert (row.name, row.recorded_name, row.tags[0], row.is_starred) == ("renamed", recorded.name, "old", True)
    assert [*pai_jupyter.runs(f"tag:of-{recorded.id}").index] == [recorded.id]
    job.untag("old", f"of-{recorded.id}")
    job.star(False)
    job.note = ""
    job.rename("")
    assert (attach(recorded.id).name, record_of(server, recorded)) == (recorded.name, before)


@every
def test_its_stacks_are_one_sentence(recorded: Recorded) -> None:
    if py_spy.find_py_spy() is None:
        pytest.skip("py-spy is missing: pip install 'pai_jupyter[stack]'")
    with Shell() as shell:
        error = shell.run(f"%pai_stack {recorded.id}").error
    assert isinstance(error, SpecError)
    assert "\n" not in str(error)


@every
def test_it_opens_in_a_browser_tab_and_its_form_has_what_it_ran_with(server: Server, recorded: Recorded) -> None:
    page = server.ask(f"/pai-jupyter/jobs/{recorded.id}", headers=server.log_in().headers())
    assert (page.status, f'data-job="{recorded.id}"' in page.body.decode()) == (200, True)
    reply = server.ask(f"jobs/{recorded.id}/form")
    told: Any = reply.json()
    if any(role.get("command") for role in recorded.record["spec"].get("roles", ())):  # a form has one command
        assert reply.status == 400
        assert "there is no form for it" in told["message"]
        return
    assert reply.status == 200, told
    assert {*recorded.values} <= {row["name"] for row in told["hyperparameters"]}
    name = "" if recorded.record.get("stem") else f"{recorded.name} "  # one that was generated is generated anew
    assert told["line"].startswith(f"%%pai_train {name}--")
