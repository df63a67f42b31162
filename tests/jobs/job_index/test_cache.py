"""The cache of rows of ended jobs: the next process reads few folders, and never shows what is not so any more."""

import math
import os
from pathlib import Path

import pytest

from pai_jupyter.events import Status
from pai_jupyter.jobs.job_index import folders as scanning
from pai_jupyter.jobs.job_index.cache import cache_file, read_cache
from pai_jupyter.jobs.job_index.folders import Folders
from pai_jupyter.jobs.job_index.row import JobRow, is_same_row
from pai_jupyter.store import JobFolder, JobStore
from pai_jupyter.store import home as default_home
from pai_jupyter.store.snapshot import Snapshot
from tests.support.lists import loss, note, record, record_many, running

ALL = 10_000


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have three jobs be many."""
    monkeypatch.setattr(scanning, "MANY", 2)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the jobs whose state is read."""
    found: list[str] = []
    read = JobFolder.read

    def noted(folder: JobFolder) -> Snapshot:
        found.append(folder.id)
        return read(folder)

    monkeypatch.setattr(JobFolder, "read", noted)
    return found


def rows() -> dict[str, JobRow]:
    """What a process that begins now lists."""
    return {**Folders(JobStore()).look(ALL).rows}


def jobs() -> dict[str, JobRow]:
    """Jobs that are in the cache, as they were read from their folders."""
    values = {"lr": 0.1, "opt": "a\ud800", "amp": True, "n": 3}
    record("j1", running(), loss(0.5), loss(math.nan, name="lr"), values=values, name="训练", notebook="a.ipynb")
    record("j2", running(), loss(2.0, name="acc"), status=Status.FAILED)
    record("j3", status=Status.STOPPED)
    return rows()


def test_rows_of_ended_jobs_are_the_same_out_of_the_cache_and_their_folders_are_not_read(reads: list[str]) -> None:
    first = jobs()
    reads.clear()
    again = rows()
    assert reads == []
    assert first == again
    assert all(is_same_row(first[job_id], row) for job_id, row in again.items())
    assert again["j1"].facts.metric("loss") == 0.5
    assert math.isnan(again["j1"].facts.metric("lr") or 0.0)
    assert again["j1"].facts.value("amp") is True


def test_jobs_that_go_on_are_never_in_the_cache(reads: list[str]) -> None:
    record("j0", running(), status=Status.RUNNING)
    jobs()
    assert {*read_cache(default_home(), None)} == {"j1", "j2", "j3"}
    note(JobFolder(JobStore().path("j0")), loss(7.0))
    reads.clear()
    assert rows()["j0"].metric == ("loss", 7.0)
    assert {*reads} == {"j0"}


def test_a_job_that_has_changed_is_read_again() -> None:
    jobs()
    note(JobFolder(JobStore().path("j2")), loss(9.0, name="acc"))
    record_path = JobStore().path("j3") / "job.json"
    record_path.write_text(record_path.read_text().replace("name of j3", "another"))
    JobStore().remove("j1")
    again = rows()
    assert {*again} == {"j2", "j3"}
    assert (again["j2"].metric, again["j3"].name) == (("acc", 9.0), "another")


def test_a_scan_that_finds_nothing_new_gives_the_same_rows_and_reads_nothing(reads: list[str]) -> None:
    jobs()
    record("j0", running(), status=Status.RUNNING)
    folders = Folders(JobStore())
    first = folders.look(ALL)
    reads.clear()
    assert folders.look(ALL) is first
    assert reads == []
    note(JobFolder(JobStore().path("j0")), loss(7.0))
    changed = folders.look(ALL)
    assert changed.rows["j0"].metric == ("loss", 7.0)
    assert all(changed.rows[job_id] is first.rows[job_id] for job_id in ("j1", "j2", "j3"))
    JobStore().remove("j2")
    assert {*folders.look(ALL).rows} == {"j0", "j1", "j3"}


def damage(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.99])
def test_a_damaged_cache_is_made_anew(place: float) -> None:
    first = jobs()
    path = cache_file(default_home())
    damage(path, int(place * path.stat().st_size))
    assert read_cache(default_home(), None) == {}
    assert rows() == first
    assert {*read_cache(default_home(), None)} == {*first}


def test_what_cannot_be_a_cache_is_passed_over(tmp_path: Path) -> None:
    first, path = jobs(), cache_file(default_home())
    for content in (b"", b"\n", b"[]\n[]", b"{}\n", b"\xff" * 100, b"[" * 100_000):
        path.write_bytes(content)
        assert rows() == first
    path.unlink()
    os.mkfifo(path)
    assert rows() == first


def test_a_home_that_cannot_be_written_to_lists_its_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("read-only")

    monkeypatch.setattr("pai_jupyter.jobs.job_index.cache.replace_file", refuse)
    assert {*jobs()} == {"j1", "j2", "j3"}


def test_a_cache_for_another_metric_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    record("j1", loss(2.0), loss(0.5, name="my score"))
    record_many(3)
    assert rows()["j1"].metric == ("loss", 2.0)
    monkeypatch.setenv("PAI_JUPYTER_METRIC", "my score")
    assert rows()["j1"].metric == ("my score", 0.5)


def test_the_first_scan_of_a_list_that_is_watched_reads_the_newest_without_the_cache() -> None:
    jobs()
    scan = Folders(JobStore()).look(2)
    assert ([*scan.rows], scan.is_whole) == (["j3", "j2"], False)
