"""The list of all jobs: what a row says, that nothing hides the others, and what it costs to keep it current."""

import asyncio
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import Link, Progress, ReplicaChanged, Status, StatusChanged, Waiting
from pai_jupyter.jobs import all_rows, close_runtime, get_job_index, list_jobs, remove, runtime
from pai_jupyter.jobs.job_index import orphans
from pai_jupyter.jobs.job_index.folders import Folders
from pai_jupyter.jobs.job_index.orphans import Orphans
from pai_jupyter.store import AnnotationChange, JobFolder, JobStore
from pai_jupyter.wire.connection.listing import row_body
from tests.fakes.troubled import TroubledBackend
from tests.support.lists import BEGAN, is_free, loss, note, record, record_many, running, watched
from tests.support.patience import SOON
from tests.support.programs import FORTY
from tests.support.started import DEADLINE, begin, open_gate, until

ALL = 10_000


@pytest.fixture(autouse=True)
def backend(backend: TroubledBackend) -> TroubledBackend:
    """The backend `fake` of this process."""
    return backend


@pytest.fixture
def folders() -> Folders:
    return Folders(JobStore())


# --- what a row says -------------------------------------------------------------------------------------------------


def test_a_row_says_what_was_asked_for_and_how_it_stands(folders: Folders) -> None:
    progress = Progress(done=3.0, total=4.0, time=BEGAN + 20)
    link = Link(name="console", url="https://console")
    events = (running(), progress, loss(0.5), link)
    record("j1", *events, status=Status.RUNNING, name="训练 a", notebook="a b.ipynb", place="docker (asked for)")
    row = folders.look(ALL).rows["j1"]
    assert (row.id, row.name, row.backend, row.place) == ("j1", "训练 a", "fake", "docker (asked for)")
    assert (row.status, row.created, row.started, row.ended) == (Status.RUNNING, BEGAN, BEGAN + 10, None)
    assert (row.notebook, row.progress, row.metric) == ("a b.ipynb", 0.75, ("loss", 0.5))
    assert (row.is_here, row.url) == (True, "https://console")


def test_a_row_of_a_job_that_waits_for_a_slot_has_its_place_in_line(folders: Folders) -> None:
    reason = Waiting(place=3, setting="process.max_parallel", limit=2).reason
    note(record("j1", status=Status.CREATED), StatusChanged(status=Status.QUEUED, time=BEGAN, reason=reason))
    row = folders.look(ALL).rows["j1"]
    assert (row.in_line, row_body(row)["in_line"]) == (3, 3)


def test_a_row_of_a_failed_job_names_the_replica_that_failed_first(folders: Folders) -> None:
    ends = [
        ReplicaChanged(replica=name, status=Status.FAILED, time=BEGAN + place, exit_code=1)
        for place, name in enumerate(("worker-1", "master-0"))
    ]
    record("j1", *ends, status=Status.FAILED)
    record("j2", *ends[:1], status=Status.FAILED)  # it has no other
    record("j3", *ends, status=Status.STOPPED)
    rows = folders.look(ALL).rows
    assert [rows[name].failed_replica for name in ("j1", "j2", "j3")] == ["worker-1", "", ""]
    assert row_body(rows["j1"])["failed_replica"] == "worker-1"
    assert "failed_replica" not in row_body(rows["j2"])


@pytest.mark.parametrize("status", [each for each in Status if each is not Status.UNKNOWN])
def test_every_state_of_a_job_is_that_of_its_row(folders: Folders, status: Status) -> None:
    record("j1", running(), status=status)
    row = folders.look(ALL).rows["j1"]
    assert (row.status, row.ended) == (status, BEGAN + 60 if status.is_terminal else None)


def test_a_job_that_has_ended_has_no_progress(folders: Folders) -> None:
    record("j1", running(), Progress(done=3.0, total=4.0, time=1.0))
    assert folders.look(ALL).rows["j1"].progress is None


def test_of_several_metrics_the_best_known_stands_for_the_job_and_never_the_learning_rate(folders: Folders) -> None:
    folder = record("j1", running(), loss(2.0), loss(3.0, name="val_loss"), loss(0.1, name="lr"), status=Status.RUNNING)
    note(folder, loss(1.0))
    assert folders.look(ALL).rows["j1"].metric == ("val_loss", 3.0)
    record("j2", loss(0.1, name="lr"))
    assert folders.look(ALL).rows["j2"].metric is None


