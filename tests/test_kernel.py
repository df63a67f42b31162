"""Real kernels, ipykernel 6 and 7: what lands in which cell, what an interrupt does, what a killed kernel leaves."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernels import IPYKERNEL_6, Kernel, kernel

pytestmark = pytest.mark.kernel
VENDOR_TYPE = "application/vnd.pai-jupyter.job.v1+json"

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
    with kernel(home=tmp_path / "home", cwd=tmp_path, ipykernel=ipykernel) as started:
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
    one.ok("_pai.wait(30)")
    one.wait_for(lambda: _final_states(train) == "succeeded")
    for number, cell in enumerate(others):
        assert cell.texts().split() == ["cell", str(number)]
    assert not [m for m in train.outputs if m["msg_type"] == "stream"]


def test_a_job_in_a_front_end_leaves_the_kernel_free(one: Kernel) -> None:
    started = time.monotonic()
    one.run(slow(1000))
    assert one.ok("_pai.status.is_terminal").strip().endswith("False")
    assert time.monotonic() - started < 20  # the job itself takes 50 s
    one.ok("_pai.stop()")


def test_the_form_is_shown_in_a_front_end_and_never_without(one: Kernel) -> None:
    cell = "%%pai_train form --backend process\nlr: float = 0.01  # hp: [0..1]\nprint('lr', lr)\n"
    attended = one.run(cell)
    views = [m for m in attended.outputs if "application/vnd.jupyter.widget-view+json" in m["content"].get("data", {})]
    assert views
    unattended = one.run(cell, attended=False)
    assert not [
        m for m in unattended.outputs if "application/vnd.jupyter.widget-view+json" in m["content"].get("data", {})
    ]
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


def test_an_estimator_shows_the_view_without_load_ext(ipykernel: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('epoch 1 loss=0.5')\n")
    with kernel(home=tmp_path / "home", cwd=tmp_path, ipykernel=ipykernel) as fresh:
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
    assert time.monotonic() - asked < 5
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


def _final_states(cell: object) -> str:
    """The state that the newest display of a job in this cell tells."""
    states = [
        message["content"]["data"][VENDOR_TYPE]["state"]
        for message in cell.outputs  # type: ignore[attr-defined]  # a Cell
        if VENDOR_TYPE in message["content"].get("data", {})
    ]
    return str(states[-1]) if states else ""
