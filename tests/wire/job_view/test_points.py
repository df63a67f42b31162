"""Series for drawing, out of a job's events and event files: exact at first, decimated later, only what changed."""

import json
import math
import struct
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tensorboardX import SummaryWriter

from pai_jupyter.backends.local.workdir import note_packed
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Metric, Notice, Status, StatusChanged, StoredEvent, Usage
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from pai_jupyter.wire.job_view import points
from pai_jupyter.wire.job_view.points import Part, PointsReader
from tests.support.started import until

Name = tuple[str, str, str]  # source, replica, name
Point = tuple[float, float, float]  # step, time, value


@pytest.fixture
def folder(tmp_path: Path) -> JobFolder:
    spec = JobSpec(name="训练 a", command="true")
    return JobStore(tmp_path).create(JobRecord(id="j1", spec=spec, backend="process", created=90.0))


@pytest.fixture
def board(folder: JobFolder) -> Path:
    """The job's tensorboard channel, as a local backend notes it."""
    place = folder.path / "output" / "tensorboard"
    place.mkdir(parents=True)
    (folder.path / "run").mkdir()
    (folder.path / "run" / "outputs.json").write_text(json.dumps({"tensorboard": str(place)}))
    return place


def record(folder: JobFolder, *events: StoredEvent) -> None:
    with closing(folder.writer("service")) as writer:
        for event in events:
            writer.record(event)


def metric(name: str, value: float, step: float | None = None, replica: str = "") -> Metric:
    return Metric(name=name, value=value, time=100.0, step=step, replica=replica)


def unpack(buffer: bytes, length: int) -> list[Point]:
    numbers = struct.unpack(f"<{3 * length}d", buffer)
    return list(zip(numbers[:length], numbers[length : 2 * length], numbers[2 * length :], strict=True))


def series(parts: list[Part]) -> dict[Name, list[Point]]:
    return {
        (described["source"], described["replica"], described["name"]): unpack(buffer, described["length"])
        for described, buffer in map(_typed, parts)
    }


def _typed(part: Part) -> tuple[Mapping[str, Any], bytes]:  # Any: JSON values
    json.dumps(part[0], allow_nan=False)
    return part


# --- metrics of the log ---


def test_metrics_are_exact_and_in_order(folder: JobFolder) -> None:
    values = [1.5, math.inf, -math.inf, 0.1]
    record(folder, *(metric("loss", value, step) for step, value in enumerate(values, 5)))
    (part,) = PointsReader(Job(folder)).read("metrics")
    assert part[0] == {"name": "loss", "replica": "", "source": "log", "unit": "", "length": 4, "count": 4}
    assert unpack(part[1], 4) == [(step, 100.0, value) for step, value in enumerate(values, 5)]


def test_nan_comes_through(folder: JobFolder) -> None:
    record(folder, metric("loss", math.nan, 1))
    ((_, buffer),) = PointsReader(Job(folder)).read("metrics")
    assert math.isnan(unpack(buffer, 1)[0][2])


def test_each_replica_and_name_has_its_own_series(folder: JobFolder) -> None:
    keys = [("loss", "worker-0"), ("loss", "worker-1"), ("训练 <b>", ""), ("a'; echo x", "")]
    record(folder, *(metric(name, number, 1, replica) for number, (name, replica) in enumerate(keys)))
    assert series(PointsReader(Job(folder)).read("metrics")) == {
        ("log", replica, name): [(1.0, 100.0, float(number))] for number, (name, replica) in enumerate(keys)
    }


def test_a_metric_without_a_step_is_counted(folder: JobFolder) -> None:
    reader = PointsReader(Job(folder))
    found = []
    for values in ([5.0, 6.0], [7.0]):
        record(folder, *(metric("acc", value) for value in values), metric("other", 1))
        found.append(series(reader.read("metrics"))["log", "", "acc"])
    assert found == [
        [(0.0, 100.0, 5.0), (1.0, 100.0, 6.0)],
        [(0.0, 100.0, 5.0), (1.0, 100.0, 6.0), (2.0, 100.0, 7.0)],
    ]


def test_only_what_changed_is_told(folder: JobFolder) -> None:
    reader = PointsReader(Job(folder))
    assert reader.read("metrics") == reader.changed("metrics") == []
    record(folder, metric("loss", 1, 1), metric("acc", 2, 1))
    assert len(reader.read("metrics")) == 2
    assert reader.changed("metrics") == []
    record(folder, metric("acc", 3, 2))
    assert series(reader.changed("metrics")) == {("log", "", "acc"): [(1, 100, 2), (2, 100, 3)]}
    assert reader.changed("metrics") == []


