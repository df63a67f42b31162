"""The writer of a job folder: every line and every event exactly once, whenever it is killed or the disk is full."""

import errno
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pai_jupyter.errors import LimitExceededError, NotFoundError, PaiJupyterError, ProtocolError
from pai_jupyter.events import (
    Event,
    LogChunk,
    Metric,
    Notice,
    Progress,
    Status,
    StatusChanged,
    StoredEvent,
)
from pai_jupyter.spec import JobRef, JobSpec, MetricDefinition
from pai_jupyter.store import JobFolder, JobRecord, JobStore, JobWriter
from pai_jupyter.store.writer import MAX_WAITING
from tests.fakes import recording
from tests.fakes.disk import Disk, on

HOMES = ["service", "folder"]


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path)


@pytest.fixture
def folder(store: JobStore) -> JobFolder:
    return store.create(recording.record())


def chunk(data: bytes, cursor: int, *, replica: str = "worker-0", time: float = 1.0) -> LogChunk:
    return LogChunk(replica=replica, data=data, cursor=cursor, time=time)


def log_file(folder: JobFolder, replica: str = "worker-0", suffix: str = ".log") -> Path:
    return folder.path / "logs" / f"{replica}{suffix}"


def take(folder: JobFolder, *events: Event, log_home: str = "service") -> list[StoredEvent]:
    with closing(folder.writer(log_home)) as writer:
        return [stored for event in events for stored in writer.record(event)]


# --- whose log it is ---


def test_a_remote_log_is_copied_and_indexed(folder: JobFolder) -> None:
    take(folder, chunk(b"one\ntw", 17), chunk(b"o\n", 18), chunk(b"x", 3, replica="worker-1"))
    assert log_file(folder).read_bytes() == b"one\ntwo\n"
    assert folder.read().positions == {"worker-0": 18, "worker-1": 3}
    recording.check_index(log_file(folder))


def test_a_log_in_the_folder_is_only_indexed(folder: JobFolder) -> None:
    log_file(folder).write_bytes(b"one\ntwo\nthree\n")  # the job is ahead of its follower
    take(folder, chunk(b"one\nt", 5), log_home="folder")
    assert log_file(folder).read_bytes() == b"one\ntwo\nthree\n"
    recording.check_index(log_file(folder))


def test_the_supervisor_s_log_and_index_are_left_alone(folder: JobFolder) -> None:
    log_file(folder).write_bytes(b"0 acc 0.5\n")
    log_file(folder, suffix=".idx").write_bytes(b"its own")
    found = take(folder, chunk(b"0 acc 0.5\n", 10), log_home="indexed")
    assert [event.value for event in found if isinstance(event, Metric)] == [0.5]
    assert log_file(folder, suffix=".idx").read_bytes() == b"its own"


@pytest.mark.parametrize("log_home", HOMES)
def test_what_a_backend_repeats_is_dropped(folder: JobFolder, log_home: str) -> None:
    log_file(folder).write_bytes(b"" if log_home == "service" else b"a acc 0.1\nb acc 0.2\n")
    first, second = chunk(b"a acc 0.1\n", 10), chunk(b"b acc 0.2\n", 20)
    found = take(folder, first, first, second, first, log_home=log_home)
    found += take(folder, first, second, log_home=log_home)
    assert [event.value for event in found if isinstance(event, Metric)] == [0.1, 0.2]
    assert log_file(folder).read_bytes() == b"a acc 0.1\nb acc 0.2\n"


def test_a_piece_that_begins_before_the_position_is_taken_from_there(folder: JobFolder) -> None:
    log_file(folder).write_bytes(b"a acc 0.1\nb acc 0.2\n")
    found = take(folder, chunk(b"a acc 0.1\nb ", 12), chunk(b"0.1\nb acc 0.2\n", 20), log_home="folder")
    assert [event.value for event in found if isinstance(event, Metric)] == [0.1, 0.2]


def test_a_gap_in_a_log_is_an_error(folder: JobFolder) -> None:
    log_file(folder).write_bytes(b"x" * 100)
    with pytest.raises(ProtocolError, match="worker-0 goes on at byte 50, but only 10"):
        take(folder, chunk(b"x" * 10, 10), chunk(b"x" * 10, 60), log_home="folder")
    assert folder.read().positions == {"worker-0": 10}


