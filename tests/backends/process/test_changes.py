"""What became of each replica, as its supervisor writes it and a follower reads it."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pai_jupyter.backends.process.changes import ReplicaReader
from pai_jupyter.backends.process.isolation import Isolation, has_own_processes
from pai_jupyter.events import Event, ReplicaChanged, Status
from pai_jupyter.spec import JobSpec, Role
from pai_jupyter.store import JobRecord, JobStore
from tests.support.local_jobs import LocalJobs, until
from tests.support.needs import lacking


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The folder of a job with one replica, as far as it matters here."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "supervisor.json").write_text('{"replicas": ["w-0"]}')
    return tmp_path


def told(events: list[Event], replica: str) -> list[tuple[str, int, int | None]]:
    changes = [event for event in events if isinstance(event, ReplicaChanged) and event.replica == replica]
    assert [change.time for change in changes] == sorted(change.time for change in changes)
    return [(change.status, change.attempt, change.exit_code) for change in changes]


async def test_each_replica_tells_how_it_ended(jobs: LocalJobs) -> None:
    roles = (Role(name="chief"), Role(name="ps", command="sleep 600"), Role(name="worker", command="exit 0"))
    ended = await jobs.run(command="sleep 0.5; exit 0", job_type="TFJob", roles=roles)
    assert told(ended.events, "chief-0") == [("running", 0, None), ("succeeded", 0, 0)]
    assert told(ended.events, "worker-0") == [("running", 0, None), ("succeeded", 0, 0)]
    assert told(ended.events, "ps-0") == [("running", 0, None), ("stopped", 0, 143)]


async def test_a_lone_replica_tells_it_as_well(jobs: LocalJobs) -> None:
    ended = await jobs.run(command="exit 3")
    assert told(ended.events, "master-0") == [("running", 0, None), ("failed", 0, 3)]


async def test_every_attempt_is_told(jobs: LocalJobs) -> None:
    ended = await jobs.run(command="[ -e tried ] && exit 0; touch tried; exit 4", job_type="ElasticBatchJob")
    assert told(ended.events, "worker-0") == [
        ("running", 0, None),
        ("failed", 0, 4),
        ("running", 1, None),
        ("succeeded", 1, 0),
    ]


async def test_a_running_replica_is_told_while_it_runs(jobs: LocalJobs) -> None:
    ref = await jobs.start(command="sleep 600")
    async for event in jobs.backend.follow(ref, {}):
        if isinstance(event, ReplicaChanged):
            assert (event.replica, event.status) == ("master-0", Status.RUNNING)
            break
    await jobs.backend.stop(ref)
    assert told((await jobs.finish(ref)).events, "master-0")[-1][0] == "stopped"


async def test_the_replicas_of_a_killed_supervisor_are_stopped_where_they_cannot_live_on(jobs: LocalJobs) -> None:
    if not has_own_processes(Isolation.BWRAP):
        lacking("bubblewrap", "bwrap cannot make a PID namespace here")
    ref = await jobs.start(command="sleep 600", instance_count=2)
    history = jobs.folder_of(ref) / "run" / "replicas"
    await until(lambda: "worker-0 running" in (history.read_text() if history.exists() else ""))
    os.kill(int(str(ref.data["pid"])), signal.SIGKILL)
    ended = await jobs.finish(ref)
    assert ended.end.status is Status.FAILED
    assert told(ended.events, "worker-0") == [("running", 0, None), ("stopped", 0, None)]


def test_what_is_told_again_is_recorded_once() -> None:
    record = JobRecord(id="j1", spec=JobSpec(name="a", command="true"), backend="process", created=1.0)
    folder = JobStore().create(record)
    changes = [
        ReplicaChanged(replica="w-0", status=Status.RUNNING, time=1.0),
        ReplicaChanged(replica="w-0", status=Status.FAILED, time=2.0, exit_code=1),
        ReplicaChanged(replica="w-0", status=Status.RUNNING, time=3.0, attempt=1),
        ReplicaChanged(replica="w-0", status=Status.SUCCEEDED, time=4.0, exit_code=0, attempt=1),
    ]
    for count in (1, 3, 3, 4):  # each follower begins at the beginning again
        writer = folder.writer("indexed")
        for change in changes[:count]:
            writer.record(change)
        writer.close()
    assert folder.events()[0] == changes


@pytest.mark.parametrize(
    "garbage",
    [
        "\n",
        "x\n",
        "w-0 running 0\n",
        "w-0 running 0 - 1 2\n",
        "w-0 dancing 0 - 1\n",
        "w-0 queued 0 - 1\n",
        "w-0 running -1 - 1\n",
        "w-0 running 0 - nan\n",
        "w-0 running 0 - 1e999\n",
        "w-0 failed 0 99999999999 1\n",
        "w-1 running 0 - 1\n",
        "训 练\n",
    ],
)
def test_a_line_of_garbage_is_passed_over(left: Path, garbage: str) -> None:
    (left / "run" / "replicas").write_text(f"{garbage}w-0 failed 2 137 7.5\n")
    assert list(ReplicaReader(left).read()) == [
        ReplicaChanged(replica="w-0", status=Status.FAILED, time=7.5, exit_code=137, attempt=2)
    ]


def test_a_pipe_in_its_place_is_not_waited_for(left: Path) -> None:
    os.mkfifo(left / "run" / "replicas")
    assert list(ReplicaReader(left).read()) == []


def test_a_line_that_is_not_finished_is_read_later(left: Path) -> None:
    reader, path = ReplicaReader(left), left / "run" / "replicas"
    assert list(reader.read()) == []
    path.write_text("w-0 running 0 - 1.5\nw-0 fai")
    assert [change.status for change in reader.read()] == [Status.RUNNING]
    path.write_text("w-0 running 0 - 1.5\nw-0 failed 0 1 2.5\n")
    assert [change.status for change in reader.read()] == [Status.FAILED]
