"""A job that is noted as never started never starts, however late its supervisor comes; one that has started is found."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.process import fence
from pai_jupyter.backends.process.launch import _start
from pai_jupyter.errors import BackendError, JobFailed, NotFoundError
from pai_jupyter.events import Status
from pai_jupyter.jobs import attach
from pai_jupyter.spec import JobRef
from tests.support.local_jobs import LocalJobs, is_alive
from tests.support.paths import ROOT
from tests.support.victims import only_job, until

SLOW = """#!/bin/sh
echo $$ >{gate}/pid.tmp && mv {gate}/pid.tmp {gate}/pid
until [ -e {gate}/open ]; do sleep 0.02; done
exec {python} "$@"
"""
KERNEL = """
import sys
from pai_jupyter.jobs import submit
from pai_jupyter.spec import JobSpec
sys.executable, marker = sys.argv[1:]
submit(JobSpec(name="late", command=f"touch {marker}"), backend="process")
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture
def slow_python(gate: Path) -> Path:
    """A Python that begins when the gate is opened, and says before under which number."""
    program = gate / "python"
    program.write_text(SLOW.format(gate=gate, python=sys.executable))
    program.chmod(0o755)
    return program


def test_a_supervisor_that_begins_after_its_job_was_given_up_runs_nothing(
    gate: Path, slow_python: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "has run"
    words = [sys.executable, "-c", KERNEL, str(slow_python), f"'{marker}'"]
    with subprocess.Popen(words, cwd=ROOT) as kernel:
        until((gate / "pid").exists)
        kernel.kill()
    job = attach(only_job().id)
    with pytest.raises(JobFailed, match="its submission was interrupted before it had started"):
        job.wait(60)
    (gate / "open").touch()
    supervisor = int((gate / "pid").read_text())
    until(lambda: not is_alive(supervisor))
    until(lambda: not _living(job.id))
    assert not marker.exists()
    assert job.status is Status.FAILED


async def test_a_job_that_was_given_up_is_not_known_and_can_be_submitted_again(jobs: LocalJobs) -> None:
    (jobs.folder_of(JobRef(backend="process", job_id="job-0")) / "run").mkdir(parents=True)
    lost = JobRef(backend="process", job_id="job-0")
    for _ in range(2):
        with pytest.raises(NotFoundError):
            await jobs.backend.status(lost)
    assert (await jobs.run("print('after all')")).log() == "after all\n"


async def test_a_job_that_has_begun_is_not_given_up(jobs: LocalJobs) -> None:
    ref = await jobs.start("print('here')")
    assert not fence.give_up(jobs.folder_of(ref))
    lost = JobRef(backend="process", job_id=ref.job_id)  # as whoever follows has it who knows of no submission
    assert (await jobs.backend.status(lost)).status in (Status.RUNNING, Status.SUCCEEDED)
    assert (await jobs.finish(lost)).log() == "here\n"


async def test_a_status_that_is_only_asked_for_gives_nothing_up(jobs: LocalJobs) -> None:
    ref = JobRef(backend="process", job_id="job-0", data={"pid": 1, "birth": "1"})
    (jobs.folder_of(ref) / "run").mkdir(parents=True)
    with pytest.raises(NotFoundError):
        await jobs.backend.status(ref)
    assert not (jobs.folder_of(ref) / "run" / "supervisor.json").exists()


async def test_a_supervisor_that_begins_when_its_submitter_has_just_lost_patience_is_kept(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(*arguments: Any) -> None:  # Any: those of the real one
        _start(*arguments)
        raise BackendError("the job's supervisor did not start")

    monkeypatch.setattr(sys.modules[_start.__module__], "_start", impatient)
    assert (await jobs.run("print('kept')")).log() == "kept\n"


def _living(job_id: str) -> list[int]:
    """The supervisors of the job."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if job_id.encode() in words and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found
