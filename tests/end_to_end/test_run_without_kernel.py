"""A run goes on while its kernel is restarted or gone, and ends with nobody looking."""

from pathlib import Path

import pytest

from pai_jupyter.runs.journal import RunEnded
from pai_jupyter.runs.journal_file import read_journal
from tests.support.kernels import kernel
from tests.support.paths import ROOT
from tests.support.run_jobs import counts
from tests.support.started import until
from tests.support.twenty_steps import names, twenty_steps

pytestmark = pytest.mark.kernel
CELL = """
import sys
sys.path.append({root!r})
from pathlib import Path
from pai_jupyter.runs import start_run
from tests.support.twenty_steps import twenty_steps
start_run(twenty_steps(Path({marks!r}))){more}
"""


@pytest.mark.parametrize(("way", "more"), [("restart", ""), ("restart", ".wait()"), ("kill", "")])
def test_a_run_ends_without_its_kernel(tmp_path: Path, way: str, more: str) -> None:
    marks, home = tmp_path / "marks", tmp_path / "home"
    marks.mkdir()
    with kernel(home=home, cwd=tmp_path, PAI_JUPYTER_ML="plain", PAI_JUPYTER_PROCESS_MAX_PARALLEL="4") as started:
        started.start(CELL.format(root=str(ROOT), marks=str(marks), more=more))
        until(lambda: counts(marks))
        if way == "restart":
            started.restart()
        else:
            started.kill()
        until(lambda: _has_ended(home))
    assert counts(marks) == dict.fromkeys(names(twenty_steps(marks)), 1)


def _has_ended(home: Path) -> bool:
    """Whether the journal says so: reading it starts no driver."""
    (folder,) = (home / "runs").iterdir()
    return isinstance(read_journal(folder / "journal.jsonl")[-1], RunEnded)