def test_a_group_does_not_take_the_other_s_news(folder: JobFolder) -> None:
    reader = PointsReader(Job(folder))
    record(folder, metric("loss", 1, 1), Usage(replica="w", time=100.0, memory=5))
    assert len(reader.read("usage")) == 1
    assert len(reader.changed("metrics")) == 1


def test_a_long_series_is_decimated_and_its_count_is_whole(folder: JobFolder) -> None:
    record(folder, *(metric("loss", abs(step - 4_321), step) for step in range(10_000)))
    ((described, buffer),) = PointsReader(Job(folder)).read("metrics")
    assert described["count"] == 10_000
    assert isinstance(described["length"], int)
    assert 500 < described["length"] <= 2_000
    kept = unpack(buffer, described["length"])
    assert {(0, 100, 4321), (4321, 100, 0), (9999, 100, 5678)} <= set(kept)


@pytest.mark.parametrize("parsed", [300, 10_000])
def test_events_come_in_bounded_pieces(folder: JobFolder, monkeypatch: pytest.MonkeyPatch, parsed: int) -> None:
    monkeypatch.setattr(points, "EVENT_BYTES", 1000)
    monkeypatch.setattr(points, "PARSED_BYTES", parsed)
    record(folder, *(metric("loss", step, step) for step in range(300)))
    reader, counts = PointsReader(Job(folder)), []
    for ask in (reader.read, *[reader.changed] * 100):
        counts += [described["count"] for described, _ in ask("metrics")]
        if not reader.is_behind:
            break
    assert counts[-1] == 300
    assert len(counts) > 2
    assert all(isinstance(count, int) and count > 0 for count in counts)


def test_series_without_end_are_bounded_and_noted_once(folder: JobFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "MAX_SERIES", 3)
    record(folder, *(metric(f"m{number}", 1, 1) for number in range(5)))
    reader = PointsReader(Job(folder))
    assert len(reader.read("metrics")) == 3
    record(folder, *(metric(f"m{number}", 2, 2) for number in range(5)))
    assert [part[0]["count"] for part in reader.changed("metrics")] == [2, 2, 2]
    assert reader.notes == ["This job has more than 3 series; only the first are shown."]


def test_lines_that_say_nothing_are_passed_over(folder: JobFolder) -> None:
    lines = [
        b'{"kind":"Metric","name":"a","value":"nan","time":1.0,"step":1}',
        b'{"kind":"Metric","name":"a","value":"much","time":1.0}',
        b'{"kind":"Metric","name":"a"}',
        b'{"kind":"Metric","name":{},"value":{},"time":[]}',
        b'{"kind":"Usage","replica":7}',
        b'{"kind":"SomethingNew"}',
        b"[]",
        b"17",
        b'{"kind":"Met',
        b"\xff\xfe",
        b'{"kind":"Metric","name":"a","value":2,"time":1.0,"step":"inf"}',
    ]
    record(folder, Notice(text="." * 1000, time=1.0))
    events = folder.path / "events.jsonl"
    events.write_bytes(b"\n".join(lines).ljust(events.stat().st_size - 1) + b"\n")
    found = series(PointsReader(Job(folder)).read("metrics"))
    assert [str(point) for point in found["log", "", "a"]] == ["(1.0, 1.0, nan)", "(inf, 1.0, 2.0)"]


# --- event files ---


def write_run(place: Path, tag: str, *values: float) -> None:
    number = len(list(place.glob("*"))) if place.is_dir() else 0  # two files of one second would have the same name
    with SummaryWriter(str(place), filename_suffix=f".{number}") as writer:
        for step, value in enumerate(values, 10):
            writer.add_scalar(tag, value, step, walltime=100.0)


def test_event_files_of_the_job_are_series_too(folder: JobFolder, board: Path) -> None:
    record(folder, metric("loss", 9, 1))
    write_run(board, "loss", 1, 2)
    write_run(board / "a b" / "训练", "学习率", 0.5)
    assert series(PointsReader(Job(folder)).read("metrics")) == {
        ("log", "", "loss"): [(1, 100, 9)],
        ("tensorboard", "", "loss"): [(10, 100, 1), (11, 100, 2)],
        ("tensorboard", "a b/训练", "学习率"): [(10, 100, 0.5)],
    }


def test_event_files_are_met_while_the_job_writes_them(folder: JobFolder) -> None:
    reader = PointsReader(Job(folder))
    assert reader.read("metrics") == []
    place = folder.path / "elsewhere"
    (folder.path / "run").mkdir()
    (folder.path / "run" / "outputs.json").write_text(json.dumps({"tensorboard": str(place)}))
    assert reader.changed("metrics") == []
    write_run(place, "loss", 1)
    write_run(place / "eval", "acc", 1)
    assert len(reader.changed("metrics")) == 2
    write_run(place / "eval", "acc", 2)
    assert series(reader.changed("metrics")) == {("tensorboard", "eval", "acc"): [(10, 100, 1), (10, 100, 2)]}