@pytest.mark.parametrize("replica", ["", "..", "a/b", "../../etc/passwd", "a\0b", ".hidden", "x" * 200])
def test_a_replica_that_is_no_file_name_is_refused(folder: JobFolder, replica: str) -> None:
    with pytest.raises(NotFoundError, match="has no replica"):
        take(folder, chunk(b"x", 1, replica=replica))


@pytest.mark.parametrize("replica", ["主-0", "a b-1", "it's-2", "worker"])
def test_odd_replica_names_are_fine(folder: JobFolder, replica: str) -> None:
    take(folder, chunk(b"x\n", 2, replica=replica))
    assert folder.replicas() == [replica]
    assert [line.replica for line in folder.log(replica)] == [replica]


# --- events ---


def test_events_are_stored_and_folded(folder: JobFolder) -> None:
    events: list[StoredEvent] = [
        StatusChanged(status=Status.QUEUED, time=1.0),
        Notice(text="训练 \udc80 \n 'x'", time=2.0),
        Metric(name="loss", value=float("nan"), time=3.0),
        StatusChanged(status=Status.FAILED, time=4.0, reason="exit code 1", exit_code=1),
    ]
    assert take(folder, *events) == events
    stored, end = folder.events()
    assert list(map(repr, stored)) == list(map(repr, events))  # nan is not equal to itself
    assert end == (folder.path / "events.jsonl").stat().st_size
    assert folder.read().state.status is Status.FAILED


@pytest.mark.parametrize(
    "event",
    [
        StatusChanged(status=Status.RUNNING, time=2.0),
        Notice(text="once", time=2.0),
        Progress(done=1.0, total=5.0, time=2.0),
        StatusChanged(status=Status.UNKNOWN, time=8.0),
    ],
    ids=repr,
)
def test_an_event_that_tells_nothing_new_is_dropped(folder: JobFolder, event: StoredEvent) -> None:
    running, once = StatusChanged(status=Status.RUNNING, time=1.0), Notice(text="once", time=2.0)
    take(folder, running, once, Progress(done=1.0, total=5.0, time=2.0))
    assert take(folder, event) == []
    assert len(folder.events()[0]) == 3


def test_one_notice_says_that_names_of_metrics_are_left_out(folder: JobFolder) -> None:
    take(folder, *(Metric(name=f"m{number}", value=1.0, time=1.0) for number in range(200)))
    assert folder.read().state.notices == ()
    stored = take(folder, *(Metric(name=f"more-{number}", value=1.0, time=2.0) for number in range(3)))
    take(folder, Metric(name="again", value=1.0, time=3.0))  # another follower
    (notice,) = folder.read().state.notices
    assert stored == [notice]
    assert notice.text == (
        "Only the first 200 metrics of a job are kept; others are left out, the first of them `more-0`."
    )
    assert len(folder.read().state.metrics) == 200


def test_a_metric_counts_each_time(folder: JobFolder) -> None:
    metric = Metric(name="acc", value=1.0, time=1.0)
    assert take(folder, metric, metric) == [metric, metric]


def test_a_metric_of_every_replica_is_stored_and_the_first_one_s_is_the_job_s(folder: JobFolder) -> None:
    told = [Metric(name="acc", value=value, time=1.0, replica=f"worker-{value:.0f}") for value in (0.0, 2.0, 1.0)]
    assert take(folder, *told) == told
    assert folder.read().state.metrics["acc"].value == 0.0


def test_an_unfinished_last_line_is_read_when_the_job_ends(folder: JobFolder) -> None:
    found = take(folder, chunk(b"done acc 0.75", 13), StatusChanged(status=Status.SUCCEEDED, time=5.0))
    assert [type(event) for event in found] == [Metric, StatusChanged]


@pytest.mark.parametrize("epochs", [4, "4", 4.0])
def test_progress_is_measured_by_the_epochs_hyperparameter(store: JobStore, epochs: object) -> None:
    spec = JobSpec.from_json({"name": "x", "command": "y", "hyperparameters": {"epochs": epochs}})
    folder = store.create(JobRecord(id="j2", spec=spec, backend="fake", created=1.0))
    found = take(folder, chunk(b"epoch 2 loss: 0.5\n", 18))
    assert [event.total for event in found if isinstance(event, Progress)] == [4.0]


