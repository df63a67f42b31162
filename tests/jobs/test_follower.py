"""Following one job: exactly once whoever dies, through troubles of services and disks, and the log as it grows."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pai_jupyter.errors import (
    AuthError,
    BackendError,
    JobDetached,
    JobFailed,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    UnavailableError,
)
from pai_jupyter.events import Event, JobState, Metric, Notice, Position, Status, StatusChanged
from pai_jupyter.jobs import Job, attach, close_runtime, follow_log, runtime
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from tests.fakes.troubled import TroubledBackend, installed
from tests.support.programs import FORTY, Program, lines
from tests.support.started import DEADLINE, begin, open_gate, until

ALL_LINES = [f"line {number}" for number in range(40)]


def texts(job: Job) -> list[str]:
    return [line.text for line in job.logs()]


def statuses(job: Job) -> list[Status]:
    """What following `job` shows from now on, as a list that grows."""
    seen: list[Status] = []
    runtime().follow(job.folder).watch(lambda state: seen.append(state.status))
    return seen


@contextmanager
def unled(job: Job) -> Iterator[None]:
    """Nobody leads meanwhile: troubles come when whoever is to see them is there."""
    lock = job.folder.try_lock()
    assert lock is not None
    with lock:
        yield


def unfinished(name: str = "a job") -> JobFolder:
    """A job whose submitter has died, or has not come so far yet."""
    spec = JobSpec(name=name, command="true")
    return JobStore().create(JobRecord(id=f"j-{name.replace(' ', '-')}", spec=spec, backend="fake", created=1.0))


# --- who leads -----------------------------------------------------------------------------------------------------

METRICS = Program(
    before=b"".join(b"epoch %d loss=0.%03d\n" % (n, n) for n in range(200)),
    after=b"".join(b"epoch %d loss=0.%03d\n" % (n, n) for n in range(200, 400)),
)
LEADER = """
import sys, time
from pathlib import Path
from tests.support.started import begin
from tests.jobs.test_follower import METRICS

job = begin(METRICS, gate=Path(sys.argv[1]), backend="process")
while len(job.metric_values("loss")) < 100:
    time.sleep(0.01)
print(job.id, flush=True)
time.sleep(600)
"""


def test_a_killed_leader_is_followed_by_the_other_process_with_nothing_lost_or_twice(gate: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", LEADER, str(gate)], stdout=subprocess.PIPE, text=True) as leader:
        try:
            assert leader.stdout is not None
            job = attach(leader.stdout.readline().strip())
            assert job.folder.try_lock() is None, "the other process leads"
            until(lambda: runtime().follow(job.folder).state.metrics)
        finally:
            leader.send_signal(signal.SIGKILL)
    open_gate(gate)
    job.wait(DEADLINE)
    close_runtime()
    assert texts(job) == METRICS.log.decode().splitlines()
    assert [metric.value for metric in job.metric_values("loss")] == [n / 1000 for n in range(400)]
    events, _ = job.folder.events()
    ends = [event.status for event in events if isinstance(event, StatusChanged) and event.status.is_terminal]
    assert ends == [Status.SUCCEEDED]


def test_one_that_only_looks_sees_the_end_that_another_process_records(gate: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", LEADER, str(gate)], stdout=subprocess.PIPE, text=True) as leader:
        try:
            assert leader.stdout is not None
            job = attach(leader.stdout.readline().strip())
            open_gate(gate)
            assert job.wait(DEADLINE).metrics() == {"loss": 0.399}
        finally:
            leader.kill()


def test_a_closed_runtime_goes_on_where_it_was(backend: TroubledBackend, gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: len(texts(job)) == 20)
    close_runtime()
    open_gate(gate)
    assert texts(job.wait(DEADLINE)) == ALL_LINES


def test_whoever_waits_on_a_closed_runtime_hears_of_it(backend: TroubledBackend, gate: Path) -> None:
    ended = runtime().follow(begin(FORTY, gate=gate).folder).ended
    close_runtime()
    with pytest.raises(BackendError, match="%pai_attach"):
        ended.result(timeout=0)


# --- submissions that nobody finished ------------------------------------------------------------------------------

SUBMITTER = """
import sys, time
from pai_jupyter.store import JobStore

