"""Real kernels, ipykernel 6 and 7: what lands in which cell, what an interrupt does, what a killed kernel leaves."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.kernels import IPYKERNEL_6, Cell, Kernel, kernel
from tests.support.patience import SOON

pytestmark = pytest.mark.kernel
VENDOR_TYPE = "application/vnd.pai-jupyter.job.v1+json"
WIDGET_TYPE = "application/vnd.jupyter.widget-view+json"
THROUGH_SERVER, AS_WIDGET = {"PAI_JUPYTER_RENDER": "server"}, {"PAI_JUPYTER_RENDER": "widget"}

SLOW = """%%pai_train slow --backend process --run {options}
import time
for i in range({count}):
    print("line", i, flush=True)
    time.sleep({pause})
"""


@pytest.fixture(params=["6", "7"])
def ipykernel(request: pytest.FixtureRequest) -> str:
    if request.param == "6" and not IPYKERNEL_6.is_dir():
        pytest.skip("ipykernel 6 is not installed beside 7; type: make setup")
    return str(request.param)


@pytest.fixture
def one(ipykernel: str, tmp_path: Path) -> Iterator[Kernel]:
    with kernel(home=tmp_path / "home", cwd=tmp_path, ipykernel=ipykernel, **THROUGH_SERVER) as started:
        started.ok("%load_ext pai_jupyter")
        yield started


@pytest.fixture
def lone(ipykernel: str, tmp_path: Path) -> Iterator[Kernel]:
    """A kernel whose jobs are seen through widgets."""
    with kernel(home=tmp_path / "home", cwd=tmp_path, ipykernel=ipykernel, **AS_WIDGET) as started:
        started.ok("%load_ext pai_jupyter")
        yield started


def slow(count: int, pause: float = 0.05, options: str = "") -> str:
    return SLOW.format(count=count, pause=pause, options=options)


def test_load_ext_is_silent_and_magics_have_a_manual(one: Kernel) -> None:
    assert one.ok("%reload_ext pai_jupyter").strip() == ""
    payload = one.run("%%pai_train?").reply["payload"]
    manual = payload[0]["data"]["text/plain"]
    assert "--backend" in manual
    assert "Run this cell as a training job." in manual


def test_nothing_lands_in_a_wrong_cell(one: Kernel) -> None:
    train = one.run(slow(20))
    others = [one.run(f"print('cell {number}')") for number in range(8)]
    one.ok("_pai.wait(90)")
    one.wait_for(lambda: _final_states(train) == "succeeded")
    for number, cell in enumerate(others):
        assert cell.texts().split() == ["cell", str(number)]
    assert not [m for m in train.outputs if m["msg_type"] == "stream"]


def test_a_job_in_a_front_end_leaves_the_kernel_free(one: Kernel) -> None:
    started = time.monotonic()
    one.run(slow(1000))
    assert one.ok("_pai.status.is_terminal").strip().endswith("False")
    assert time.monotonic() - started < SOON  # the job itself takes 50 s
    one.ok("_pai.stop()")


def test_the_form_is_shown_in_a_front_end_and_never_without(one: Kernel) -> None:
    cell = "%%pai_train form --backend process\nlr: float = 0.01  # hp: [0..1]\nprint('lr', lr)\n"
    attended = one.run(cell)
    assert any(WIDGET_TYPE in data for data in _displays(attended))
    unattended = one.run(cell, attended=False)
    assert not any(WIDGET_TYPE in data for data in _displays(unattended))
    assert "Succeeded" in unattended.texts()


def test_submit_in_the_form_shows_the_job_in_its_own_cell(one: Kernel) -> None:
    cell = one.run("%%pai_train form --backend process\nlr: float = 0.01  # hp: [0..1]\nprint('epoch 1 lr:', lr)\n")
    one.run("print('another cell')")
    one.press(cell, "Submit")
    one.wait_for(lambda: _final_states(cell) == "succeeded")
    shown = [m["content"] for m in cell.outputs if m["msg_type"] in ("display_data", "update_display_data")]
    assert len({content["transient"]["display_id"] for content in shown}) == 1  # the job takes the form's place
    other = one.run("print(_pai.hyperparameters['lr'])")
    assert other.texts().strip() == "0.01"


def test_the_cells_below_a_form_are_told_at_once_what_they_wait_for(one: Kernel) -> None:
    cell = one.run("%%pai_train form --as job --backend process\nprint('epoch 1 loss=0.5')\n")
    one.ok("held = job")
    assert "the form above waits for Submit" in one.ok("job")  # it is shown, and not refused
    for asked in ("job.wait()", "job.output_parameters()['test-accuracy']", "job.id", "await job"):
        refused = one.run(asked)
        assert refused.status == "error"
        assert "JobNotReady: job 'form' has not been started: the form above waits for Submit" in refused.texts()
        assert "Traceback" not in refused.texts()
    one.press(cell, "Submit")
    one.wait_for(lambda: _final_states(cell) == "succeeded")
    assert one.ok("print(job.wait().metrics(), held.wait().id == job.id, held)").startswith("{'loss': 0.5} True <Job ")


def test_a_form_shown_again_takes_the_name_from_the_job_before(one: Kernel) -> None:
    one.ok("%%pai_train form --as job --backend process --run --wait\nprint('first')\n")
    one.run("%%pai_train form --as job --backend process\nprint('second')\n")
    assert "waits for Submit" in one.run("job.metrics()").texts()


def test_an_estimator_shows_the_view_without_load_ext(ipykernel: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('epoch 1 loss=0.5')\n")
    with kernel(home=tmp_path / "home", cwd=tmp_path, ipykernel=ipykernel, **THROUGH_SERVER) as fresh:
        fit = fresh.run("from pai_jupyter import Estimator\njob = Estimator(entry_point='train.py').fit()")
        assert fit.status == "ok", fit.texts()
        fresh.wait_for(lambda: _final_states(fit) == "succeeded")
        assert not [m for m in fit.outputs if m["msg_type"] == "stream"]
        shown = fresh.run("job")
        assert VENDOR_TYPE in next(m for m in shown.outputs if m["msg_type"] == "execute_result")["content"]["data"]


def test_interrupting_a_wait_detaches_at_once_and_the_job_goes_on(one: Kernel) -> None:
    waiting = one.start(slow(1000, options="--wait"))
    one.wait_for(lambda: any(VENDOR_TYPE in m["content"].get("data", {}) for m in waiting.outputs))
    asked = time.monotonic()
    one.interrupt()
    one.finish(waiting)
    assert time.monotonic() - asked < SOON
    assert waiting.reply["ename"] == "JobDetached"
    assert "%pai_stop" in waiting.texts()
    assert one.ok("from pai_jupyter import attach; print(attach('slow').status.is_terminal)").strip() == "False"
    one.ok("%pai_stop slow -y")


def test_a_failed_job_stops_run_all_without_a_front_end(one: Kernel) -> None:
    failed = one.run("%%pai_train broken --backend process\nx = 1\nraise ValueError('no luck')\n", attended=False)
    assert failed.reply["ename"] == "JobFailed"
    assert "ValueError: no luck" in failed.texts()
    assert "line 3" in failed.texts()
    assert "pai_jupyter/" not in failed.texts()


@pytest.mark.parametrize("backend", ["process", pytest.param("docker", marks=pytest.mark.docker)])
def test_a_job_outlives_a_killed_kernel(
    backend: str, ipykernel: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    environ: dict[str, str] = {}
    place = "--backend process"
    if backend == "docker":
        place = f"--backend docker --image {request.getfixturevalue('test_image')}"
        environ["DOCKER_HOST"] = request.getfixturevalue("engine").address
    setup = {"home": tmp_path / "home", "cwd": tmp_path, "ipykernel": ipykernel, **environ}
    cell = slow(60, options="--force").replace("--backend process", place)
    with kernel(**setup) as first:
        first.ok("%load_ext pai_jupyter")
        first.ok(cell)
        first.ok("import itertools\nwhile sum(1 for _ in _pai.logs()) < 5: pass")
        first.kill()
    with kernel(**setup) as second:
        second.ok("%load_ext pai_jupyter")
        shown = second.ok("%pai_attach slow --as job", attended=False)
        assert "Succeeded" in shown
        lines = second.ok("for line in job.logs(): print(line.text)").split("\n")
    assert [line for line in lines if line] == [f"line {number}" for number in range(60)]


# --- the widget ----------------------------------------------------------------------------------------------------


def test_the_widget_stands_below_a_bundle_that_is_saved_and_nothing_lands_in_a_wrong_cell(lone: Kernel) -> None:
    train = lone.run(slow(20))
    others = [lone.run(f"print('cell {number}')") for number in range(8)]
    lone.ok("_pai.wait(90)")
    lone.wait_for(lambda: "Succeeded" in _displays(train)[0]["text/plain"])
    bundle, widget = _displays(train)
    assert set(bundle) == {"text/html", "text/plain"}
    assert widget[WIDGET_TYPE]["model_id"] in lone.said
    for number, cell in enumerate(others):
        assert cell.texts().split() == ["cell", str(number)]
    assert not [m for m in train.outputs if m["msg_type"] == "stream"]


def test_the_widget_s_log_goes_on_while_a_cell_blocks_and_a_request_waits_for_it(lone: Kernel, tmp_path: Path) -> None:
    train = lone.run(slow(40))
    comm = _displays(train)[1][WIDGET_TYPE]["model_id"]
    blocked = lone.start(f"import os, time\nwhile not os.path.exists({str(tmp_path / 'gate')!r}): time.sleep(0.01)")
    lone.wait_for(lambda: "line 39" in _told(lone, comm))
    lone.say(comm, {"id": "q1", "kind": "source", "job": _snapshot(lone, comm)["job"]["id"], "view": "v"})
    assert not blocked.reply
    (tmp_path / "gate").touch()
    lone.wait_for(lambda: any(message.get("id") == "q1" for message in lone.said[comm]))
    (answer,) = (message for message in lone.said[comm] if message.get("id") == "q1")
    assert answer["ok"]["cell"].splitlines()[1:] == slow(40).splitlines()[1:]
    lone.finish(blocked)


def test_each_view_of_a_widget_is_told_what_it_asks_for(lone: Kernel) -> None:
    train = lone.run(slow(1000))
    comm = _displays(train)[1][WIDGET_TYPE]["model_id"]
    lone.wait_for(lambda: _snapshot(lone, comm))
    job = _snapshot(lone, comm)["job"]["id"]
    lone.say(comm, {"id": "h1", "kind": "hello", "job": job, "view": "mine"})
    lone.wait_for(lambda: [push for push in lone.said[comm] if push.get("view") == "mine" and push["kind"] == "tail"])
    lone.say(comm, {"id": "s1", "kind": "stop", "job": job, "view": "mine"})
    lone.wait_for(lambda: "Stopped" in _displays(train)[0]["text/plain"])


def test_no_more_is_pushed_to_a_page_that_is_closed_until_somebody_looks_again(lone: Kernel) -> None:
    lone.ok("import pai_jupyter.view.attention\npai_jupyter.view.attention.PATIENCE = 1.5")
    train = lone.run(slow(1000))
    comm = _displays(train)[1][WIDGET_TYPE]["model_id"]
    lone.ok("import itertools, time\nwhile sum(1 for _ in _pai.logs()) < 60: time.sleep(0.05)")
    lone.wait_for(lambda: "line 59" in _told(lone, comm))  # a cell has run meanwhile: silence tells nothing
    lone.wait_for(lambda: not _grows(lone, comm))
    lone.say(comm, {"id": "p1", "kind": "bye", "job": "", "view": ""})
    lone.say(comm, {"id": "h1", "kind": "hello", "job": _snapshot(lone, comm)["job"]["id"], "view": "mine"})
    lone.wait_for(lambda: [push for push in lone.said[comm] if push.get("view") == "mine"])
    lone.ok("_pai.stop()")


def test_a_single_job_may_be_shown_as_a_widget(one: Kernel) -> None:
    train = one.run(slow(3, options="--widget --as job"))
    attach = one.run("%pai_attach slow --widget")
    for cell in (train, attach):
        bundle, widget = _displays(cell)
        assert VENDOR_TYPE not in bundle
        one.wait_for(lambda widget=widget: "line 2" in _told(one, widget[WIDGET_TYPE]["model_id"]))


def test_a_form_s_job_is_shown_as_a_widget_in_the_form_s_cell(one: Kernel) -> None:
    cell = one.run("%%pai_train form --backend process --widget\nlr: float = 0.01  # hp: [0..1]\nprint('lr', lr)\n")
    one.run("print('another cell')")
    one.press(cell, "Submit")
    one.wait_for(lambda: WIDGET_TYPE in _displays(cell)[1])
    one.wait_for(lambda: "lr 0.01" in _told(one, _displays(cell)[1][WIDGET_TYPE]["model_id"]))


def _displays(cell: Cell) -> list[dict[str, Any]]:
    """What this cell displays, each in its newest form."""
    shown: dict[str, dict[str, Any]] = {}
    for message in cell.outputs:
        if message["msg_type"] in ("display_data", "update_display_data"):
            content = message["content"]
            shown[content["transient"].get("display_id", message["header"]["msg_id"])] = content["data"]
    return list(shown.values())


def _told(one: Kernel, comm: str) -> set[str]:
    """The lines that a widget was told, whoever of its views they were for."""
    return {line for push in one.said.get(comm, ()) if "tail" in push for line in push["tail"]["lines"]}


def _snapshot(one: Kernel, comm: str) -> dict[str, Any]:
    return next((push for push in one.said.get(comm, ()) if push.get("kind") == "snapshot"), {})


def _grows(one: Kernel, comm: str) -> bool:
    """Whether a widget is told anything within a second."""
    before, until = len(one.said[comm]), time.monotonic() + 1
    with suppress(AssertionError):
        one.wait_for(lambda: len(one.said[comm]) > before or time.monotonic() > until, timeout=2)
    return len(one.said[comm]) > before


def _final_states(cell: Cell) -> str:
    """The state that the newest display of a job in this cell tells."""
    states = [
        message["content"]["data"][VENDOR_TYPE]["state"]
        for message in cell.outputs
        if VENDOR_TYPE in message["content"].get("data", {})
    ]
    return str(states[-1]) if states else ""
