"""The logs of all replicas as one: each line once, in the order of time, while they grow and at their end."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.events import LogChunk
from pai_jupyter.store import JobFolder, JobStore, LogLine, MergedLog, with_replica
from tests.fakes import recording


class Logs:
    """A job whose replicas write lines."""

    def __init__(self, home: Path) -> None:
        self.folder: JobFolder = JobStore(home).create(recording.record())
        self._writer = self.folder.writer("service")
        self._cursors: dict[str, int] = {}

    def write(self, replica: str, text: str, time: float) -> None:
        data = text.encode()
        self._cursors[replica] = self._cursors.get(replica, 0) + len(data)
        self._writer.record(LogChunk(replica=replica, data=data, cursor=self._cursors[replica], time=time))
        self._writer.commit()

    def close(self) -> None:
        self._writer.close()


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    with closing(Logs(tmp_path / "home")) as made:
        yield made


def texts(lines: list[LogLine]) -> list[str]:
    return [f"{line.replica} {line.text}" for line in lines]


def test_lines_of_all_replicas_come_by_time_and_once(logs: Logs) -> None:
    logs.write("worker-1", "a\nb\n", 5.0)
    logs.write("worker-0", "c\n", 3.0)
    logs.write("worker-0", "d\n", 9.0)
    log = MergedLog(logs.folder)
    assert texts(log.read(is_over=False)) == ["worker-0 c", "worker-1 a", "worker-1 b", "worker-0 d"]
    assert log.read(is_over=False) == []
    logs.write("worker-2", "late\n", 4.0)
    assert texts(log.read(is_over=False)) == ["worker-2 late"]


def test_an_unfinished_line_comes_when_it_is_finished_or_the_job_has_ended(logs: Logs) -> None:
    logs.write("worker-0", "one\ntw", 1.0)
    log = MergedLog(logs.folder)
    assert texts(log.read(is_over=False)) == ["worker-0 one"]
    logs.write("worker-0", "o\nthree", 2.0)
    assert texts(log.read(is_over=False)) == ["worker-0 two"]
    assert texts(log.read(is_over=True)) == ["worker-0 three"]
    assert log.read(is_over=True) == []


@pytest.mark.parametrize("last", [0, 1, 3, 4, 100])
def test_the_last_lines_are_the_last_of_all_together(logs: Logs, last: int) -> None:
    for time in range(4):
        logs.write(f"worker-{time % 2}", f"{time}\n", 10.0 * time)
    log = MergedLog(logs.folder, last=last)
    every = ["worker-0 0", "worker-1 1", "worker-0 2", "worker-1 3"]
    assert texts(log.read(is_over=False)) == every[max(0, 4 - last) :]
    logs.write("worker-2", "new\n", 50.0)
    assert texts(log.read(is_over=False)) == ["worker-2 new"]


@settings(max_examples=25, deadline=None)
@given(written=st.lists(st.tuples(st.integers(0, 2), st.integers(1, 8)), max_size=12), limit=st.integers(1, 5))
def test_reading_in_pieces_gives_what_reading_at_once_gives(
    tmp_path_factory: pytest.TempPathFactory, written: list[tuple[int, int]], limit: int
) -> None:
    logs = Logs(tmp_path_factory.mktemp("home"))
    for at, (replica, count) in enumerate(written):
        logs.write(f"worker-{replica}", "".join(f"{at}.{number}\n" for number in range(count)), 2.0 * at)
    log, found = MergedLog(logs.folder), list[LogLine]()
    while lines := log.read(is_over=False, limit=limit):
        found += lines
    assert texts(found) == texts(list(logs.folder.merged()))
    logs.close()


def test_a_name_stands_before_a_line_only_where_there_are_several() -> None:
    line = LogLine(replica="ps-0", number=0, text="x", time=1.0)
    assert with_replica(line, ["ps-0"]) == "x"
    assert with_replica(line, ["chief-0", "ps-0"]) == "ps-0    | x"
