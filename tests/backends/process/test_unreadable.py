"""What cannot be read of a job that runs, for a moment or for good, is no end of it."""

import errno
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pai_jupyter.backends.process import report
from pai_jupyter.backends.process.supervisor import processes
from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError
from pai_jupyter.events import Status
from pai_jupyter.spec import JobRef
from pai_jupyter.store import disk
from tests.support.local_jobs import LocalJobs, until

HELD = "import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('open'): time.sleep(.01)\nprint('done')"


@pytest.fixture
async def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalJobs]:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


async def held(jobs: LocalJobs) -> tuple[JobRef, Path]:
    ref = await jobs.start(HELD)
    await jobs.printed(ref, "begun")
    return ref, jobs.folder_of(ref)


@pytest.mark.parametrize("content", [None, "", "[", "{"])
async def test_a_job_whose_supervisors_file_is_lost_has_not_failed_while_it_runs(
    jobs: LocalJobs, content: str | None
) -> None:
    ref, folder = await held(jobs)
    file = folder / "run" / "supervisor.json"
    if content is None:
        file.unlink()
    else:
        file.write_text(content)
    with pytest.raises(ProtocolError, match="its process lives"):
        await jobs.backend.status(ref)
    with pytest.raises(ProtocolError, match="its process lives"):
        await jobs.finish(ref)
    (folder / "ml" / "usercode" / "open").touch()
    await until((folder / "run" / "exit.json").exists)
    await until(lambda: not report.lives(ref.data["pid"], ref.data["birth"]))
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.log()) == (Status.SUCCEEDED, "begun\ndone\n")
    assert (await jobs.backend.status(ref)).status is Status.SUCCEEDED


async def test_a_job_whose_last_word_is_damaged_is_not_said_to_have_been_killed(jobs: LocalJobs) -> None:
    ref = await jobs.start()
    ended = await jobs.finish(ref)
    (ended.folder / "run" / "exit.json").write_text("")
    status = await jobs.backend.status(ref)
    assert (status.status, "exit.json" in status.reason, "killed" in status.reason) == (Status.FAILED, True, False)


@pytest.mark.parametrize("error", [errno.EMFILE, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("name", ["supervisor.json", "exit.json"])
async def test_what_cannot_be_read_now_is_neither_gone_nor_an_end(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, name: str, error: int
) -> None:
    ended = await jobs.finish(await jobs.start())
    real = disk.read_plain

    def troubled(path: Path, *limit: int) -> bytes:
        if path.name == name:
            raise OSError(error, os.strerror(error))
        return real(path, *limit)

    with monkeypatch.context() as patch:
        patch.setattr(report, "read_plain", troubled)
        with pytest.raises(PaiJupyterError) as caught:
            await jobs.backend.status(ended.ref)
    assert not isinstance(caught.value, NotFoundError)


async def test_that_no_file_can_be_opened_is_no_proof_that_a_supervisor_is_dead(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, _ = await held(jobs)

    def exhausted(pid: int) -> list[bytes]:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(processes, "_read_stat", exhausted)
        with pytest.raises(PaiJupyterError, match="Too many open files"):
            await jobs.backend.status(ref)
    assert (await jobs.backend.status(ref)).status is Status.RUNNING