lock = JobStore().open(sys.argv[1]).try_lock()
print("held", flush=True)
time.sleep(600)
"""


def test_a_submission_that_died_before_it_started_anything_is_noted_as_failed(backend: TroubledBackend) -> None:
    job = attach(unfinished().id)
    with pytest.raises(JobFailed, match=r"its submission was interrupted before it had started\. Run the cell again"):
        job.wait(DEADLINE)
    assert job.status is Status.FAILED


def test_a_submission_is_noted_as_failed_only_when_it_is_certain_that_nothing_starts(backend: TroubledBackend) -> None:
    backend.doubts = [UnavailableError("it may be starting right now."), UnavailableError("it still may.")]
    job = attach(unfinished().id)
    with pytest.raises(JobFailed, match="interrupted before it had started"):
        job.wait(DEADLINE)
    assert backend.doubts == []


def test_a_job_whose_submitter_died_just_after_its_start_is_found_again(backend: TroubledBackend, gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    close_runtime()
    (job.folder.path / "state.json").unlink()
    open_gate(gate)
    assert texts(attach(job.id).wait(DEADLINE)) == ALL_LINES


def test_a_submission_that_is_under_way_elsewhere_is_left_alone(
    backend: TroubledBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pai_jupyter.jobs.job.SUBMITTED_WITHIN", 0.3)
    folder = unfinished()
    with subprocess.Popen([sys.executable, "-c", SUBMITTER, folder.id], stdout=subprocess.PIPE) as submitter:
        try:
            assert submitter.stdout is not None
            submitter.stdout.readline()
            job = attach(folder.id)
            with pytest.raises(BackendError, match="still being submitted"):
                job.stop()
            assert job.status is Status.CREATED
        finally:
            submitter.kill()
    with pytest.raises(JobFailed, match="interrupted"):
        job.wait(DEADLINE)


def test_stopping_a_job_that_was_never_started_ends_it(backend: TroubledBackend) -> None:
    job = Job(unfinished())
    job.stop()
    assert job.status is Status.FAILED


# --- troubles ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", [AuthError, ProtocolError, UnavailableError])
def test_what_cannot_be_reached_is_unknown_and_recovers(
    backend: TroubledBackend, gate: Path, trouble: type[BackendError]
) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: len(texts(job)) == 20)
    close_runtime()
    backend.troubles = [trouble("the service said no."), trouble("the service said no.")]
    with unled(job):
        seen = statuses(job)
    until(lambda: Status.UNKNOWN in seen)
    stored = job.folder.read().state.status
    assert stored is Status.RUNNING, "unknown is a state of the view, and is not stored"
    open_gate(gate)
    assert texts(job.wait(DEADLINE)) == ALL_LINES
    until(lambda: seen[-1:] == [Status.SUCCEEDED])


@pytest.mark.parametrize("error", [errno.EMFILE, errno.EIO, errno.ESTALE])
def test_what_the_system_refuses_for_a_moment_ends_no_following(
    backend: TroubledBackend, gate: Path, error: int
) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: len(texts(job)) == 20)
    close_runtime()
    backend.troubles = [OSError(error, os.strerror(error))]
    with unled(job):
        seen = statuses(job)
    until(lambda: Status.UNKNOWN in seen)
    open_gate(gate)
    assert texts(job.wait(DEADLINE)) == ALL_LINES


def test_a_job_that_its_backend_does_not_know_any_more_has_failed(backend: TroubledBackend) -> None:
    backend.troubles = [NotFoundError("somebody has deleted the job.")]
    job = begin(FORTY)
    with pytest.raises(JobFailed, match="somebody has deleted the job"):
        job.wait(DEADLINE)


def test_a_backend_that_never_says_how_a_job_ended_is_asked_again(backend: TroubledBackend, gate: Path) -> None:
    class Silent(TroubledBackend):
        follows = 0

        async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
            self.follows += 1
            async for event in super().follow(ref, after):
                if self.follows > 1 or not (isinstance(event, StatusChanged) and event.status.is_terminal):
                    yield event

    with installed(Silent()):
        job = begin(FORTY, gate=gate)
        seen = statuses(job)
        open_gate(gate)
        assert texts(job.wait(DEADLINE)) == ALL_LINES
        assert Status.UNKNOWN in seen


def test_a_bug_in_a_backend_ends_the_wait_and_the_next_one_follows_anew(
    backend: TroubledBackend, gate: Path, caplog: pytest.LogCaptureFixture
) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: len(texts(job)) == 20)
    close_runtime()
    backend.troubles = [RuntimeError("boom")]  # type: ignore[list-item]  # what no backend should raise
    with unled(job):
        waiting = runtime().follow(job.folder).ended
    with pytest.raises(BackendError, match=r"cannot be followed: RuntimeError: boom"):
        waiting.result(DEADLINE)
    open_gate(gate)
    assert texts(job.wait(DEADLINE)) == ALL_LINES


def test_following_a_removed_job_ends_with_one_sentence(
    backend: TroubledBackend, gate: Path, caplog: pytest.LogCaptureFixture
) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: len(texts(job)) == 20)
    JobStore().remove(job.id)
    open_gate(gate)
    with pytest.raises(NotFoundError, match=f"job {job.id} was removed"):
        job.wait(DEADLINE)
    assert not caplog.records
    assert not job.folder.path.exists()


def test_a_damaged_record_is_refused_in_a_sentence_and_its_log_can_be_read(backend: TroubledBackend) -> None:
    job = begin(FORTY).wait(DEADLINE)
    close_runtime()
    (job.folder.path / "state.json").write_text("{")
    again = attach(job.id)
    assert again.status is Status.UNKNOWN
    assert "is damaged" in again.state.reason
    assert texts(again) == ALL_LINES
    with pytest.raises(PaiJupyterError, match="is damaged"):
        again.wait(DEADLINE)


def test_a_watcher_that_fails_harms_neither_the_record_nor_the_others(
    backend: TroubledBackend, gate: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(state: JobState) -> None:
        raise ZeroDivisionError

    job = begin(FORTY, gate=gate)
    runtime().follow(job.folder).watch(broken)
    seen = statuses(job)
    open_gate(gate)
    assert texts(job.wait(DEADLINE)) == ALL_LINES
    assert seen[-1] is Status.SUCCEEDED


def test_one_that_watches_no_more_hears_no_more(backend: TroubledBackend, gate: Path) -> None:
    job = begin(FORTY, gate=gate)
    until(lambda: job.status is Status.RUNNING)
    seen: list[JobState] = []
    unwatch = runtime().follow(job.folder).watch(seen.append)
    unwatch()
    unwatch()
    open_gate(gate)
    job.wait(DEADLINE)
    assert seen == []


class FullDisk:
    """Has no room for what is below `folder` while `is_full`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = False
        self.refusals = 0
        write = os.pwrite

        def pwrite(fd: int, data: bytes, offset: int) -> int:
            if not self.is_full:
                return write(fd, data, offset)
            self.refusals += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "pwrite", pwrite)


