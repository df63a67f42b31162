"""kill -9 at any moment: of the driver, of the kernel that started the run, of the whole machine. Every run ends right.

PAI_KILLS: how many kills of each kind (3).
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter.jobs import close_runtime
from pai_jupyter.runs import Run, attach_run, list_runs, start_run
from pai_jupyter.runs.journal import OutputsRead, TryBegun
from pai_jupyter.runs.journal_file import read_journal
from tests.support.drivers import drivers_of, kill_machine
from tests.support.paths import ROOT
from tests.support.patience import DEADLINE
from tests.support.run_jobs import counts, starts
from tests.support.twenty_steps import names, twenty_steps

KILLS = int(os.environ.get("PAI_KILLS", "3"))


@pytest.fixture
def mark(marks: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is in the environment of every process that the test starts."""
    monkeypatch.setenv("KILLED_TOGETHER", str(marks))
    return f"KILLED_TOGETHER={marks}"


def moments(seconds: float) -> Iterator[float]:
    """As many random moments as there are to be kills."""
    rng = random.Random(os.environ.get("PAI_SEED"))
    return (rng.uniform(0.0, seconds) for _ in range(KILLS))


def new_marks(marks: Path) -> Path:
    folder = marks / f"run-{len(list(marks.iterdir()))}"
    folder.mkdir()
    return folder


def begun(marks: Path) -> tuple[Run, Path]:
    folder = new_marks(marks)
    return start_run(twenty_steps(folder)), folder


def driven_to_the_end(run: Run) -> None:
    """Have the run go on as whoever looks at it does."""
    attach_run(run.id).wait(2 * DEADLINE)


def check_once(run: Run, folder: Path) -> None:
    """Each step has started just once."""
    check_end(run)
    assert counts(folder) == dict.fromkeys(names(run.plan), 1)


def check_end(run: Run) -> None:
    state = run.state
    assert (state.status, state.reason) == ("succeeded", None)
    assert state.parameters == {"result": "1"}
    found = {one.name: one.status for one in state.steps}
    assert {name for name, status in found.items() if status == "skipped"} == {"no", "behind-no", "never"}


def check_no_success_again(run: Run, folder: Path) -> None:
    """A step that has succeeded is done; no job starts twice."""
    done: dict[str, str] = {}
    for entry in read_journal(run.folder / "journal.jsonl"):
        if isinstance(entry, TryBegun):
            assert entry.step not in done, f"step {entry.step} has succeeded, and starts again"
        elif isinstance(entry, OutputsRead):
            done[entry.step] = entry.job_id
    found = starts(folder)
    assert found.keys() == names(run.plan)
    for mark, job_ids in found.items():
        assert len(set(job_ids)) == len(job_ids), f"a job of {mark} has started twice"
        assert job_ids[-1] in done.values(), f"the latest job of {mark} is not the one that counts"


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_the_driver_is_killed(marks: Path, home: Path) -> None:
    left = list(moments(2.0))
    while left:
        run, folder = begun(marks)
        while left and not run.state.status.is_terminal:
            time.sleep(left.pop())
            kill(drivers_of(home))
            attach_run(run.id)
        driven_to_the_end(run)
        check_once(run, folder)


def test_the_kernel_is_killed(marks: Path) -> None:
    for seconds in moments(3.0):
        folder, before = new_marks(marks), {row.id for row in list_runs()}
        words = [sys.executable, "-m", "tests.support.twenty_steps", str(folder)]
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as kernel:
            assert kernel.stdout is not None
            kernel.stdout.readline()
            time.sleep(seconds)
            kernel.kill()
        for row in list_runs():
            if row.id not in before:
                run = attach_run(row.id)
                driven_to_the_end(run)
                check_once(run, folder)


def test_the_machine_is_killed(marks: Path, mark: str) -> None:
    left = list(moments(2.0))
    while left:
        run, folder = begun(marks)
        while left and not run.state.status.is_terminal:
            time.sleep(left.pop())
            close_runtime()
            kill_machine(mark)
            attach_run(run.id)
        driven_to_the_end(run)
        check_end(run)
        check_no_success_again(run, folder)
