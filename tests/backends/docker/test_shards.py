"""Containers that share shards: claims hold across them, and a shard of one that hangs is done by another."""

import signal

import pytest

from pai_jupyter.events import ReplicaChanged, Status
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from tests.shards.test_pai_shards import MODULE
from tests.support.docker_jobs import Jobs, end, ended_by_itself, log, log_has, only
from tests.support.engine import Engine

pytestmark = pytest.mark.docker

SCRIPT = """
import json, os, time
import pai_shards
index = json.loads(os.environ["ELASTICBATCH_CONFIG"])["task"]["index"]
for shard in pai_shards.shards(size=2_000, shard_size=20):
    place = shard.path.parents[1]
    (place / f"began-{index}").touch()
    while not all((place / f"began-{each}").exists() for each in range(3)):
        time.sleep(0.01)
    while index == 0 and not (place / "_SUCCESS").exists():  # it hangs until all is done
        time.sleep(0.01)
    with open(shard.path, "w") as file:
        for row in range(shard.start, shard.stop):
            time.sleep(0.0005 if index == 1 else 0.0075)
            file.write(f"{row}\\n")
    print("won" if shard.commit() else "lost", shard.number, flush=True)
"""


async def test_every_row_comes_once_though_one_container_is_slow_and_one_hangs(jobs: Jobs, test_image: str) -> None:
    spec = JobSpec(
        name="shards",
        command="python train.py",
        image_uri=test_image,
        job_type="ElasticBatchJob",
        instance_count=3,
    )
    events = await jobs.run(spec, {"train.py": SCRIPT, "pai_shards.py": MODULE.read_text()})
    assert end(events).status is Status.SUCCEEDED
    done = JobStore().path("job-1") / "output" / "model" / "shards" / "done"
    assert sorted(int(row) for path in done.iterdir() for row in path.read_text().split()) == list(range(2_000))
    said = [line for index in range(3) for line in log(events, f"worker-{index}").splitlines()]
    assert sorted(int(line.split()[1]) for line in said if line.startswith("won")) == list(range(100))
    assert log(events, "worker-0").startswith("lost")
    assert "won" in log(events, "worker-1")
    assert "won" in log(events, "worker-2")


# Worker 0 hangs in its first shard, worker 1 is killed in it, worker 2 is 15 times slower than worker 3.
FOUR = """
import json, os, signal, time
import pai_shards
index = json.loads(os.environ["ELASTICBATCH_CONFIG"])["task"]["index"]
for shard in pai_shards.shards(size=2_000, shard_size=20):
    place = shard.path.parents[1]
    is_first = not (place / f"began-{index}").exists()
    (place / f"began-{index}").touch()
    while not all((place / f"began-{each}").exists() for each in range(4)):
        time.sleep(0.01)
    if index < 2 and is_first:
        os.kill(os.getpid(), signal.SIGKILL if index else signal.SIGSTOP)
    with open(shard.path, "w") as file:
        for row in range(shard.start, shard.stop):
            time.sleep(0.015 if index == 2 else 0.001)
            file.write(f"{row}\\n")
    print("won" if shard.commit() else "lost", shard.number, flush=True)
"""


async def test_every_row_comes_once_with_a_slow_a_killed_and_a_hung_container_and_nobody_following(
    jobs: Jobs, test_image: str, engine: Engine
) -> None:
    spec = JobSpec(
        name="shards",
        command="python train.py",
        image_uri=test_image,
        job_type="ElasticBatchJob",
        instance_count=4,
    )
    ref = await jobs.start(spec, {"train.py": FOUR, "pai_shards.py": MODULE.read_text()})
    assert (await ended_by_itself(jobs.backend, ref)).status is Status.SUCCEEDED
    done = JobStore().path(ref.job_id) / "output" / "model" / "shards" / "done"
    assert sorted(int(row) for path in done.iterdir() for row in path.read_text().split()) == list(range(2_000))
    events = await jobs.events(ref)
    assert (end(events).status, end(events).reason) == (Status.SUCCEEDED, "")
    changes = [event for event in only(events, ReplicaChanged) if isinstance(event, ReplicaChanged)]
    of = [[(it.status, it.attempt) for it in changes if it.replica == f"worker-{index}"] for index in range(4)]
    assert of[0] == [(Status.RUNNING, 0), (Status.STOPPED, 0)]
    assert of[1][:3] == [(Status.RUNNING, 0), (Status.FAILED, 0), (Status.RUNNING, 1)]
    assert log(events, "worker-0") == ""
    assert "started again, 1 of 3 times" in log(events, "worker-1")
    assert log(events, "worker-2").count("won") * 3 < log(events, "worker-3").count("won")


async def test_a_container_whose_first_process_hangs_is_ended_by_whoever_follows(
    jobs: Jobs, test_image: str, engine: Engine
) -> None:
    """Its script does nothing any more, and no other container can reach it."""
    spec = JobSpec(
        name="shards",
        command="case $ELASTICBATCH_CONFIG in *'\"index\":0'*) echo begun; sleep 600 ;; esac; until [ -e go ]; do sleep 0.1; done; "
        "touch $PAI_SHARDS_DONE",
        image_uri=test_image,
        job_type="ElasticBatchJob",
        instance_count=2,
    )
    ref = await jobs.start(spec)
    await log_has(ref, "begun", "worker-0")
    with engine.client() as client:
        client.kill(f"{ref.data['name']}-worker-0", signal.SIGSTOP)
    (JobStore().path(ref.job_id) / "ml" / "usercode" / "go").touch()
    events = await jobs.events(ref)
    assert (end(events).status, end(events).exit_code) == (Status.SUCCEEDED, 0)
