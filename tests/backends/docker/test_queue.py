"""Many jobs at once in containers: those that find no free slot wait in line, whoever dies meanwhile."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.backends.docker import DockerBackend, containers, queueing
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.local import parallel
from pai_jupyter.backends.local.slots.pool import is_held
from pai_jupyter.errors import NotFoundError, UnavailableError
from pai_jupyter.events import Event, PhaseChanged, ReplicaChanged, Status, StatusChanged
from pai_jupyter.jobs import attach
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, Role
from pai_jupyter.store import JobRecord, JobStore
from tests.support.docker_jobs import Jobs, end, ended_by_itself, log, log_has, only, until
from tests.support.engine import Engine
from tests.support.paths import ROOT

pytestmark = pytest.mark.docker


@pytest.fixture(autouse=True)
def one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_DOCKER_MAX_PARALLEL", "1")


@pytest.fixture
def held(spec: JobSpec, gate: Path) -> JobSpec:
    """A job that runs until the gate is opened."""
    command = "echo begun; until [ -e $PAI_INPUT_GATE/open ]; do sleep 0.05; done"
    return replace(spec, command=command, inputs={"gate": str(gate)})


def open_gate(gate: Path) -> None:
    (gate / "open").touch()


def statuses(events: list[Event]) -> list[Status]:
    return [event.status for event in events if isinstance(event, StatusChanged)]


async def waits(jobs: Jobs, ref: JobRef, words: str) -> None:
    """Wait until the job says so of its place in line."""
    async with asyncio.timeout(60):
        while words not in (await jobs.backend.status(ref)).reason:  # noqa: ASYNC110  other processes set no event
            await asyncio.sleep(0.05)


def starter_of(ref: JobRef) -> int:
    """The process that holds the starter's lock of the job."""
    lock = (JobStore().path(ref.job_id) / "run" / "starter.lock").stat()
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if words[1] == "FLOCK" and int(words[5].split(":")[2]) == lock.st_ino:
            return int(words[4])
    raise AssertionError("it has none")


async def test_a_job_waits_for_the_one_that_runs_and_then_begins(jobs: Jobs, held: JobSpec, gate: Path) -> None:
    first = await jobs.start(held)
    await log_has(first, "begun")
    second, third = await jobs.start(replace(held, max_run_time=60, instance_count=2)), await jobs.start(held)
    following = asyncio.gather(*map(jobs.events, (first, second, third)))
    await waits(jobs, second, "number 1 in line (docker.max_parallel = 1)")
    await waits(jobs, third, "number 2 in line (docker.max_parallel = 1)")
    opened = time.time()
    open_gate(gate)
    ended = await following
    assert [end(events).status for events in ended] == [Status.SUCCEEDED] * 3
    assert statuses(ended[1])[0] is Status.QUEUED
    assert [one.time > opened for one in only(ended[1], PhaseChanged)] == [
        True
    ] * 4  # of each replica: it was not preparing


