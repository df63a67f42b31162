"""Job folders: found by id, prefix and name, private, free of secrets; a broken one harms nobody."""

import json
import os
import random
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import JobState, LogChunk, Metric, Notice, Status, StatusChanged
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import MASKED, JobFolder, JobRecord, JobStore, home, new_job_id
from pai_jupyter.store.index import IndexRecord

ODD_NAMES = ["a b", "a'; echo x", "训练", '"quoted"', "-rf"]


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path)


def record(job_id: str, name: str = "iris", environments: dict[str, str] | None = None, **more: Any) -> JobRecord:
    spec = JobSpec(name=name, command="python train.py", environments=environments or {})
    return JobRecord(id=job_id, spec=spec, backend="process", created=1.5, **more)


# --- home ---


def test_the_home_is_where_the_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "训练 home"))
    assert home() == tmp_path / "训练 home"
    assert JobStore().path("j1") == tmp_path / "训练 home" / "jobs" / "j1"


def test_without_the_variable_it_is_the_user_s_state_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PAI_JUPYTER_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert home().is_relative_to(tmp_path)
    assert home().name == "pai_jupyter"


def test_looking_leaves_no_trace(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "home")
    assert list(store.folders()) == []
    with pytest.raises(NotFoundError):
        store.find("x")
    assert list(tmp_path.iterdir()) == []


# --- ids ---


def test_ids_sort_by_time_and_are_short() -> None:
    rng = random.Random(1)
    times = [0.0, 1.7e9, 1.7e9 + 0.1, 1.7e9 + 1, 1.8e9, 2.5e10]
    ids = [new_job_id(now, rng.getrandbits(64)) for now in times]
    assert sorted(ids) == ids
    assert all(len(each) == 13 and each.isalnum() and each.islower() for each in ids)


def test_ids_of_one_moment_differ() -> None:
    assert new_job_id(1.7e9, 1) != new_job_id(1.7e9, 2)


# --- create, open, find ---


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_record_comes_back_as_it_was(store: JobStore, name: str) -> None:
    given = record(
        "j1", name, cell="%%pai_train\nprint('训练 \udc80')", notebook="a b.ipynb", digest="d", place="docker"
    )
    store.create(given)
    assert store.open("j1").record == given
    assert store.find(name).record == given


@pytest.mark.parametrize("umask", [0, 0o022, 0o377])
def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        folder = JobStore(tmp_path / "a" / "b").create(record("j1"))
        folder.start(JobRef(backend="process", job_id="j1"), JobState())
        with closing(folder.writer("service")) as writer:
            writer.record(LogChunk(replica="worker-0", data=b"x", cursor=1, time=1.0))
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "a").rglob("*")}
    assert {modes.pop(name) for name in ("b", "jobs", "j1", "logs")} == {0o700}
    assert set(modes) == {"job.json", "state.json", "events.jsonl", "worker-0.log", "worker-0.idx"}
    assert set(modes.values()) == {0o600}


def test_an_id_is_taken_once(store: JobStore) -> None:
    store.create(record("j1", "first"))
    with pytest.raises(PaiJupyterError, match="there is a job 'j1' already"):
        store.create(record("j1", "second"))
    assert store.open("j1").record.spec.name == "first"


@pytest.mark.parametrize("job_id", ["", "..", ".", "a/b", "/etc", "../x", "a\0b", "-x", "训练", "x" * 200])
def test_what_is_no_id_never_becomes_a_path(store: JobStore, job_id: str) -> None:
    with pytest.raises(NotFoundError, match="there is no job"):
        store.path(job_id)
    with pytest.raises(NotFoundError, match=r"there is no job .*Type %pai_jobs to see them"):
        store.open(job_id)


@pytest.fixture
def some_jobs(store: JobStore) -> JobStore:
    for job_id, name in [("j1aa", "iris"), ("j1ab", "mnist"), ("j2aa", "iris"), ("j1", "j")]:
        store.create(record(job_id, name))
    return store


@pytest.mark.parametrize(
    ("text", "job_id"),
    [
        ("j1aa", "j1aa"),
        ("j1ab", "j1ab"),
        ("j2", "j2aa"),
        ("iris", "j2aa"),
        ("mnist", "j1ab"),
        ("j1", "j1"),
        ("j", "j1"),
    ],
)
def test_a_job_is_found_by_id_unique_prefix_or_name(some_jobs: JobStore, text: str, job_id: str) -> None:
    assert some_jobs.find(text).id == job_id