def test_event_files_in_the_working_directory_are_runs_of_their_own(folder: JobFolder, board: Path) -> None:
    place = folder.path / "ml" / "usercode"
    write_run(place / "lightning_logs" / "packed", "loss", 1)
    note_packed(folder.path, place)
    reader = PointsReader(Job(folder))
    write_run(place / "lightning_logs" / "version_0", "loss", 1)
    write_run(place / ".cache" / "x", "loss", 1)
    write_run(place, "acc", 1)
    write_run(board, "acc", 2)
    assert series(reader.read("metrics")) == {
        ("tensorboard", "", "acc"): [(10, 100, 2)],
        ("tensorboard", "workdir", "acc"): [(10, 100, 1)],
        ("tensorboard", "workdir/lightning_logs/version_0", "loss"): [(10, 100, 1)],
    }
    write_run(place / "lightning_logs" / "version_0", "loss", 2)
    until(lambda: reader.changed("metrics"))


def test_a_damaged_event_file_is_noted(folder: JobFolder, board: Path) -> None:
    (board / "events.out.tfevents.1").write_bytes(b"\xff" * 100)
    reader = PointsReader(Job(folder))
    assert reader.read("metrics") == reader.read("metrics") == []
    assert ["damaged" in note for note in reader.notes] == [True]


# --- usage ---


def running(time: float) -> StatusChanged:
    return StatusChanged(status=Status.RUNNING, time=time)


def test_usage_is_measured_from_the_start_of_the_job(folder: JobFolder) -> None:
    used = Usage(replica="worker-0", time=105.0, cpu=1.5, memory=2**30, gpu=0.25, gpu_memory=2**20)
    record(folder, running(100.0), used)
    parts = PointsReader(Job(folder)).read("usage")
    assert series(parts) == {
        ("usage", "worker-0", "cpu"): [(5, 105, 1.5)],
        ("usage", "worker-0", "memory"): [(5, 105, 2**30)],
        ("usage", "worker-0", "gpu"): [(5, 105, 0.25)],
        ("usage", "worker-0", "gpu_memory"): [(5, 105, 2**20)],
    }
    assert [part[0]["unit"] for part in parts] == ["cores", "B", "ratio", "B"]


def test_cpu_seconds_become_cores_in_use(folder: JobFolder) -> None:
    samples = [(102.0, 4.0), (104.0, 5.0), (104.0, 6.0), (106.0, 1.0), (107.0, 2.5)]  # repeated, then started anew
    used = [Usage(replica=name, time=time, cpu_time=cpu) for time, cpu in samples for name in ("a", "b")]
    record(folder, running(100.0), *used)
    found = series(PointsReader(Job(folder)).read("usage"))
    assert found["usage", "a", "cpu"] == [(2, 102, 2.0), (4, 104, 0.5), (7, 107, 1.5)]
    assert found["usage", "a", "cpu"] == found["usage", "b", "cpu"]


def test_usage_without_a_known_start_begins_with_itself(folder: JobFolder) -> None:
    samples = [Usage(replica="a", time=time, cpu_time=time - 98.0, memory=1) for time in (100.0, 101.0)]
    record(folder, *samples)
    found = series(PointsReader(Job(folder)).read("usage"))
    assert found == {
        ("usage", "a", "memory"): [(0, 100, 1), (1, 101, 1)],
        ("usage", "a", "cpu"): [(1, 101, 1.0)],
    }


# --- a job that is not whole ---


def test_a_job_of_which_nothing_is_known_yet_has_no_series(folder: JobFolder) -> None:
    folder.start(None, JobState())
    reader = PointsReader(Job(folder))
    assert reader.read("metrics") == reader.read("usage") == []


def remove_events(folder: JobFolder) -> None:
    (folder.path / "events.jsonl").unlink()


def spoil_state(folder: JobFolder) -> None:
    (folder.path / "state.json").write_bytes(b"{")


@pytest.mark.parametrize("harm", [remove_events, spoil_state])
def test_a_broken_folder_is_an_error_of_ours(folder: JobFolder, harm: Callable[[JobFolder], None]) -> None:
    record(folder, metric("loss", 1, 1))
    harm(folder)
    with pytest.raises(PaiJupyterError):
        PointsReader(Job(folder)).read("metrics")


def test_a_job_that_is_removed_keeps_what_was_read(folder: JobFolder, board: Path, tmp_path: Path) -> None:
    record(folder, metric("loss", 1, 1))
    write_run(board, "acc", 1)
    reader = PointsReader(Job(folder))
    before = reader.read("metrics")
    JobStore(tmp_path).remove("j1")
    assert reader.read("metrics") == before