@pytest.mark.parametrize(
    "name", ["fake", "process"]
)  # of the one the log is copied, of the other only the state written
def test_a_full_disk_is_announced_once_and_the_record_completed_when_there_is_room(
    backend: TroubledBackend, gate: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    disk = FullDisk(monkeypatch)
    job = begin(FORTY, gate=gate, backend=name)
    until(lambda: len(texts(job)) == 20 and job.status is Status.RUNNING)
    notices: list[tuple[Notice, ...]] = []
    runtime().follow(job.folder).watch(lambda state: notices.append(state.notices))
    disk.is_full = True
    open_gate(gate)
    until(lambda: disk.refusals > 2 and notices)
    assert ["no room left" in notice.text for notice in notices[-1]] == [True]
    disk.is_full = False
    job.wait(DEADLINE)
    close_runtime()
    assert texts(job) == ALL_LINES
    assert [notice.level for notice in job.state.notices] == ["warning"]


# --- the log as it grows -------------------------------------------------------------------------------------------


def test_a_finished_line_is_written_at_once_and_an_unfinished_one_when_it_is_whole(
    backend: TroubledBackend, gate: Path
) -> None:
    job = begin(Program(before=b"one\ntwo", after=b" more\nthree"), gate=gate)
    written: list[str] = []
    thread = threading.Thread(target=follow_log, args=(job, written.append))
    thread.start()
    until(lambda: written == ["one"] and job.folder.log("master-0").count() == 2)
    open_gate(gate)
    thread.join(DEADLINE)
    assert written == ["one", "two more", "three"]


def test_the_log_is_followed_from_a_line_on(backend: TroubledBackend) -> None:
    written: list[str] = []
    follow_log(begin(FORTY), written.append, since=37)
    assert written == ALL_LINES[37:]


def test_a_log_is_followed_in_time_that_grows_with_its_length_alone() -> None:
    few, many = (min(seconds_to_follow(count + more) for more in range(3)) for count in (25_000, 200_000))
    assert many < 20 * few  # 8 times, where it is linear; 64 times, where each window reads all before it


def seconds_to_follow(count: int) -> float:
    """The time on the processor, which a busy machine does not change, that an ended log of so many lines takes."""
    folder = unfinished(f"{count} lines")
    log = folder.path / "logs" / "master-0.log"
    log.write_bytes(lines(0, count))
    folder.start(None, JobState().apply(StatusChanged(status=Status.SUCCEEDED, time=2.0)))
    last, written = "", 0

    def write(text: str) -> None:
        nonlocal last, written
        last, written = text, written + 1

    started = time.process_time()
    follow_log(Job(folder), write)
    assert (written, last) == (count, f"line {count - 1}")
    return time.process_time() - started


def test_interrupting_a_followed_log_detaches(backend: TroubledBackend, gate: Path) -> None:
    job = begin(FORTY, gate=gate)

    def interrupt(text: str) -> None:
        if text == "line 19":
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(JobDetached, match=job.id):
        follow_log(job, interrupt)
    assert not job.status.is_terminal


def test_metrics_are_recorded_for_later_readers(backend: TroubledBackend) -> None:
    job = begin(METRICS).wait(DEADLINE)
    events, _ = job.folder.events()
    assert [event for event in events if isinstance(event, Metric)] == job.metric_values("loss")
    assert job.metrics() == {"loss": 0.399}
