"""An ElasticBatchJob whose workers share shards: it ends when all are done, whatever its workers do then."""

import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pai_jupyter.backends.process import isolation
from pai_jupyter.backends.process.supervisor.shards import LEFT
from pai_jupyter.events import ReplicaChanged, Status
from tests.shards.test_pai_shards import MODULE
from tests.support.local_jobs import Ended, LocalJobs

# Worker 0 has trouble in its first shard, worker 1 is slow, the others begin when worker 0 has it.
SCRIPT = """
import json, os, signal, time
import pai_shards
index = json.loads(os.environ["ELASTICBATCH_CONFIG"])["task"]["index"]
for shard in pai_shards.shards(size=2_000, shard_size=20):
    troubled = shard.path.parents[1] / "troubled"
    if index == 0 and not troubled.exists():
        troubled.touch()
        {trouble}
    while not troubled.exists():
        time.sleep(0.01)
    with open(shard.path, "w") as file:
        for row in range(shard.start, shard.stop):
            time.sleep(0.0075 if index == 1 else 0.0005)
            file.write(f"{{row}}\\n")
    shard.commit()
print("end", flush=True)
"""


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    jobs.backend.grace = 2.0
    yield jobs
    await jobs.end()


async def run(jobs: LocalJobs, trouble: str) -> Ended:
    return await jobs.run(
        SCRIPT.format(trouble=trouble),
        files={"pai_shards.py": MODULE.read_bytes()},
        job_type="ElasticBatchJob",
        instance_count=3,
    )


def assert_done(ended: Ended) -> None:
    assert (ended.end.status, ended.end.reason) == (Status.SUCCEEDED, "")
    done = ended.folder / "output" / "model" / "shards" / "done"
    assert sorted(int(row) for path in done.iterdir() for row in path.read_text().split()) == list(range(2_000))


@pytest.mark.parametrize("way", ["bwrap", "plain"])
async def test_a_worker_that_hangs_does_not_hold_the_job_up(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if isolation._refusal(isolation.Isolation(way)):
        pytest.skip(f"{way} does not work here")
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    ended = await run(jobs, "os.kill(os.getpid(), signal.SIGSTOP)")
    assert_done(ended)
    assert "end" not in ended.log("worker-0")


@pytest.mark.parametrize(
    "trouble", ["time.sleep(600)", "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"]
)
async def test_a_worker_that_does_not_come_back_is_ended_when_all_is_done(jobs: LocalJobs, trouble: str) -> None:
    assert_done(await run(jobs, trouble))


async def test_a_worker_that_is_killed_is_started_again_and_every_row_comes_once(jobs: LocalJobs) -> None:
    ended = await run(jobs, "os.kill(os.getpid(), signal.SIGKILL)")
    assert_done(ended)
    changes = [it for it in ended.events if isinstance(it, ReplicaChanged) and it.replica == "worker-0"]
    assert (changes[1].status, changes[1].exit_code, changes[-1].attempt) == (Status.FAILED, 137, 1)


async def test_workers_that_find_all_done_end_by_themselves(jobs: LocalJobs) -> None:
    ended = await run(jobs, "pass")
    assert_done(ended)
    assert all(ended.log(f"worker-{index}").endswith("end\n") for index in range(3))


LEAVING = """
import json, os, time
import pai_shards
index = json.loads(os.environ["ELASTICBATCH_CONFIG"])["task"]["index"]
for shard in pai_shards.shards(100, 10):
    shard.path.write_text("x")
    shard.commit()
    if index in {leaving}:
        break
"""


async def divide(jobs: LocalJobs, script: str) -> Ended:
    return await jobs.run(
        script, files={"pai_shards.py": MODULE.read_bytes()}, job_type="ElasticBatchJob", instance_count=2
    )


async def test_a_job_whose_workers_all_leave_shards_has_failed(jobs: LocalJobs) -> None:
    ended = await divide(jobs, LEAVING.format(leaving=(0, 1)))
    assert (ended.end.status, ended.end.reason) == (Status.FAILED, LEFT)
    said = "of 10 shards are not done at the end of this worker's loop"
    assert all(said in ended.log(f"worker-{index}") for index in (0, 1))


async def test_a_job_whose_shards_are_done_though_one_worker_has_left_has_succeeded(jobs: LocalJobs) -> None:
    ended = await divide(jobs, LEAVING.format(leaving=(0,)))
    assert (ended.end.status, ended.end.reason) == (Status.SUCCEEDED, "")


async def test_workers_that_disagree_about_the_sizes_fail_the_job_at_once(jobs: LocalJobs) -> None:
    script = """
        import json, os, pathlib, time
        import pai_shards
        index = json.loads(os.environ["ELASTICBATCH_CONFIG"])["task"]["index"]
        plan = pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "shards", "_PLAN.json")
        while index and not plan.exists():
            time.sleep(0.01)
        for shard in pai_shards.shards(30 if index else 20, 10):
            while not os.path.exists(os.environ["PAI_SHARDS_DONE"] + ".refused"):
                time.sleep(0.01)
            shard.commit()
    """
    ended = await divide(jobs, textwrap.dedent(script))
    assert ended.end.status is Status.FAILED
    assert ended.end.reason.startswith("pai_shards: '")
    assert "has the shards of {'size': 20, 'shard_size': 10}: give these sizes" in ended.end.reason
    assert "ValueError" in ended.log("worker-1")
    assert "started again" not in ended.log("worker-1")


async def test_sizes_that_are_none_are_not_tried_again(jobs: LocalJobs) -> None:
    ended = await divide(jobs, "import pai_shards\nfor shard in pai_shards.shards('10', 5):\n    shard.commit()\n")
    assert (ended.end.status, ended.end.reason.partition(":")[0]) == (Status.FAILED, "pai_shards")
    assert "size='10', shard_size=5: they must be whole numbers" in ended.end.reason
    assert not any("started again" in ended.log(f"worker-{index}") for index in (0, 1))


async def test_a_worker_that_fails_when_all_is_done_changes_nothing(jobs: LocalJobs) -> None:
    script = SCRIPT.format(trouble="pass") + "raise SystemExit(3)\n"
    ended = await jobs.run(
        script, files={"pai_shards.py": MODULE.read_bytes()}, job_type="ElasticBatchJob", instance_count=2
    )
    assert_done(ended)