def test_the_metric_that_the_user_names_stands_for_jobs_that_have_it(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    record("j1", loss(2.0), loss(0.5, name="my score"))
    record("j2", loss(3.0))
    assert folders.look(ALL).rows["j1"].metric == ("loss", 2.0)
    monkeypatch.setenv("PAI_JUPYTER_METRIC", "my score")
    rows = folders.look(ALL).rows
    assert (rows["j1"].metric, rows["j2"].metric) == (("my score", 0.5), ("loss", 3.0))


def test_a_row_has_the_values_that_the_job_runs_with(folders: Folders) -> None:
    values = {"lr": 0.3, "name": "a\nb", "layers": [1, 2], "api_key": "0123456789", "long": "x" * 100, "on": True}
    record("j1", values=values)
    told = folders.look(ALL).rows["j1"].values
    assert told == ("lr=0.3", "name=a b", "layers=[1, 2]", "api_key=***", f"long={'x' * 59}…", "on=True")
    record("j2", values={f"v{number}": number for number in range(100)})
    assert len(folders.look(ALL).rows["j2"].values) == 24


def test_a_loss_that_is_no_number_is_told_as_it_is(folders: Folders) -> None:
    record("j1", loss(float("nan")))
    metric = folders.look(ALL).rows["j1"].metric
    assert metric is not None
    assert math.isnan(metric[1])


def test_a_row_is_small_whatever_was_recorded(folders: Folders) -> None:
    record("j1", loss(1.0, name="x" * 10_000), notebook="n" * 10_000, place="p" * 10_000)
    assert len(repr(folders.look(ALL).rows["j1"])) < 2_000


# --- looks -----------------------------------------------------------------------------------------------------------


def test_the_newest_folders_are_read_first_and_the_others_by_the_next_looks(folders: Folders) -> None:
    ids = record_many(25)
    first, second, third = (folders.look(10) for _ in range(3))
    assert [len(look.rows) for look in (first, second, third)] == [10, 20, 25]
    assert {*first.rows} == {*ids[:10]}
    assert [look.is_whole for look in (first, second, third)] == [False, False, True]


def test_a_row_that_has_changed_is_another_object_and_all_others_are_the_same(folders: Folders) -> None:
    job = record("j1", running(), status=Status.RUNNING)
    record("j2", running(), status=Status.RUNNING)
    before = folders.look(ALL).rows
    note(job, loss(0.1))
    after = folders.look(ALL).rows
    assert after["j1"].metric == ("loss", 0.1)
    assert after["j2"] is before["j2"]


def test_a_commit_that_changes_nothing_in_the_row_leaves_it(folders: Folders) -> None:
    job = record("j1", running(), status=Status.RUNNING)
    before = folders.look(ALL).rows
    note(job, Link(name="deploy", url="https://x"))
    assert folders.look(ALL).rows["j1"] is before["j1"]


def test_the_folder_of_a_job_that_has_ended_is_never_read_again(folders: Folders) -> None:
    job = record("j1")
    before = folders.look(ALL).rows
    (job.path / "state.json").write_text("damaged")
    assert folders.look(ALL).rows["j1"] is before["j1"]


def test_a_job_that_was_removed_is_gone(folders: Folders) -> None:
    record_many(3)
    folders.look(ALL)
    JobStore().remove("j00001")
    assert {*folders.look(ALL).rows} == {"j00000", "j00002"}


DAMAGES = {
    "nothing": None,
    "empty": b"",
    "half": b'{"schema":1,"id":"j00001","sp',
    "a list": b"[]",
    "deep": b"[" * 100_000,
    "numbers": b'{"id":1,"spec":1,"backend":1,"created":1}',
    "no spec": b'{"id":"j00001","backend":"fake","created":1.0}',
    "not UTF-8": b'{"id":"\xff\xfe"}',
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_is_listed_as_such_and_hides_no_other(folders: Folders, damage: str) -> None:
    record_many(3)
    path, content = JobStore().path("j00001") / "job.json", DAMAGES[damage]
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    rows = folders.look(ALL).rows
    assert {*rows} == {"j00000", "j00002"} | ({"j00001"} if content is not None else set())
    assert content is None or "damaged" in rows["j00001"].place


@pytest.mark.parametrize("kind", ["pipe", "directory", "dangling link"])
def test_what_is_no_file_in_the_place_of_a_record_damages_its_job_only(folders: Folders, kind: str) -> None:
    record_many(3)
    path = JobStore().path("j00001") / "job.json"
    path.unlink()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path.symlink_to("nowhere")
    rows = folders.look(ALL).rows
    assert {*rows} == {"j00000", "j00001", "j00002"}
    assert (rows["j00001"].status, "is no plain file" in rows["j00001"].place) == (Status.UNKNOWN, True)


@pytest.mark.parametrize("created", ["yesterday", None, True, float("inf"), [1]])
def test_a_time_that_is_none_keeps_no_list_from_being_sorted(folders: Folders, created: Any) -> None:
    folder = record("j1")
    said = json.loads((folder.path / "job.json").read_text())
    (folder.path / "job.json").write_text(json.dumps({**said, "created": created, "notebook": 7, "place": {}}))
    record("j2")
    rows = folders.look(ALL).rows
    assert sorted(rows.values(), key=lambda row: row.created, reverse=True)
    assert (rows["j1"].status, rows["j2"].status) == (Status.UNKNOWN, Status.SUCCEEDED)
    assert rows["j1"].place.startswith("job.json is damaged: `")


@pytest.mark.parametrize("content", [b"", b"{}", b"[" * 100_000, b'{"ref":null,"state":[],"positions":{},"events":0}'])
def test_a_job_whose_state_is_damaged_is_listed_as_unknown(folders: Folders, content: bytes) -> None:
    folder = record("j1", running(), status=Status.RUNNING)
    (folder.path / "state.json").write_bytes(content)
    assert folders.look(ALL).rows["j1"].status is Status.UNKNOWN


ODD_STATES: dict[str, dict[str, Any]] = {  # JSON values
    "no times": {"entered": None},
    "a time without end": {"entered": {"running": 10**400}},
    "no links": {"links": None},
    "a metric without end": {"metrics": {"loss": [10**400, 1, 1, 1, 1]}},
}


@pytest.mark.parametrize("odd", ODD_STATES)
def test_a_job_whose_state_turns_odd_is_unknown_from_then_on_and_hides_no_other(folders: Folders, odd: str) -> None:
    job = record("j1", running(), status=Status.RUNNING)
    record("j2")
    folders.look(ALL)
    distort(job, **ODD_STATES[odd])
    assert {row.id: row.status for row in folders.look(ALL).rows.values()} == {
        "j1": Status.UNKNOWN,
        "j2": Status.SUCCEEDED,
    }


def distort(job: JobFolder, **state: Any) -> None:
    """Have the state of the job say this too. (Any: JSON values)"""
    said = json.loads((job.path / "state.json").read_text())
    said["state"].update(state)
    (job.path / "state.json").write_text(json.dumps(said))


def test_a_state_that_is_written_by_a_clock_that_went_back_is_read(folders: Folders) -> None:
    job = record("j1", running(), status=Status.RUNNING)
    folders.look(ALL)
    note(job, loss(0.1))
    os.utime(job.path / "state.json", (1.0, 1.0))
    assert folders.look(ALL).rows["j1"].metric == ("loss", 0.1)


def test_a_folder_is_listed_as_soon_as_its_record_can_be_read(folders: Folders) -> None:
    folder = record("j1")
    whole = (folder.path / "job.json").read_bytes()
    (folder.path / "job.json").write_bytes(b"{")
    assert folders.look(ALL).rows["j1"].status is Status.UNKNOWN
    (folder.path / "job.json").write_bytes(whole)
    assert folders.look(ALL).rows["j1"].status is Status.SUCCEEDED


def test_a_copy_of_a_folder_is_a_job_of_its_own(folders: Folders) -> None:
    folder = record("j1")
    subprocess.run(["cp", "-r", folder.path, folder.path.with_name("j1-copy")], check=True)
    assert {row.id for row in folders.look(ALL).rows.values()} == {"j1", "j1-copy"}


# --- what the user says about jobs -----------------------------------------------------------------------------------


def annotate(job: JobFolder, **change: Any) -> None:
    job.annotate(AnnotationChange(**change))


def test_a_row_has_what_the_user_said_about_the_job_before_it_was_read(folders: Folders) -> None:
    annotate(record("j1", name="iris-1"), name="baseline", is_starred=True, add=("best",), note="a note")
    row = folders.look(ALL).rows["j1"]
    assert (row.name, row.recorded_name, row.given_name) == ("baseline", "iris-1", "baseline")
    assert (row.is_starred, row.tags, row.note) == (True, ("best",), "a note")


def test_a_row_of_a_job_that_has_ended_learns_what_the_user_says_and_all_others_are_the_same(folders: Folders) -> None:
    jobs = {job_id: record(job_id, name="iris-1") for job_id in ("j1", "j2")}
    before = folders.look(ALL).rows
    annotate(jobs["j1"], name="baseline", add=("best",))
    after = folders.look(ALL).rows
    assert (after["j1"].name, after["j1"].tags, after["j1"].status) == ("baseline", ("best",), Status.SUCCEEDED)
    assert after["j2"] is before["j2"]
    annotate(jobs["j1"], name="", remove=("best",))
    assert folders.look(ALL).rows["j1"] == before["j1"]


def test_what_the_user_says_about_a_running_job_stays_when_its_state_changes(folders: Folders) -> None:
    job = record("j1", running(), status=Status.RUNNING)
    folders.look(ALL)
    annotate(job, is_starred=True)
    note(job, loss(0.5))
    row = folders.look(ALL).rows["j1"]
    assert (row.is_starred, row.metric) == (True, ("loss", 0.5))


def test_a_name_that_is_the_recorded_one_is_none_that_was_given(folders: Folders) -> None:
    annotate(record("j1", name="iris-1"), name="iris-1")
    row = folders.look(ALL).rows["j1"]
    assert (row.name, row.given_name) == ("iris-1", "")


def test_damaged_annotations_are_said_and_hide_no_job(folders: Folders) -> None:
    record_many(2)
    path = JobStore().path("j00001") / "annotations.json"
    path.write_text("{")
    look = folders.look(ALL)
    assert {job_id: row.status for job_id, row in look.rows.items()} == dict.fromkeys(
        ("j00000", "j00001"), Status.SUCCEEDED
    )
    assert [*look.damages] == ["j00001"]
    assert look.damages["j00001"].startswith(f"'{path}' cannot be read: ")
    path.unlink()
    annotate(JobStore().open("j00001"), is_starred=True)
    look = folders.look(ALL)
    assert (look.damages, look.rows["j00001"].is_starred) == ({}, True)


def test_annotations_are_seen_where_their_log_cannot_be_read(folders: Folders) -> None:
    job = record("j1")
    folders.look(ALL)
    annotate(job, is_starred=True)
    path = JobStore().home / "annotations.log"
    path.unlink()
    path.mkdir()
    assert folders.look(ALL).rows["j1"].is_starred


# --- while somebody watches ------------------------------------------------------------------------------------------

ELSEWHERE = """
from tests.support.lists import record
record("j9", name="of another program")
"""


async def test_a_job_that_another_program_starts_appears_by_itself() -> None:
    record_many(3)
    async with watched() as watcher:
        assert len(await watcher.whole()) == 3
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", ELSEWHERE], check=True)
        appeared = time.monotonic()
        assert (await watcher.row("j9")).name == "of another program"
        assert time.monotonic() - appeared < SOON  # here less than 1


async def test_what_another_program_says_about_a_job_is_seen() -> None:
    record("j1")
    tagging = "from pai_jupyter import attach; attach('j1').tag('best')"
    async with watched() as watcher:
        assert (await watcher.row("j1")).tags == ()
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", tagging], check=True)
        assert (await watcher.row("j1", lambda row: row.tags)).tags == ("best",)


async def test_damaged_annotations_are_a_note_of_the_list() -> None:
    (record("j1").path / "annotations.json").write_text("{")
    async with watched() as watcher:
        await watcher.row("j1")
        (note,) = watcher.catalogue.notes
        assert note.startswith("job j1: ")


async def test_what_happens_to_a_job_is_seen() -> None:
    job = record("j1", running(), status=Status.RUNNING)
    lock = job.try_lock()
    assert lock is not None
    with lock:
        async with watched() as watcher:
            await watcher.row("j1", lambda row: row.status is Status.RUNNING)
            note(job, StatusChanged(status=Status.FAILED, time=BEGAN + 99))
            row = await watcher.row("j1", lambda row: row.status is Status.FAILED)
            assert row.ended == BEGAN + 99


@pytest.mark.parametrize("odd", ODD_STATES)
async def test_a_job_whose_state_turns_odd_does_not_end_the_list(odd: str) -> None:
    job = record("j1", running(), status=Status.RUNNING)
    async with watched() as watcher:
        await watcher.row("j1")
        distort(job, **ODD_STATES[odd])
        await watcher.row("j1", lambda row: row.status is Status.UNKNOWN)
        record("j9")
        await watcher.row("j9")
        assert not watcher.catalogue.notes


async def test_all_who_watch_share_one_list() -> None:
    record_many(3)
    async with watched() as one:
        async with watched() as other:
            assert one.catalogue is other.catalogue
            await other.whole()
        record("j9")
        await one.row("j9")


async def test_a_list_that_nobody_watches_any_more_rests() -> None:
    async with watched() as one, watched():
        await one.whole()
    assert not one.catalogue.is_current
    async with asyncio.timeout(DEADLINE):
        while asyncio.all_tasks() != {asyncio.current_task()}:  # noqa: ASYNC110  what was cancelled takes a moment to end
            await asyncio.sleep(0.01)


async def test_a_list_that_is_opened_again_tells_what_happened_meanwhile() -> None:
    record_many(3)
    async with watched() as watcher:
        await watcher.whole()
    JobStore().remove("j00000")
    record("j9")
    async with watched() as watcher:
        assert await watcher.whole() == ["j9", "j00002", "j00001"]


async def test_what_opens_and_shuts_at_once_loses_nothing() -> None:
    record_many(350)
    for _ in range(5):
        async with watched():
            await asyncio.sleep(0)
    async with watched() as watcher:
        assert len(await watcher.whole()) == 350


async def test_a_store_that_cannot_be_read_is_a_note(home: Path) -> None:
    (home / "jobs").symlink_to(home / "jobs")
    async with watched() as watcher:
        (note,) = await watcher.until(lambda: watcher.catalogue.notes)
        assert "PAI_JUPYTER_HOME" in note


async def test_a_home_that_is_no_directory_is_no_empty_list(home: Path) -> None:
    (home / "jobs").write_text("")
    async with watched() as watcher:
        (note,) = await watcher.until(lambda: watcher.catalogue.notes)
        assert note.startswith(f"the list of jobs cannot be read: '{home / 'jobs'}': Not a directory. ")
    with pytest.raises(PaiJupyterError, match="the list of jobs cannot be read"):
        await all_rows()
    with pytest.raises(PaiJupyterError, match="the list of jobs cannot be read"):
        list_jobs()


async def test_all_rows_are_there_without_anybody_watching() -> None:
    record_many(650)
    assert len(await all_rows()) == 650
    record("j9")
    assert len(await all_rows()) == 651


async def test_rows_are_asked_for_by_many_at_once() -> None:
    record_many(650)
    assert {len(rows) for rows in await asyncio.gather(*(all_rows() for _ in range(8)))} == {650}


# --- jobs that nobody follows ----------------------------------------------------------------------------------------


@pytest.fixture
def left_alone(gate: Path) -> Iterator[JobFolder]:
    """A job of a local process that goes on while nobody follows it."""
    job = begin(FORTY, backend="process", gate=gate)
    until(lambda: job.status is Status.RUNNING)
    close_runtime()
    yield job.folder
    open_gate(gate)
    close_runtime()


async def test_a_job_that_nobody_follows_is_seen_to_end(left_alone: JobFolder, gate: Path) -> None:
    async with watched() as watcher:
        await watcher.row(left_alone.id, lambda row: row.status is Status.RUNNING)
        open_gate(gate)
        await watcher.row(left_alone.id, lambda row: row.status is Status.SUCCEEDED)


async def test_a_job_whose_follower_dies_later_is_seen_to_end(
    left_alone: JobFolder, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphans, "PAUSE", 0.1)
    lock = left_alone.try_lock()
    assert lock is not None
    async with watched() as watcher:
        with lock:
            await watcher.row(left_alone.id)
        open_gate(gate)
        await watcher.row(left_alone.id, lambda row: row.status is Status.SUCCEEDED)


async def test_what_the_list_follows_is_let_go_of_when_nobody_watches(left_alone: JobFolder) -> None:
    async with watched():
        await asyncio.to_thread(until, lambda: not is_free(left_alone))
    await asyncio.to_thread(until, lambda: is_free(left_alone))


async def test_what_somebody_else_follows_too_is_not_let_go_of(left_alone: JobFolder, gate: Path) -> None:
    async with watched():
        await asyncio.to_thread(until, lambda: not is_free(left_alone))
        ended = runtime().follow(left_alone).ended
    open_gate(gate)
    assert (await asyncio.to_thread(ended.result, DEADLINE)).status is Status.SUCCEEDED


def test_a_job_that_somebody_follows_is_left_to_them() -> None:
    job = record("j1", status=Status.RUNNING)
    lock = job.try_lock()
    assert lock is not None
    with lock:
        assert Orphans(JobStore()).find(["j1"]) == []


def test_a_job_that_is_being_submitted_is_not_locked_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "PAUSE", 0.0)
    record("j1", status=Status.CREATED)
    waiting = Orphans(JobStore())
    assert waiting.find(["j1"]) == []
    assert not (JobStore().path("j1") / "follow.lock").exists()
    monkeypatch.setattr(orphans, "SUBMITTED_WITHIN", -1.0)
    assert [folder.id for folder in waiting.find(["j1"])] == ["j1"]


def test_a_job_that_is_followed_here_is_looked_at_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orphans, "PAUSE", 0.0)
    record("j1", status=Status.RUNNING)
    finder = Orphans(JobStore())
    (folder,) = finder.find(["j1"])
    finder.take(folder)
    assert finder.find(["j1"]) == []
    finder.forget()
    assert len(finder.find(["j1"])) == 1


