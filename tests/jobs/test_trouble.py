"""A job that cannot be reached, or not recorded: said to all who look, for as long as it holds; and a wait for it ends."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pai_jupyter.errors import AuthError, BackendError, JobDetached, LimitExceededError, UnavailableError
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import (
    Job,
    PlainLines,
    attach,
    close_runtime,
    follow_log,
    follower,
    list_jobs,
    runtime,
    wait_lines,
)
from pai_jupyter.jobs.job_index.folders import Folders
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore, Trouble, note_trouble
from pai_jupyter.store.trouble import NAME, STALE
from pai_jupyter.view import bundle
from pai_jupyter.view.show import view_data
from pai_jupyter.wire import snapshot
from tests.fakes.troubled import TroubledBackend
from tests.support.programs import FORTY
from tests.support.runs import interrupt_when
from tests.support.shells import Shell
from tests.support.started import DEADLINE, begin, open_gate, until

ALL_LINES = [f"line {number}" for number in range(40)]
NO = "the service said no."
LOOK = """
import json, sys
from pai_jupyter.jobs import Job
from pai_jupyter.store import JobStore
job = Job(JobStore().open(sys.argv[1]))
state = job.state
print(json.dumps([state.status, state.reason, [notice.text for notice in state.notices]]))
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever tries again does so soon."""
    monkeypatch.setattr(follower, "MAX_PAUSE", 0.3)


def seen_elsewhere(job: Job) -> tuple[str, str, list[str]]:
    """Status, reason and notices of the job, as another process shows it that follows nothing."""
    words = [sys.executable, "-c", LOOK, job.id]
    status, reason, notices = json.loads(subprocess.check_output(words, text=True, timeout=2 * DEADLINE))
    return status, reason, notices


def unreachable(backend: TroubledBackend, gate: Path, error: type[BackendError] = AuthError) -> Job:
    """A job that runs, and whose service refuses whoever follows it, until `backend.troubles` are cleared."""
    job = begin(FORTY, gate=gate)
    until(lambda: job.status is Status.RUNNING and len(list(job.logs())) == 20)
    close_runtime()
    backend.troubles = [error(NO)] * 10_000
    runtime().follow(job.folder)
    until(lambda: job.status is Status.UNKNOWN)
    return job


@pytest.mark.parametrize("error", [AuthError, UnavailableError])
def test_what_cannot_be_reached_is_unknown_to_all_who_look(
    backend: TroubledBackend, gate: Path, error: type[BackendError]
) -> None:
    job = unreachable(backend, gate, error)
    assert seen_elsewhere(job) == ("unknown", NO, [])
    assert job.folder.read().state.status is Status.RUNNING
    (listed,) = list_jobs(refresh=False)
    assert (listed.status, listed.to_json()["reason"]) == (Status.UNKNOWN, NO)
    row = Folders(JobStore()).look(10).rows[job.id]
    assert (row.status, row.trouble) == (Status.UNKNOWN, NO)
    told = snapshot(Job(JobStore().open(job.id)))["state"]
    assert isinstance(told, dict)
    assert (told["status"], told["reason"]) == ("unknown", NO)
    drawn = bundle(view_data(job))
    assert all(NO in str(drawn[kind]) for kind in ("text/plain", "text/html"))


def test_the_list_of_a_notebook_says_why(backend: TroubledBackend, gate: Path) -> None:
    job = unreachable(backend, gate)
    with Shell() as shell:
        assert f"{job.id}: {NO}" in shell.run("%pai_jobs").text


def test_it_is_gone_when_it_is_over(backend: TroubledBackend, gate: Path) -> None:
    job = unreachable(backend, gate)
    rows = Folders(JobStore())
    assert rows.look(10).rows[job.id].trouble == NO
    backend.troubles.clear()
    until(lambda: job.status is Status.RUNNING)
    assert not (job.folder.path / NAME).exists()
    assert seen_elsewhere(job)[:2] == ("running", "")
    row = rows.look(10).rows[job.id]
    assert (row.status, row.trouble) == (Status.RUNNING, "")
    open_gate(gate)
    assert [line.text for line in job.wait(DEADLINE).logs()] == ALL_LINES


def test_it_is_gone_with_whoever_said_so(backend: TroubledBackend, gate: Path) -> None:
    job = unreachable(backend, gate)
    close_runtime()
    assert job.status is Status.RUNNING
    assert not (job.folder.path / NAME).exists()


def test_what_a_dead_process_has_noted_counts_for_a_while_only(backend: TroubledBackend, gate: Path) -> None:
    job = unreachable(backend, gate)
    close_runtime()
    note_trouble(job.folder.path, Trouble(kind="service", reason=NO, since=time.time()))
    assert str(job.status) == "unknown"
    long_ago = time.time() - 2 * STALE
    os.utime(job.folder.path / NAME, (long_ago, long_ago))
    assert str(job.status) == "running"
    lock = job.folder.try_lock()
    assert lock is not None
    with lock:  # somebody follows it, who was held up
        assert job.status is Status.UNKNOWN


def test_the_next_who_follows_ends_what_a_dead_process_has_noted(backend: TroubledBackend, gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: len(list(job.logs())) == 20)
    close_runtime()
    note_trouble(job.folder.path, Trouble(kind="service", reason=NO, since=time.time()))
    attach(job.id)
    until(lambda: not (job.folder.path / NAME).exists())
    assert job.status is Status.RUNNING


def test_a_status_unknown_of_a_backend_holds_until_its_next_status(
    backend: TroubledBackend, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_back = asyncio.Event()
    follow = backend.follow

    async def losing(ref: JobRef, after: dict[str, int]) -> object:
        async for event in follow(ref, after):
            yield event
            if isinstance(event, StatusChanged) and not event.status.is_terminal:
                yield StatusChanged(status=Status.UNKNOWN, time=time.time(), reason=NO)
                while not is_back.is_set():  # noqa: ASYNC110  it is set on another thread
                    await asyncio.sleep(0.01)
                yield event

    monkeypatch.setattr(backend, "follow", losing)
    job = begin(FORTY, gate=gate)
    until(lambda: job.status is Status.UNKNOWN)
    assert seen_elsewhere(job)[:2] == ("unknown", NO)
    is_back.set()
    until(lambda: job.status is Status.RUNNING)
    open_gate(gate)
    job.wait(DEADLINE)


def test_a_listing_shows_what_cannot_be_asked_for_as_unknown(
    backend: TroubledBackend, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: job.status is Status.RUNNING)
    close_runtime()

    async def refuses(ref: JobRef) -> object:
        raise AuthError(NO)

    monkeypatch.setattr(backend, "status", refuses)
    (listed,) = list_jobs()
    assert (listed.status, listed.state.reason) == (Status.UNKNOWN, NO)


# --- the wait ------------------------------------------------------------------------------------------------------------


def test_a_wait_for_what_cannot_be_reached_ends_with_what_to_type(backend: TroubledBackend, gate: Path) -> None:
    job = unreachable(backend, gate)
    with pytest.raises(UnavailableError, match=rf"could not be reached for 0\.2 s: {NO}") as caught:
        job.wait(max_unknown=0.2)
    assert f"%pai_attach {job.id}" in str(caught.value)
    assert f"%pai_stop {job.id}" in str(caught.value)
    assert not job.folder.read().state.status.is_terminal
    backend.troubles.clear()
    open_gate(gate)
    assert job.wait(DEADLINE, max_unknown=DEADLINE).status is Status.SUCCEEDED


async def test_an_awaited_job_is_waited_for_no_longer_either(backend: TroubledBackend, gate: Path) -> None:
    job = await asyncio.to_thread(unreachable, backend, gate)
    job.max_unknown = 0.1
    with pytest.raises(UnavailableError, match="could not be reached"):
        await job


def test_a_log_that_is_followed_ends_as_well(backend: TroubledBackend, gate: Path) -> None:
    job = unreachable(backend, gate)
    job.max_unknown = 0.2
    written: list[str] = []
    with pytest.raises(UnavailableError, match="could not be reached"):
        follow_log(job, written.append)
    assert written == ALL_LINES[:20]
    with pytest.raises(UnavailableError, match="could not be reached"):
        PlainLines().show(job, [], wait=True)


def test_a_wait_in_a_terminal_says_once_why_the_job_cannot_be_reached(
    backend: TroubledBackend, gate: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_lines, "SAID_AFTER", 0.0)
    job = unreachable(backend, gate)
    interrupt_when(lambda: "cannot be reached" in capsys.readouterr().out)
    with pytest.raises(
        JobDetached, match=f"whether it goes on is not known, .*: {NO} To look again: %pai_attach {job.id}"
    ):
        PlainLines().show(job, [], wait=True)
    assert "cannot be reached" not in capsys.readouterr().out


def test_a_cell_waits_as_long_as_its_line_says(backend: TroubledBackend, workplace: Path) -> None:
    backend.troubles = [UnavailableError(NO)] * 10_000
    with Shell() as shell:
        result = shell.run("%%pai_train a --run --wait --backend fake --max-unknown 1s\nprint(1)")
    assert isinstance(result.error, UnavailableError)
    assert "could not be reached for 1 s" in str(result.error)


# --- a full disk ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of jobs on a disk of its own, which is soon full."""
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(place))
    yield place
    close_runtime()
    subprocess.run(["umount", place], check=True)


