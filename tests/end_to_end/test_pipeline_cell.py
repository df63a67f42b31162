"""`%%pai_pipeline` in a real kernel: in a front end the cell returns at once and its drawing follows the run; else it waits."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kernels import Kernel, kernel

pytestmark = pytest.mark.kernel
READY = """\
%load_ext pai_jupyter
from pai_jupyter import CustomJobComponent, Pipeline
wait = CustomJobComponent(command="until [ -e {gate}/open ]; do sleep 0.05; done")
fail = CustomJobComponent(command="exit 3")
"""
CELL = "%%pai_pipeline demo --run --backend process --as run\nPipeline(steps=[wait.as_step('first')])"
TRAIN = "%%pai_train --wait --backend process --as job\nimport os, time\nwhile not os.path.exists('{gate}/open'): time.sleep(0.05)"
MIME = "application/vnd.pai-jupyter.run.v1+json"


@pytest.fixture
def running(tmp_path: Path, gate: Path) -> Iterator[Kernel]:
    with kernel(home=tmp_path / "home", cwd=tmp_path, PAI_JUPYTER_ML="plain", PAI_JUPYTER_RENDER="server") as started:
        started.ok(READY.format(gate=gate))
        yield started
    (gate / "open").touch()  # no job of a failed test stays


def test_a_cell_in_a_front_end_returns_at_once_and_its_drawing_follows(running: Kernel, gate: Path) -> None:
    cell = running.run(CELL)
    assert cell.status == "ok"
    assert "Running" in cell.texts()
    assert MIME in next(it for it in cell.outputs if it["msg_type"] == "display_data")["content"]["data"]
    (gate / "open").touch()
    running.wait_for(lambda: "✓ Succeeded" in cell.texts())
    assert running.ok("run.state.status.value").endswith("'succeeded'")
    assert "demo" in running.ok("%pai_runs")


def test_a_cell_without_a_front_end_waits_and_a_failed_run_raises(running: Kernel, gate: Path) -> None:
    (gate / "open").touch()
    assert "✓ Succeeded" in running.ok(CELL, attended=False)
    failed = running.run(CELL.replace("wait.as_step", "fail.as_step"), attended=False)
    assert failed.reply["ename"] == "RunFailed"
    assert "✗ Failed" in failed.texts()


def test_a_waiting_cell_without_a_front_end_says_at_once_what_it_waits_for(running: Kernel, gate: Path) -> None:
    run = running.start(CELL, attended=False)
    running.wait_for(lambda: "(demo) has begun" in run.texts())
    (gate / "open").touch()
    assert running.finish(run).status == "ok"
    assert run.texts().startswith(f"run {running.ok('print(run.id)').strip()} (demo) has begun")
    (gate / "open").unlink()
    job = running.start(TRAIN.format(gate=gate), attended=False)
    running.wait_for(lambda: "runs on: Local process" in job.texts())
    (gate / "open").touch()
    assert running.finish(job).status == "ok"
    assert running.ok("print(job.id)").strip() in job.texts().splitlines()[0]


def test_an_error_in_the_cell_shows_its_line(running: Kernel) -> None:
    broken = running.run("%%pai_pipeline demo\nsteps = []\n1 / 0")
    assert broken.reply["ename"] == "ZeroDivisionError"
    assert "1 / 0" in broken.texts()