def test_jobs_are_tried_now_and_then() -> None:
    record("j1", status=Status.RUNNING)
    finder = Orphans(JobStore())
    assert len(finder.find(["j1"])) == 1
    assert finder.find(["j1"]) == []


def test_a_job_that_is_gone_is_nobody_s() -> None:
    assert Orphans(JobStore()).find(["j1"]) == []


# --- deleting --------------------------------------------------------------------------------------------------------


def test_an_ended_job_is_deleted_with_all_that_it_has() -> None:
    job = record("j1")
    (job.path / "output" / "模型").mkdir(parents=True)
    remove("j1")
    assert not job.path.exists()


def test_a_job_that_runs_is_not_deleted() -> None:
    job = record("j1", status=Status.RUNNING)
    with pytest.raises(PaiJupyterError, match="%pai_stop j1"):
        remove("j1")
    assert job.path.exists()


def test_a_job_whose_last_lines_are_being_recorded_is_not_deleted() -> None:
    job = record("j1")
    lock = job.try_lock()
    assert lock is not None
    with lock, pytest.raises(PaiJupyterError, match="Try again"):
        remove("j1")
    remove("j1")


def test_a_job_whose_state_cannot_be_read_is_deleted() -> None:
    job = record("j1")
    (job.path / "state.json").write_text("damaged")
    remove("j1")
    assert not job.path.exists()


