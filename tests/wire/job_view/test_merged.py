"""The lines of all replicas as views get them: numbered, named, each once, the last ones alone."""

from pathlib import Path

import pytest

from pai_jupyter.events import Status
from pai_jupyter.store import Query
from pai_jupyter.wire.job_view import merged as module
from pai_jupyter.wire.job_view.job_events import JobEvents
from pai_jupyter.wire.job_view.merged import merged_of
from pai_jupyter.wire.protocol.jobs import ALL, replica_of
from tests.support.wire import RecordedJob


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordedJob:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path))
    return RecordedJob(instance_count=2)


def test_a_view_of_all_gets_each_line_once_with_its_replica(job: RecordedJob) -> None:
    job.status(Status.RUNNING)
    job.print("a\nb\n", "master-0")
    job.print("c\nhalf", "worker-0")
    story = JobEvents(job.job, ALL)
    tail = story.snapshot()["tail"]
    assert tail["lines"] == ["master-0 | a", "master-0 | b", "worker-0 | c"]
    assert (tail["replica"], tail["start"], tail["count"], tail["finished"], tail["first"]) == (ALL, 0, 3, 3, 0)
    assert story.tail_news() is None
    job.print("d\n", "master-0")
    news = story.tail_news()
    assert news is not None
    assert (news["tail"]["start"], news["tail"]["lines"]) == (3, ["master-0 | d"])
    job.status(Status.SUCCEEDED)
    news = story.tail_news()  # no log has grown, but the last line is whole now
    assert news is not None
    assert (news["tail"]["start"], news["tail"]["lines"]) == (4, ["worker-0 | half"])
    assert story.tail_news() is None


def test_views_share_the_numbers_and_windows_have_them(job: RecordedJob) -> None:
    job.print("a\n", "worker-0")
    first = merged_of(job.job)
    job.print("b" * 3_000 + "\n", "master-0")
    second = merged_of(job.job)
    assert second is first
    assert second.window(0, 5).lines == ["worker-0 | a", "master-0 | " + "b" * 989]
    assert second.window(0, 5).body()["clipped"] == {"1": 3_011}
    assert second.window(1, 2).lines == ["master-0 | " + "b" * 3_000]
    assert second.picked([1, 7, 0]).lines == ["master-0 | " + "b" * 989, "", "worker-0 | a"]


def test_only_the_last_lines_are_kept(job: RecordedJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 10)
    monkeypatch.setattr(module, "SPARE", 4)
    job.print("".join(f"{number}\n" for number in range(20)), "master-0")
    every = merged_of(job.job)
    assert (every.first, every.count, every.window(0, 99).lines[0]) == (10, 20, "master-0 | 10")
    for number in range(20, 25):
        job.print(f"{number}\n", "worker-0")
        every.catch_up()
    assert (every.first, every.count, every.window(0, 99).lines[0]) == (15, 25, "master-0 | 15")
    job.print("".join(f"{number}\n" for number in range(100)), "master-0")
    every.catch_up()
    assert (every.first, every.count) == (115, 125)
    assert every.window(115, 117).lines == ["master-0 | 90", "master-0 | 91"]


def test_a_view_is_told_how_many_lines_were_left_out_when_it_opened(
    job: RecordedJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT", 10)
    for replica in ("master-0", "worker-0"):
        job.print("".join(f"epoch {number}\n" for number in range(20)), replica)
    tail = JobEvents(job.job, ALL).snapshot()["tail"]
    assert (tail["first"], tail["start"], tail["count"], len(tail["lines"])) == (30, 30, 40, 10)
    found = merged_of(job.job).find(Query(pattern="epoch 1", limit=100))
    assert all(number >= 30 for number in found.numbers)
    assert found.searched == 40


@pytest.mark.parametrize("regex", [False, True])
def test_a_search_finds_lines_of_all_by_their_common_numbers(job: RecordedJob, *, regex: bool) -> None:
    job.print("x 0\ny 1\n", "worker-0")
    every = merged_of(job.job)
    job.print("x 2\ny 3\nx 4\n", "master-0")
    every.catch_up()
    found = every.find(Query(pattern="x", regex=regex))
    assert ([*found.numbers], found.searched, found.is_more) == ([0, 2, 4], 5, False)
    found = every.find(Query(pattern="x", regex=regex, after=1, limit=1))
    assert ([*found.numbers], found.searched, found.is_more) == ([2], 4, True)


def test_all_is_a_choice_only_where_there_are_several(job: RecordedJob) -> None:
    assert replica_of(job.job, ALL) == ALL
    with pytest.raises(Exception, match="has no replica"):
        replica_of(RecordedJob("j2").job, ALL)
