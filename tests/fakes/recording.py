"""A job whose log and events are known beforehand, and a follower that records it: `python -m tests.fakes.recording`.

Like a real service it repeats itself: the status and the notice come at each resumption, pieces of log are cut anywhere
and may begin before the position asked for.
"""

import random
import struct
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import reduce
from pathlib import Path

from pai_jupyter.events import (
    Event,
    JobState,
    LogChunk,
    Metric,
    Notice,
    Phase,
    PhaseChanged,
    Position,
    Status,
    StatusChanged,
)
from pai_jupyter.spec import JobRef, JobSpec, MetricDefinition
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from pai_jupyter.store.index import RECORD_SIZE, IndexRecord

REPLICAS = ("worker-0", "worker-1")
LINES = 20_000


def record() -> JobRecord:
    metric = MetricDefinition(name="acc", regex="acc ([0-9.]+)")
    spec = JobSpec(name="recorded", command="true", metric_definitions=(metric,))
    return JobRecord(id="j1", spec=spec, backend="fake", created=1.0)


def log_of(replica: str, lines: int) -> bytes:
    """Lines of every kind; each 20th has a metric, the last has one and no newline."""
    rng = random.Random(replica)
    body = [
        b"%d acc 0.%05d" % (n, n) if n % 20 == 0 else b"line %d " % n + b"." * rng.randrange(60) for n in range(lines)
    ]
    return "训练\n10%\r90%\r\n".encode() + b"\n".join(body) + b"\n last acc 0.99"


def metrics_of(lines: int) -> list[float]:
    return [float(f"0.{n:05d}") for n in range(0, lines, 20)] + [0.99]


class Job:
    """Follows like a backend. `overlap`: the cursor counts bytes, so pieces may begin before it."""

    def __init__(self, *, lines: int, overlap: bool) -> None:
        self._lines = lines
        self._overlap = overlap

    def follow(self, after: Position, rng: random.Random) -> Iterator[Event]:
        yield StatusChanged(status=Status.RUNNING, time=rng.random())
        yield PhaseChanged(phase=Phase.RUNNING, time=2.0, replica=REPLICAS[0])
        yield Notice(text="the image is not used here", time=3.0)
        pieces = [self._chunks(replica, after.get(replica, 0), rng) for replica in REPLICAS]
        while pieces:
            source = rng.choice(pieces)
            chunk = next(source, None)
            if chunk is None:
                pieces.remove(source)
            else:
                yield chunk
        yield StatusChanged(status=Status.SUCCEEDED, time=9.0, exit_code=0)

    def _chunks(self, replica: str, at: int, rng: random.Random) -> Iterator[LogChunk]:
        log = log_of(replica, self._lines)
        while at < len(log):
            end = at + rng.choice([1, 50, 400, 2_000])
            begin = max(0, at - rng.choice([0, 0, 10, 700])) if self._overlap else at
            data = log[begin:end]
            at = begin + len(data)
            yield LogChunk(replica=replica, data=data, cursor=at, time=float(at // 5_000))


def follow(folder: JobFolder, *, log_home: str, lines: int, rng: random.Random) -> None:
    """Record the job to its end, from wherever its folder says, with a commit every 3 events."""
    job = Job(lines=lines, overlap=log_home == "folder")
    with closing(folder.writer(log_home)) as writer:
        for number, event in enumerate(job.follow(writer.snapshot.positions, rng)):
            writer.record(event)
            if number % 3 == 0:
                writer.commit()


def prepare(store: JobStore, *, log_home: str, lines: int) -> JobFolder:
    """The job's folder, as it is after the submission."""
    folder = store.create(record())
    folder.start(JobRef(backend="fake", job_id="j1"), folder.read().state)
    if log_home == "folder":  # the job writes its log itself
        for replica in REPLICAS:
            (folder.path / "logs" / f"{replica}.log").write_bytes(log_of(replica, lines))
    return folder


def check(folder: JobFolder, *, lines: int) -> None:
    """Every line and every event is there exactly once, and the index is right."""
    for replica in REPLICAS:
        path = folder.path / "logs" / f"{replica}.log"
        assert path.read_bytes() == log_of(replica, lines)
        check_index(path)
    events, _ = folder.events()
    for replica in REPLICAS:
        assert [e.value for e in events if isinstance(e, Metric) and e.replica == replica] == metrics_of(lines)
    assert [e.status for e in events if isinstance(e, StatusChanged)] == [Status.RUNNING, Status.SUCCEEDED]
    assert len([e for e in events if isinstance(e, Notice)]) == 1
    assert len([e for e in events if isinstance(e, PhaseChanged)]) == 1
    state = folder.read().state
    assert state.status is Status.SUCCEEDED
    assert state.metrics["acc"].count == len(metrics_of(lines))  # of the first replica
    assert reduce(JobState.apply, events, JobState()) == state


def check_index(path: Path) -> None:
    data, index = path.read_bytes(), path.with_suffix(".idx").read_bytes()
    assert len(index) % RECORD_SIZE == 0
    records = [IndexRecord(*item) for item in struct.iter_unpack("<QQd", index)]
    assert records[0][:2] == (0, 0)
    assert sorted(set(records)) == records
    for record in records:
        assert record.line == data.count(b"\n", 0, record.offset)
        assert record.offset == 0 or data[record.offset - 1 : record.offset] == b"\n"


def main(home: str, log_home: str, seed: str) -> None:
    folder = JobStore(Path(home)).open("j1")
    print("ready", flush=True)  # noqa: T201  who starts this waits for it
    follow(folder, log_home=log_home, lines=LINES, rng=random.Random(seed))


if __name__ == "__main__":
    main(*sys.argv[1:])
