"""Replicas of a job that nobody follows: its kernel was killed. The cause is named, and no container of the job runs on."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from pai_jupyter.backends.docker.deployment import JOB_LABEL, Deployment
from pai_jupyter.events import Event, JobState, ReplicaChanged, Status
from pai_jupyter.package import Package
from pai_jupyter.spec import JobRef, JobSpec, JobType, Role
from tests.support.docker_jobs import Jobs, end, log, log_has, until
from tests.support.engine import Engine

pytestmark = pytest.mark.docker

AT_ONCE = 9.0  # seconds; 5 on a quiet machine, and fewer than the 10 after which a process that defies TERM is killed
KILLED = "exit code 137: killed (SIGKILL): by `docker kill`, by the engine, or because the machine had no memory left"
KERNEL = """
import asyncio, json, pathlib, sys, time
from pai_jupyter.backends.docker import DockerBackend
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec

package = Package(path=pathlib.Path(sys.argv[1]), digest="", files=())
asyncio.run(DockerBackend().submit(JobSpec.from_json(json.loads(sys.argv[3])), package, job_id=sys.argv[2]))
print("submitted", flush=True)
time.sleep(600)
"""
WAITING = "echo begun $RANK; while sleep 0.1; do :; done"


async def without_a_kernel(pack: Callable[..., Package], spec: JobSpec) -> JobRef:
    """Start a job from a process that is killed as soon as the job is submitted."""
    words = [str(pack(None).path), "job-k", json.dumps(spec.to_json())]
    kernel = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", KERNEL, *words), stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert kernel.stdout is not None
    assert await kernel.stdout.readline() == b"submitted\n"
    os.killpg(kernel.pid, signal.SIGKILL)
    await kernel.wait()
    return Deployment.plan(spec, "job-k", os.environ["DOCKER_HOST"]).ref


def running(engine: Engine, ref: JobRef) -> list[str]:
    """What `docker ps` shows of the job."""
    with engine.client() as client:
        found = client.containers(filters={"label": f"{JOB_LABEL}={ref.job_id}"})
        return [item["Names"][0].rpartition(f"{ref.data['name']}-")[2] for item in found]


async def is_gone(engine: Engine, ref: JobRef) -> None:
    try:
        async with asyncio.timeout(AT_ONCE):
            await until(lambda: not running(engine, ref))
    except TimeoutError:
        raise AssertionError(running(engine, ref)) from None


def kill(engine: Engine, ref: JobRef, replica: str, number: signal.Signals = signal.SIGKILL) -> None:
    with engine.client() as client:
        client.kill(f"{ref.data['name']}-{replica}", number)


def told(events: list[Event], replica: str) -> list[tuple[str, int, int | None]]:
    changes = [event for event in events if isinstance(event, ReplicaChanged) and event.replica == replica]
    assert [change.time for change in changes] == sorted(change.time for change in changes)
    return [(change.status, change.attempt, change.exit_code) for change in changes]


def told_all(events: list[Event]) -> dict[str, Status]:
    state = JobState()
    for event in events:
        state = state.apply(event)
    return {name: change.status for name, change in state.replicas.items()}


@pytest.fixture
def three(spec: JobSpec) -> JobSpec:
    return replace(spec, command=WAITING, instance_count=3)


@pytest.mark.parametrize(("rank", "name"), [(0, "master-0"), (2, "worker-1")])
@pytest.mark.parametrize("kind", ["PyTorchJob", "XGBoostJob"])
@pytest.mark.parametrize("how", ["container", "command"])
async def test_a_killed_replica_ends_the_job_and_is_its_cause(
    jobs: Jobs,
    three: JobSpec,
    pack: Callable[..., Package],
    engine: Engine,
    kind: JobType,
    rank: int,
    name: str,
    how: str,
) -> None:
    dies = f'until [ -e go ]; do sleep 0.1; done; [ "$RANK" != {rank} ] || kill -KILL $$; {WAITING}'
    spec = replace(three, job_type=kind, command=f"echo begun $RANK; {dies}" if how == "command" else WAITING)
    ref = await without_a_kernel(pack, spec)
    names = ["master-0", "worker-0", "worker-1"]
    for number, each in enumerate(names):
        await log_has(ref, f"begun {number}", each)
    if how == "container":
        kill(engine, ref, name)
    else:
        (Deployment.from_ref(ref).folder / "ml" / "usercode" / "go").touch()
    await is_gone(engine, ref)
    events = await jobs.events(ref)
    assert (end(events).status, end(events).reason) == (Status.FAILED, f"{name}: {KILLED}")
    assert told(events, name) == [("running", 0, None), ("failed", 0, 137)]
    for other in set(names) - {name}:
        assert told(events, other) == [("running", 0, None), ("stopped", 0, 143)]
    again = await jobs.events(ref)  # whoever follows behind the end is told the same
    assert [told(again, each) for each in names] == [told(events, each) for each in names]


@pytest.mark.parametrize("variant", ["user", "bash"])
async def test_a_killed_container_ends_the_others_whoever_runs_in_them(
    jobs: Jobs,
    three: JobSpec,
    pack: Callable[..., Package],
    engine: Engine,
    image_of: Callable[[str], str],
    variant: str,
) -> None:
    ref = await without_a_kernel(pack, replace(three, image_uri=image_of(variant)))
    for number, each in enumerate(("master-0", "worker-0", "worker-1")):
        await log_has(ref, f"begun {number}", each)
    kill(engine, ref, "worker-0")
    await is_gone(engine, ref)
    assert end(await jobs.events(ref)).reason == f"worker-0: {KILLED}"


async def test_a_replica_that_cannot_start_ends_the_job_and_is_its_cause(
    jobs: Jobs, spec: JobSpec, pack: Callable[..., Package], engine: Engine
) -> None:
    roles = (Role(name="master", command=WAITING), Role(name="worker", command="no-such-program"))
    ref = await without_a_kernel(pack, replace(spec, job_type="PyTorchJob", roles=roles))
    await is_gone(engine, ref)
    events = await jobs.events(ref)
    assert end(events).reason.startswith("worker-0: exit code 127")
    assert "no-such-program" in log(events, "worker-0")
    assert told_all(events) == {"master-0": Status.STOPPED, "worker-0": Status.FAILED}


async def test_a_stop_ends_every_replica(
    jobs: Jobs, three: JobSpec, pack: Callable[..., Package], engine: Engine
) -> None:
    ref = await without_a_kernel(pack, three)
    await log_has(ref, "begun 2", "worker-1")
    await jobs.backend.stop(ref)
    await is_gone(engine, ref)
    events = await jobs.events(ref)
    assert (end(events).status, end(events).reason) == (Status.STOPPED, "")
    assert set(told_all(events).values()) == {Status.STOPPED}


async def test_one_that_somebody_stops_is_the_cause(
    jobs: Jobs, three: JobSpec, pack: Callable[..., Package], engine: Engine
) -> None:
    ref = await without_a_kernel(pack, three)
    for number, each in enumerate(("master-0", "worker-0", "worker-1")):
        await log_has(ref, f"begun {number}", each)
    kill(engine, ref, "worker-0", signal.SIGTERM)
    await is_gone(engine, ref)
    events = await jobs.events(ref)
    assert end(events).reason.startswith("worker-0: exit code 143: terminated (SIGTERM) from outside")
    assert told_all(events) == {
        "master-0": Status.STOPPED,
        "worker-0": Status.FAILED,
        "worker-1": Status.STOPPED,
    }


async def test_a_parameter_server_ends_with_its_chief_though_nobody_follows(
    jobs: Jobs, spec: JobSpec, pack: Callable[..., Package], engine: Engine
) -> None:
    roles = (Role(name="chief", command="sleep 1"), Role(name="ps", command=WAITING))
    ref = await without_a_kernel(pack, replace(spec, job_type="TFJob", roles=roles))
    await is_gone(engine, ref)
    events = await jobs.events(ref)
    assert end(events).status is Status.SUCCEEDED
    assert told_all(events) == {"chief-0": Status.SUCCEEDED, "ps-0": Status.STOPPED}


async def test_workers_of_xgboost_run_to_their_end_and_their_failure_changes_nothing(jobs: Jobs, spec: JobSpec) -> None:
    command = "case $RANK in 0) echo master ;; 1) sleep 3; echo late ;; *) sleep 2; exit 7 ;; esac"
    events = await jobs.run(replace(spec, command=command, job_type="XGBoostJob", instance_count=3))
    assert (end(events).status, end(events).exit_code) == (Status.SUCCEEDED, 0)
    assert log(events, "worker-0") == "late\n"
    assert told(events, "worker-1") == [("running", 0, None), ("failed", 0, 7)]
    assert told(events, "worker-0") == [("running", 0, None), ("succeeded", 0, 0)]


async def test_a_job_whose_kernel_was_killed_runs_to_its_end_and_is_followed_again(
    jobs: Jobs, three: JobSpec, pack: Callable[..., Package], engine: Engine
) -> None:
    command = "echo rank $RANK; while [ ! -e go ]; do sleep 0.05; done; echo done"
    ref = await without_a_kernel(pack, replace(three, command=command))
    following = asyncio.create_task(jobs.events(ref))
    await log_has(ref, "rank 2", "worker-1")
    (Deployment.from_ref(ref).folder / "ml" / "usercode" / "go").touch()
    events = await following
    assert end(events).status is Status.SUCCEEDED
    names = ("master-0", "worker-0", "worker-1")
    assert [log(events, name) for name in names] == [f"rank {number}\ndone\n" for number in range(3)]
    assert [told(events, name) for name in names] == [[("running", 0, None), ("succeeded", 0, 0)]] * 3
    assert running(engine, ref) == []


async def test_every_attempt_of_an_elastic_worker_is_told_once(jobs: Jobs, spec: JobSpec) -> None:
    command = "[ -e tried ] && exit 0; touch tried; exit 4"
    ref = await jobs.start(replace(spec, command=command, job_type="ElasticBatchJob"))
    expected = [("running", 0, None), ("failed", 0, 4), ("running", 1, None), ("succeeded", 1, 0)]
    for _ in range(2):  # whoever follows behind the end is told the same
        events = await jobs.events(ref)
        assert told(events, "worker-0") == expected
        assert "started again, 1 of 3 times" in log(events, "worker-0")
    assert end(events).status is Status.SUCCEEDED


async def test_a_lone_replica_tells_how_it_ended_as_well(jobs: Jobs, spec: JobSpec) -> None:
    events = await jobs.run(replace(spec, command="exit 3"))
    assert told(events, "master-0") == [("running", 0, None), ("failed", 0, 3)]


async def test_the_deployment_of_an_older_version_still_ends(jobs: Jobs, spec: JobSpec) -> None:
    """Its `JobRef` says nothing of how long replicas last: none does."""
    roles = (Role(name="chief"), Role(name="worker", command=WAITING))
    ref = await jobs.start(replace(spec, job_type="TFJob", roles=roles))
    old = {name: value for name, value in ref.data.items() if name not in ("lasts", "restarts", "has_shards")}
    events = await jobs.events(replace(ref, data=old))
    assert end(events).status is Status.SUCCEEDED
    assert told_all(events) == {"chief-0": Status.SUCCEEDED, "worker-0": Status.STOPPED}


async def test_what_the_scripts_shared_is_removed_at_the_end(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(replace(spec, instance_count=2))
    run = Deployment.from_ref(ref).run
    assert (run / "alive").is_dir()
    await jobs.events(ref)
    assert not (run / "alive").exists()
    assert (run / "replicas").is_file()  # whoever follows later reads it
