"""Jobs of OpenPAI whose kernel is killed at any moment: whoever comes next finds them, and completes them once."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.backends.openpai.clusters import Secret, add_cluster, cluster_of, hold_secret
from pai_jupyter.events import Notice, Status, StatusChanged
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec
from tests.fakes.gatekeeper import Gatekeeper
from tests.support.openpai_cluster import LabCluster
from tests.support.storages import write_tree
from tests.support.victims import BACKEND, DEADLINE, heir, only_job, until, victim

LINES = [f"训练 epoch {number}" for number in range(100)]
HALF = "".join(f"{line}\n" for line in LINES[:50])
SCRIPT = """
import os, time
for number in range(100):
    while number == 50 and not os.path.exists(os.environ["PROBE_GATE"]):
        time.sleep(0.01)
    print("训练 epoch", number, flush=True)
"""
CREATE = "POST /rest-server/api/v2/jobs"


@pytest.fixture
def keeper(running_cluster: LabCluster, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gatekeeper]:
    """The way from this test's kernels to the cluster, which they know at this address alone."""
    with Gatekeeper(running_cluster.emulator.host) as keeper:
        cluster = cluster_of("lab", keeper.address, running_cluster.user)
        add_cluster(cluster)
        hold_secret(cluster, Secret(kind="password", value=running_cluster.password), is_kept=True)
        monkeypatch.setenv(BACKEND, "openpai")
        yield keeper


@pytest.fixture
def spec(tmp_path: Path) -> Iterator[JobSpec]:
    yield JobSpec(
        name="killed",
        command="python train.py",
        source_dir=write_tree(tmp_path / "source", {"train.py": SCRIPT.encode()}),
        image_uri="python:3.11",
        environments={"PROBE_GATE": str(tmp_path / "gate")},
    )
    (tmp_path / "gate").touch()  # the task of a killed kernel goes on until then


def text(spec: JobSpec) -> str:
    return json.dumps(spec.to_json())


def left_at(held: threading.Event, spec: JobSpec) -> Job:
    """The job whose submission or following had come as far as this when its kernel was killed."""
    with victim("submit", text(spec)) as kernel:
        assert held.wait(DEADLINE)
        job = only_job()
        kernel.kill()
    return job


def left_stopped(spec: JobSpec, place: str) -> Job:
    """The job whose kernel was killed when it was about to write what it knew (tests/support/victims.py)."""
    with victim("submit", text(spec), place) as kernel:
        assert kernel.stdout is not None
        while kernel.stdout.readline() != "stopped\n":
            pass
        job = only_job()
        kernel.kill()
    return job


def log(job: Job) -> str:
    path = job.folder.path / "logs" / "master-0.log"
    return path.read_text() if path.exists() else ""


def assert_complete(job: Job, keeper: Gatekeeper, gate: Path) -> None:
    """Somebody else follows the one job to its end, and all of it is recorded once."""
    gate.touch()
    heir("find", job.id, "attach")
    assert (job.status, job.state.exit_code) == (Status.SUCCEEDED, 0)
    assert log(job) == "".join(f"{line}\n" for line in LINES)
    assert [line.text for line in job.logs()] == LINES
    events = job.folder.events()[0]
    assert [event for event in events if isinstance(event, Notice)] == []
    statuses = [event.status for event in events if isinstance(event, StatusChanged)]
    assert statuses[-1] is Status.SUCCEEDED
    assert len(set(statuses)) == len(statuses)
    assert keeper.count(CREATE) == 1


def test_a_job_whose_submission_never_got_through_was_never_started(keeper: Gatekeeper, spec: JobSpec) -> None:
    job = left_at(keeper.hold(CREATE), spec)
    assert "interrupted before it had started" in heir("find", job.id, "attach")
    assert log(job) == ""


def test_a_job_whose_submission_was_never_answered_is_found(keeper: Gatekeeper, spec: JobSpec, tmp_path: Path) -> None:
    assert_complete(left_at(keeper.hold(CREATE, "answer"), spec), keeper, tmp_path / "gate")


def test_a_job_that_was_submitted_and_not_recorded_is_found(keeper: Gatekeeper, spec: JobSpec, tmp_path: Path) -> None:
    job = left_stopped(spec, "record")
    assert job.folder.read().ref is None
    assert_complete(job, keeper, tmp_path / "gate")


def test_a_job_that_runs_is_taken_over(keeper: Gatekeeper, spec: JobSpec, tmp_path: Path) -> None:
    with victim("submit", text(spec)) as kernel:
        job = only_job()
        until(lambda: log(job) == HALF)
        kernel.kill()
    assert_complete(job, keeper, tmp_path / "gate")


def test_lines_that_were_written_and_not_counted_are_there_once(
    keeper: Gatekeeper, spec: JobSpec, tmp_path: Path
) -> None:
    job = left_stopped(spec, "commit")
    assert log(job)
    assert_complete(job, keeper, tmp_path / "gate")


def test_no_secret_is_left_by_a_killed_kernel(
    keeper: Gatekeeper, spec: JobSpec, running_cluster: LabCluster, home: Path
) -> None:
    left_at(keeper.hold(CREATE, "answer"), spec)
    secrets, kept = running_cluster.password.encode(), home / "openpai" / "secrets.json"
    assert [path for path in home.rglob("*") if path.is_file() and secrets in path.read_bytes()] == [kept]
    assert [path for path in home.rglob("*") if path.is_file() and b"Bearer " in path.read_bytes()] == []
