"""Lines of a log of the emulator by the time at which they came, at no growing cost."""

import statistics
import time
from contextlib import closing
from pathlib import Path

import pytest

from pai_jupyter.emulator.execution.log_lines import finished, numbers_between
from pai_jupyter.events import LogChunk
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore, LogFile

BEGAN = 1_700_000_000.0


def log_of(store: JobStore, name: str, pieces: int, *, size: int = 3, rest: bytes = b"") -> LogFile:
    """A log of pieces that came a second after each other, each of `size` lines, and the beginning of a line."""
    folder = store.create(JobRecord(id=name, spec=JobSpec(name="a", command="true"), backend="process", created=BEGAN))
    cursor = 0
    with closing(folder.writer("service")) as writer:
        for second in range(pieces + bool(rest)):
            lines = b"".join(b"%d.%d\n" % (second, each) for each in range(size)) if second < pieces else rest
            cursor += len(lines)
            writer.record(LogChunk(replica="master-0", data=lines, cursor=cursor, time=BEGAN + second))
    return folder.log("master-0")


@pytest.fixture
def store(tmp_path: Path) -> JobStore:
    return JobStore(tmp_path)


@pytest.mark.parametrize("since", [None, -5.0, 0.0, 2.5, 4.0, 99.0])
@pytest.mark.parametrize("until", [None, -5.0, 0.0, 2.5, 4.0, 99.0])
def test_the_same_lines_are_found_as_by_looking_at_each(
    store: JobStore, since: float | None, until: float | None
) -> None:
    log = log_of(store, "j1", 6, rest=b"unfinished")
    begin, end = (None if each is None else BEGAN + each for each in (since, until))
    for is_over in (False, True):
        total = finished(log, is_over=is_over)
        assert total == 18 + is_over
        found = numbers_between(log, total, begin, end)
        assert [*found] == [
            number
            for number, line in enumerate(log.lines(0, total))
            if (begin is None or begin <= line.time) and (end is None or line.time <= end)
        ]


def test_of_no_lines_none_are_found(store: JobStore) -> None:
    log = log_of(store, "j2", 0)
    assert [*numbers_between(log, finished(log, is_over=True), 1.0, 2.0)] == []


def test_the_newest_lines_cost_as_much_of_a_long_log_as_of_a_short_one(store: JobStore) -> None:
    def seconds(pieces: int) -> float:
        log, taken = log_of(store, f"j{pieces}", pieces, size=2_000), []
        for _ in range(9):
            began = time.process_time()
            total = finished(log, is_over=False)
            assert len(numbers_between(log, total, BEGAN + pieces - 1, None)) == 2_000
            taken.append(time.process_time() - began)
        return statistics.median(taken)

    assert seconds(200) < 20 * seconds(2)
