"""A job seen from where its supervisor has no number: from another container or another machine that shares the home."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pai_jupyter.backends.process import report
from pai_jupyter.events import Status
from tests.support.local_jobs import LocalJobs, until
from tests.support.paths import ROOT

UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc"]
ASK = """
import asyncio, sys
from pai_jupyter.backends.process import ProcessBackend
from pai_jupyter.spec import JobRef
ref, backend = JobRef(backend="process", job_id=sys.argv[1]), ProcessBackend()
if sys.argv[2] == "stop":
    asyncio.run(backend.stop(ref))
print(asyncio.run(backend.status(ref)).status)
"""


@pytest.fixture
async def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalJobs]:
    if subprocess.run([*UNSHARE, "true"], check=False, capture_output=True).returncode:  # noqa: ASYNC221  a moment
        pytest.skip("this user may not make a PID namespace")
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


def elsewhere(job_id: str, verb: str) -> str:
    words = [*UNSHARE, sys.executable, "-c", ASK, job_id, verb]
    asked = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    return asked.stdout.strip()


async def test_a_job_of_another_namespace_runs_can_be_stopped_and_its_end_is_seen(jobs: LocalJobs) -> None:
    ref = await jobs.start("import time; print('begun', flush=True); time.sleep(600)")
    await jobs.printed(ref, "begun")
    assert elsewhere(ref.job_id, "ask") == "running"
    assert elsewhere(ref.job_id, "stop") in ("running", "stopped")
    assert (await jobs.finish(ref)).end.status is Status.STOPPED
    assert elsewhere(ref.job_id, "ask") == "stopped"


async def test_a_supervisor_that_was_killed_is_dead_from_everywhere(jobs: LocalJobs) -> None:
    ref = await jobs.start("print('begun', flush=True)\nimport time; time.sleep(600)")
    await jobs.printed(ref, "begun")
    os.kill(int(str(ref.data["pid"])), 9)
    await until(lambda: not report.is_supervised(jobs.folder_of(ref)))
    assert elsewhere(ref.job_id, "ask") == "failed"