@pytest.mark.parametrize("text", ["x", "j3", "iri", "", "IRIS", "../j1"])
def test_what_nobody_answers_to_is_said(some_jobs: JobStore, text: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        some_jobs.find(text)
    assert str(caught.value) == f"there is no job {text!r}. Type %pai_jobs to see them."


def test_a_prefix_of_several_ids_names_some_of_them(store: JobStore) -> None:
    for number in range(7):
        store.create(record(f"j1{number}", f"n{number}"))
    with pytest.raises(SpecError) as caught:
        store.find("j1")
    assert str(caught.value) == (
        "'j1' is the beginning of several jobs: j16 (n6), j15 (n5), j14 (n4), j13 (n3), j12 (n2) and 2 more. "
        "Type more of the id."
    )


def test_folders_come_newest_first(some_jobs: JobStore) -> None:
    assert [folder.id for folder in some_jobs.folders()] == ["j2aa", "j1ab", "j1aa", "j1"]


def test_a_job_is_removed_though_something_is_written_into_its_folder_meanwhile(
    some_jobs: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = some_jobs.ids()[0]
    path, rmdir = some_jobs.path(job_id), os.rmdir
    removed: list[str] = []

    def late(name: str, **ways: int | None) -> None:
        if Path(name).name == path.name and not removed:
            (path / "state.json").touch()  # as another process that has just seen how the job stands
        removed.append(name)
        rmdir(name, **ways)

    monkeypatch.setattr(os, "rmdir", late)
    some_jobs.remove(job_id)
    assert not path.exists()
    assert len(removed) > 1


def test_a_removed_job_is_gone(some_jobs: JobStore) -> None:
    some_jobs.remove("j1aa")
    assert not some_jobs.path("j1aa").exists()
    with pytest.raises(NotFoundError):
        some_jobs.remove("j1aa")


# --- damage ---


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"{}",
        b'{"schema": 1, "id": "x"}',
        b'{"id": "x", "spec": 3, "backend": "y", "created": 1}',
        b'{"id": "x", "spec": {"name": "", "command": ""}, "backend": "y", "created": 1}',
    ],
)
def test_a_broken_record_hides_its_job_only(some_jobs: JobStore, content: bytes) -> None:
    (some_jobs.path("j1aa") / "job.json").write_bytes(content)
    assert [folder.id for folder in some_jobs.folders()] == ["j2aa", "j1ab", "j1"]
    with pytest.raises(PaiJupyterError, match=r"job\.json"):
        _ = some_jobs.open("j1aa").record


def test_what_is_no_job_folder_is_passed_over(some_jobs: JobStore) -> None:
    jobs = some_jobs.path("j1").parent
    (jobs / "note.txt").write_text("mine")
    (jobs / "empty").mkdir()
    (jobs / ".hidden").mkdir()
    (jobs / "dangling").symlink_to("nowhere")
    assert len(list(some_jobs.folders())) == 4
    (jobs / "j2aa-leftover").mkdir()
    assert some_jobs.find("j2").id == "j2aa"


def test_a_newer_record_is_read_as_far_as_it_is_understood(store: JobStore) -> None:
    path = store.create(record("j1")).path / "job.json"
    value = json.loads(path.read_text()) | {"schema": 99, "mood": "good"}
    value["spec"]["mood"] = "good"
    path.write_text(json.dumps(value))
    assert store.open("j1").record.spec.name == "iris"
    path.write_text(json.dumps({"schema": 99}))
    with pytest.raises(PaiJupyterError, match=r"A newer pai_jupyter wrote it\. Type: %pip install --upgrade"):
        _ = store.open("j1").record


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"ref": 1, "positions": [], "state": 2, "events": 3}'])
def test_a_broken_state_is_a_sentence(store: JobStore, content: bytes) -> None:
    folder = store.create(record("j1"))
    (folder.path / "state.json").write_bytes(content)
    with pytest.raises(PaiJupyterError, match=r"state\.json"):
        folder.read()


# --- secrets ---


def test_no_secret_is_stored(store: JobStore) -> None:
    secrets = {
        "WANDB_API_KEY": "s3cr3t-value",
        "db_password": "pw",
        "HF_TOKEN": 'quo"ted\\secret',
        "MODE": "visible-value",
    }
    cell = "%%pai_train --env WANDB_API_KEY=s3cr3t-value\npw = 1"
    path = store.create(record("j1", environments=secrets, cell=cell)).path / "job.json"
    stored = store.open("j1").record
    assert stored.spec.environments == {
        "WANDB_API_KEY": MASKED,
        "db_password": MASKED,
        "HF_TOKEN": MASKED,
        "MODE": "visible-value",
    }
    assert stored.cell == f"%%pai_train --env WANDB_API_KEY={MASKED}\npw = 1"
    assert "s3cr3t" not in path.read_text()


# --- one folder ---


@pytest.fixture
def folder(store: JobStore) -> JobFolder:
    return store.create(record("j1"))


def test_a_job_that_was_never_submitted_has_the_first_state(folder: JobFolder) -> None:
    snapshot = folder.read()
    assert (snapshot.ref, snapshot.state, snapshot.positions) == (None, JobState(), {})