@pytest.mark.parametrize("epochs", [None, "many", 0, [1], True])
def test_an_odd_epochs_hyperparameter_is_no_trouble(store: JobStore, epochs: object) -> None:
    spec = JobSpec.from_json({"name": "x", "command": "y", "hyperparameters": {"epochs": epochs}})
    take(store.create(JobRecord(id="j2", spec=spec, backend="fake", created=1.0)), chunk(b"epoch 2 loss: 0.5\n", 18))


# --- commits ---


def test_readers_see_events_once_they_are_committed(folder: JobFolder) -> None:
    with closing(folder.writer("service")) as writer:
        writer.record(Notice(text="a" * (MAX_WAITING + 1), time=1.0))
        writer.record(Notice(text="b", time=2.0))
        assert folder.events() == ([], 0)
        assert writer.snapshot.state.notices[-1].text == "b"
        writer.commit()
        assert len(folder.events()[0]) == 2


def test_a_line_that_spans_two_followers_is_read_as_one(folder: JobFolder) -> None:
    found = take(folder, chunk(b"step acc 0.", 11)) + take(folder, chunk(b"25\n", 14))
    assert [event.value for event in found if isinstance(event, Metric)] == [0.25]


@pytest.mark.parametrize("log_home", HOMES)
def test_a_lost_index_is_made_again(folder: JobFolder, log_home: str) -> None:
    data = b"some line of text\n" * 20_000
    log_file(folder).write_bytes(b"" if log_home == "service" else data)
    half = len(data) // 2
    take(folder, chunk(data[:half], half), log_home=log_home)
    log_file(folder, suffix=".idx").unlink()
    take(folder, chunk(data[half:], len(data)), log_home=log_home)
    recording.check_index(log_file(folder))
    assert log_file(folder, suffix=".idx").stat().st_size > 4 * 24


def test_a_copy_that_somebody_cut_is_fetched_again(folder: JobFolder) -> None:
    take(folder, chunk(b"one\ntwo\n", 8))
    log_file(folder).write_bytes(b"one\n")
    with closing(folder.writer("service")) as writer:
        assert writer.snapshot.positions == {}
        writer.record(chunk(b"one\ntwo\n", 8))
    assert log_file(folder).read_bytes() == b"one\ntwo\n"


def test_a_log_in_the_folder_that_somebody_cut_goes_on_at_its_end(folder: JobFolder) -> None:
    log_file(folder).write_bytes(b"one\ntwo\nthree\n")
    take(folder, chunk(b"one\ntwo\nthree\n", 14), log_home="folder")
    log_file(folder).write_bytes(b"one\n")
    with closing(folder.writer("folder")) as writer:
        assert writer.snapshot.positions == {"worker-0": 4}


def test_a_parser_state_of_another_version_is_no_trouble(folder: JobFolder) -> None:
    take(folder, chunk(b"a acc 0.5\n", 10))
    state = folder.path / "state.json"
    state.write_text(state.read_text().replace('"tracks"', '"tracks_of_old"'))
    assert len(take(folder, chunk(b"b acc 0.6\n", 20))) == 1


def test_nothing_is_written_when_nothing_has_happened(folder: JobFolder) -> None:
    with closing(folder.writer("service")) as writer:
        writer.record(Notice(text="a", time=1.0))
        writer.commit()
        with on(disk := Disk()):
            writer.commit()
        assert disk.calls == 0


def test_a_folder_that_is_removed_meanwhile_ends_the_writer_in_a_sentence(store: JobStore, folder: JobFolder) -> None:
    writer = folder.writer("service")
    writer.record(Notice(text="a", time=1.0))
    store.remove(folder.id)
    with pytest.raises(NotFoundError, match=r"state\.json' is gone"):
        writer.close()
    writer.close()  # a second time does no harm


# --- killed at any point ---


@pytest.mark.parametrize("log_home", HOMES)
def test_a_follower_that_dies_at_any_call_loses_and_repeats_nothing(tmp_path: Path, log_home: str) -> None:
    lines, call = 60, 0
    while True:
        folder = recording.prepare(JobStore(tmp_path / str(call)), log_home=log_home, lines=lines)
        disk = Disk(dies_at=call)
        with on(disk):
            recording.follow(folder, log_home=log_home, lines=lines, rng=random.Random(1))
        if not disk.is_dead:
            break
        recording.follow(folder, log_home=log_home, lines=lines, rng=random.Random(call))
        recording.check(folder, lines=lines)
        call += 1
    assert call > 40


