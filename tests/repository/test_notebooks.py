"""The notebooks without a front end: as `make demo` runs them, and as papermill does. nbval checks their outputs."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from pai_jupyter.store import JobStore
from tests.support.paths import ROOT

pytestmark = pytest.mark.kernel
NOTEBOOKS = ROOT / "notebooks"


def demo(tmp_path: Path, notebook: Path, **environ: str) -> str:
    """Run a notebook as `make demo` does; returns what it prints."""
    command = [sys.executable, str(NOTEBOOKS / "run.py"), str(notebook), str(tmp_path / "executed.ipynb")]
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), **environ}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_demo_trains_a_model_and_says_where_everything_is(tmp_path: Path) -> None:
    printed = demo(tmp_path, NOTEBOOKS / "quickstart.ipynb", DOCKER_HOST=f"unix://{tmp_path}/none.sock")
    accuracy = re.search(r"test accuracy ([\d.]+)", printed)
    assert accuracy is not None
    assert float(accuracy[1]) >= 0.9
    assert printed.count("✓ Succeeded  iris") == 5  # the form needs nobody here; two are rows of %pai_jobs
    assert "not run in Docker here: no Docker engine answers" in printed
    assert f"executed notebook: {tmp_path / 'executed.ipynb'}" in printed
    models = [path for folder in JobStore().folders() for path in folder.path.glob("output/model/xgb_model.json")]
    assert len(models) == 2  # the form's job makes none


@pytest.mark.docker
def test_the_demo_runs_in_a_container_too(tmp_path: Path, engine: Any, test_image: str) -> None:  # Any: the test engine
    printed = demo(
        tmp_path, NOTEBOOKS / "quickstart.zh.ipynb", DOCKER_HOST=engine.address, PAI_QUICKSTART_IMAGE=test_image
    )
    assert "in a container: accuracy 0.9" in printed


@pytest.mark.docker
def test_the_notebook_of_openpai_simulates_its_job_in_containers(
    tmp_path: Path, engine: Any, test_image: str
) -> None:  # Any: the test engine
    printed = demo(
        tmp_path, NOTEBOOKS / "openpai.zh.ipynb", DOCKER_HOST=engine.address, PAI_QUICKSTART_IMAGE=test_image
    )
    ended = re.findall(
        r"^✓ Succeeded  slope\S*  (OpenPAI|Docker) .*\n(?:.*\n){1,2}.*worker: slope=0\.800", printed, re.MULTILINE
    )
    assert ended == ["OpenPAI", "Docker"], printed


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_papermill_waits_and_stops_at_a_failed_job(tmp_path: Path) -> None:
    import papermill

    cells = [
        "%load_ext pai_jupyter",
        "%%pai_train broken --backend process\nraise ValueError('no luck')",
        "print('never')",
    ]
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "failing.ipynb")
    with pytest.raises(papermill.PapermillExecutionError) as raised:
        papermill.execute_notebook(tmp_path / "failing.ipynb", tmp_path / "out.ipynb", progress_bar=False)
    assert raised.value.ename == "JobFailed"
    assert "ValueError: no luck (cell line 2)" in raised.value.evalue