def fill(place: Path) -> Path:
    ballast = place / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    return ballast


def test_a_full_disk_is_said_to_all_who_look(small_home: Path, backend: TroubledBackend, gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: len(list(job.logs())) == 20 and job.status is Status.RUNNING)
    ballast = fill(small_home)
    open_gate(gate)
    until(lambda: any("no room left" in notice.text for notice in job.state.notices))
    status, _, notices = seen_elsewhere(job)
    assert (status, len(notices)) == ("running", 1)
    assert "Free some disk space" in notices[0]
    assert "no room left" in Folders(JobStore()).look(10).rows[job.id].trouble
    with pytest.raises(LimitExceededError, match=r"could not be recorded for 0\.2 s"):
        job.wait(max_unknown=0.2)
    ballast.unlink()
    job.wait(DEADLINE)
    assert [line.text for line in job.logs()] == ALL_LINES
    assert not (job.folder.path / NAME).exists()


# --- the file ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["{", "[]", '{"kind": 1}', '{"kind": "x", "reason": "a", "since": "soon"}'])
def test_a_damaged_note_is_none(content: str) -> None:
    folder = recorded()
    (folder.path / NAME).write_text(content)
    assert folder.trouble() is None
    assert folder.standing().status is Status.RUNNING


def test_a_job_that_has_ended_is_in_no_trouble() -> None:
    folder = recorded(Status.FAILED)
    note_trouble(folder.path, Trouble(kind="service", reason=NO, since=1.0))
    assert folder.standing().status is Status.FAILED
    assert Folders(JobStore()).look(10).rows[folder.id].trouble == ""


def recorded(status: Status = Status.RUNNING) -> JobFolder:
    record = JobRecord(id="j-a", spec=JobSpec(name="a", command="true"), backend="fake", created=1.0)
    folder = JobStore().create(record)
    folder.start(None, JobState().apply(StatusChanged(status=status, time=2.0)))
    return folder