def test_the_outcome_of_a_submission_is_noted(folder: JobFolder) -> None:
    ref = JobRef(backend="process", job_id="j1", data={"pid": 3})
    state = JobState().apply(StatusChanged(status=Status.QUEUED, time=2.0))
    folder.start(ref, state)
    again = JobStore(folder.path.parent.parent).open("j1").read()
    assert (again.ref, again.state) == (ref, state)


def test_readers_see_each_commit(folder: JobFolder) -> None:
    reader = JobFolder(folder.path)
    assert reader.read().state.notices == ()
    with closing(folder.writer("service")) as writer:
        for number in range(3):
            writer.record(Notice(text=str(number), time=1.0))
            writer.commit()
            assert len(reader.read().state.notices) == number + 1


def test_events_are_read_on_from_where_one_was(folder: JobFolder) -> None:
    notices = [Notice(text=text, time=1.0) for text in ("a", "训练\n", "c")]
    after = 0
    for notice in notices:
        with closing(folder.writer("service")) as writer:
            writer.record(notice)
        events, after = folder.events(after)
        assert events == [notice]
    assert folder.events(after) == ([], after)
    assert folder.events(after + 1_000) == ([], after)
    assert folder.events()[0] == notices


def test_events_of_a_newer_version_are_left_out(folder: JobFolder) -> None:
    with closing(folder.writer("service")) as writer:
        writer.record(Notice(text="a" * 100, time=1.0))
    path = folder.path / "events.jsonl"
    size = path.stat().st_size
    path.write_bytes(
        (b'{"kind":"Mood"}\nno json\n[]\n' + b'{"kind":"Notice","text":"b","time":1}\n').ljust(size - 1) + b"\n"
    )
    events, after = folder.events()
    assert events == [Notice(text="b", time=1)]
    assert after == size


@pytest.mark.parametrize("count", [3, 30_000])
def test_some_events_lie_between_the_first_and_the_last(folder: JobFolder, count: int) -> None:
    metrics = [Metric(name="训练", value=0.5, step=step, time=1.0) for step in range(count)]
    with closing(folder.writer("service")) as writer:
        for metric in metrics:
            writer.record(metric)
    steps = [event.step or 0 for event in folder.some_events(200_000) if isinstance(event, Metric)]
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == (0, count - 1)
    assert max(after - before for before, after in pairwise(steps)) < max(count / 4, 2)  # there is no large gap
    assert len(steps) < 5_000


def test_replicas_come_by_role_and_number(folder: JobFolder) -> None:
    for name in ("worker-10", "worker-2", "chief-0", "ps-1", "my-role-3", "worker"):
        (folder.path / "logs" / f"{name}.log").touch()
    (folder.path / "logs" / "worker-2.idx").touch()
    assert folder.replicas() == ["chief-0", "my-role-3", "ps-1", "worker", "worker-2", "worker-10"]


@pytest.mark.parametrize("replica", ["../../../etc/passwd", "..", "", "a/b", "\n"])
def test_a_log_outside_the_folder_is_refused(folder: JobFolder, replica: str) -> None:
    with pytest.raises(NotFoundError, match=r"has no replica .* it has none yet"):
        folder.log(replica)


def test_a_log_object_is_kept_with_what_it_has_counted(folder: JobFolder) -> None:
    assert folder.log("worker-0") is folder.log("worker-0")


@pytest.fixture
def two_replicas(folder: JobFolder) -> JobFolder:
    times = {"worker-0": [1.0, 5.0, 9.0], "worker-1": [2.0, 5.0, 6.0]}
    for replica, arrivals in times.items():
        path = folder.path / "logs" / f"{replica}.log"
        path.write_bytes(b"".join(b"%d\n" % number for number in range(3)))
        index = [IndexRecord(number, 2 * number, time) for number, time in enumerate(arrivals)]
        path.with_suffix(".idx").write_bytes(b"".join(each.pack() for each in index))
    return folder


def test_replicas_merge_by_time(two_replicas: JobFolder) -> None:
    merged = [(line.time, line.replica[-1], line.number) for line in two_replicas.merged()]
    assert merged == [(1.0, "0", 0), (2.0, "1", 0), (5.0, "0", 1), (5.0, "1", 1), (6.0, "1", 2), (9.0, "0", 2)]
    assert [(line.time, line.replica[-1], line.number) for line in two_replicas.merged_tail(3)] == merged[-3:]
    assert two_replicas.merged_tail(0) == []


def test_what_was_asked_for_of_place_and_inputs_comes_back(store: JobStore) -> None:
    given = {"backend": "docker", "image": "x:1", "instance_count": 2, "inputs": {"训练": "./a b"}}
    store.create(record("j1", given=given))
    assert store.open("j1").record.given == given
    store.create(record("j2"))
    assert store.open("j2").record.given is None