async def test_a_free_slot_is_taken_by_whoever_submits_without_another_process(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(spec)
    assert end(await jobs.events(ref)).status is Status.SUCCEEDED
    run = JobStore().path(ref.job_id) / "run"
    assert not (run / "starter.lock").exists()
    assert log(await jobs.run(spec)) == "trained\n"  # and it was given back


async def test_a_job_that_waits_is_stopped_without_having_run(
    jobs: Jobs, held: JobSpec, gate: Path, engine: Engine, home: Path
) -> None:
    first, second, third = [await jobs.start(held) for _ in range(3)]
    await waits(jobs, second, "number 1")
    starter = starter_of(second)
    await jobs.backend.stop(second)
    events = await jobs.events(second)
    assert statuses(events)[-1] is Status.STOPPED
    assert Status.RUNNING not in statuses(events)
    assert log(events) == ""
    await until(lambda: not Path(f"/proc/{starter}").exists())
    open_gate(gate)
    assert [end(await jobs.events(ref)).status for ref in (first, third)] == [Status.SUCCEEDED] * 2
    assert engine.containers_of(home) == []


async def test_a_job_that_was_half_started_is_stopped_whole(jobs: Jobs, held: JobSpec, gate: Path) -> None:
    first, second = await jobs.start(held), await jobs.start(replace(held, instance_count=2))
    os.kill(starter_of(second), signal.SIGKILL)
    job = Deployment.from_ref(second)
    (job.run / "began").touch()
    containers.start(jobs.backend._client(job.engine), job, job.replicas[:1])
    await log_has(second, "begun")
    await jobs.backend.stop(second)
    events = await jobs.events(second)
    assert (end(events).status, log(events, job.replicas[1])) == (Status.STOPPED, "")
    open_gate(gate)
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


async def test_a_starter_that_is_killed_is_started_again_by_whoever_follows(
    jobs: Jobs, held: JobSpec, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a reboot: the containers are made, and no process knows of them."""
    first, second = [await jobs.start(held) for _ in range(2)]
    os.kill(starter_of(second), signal.SIGKILL)
    lock = JobStore().path(second.job_id) / "run" / "starter.lock"
    await until(lambda: not is_held(str(lock)))
    following = asyncio.create_task(jobs.events(second))
    await until(lambda: is_held(str(lock)))
    open_gate(gate)
    assert end(await following).status is Status.SUCCEEDED
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


async def test_a_job_that_was_half_started_is_started_whole(jobs: Jobs, held: JobSpec, gate: Path) -> None:
    """By a starter that was killed in between: its job has its slot, so nobody is asked again."""
    first, second = await jobs.start(held), await jobs.start(replace(held, instance_count=2))
    os.kill(starter_of(second), signal.SIGKILL)
    job = Deployment.from_ref(second)
    (job.run / "began").touch()
    following = asyncio.create_task(jobs.events(second))
    await log_has(second, "begun", "worker-0")
    open_gate(gate)
    assert end(await following).status is Status.SUCCEEDED
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


async def test_a_container_that_the_engine_refuses_to_start_fails_its_job(
    jobs: Jobs, held: JobSpec, gate: Path, image_of: Callable[[str], str]
) -> None:
    first = await jobs.start(held)
    second = await jobs.start(replace(held, image_uri=image_of("no-sh"), instance_count=2))
    open_gate(gate)
    last = end(await jobs.events(second))
    assert last.status is Status.FAILED
    assert "has no `sh`" in last.reason
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


async def test_a_container_that_the_engine_refuses_to_start_ends_those_that_run_though_nobody_follows(
    jobs: Jobs, held: JobSpec, gate: Path, image_of: Callable[[str], str], engine: Engine
) -> None:
    first = await jobs.start(held)
    roles = (
        Role(name="master", command="echo begun; sleep 600"),
        Role(name="worker", image_uri=image_of("no-sh")),
    )
    second = await jobs.start(replace(held, job_type="PyTorchJob", roles=roles))
    await waits(jobs, second, "number 1")
    open_gate(gate)
    report = await ended_by_itself(jobs.backend, second)
    assert report.status is Status.FAILED
    events = await jobs.events(second)
    assert end(events).reason.startswith("worker-0: the image has no `sh`")
    changes = [(it.replica, it.status) for it in only(events, ReplicaChanged) if isinstance(it, ReplicaChanged)]
    assert set(changes[1:]) == {("worker-0", Status.FAILED), ("master-0", Status.STOPPED)}
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


async def test_a_new_limit_counts_for_those_that_wait(
    jobs: Jobs, held: JobSpec, gate: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, second = [await jobs.start(held) for _ in range(2)]
    await waits(jobs, second, "number 1")
    monkeypatch.setenv("PAI_JUPYTER_DOCKER_MAX_PARALLEL", "2")
    parallel.restate_limits(home)
    await log_has(second, "begun")
    open_gate(gate)


async def test_the_jobs_of_another_home_are_not_waited_for(
    jobs: Jobs, held: JobSpec, gate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    first = await jobs.start(held)
    other = tmp_path / "other home"
    with monkeypatch.context() as patched:
        patched.setenv("PAI_JUPYTER_HOME", str(other))
        second = await jobs.start(held)
        await log_has(second, "begun")
        open_gate(gate)
        assert end(await jobs.events(second)).status is Status.SUCCEEDED
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


async def test_a_job_that_is_called_off_leaves_nobody_in_line(
    jobs: Jobs, held: JobSpec, gate: Path, engine: Engine, home: Path
) -> None:
    first = await jobs.start(held)
    second = await jobs.start(held)
    starter, job = starter_of(second), Deployment.from_ref(second)
    queueing.call_off(job)
    await until(lambda: not Path(f"/proc/{starter}").exists())
    assert not list((home / "slots" / "docker" / "waiting").iterdir())
    open_gate(gate)
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


KERNEL = """
import json, sys, time
from pai_jupyter.jobs import submit
from pai_jupyter.spec import JobSpec
print(submit(JobSpec.from_json(json.loads(sys.argv[1])), backend="docker").id, flush=True)
time.sleep(600)
"""


async def test_a_kernel_that_is_killed_while_its_job_waits_changes_nothing(
    jobs: Jobs, held: JobSpec, gate: Path
) -> None:
    first = await jobs.start(held)
    words = [sys.executable, "-c", KERNEL, json.dumps(held.to_json())]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as kernel:  # noqa: ASYNC220  at once
        assert kernel.stdout is not None
        job_id = (await asyncio.to_thread(kernel.stdout.readline)).strip()
        kernel.kill()
    folder = JobStore().path(job_id)
    await until(lambda: (folder / "run" / "place").exists())
    open_gate(gate)
    await log_has(JobRef(backend="docker", job_id=job_id), "begun")  # it runs though nobody follows it
    assert (await asyncio.to_thread(attach(job_id).wait, 60)).status is Status.SUCCEEDED
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


# --- given up ----------------------------------------------------------------------------------------------------


async def test_a_job_in_line_whose_submission_was_never_noted_goes_on(
    jobs: Jobs, held: JobSpec, pack: Callable[..., Package], gate: Path
) -> None:
    first = await jobs.start(held)
    JobStore().create(JobRecord(id="lost", spec=held, backend="docker", created=1.0))
    await jobs.backend.submit(held, pack(), job_id="lost")
    lost = JobRef(backend="docker", job_id="lost")
    assert (await jobs.backend.status(lost)).status is Status.QUEUED
    open_gate(gate)
    assert end(await jobs.events(lost)).status is Status.SUCCEEDED
    assert end(await jobs.events(first)).status is Status.SUCCEEDED


async def test_a_job_that_somebody_is_starting_right_now_is_not_given_up(
    docker_backend: DockerBackend, held: JobSpec
) -> None:
    JobStore().create(JobRecord(id="lost", spec=held, backend="docker", created=1.0))
    job = Deployment.plan(held, "lost", os.environ["DOCKER_HOST"])
    job.run.mkdir(parents=True)
    lost = JobRef(backend="docker", job_id="lost")
    with queueing.alone(job), pytest.raises(UnavailableError, match="is being started right now"):
        await docker_backend.status(lost)
    with pytest.raises(NotFoundError, match="was never started"):
        await docker_backend.status(lost)