def test_a_job_of_which_something_resists_stays_listed(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    job = record("j1")
    (job.path / "output").mkdir()
    rmdir = os.rmdir

    def resist(path: Any, **more: Any) -> None:
        if "output" in str(path):
            raise PermissionError(13, "Permission denied")
        rmdir(path, **more)

    monkeypatch.setattr(os, "rmdir", resist)
    with pytest.raises(PaiJupyterError, match="Permission denied"):
        remove("j1")
    assert folders.look(ALL).rows["j1"].status is Status.SUCCEEDED


def test_a_link_in_a_folder_is_deleted_and_not_what_it_leads_to(tmp_path: Path) -> None:
    job = record("j1")
    (job.path / "elsewhere").symlink_to(tmp_path)
    (tmp_path / "kept").touch()
    remove("j1")
    assert (tmp_path / "kept").exists()


def test_a_folder_that_is_kept_elsewhere_is_listed_and_only_the_link_to_it_is_deleted(
    folders: Folders, tmp_path: Path
) -> None:
    job, kept = record("j1"), tmp_path / "kept"
    job.path.rename(kept)
    job.path.symlink_to(kept)
    assert {*folders.look(ALL).rows} == {"j1"}
    remove("j1")
    assert not folders.look(ALL).rows
    assert (kept / "job.json").exists()


async def test_whoever_deletes_has_the_list_look_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pai_jupyter.jobs.job_index.index.PAUSE", 3600.0)
    record_many(3)
    async with watched() as watcher:
        await watcher.whole()
        remove("j00001")
        get_job_index().stir()
        await watcher.until(lambda: "j00001" not in watcher.catalogue.rows)