@pytest.mark.parametrize("log_home", HOMES)
def test_a_follower_that_is_killed_at_random_loses_and_repeats_nothing(tmp_path: Path, log_home: str) -> None:
    folder = recording.prepare(JobStore(tmp_path), log_home=log_home, lines=recording.LINES)
    rng, kills = random.Random(), 0
    command = [sys.executable, "-m", "tests.fakes.recording", str(tmp_path), log_home]
    while True:
        with subprocess.Popen([*command, str(kills)], stdout=subprocess.PIPE) as follower:
            assert follower.stdout is not None
            assert follower.stdout.readline() == b"ready\n"
            try:
                follower.wait(rng.uniform(0.01, 0.08) if kills < 20 else None)
                break
            except subprocess.TimeoutExpired:
                follower.kill()
                kills += 1
    assert follower.returncode == 0
    assert kills >= 2
    recording.check(folder, lines=recording.LINES)


# --- full disk ---


def again(action: Callable[[], object]) -> None:
    """Do it once more when the disk was full, as the follower does."""
    try:
        action()
    except LimitExceededError:
        action()


def feed(writer: JobWriter, events: Iterator[Event]) -> None:
    for number, event in enumerate(events):
        again(partial(writer.record, event))
        if number % 3 == 0:
            again(writer.commit)
    again(writer.commit)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("log_home", HOMES)
def test_a_call_that_met_a_full_disk_can_be_repeated(tmp_path: Path, log_home: str, error: int) -> None:
    lines, call, total = 60, 0, 1
    while call < total:
        folder = recording.prepare(JobStore(tmp_path / str(call)), log_home=log_home, lines=lines)
        job = recording.Job(lines=lines, overlap=log_home == "folder")
        with closing(folder.writer(log_home)) as writer, on(disk := Disk(full_at=call, error=error)):
            feed(writer, job.follow({}, random.Random(1)))
        recording.check(folder, lines=lines)
        call, total = call + 1, disk.calls
    assert total > 40


def test_a_full_disk_leaves_no_half_line(folder: JobFolder) -> None:
    with closing(folder.writer("service")) as writer:
        writer.record(chunk(b"whole\n", 6))
        with on(Disk(full_at=0)), pytest.raises(LimitExceededError, match=r"no room left for .*worker-0\.log"):
            writer.record(chunk(b"torn line\n", 16))
        assert log_file(folder).read_bytes() == b"whole\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here; the same is tested with a disk that only says that it is full")
    yield place
    subprocess.run(["umount", place], check=True)


def test_recording_goes_on_when_a_full_disk_has_room_again(small_disk: Path) -> None:
    folder = JobStore(small_disk).create(recording.record())
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 150_000)
    log = b"".join(b"%d acc 0.5\n" % number for number in range(1_000)) + b"no metric here\n" * 6_000
    refused = 0
    with closing(folder.writer("service")) as writer:
        for start in range(0, len(log), 1_000):
            piece = chunk(log[start : start + 1_000], start + 1_000)
            for action in (partial(writer.record, piece), writer.commit):
                try:
                    action()
                except LimitExceededError:
                    refused += 1
                    ballast.unlink()
                    action()
    assert refused == 1
    assert log_file(folder).read_bytes() == log
    assert len(folder.events()[0]) == 1_000


def test_a_job_that_finds_no_room_leaves_nothing_behind(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    with on(Disk(full_at=0)), pytest.raises(LimitExceededError):
        store.create(recording.record())
    assert list((tmp_path / "jobs").iterdir()) == []


def test_other_troubles_with_the_disk_are_sentences(folder: JobFolder) -> None:
    with on(Disk(full_at=0, error=errno.EROFS)), pytest.raises(PaiJupyterError, match="Check its permissions"):
        folder.writer("service")


def test_the_reference_of_a_job_stays(folder: JobFolder) -> None:
    ref = JobRef(backend="fake", job_id="j1", data={"pid": 7, "名": [1, None]})
    folder.start(ref, folder.read().state)
    take(folder, chunk(b"x\n", 2))
    assert folder.read().ref == ref
    assert MetricDefinition(name="acc", regex="acc ([0-9.]+)") in folder.record.spec.metric_definitions
