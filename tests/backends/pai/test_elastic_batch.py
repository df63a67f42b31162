"""Jobs of type ElasticBatchJob: what is left out, what is said, and what PAI is sent."""

import asyncio
from pathlib import Path

import pytest

from pai_jupyter.backends import get_backend
from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.backends.pai.submission.training_request import MONITORING
from pai_jupyter.cloud.client import dlc
from pai_jupyter.errors import JobFailed, SpecError
from pai_jupyter.jobs import Target, close_runtime, draft, submit
from pai_jupyter.spec import JobSpec, Role
from tests.support.emulators import DEADLINE, Emulator
from tests.support.pai_jobs import rehearsal, rehearsed

__all__ = ["rehearsal", "rehearsed"]  # fixtures

ROLES = (Role(name="AIMaster"), Role(name="worker", instance_count=3))
LOOP = "import pai_shards\nfor shard in pai_shards.shards(size=9, shard_size=2):\n    shard.path.write_text('x')\n    shard.commit()\n"


def elastic(**fields: object) -> JobSpec:
    given = {"name": "a", "command": "python train.py", "job_type": "ElasticBatchJob", "image_uri": "img:1", **fields}
    return JobSpec(**given)  # type: ignore[arg-type]  # fields of a spec


def notes_of(spec: JobSpec, source: str, backend: str = "process") -> tuple[str, ...]:
    with draft(spec, Target(backend=backend, reason=""), files={"train.py": source.encode()}) as ready:
        return ready.notes


@pytest.mark.parametrize("fields", [{"instance_count": 3}, {"roles": ROLES, "instance_count": 4}])
def test_that_all_workers_run_over_all_data_is_said(fields: dict[str, object]) -> None:
    (said,) = [each for each in notes_of(elastic(**fields), "x = 1") if "divide" in each]
    assert "each of the 3 workers runs the whole command over all of them" in said


@pytest.mark.parametrize(
    ("spec", "source"),
    [
        (elastic(instance_count=3), LOOP),
        (elastic(), "x = 1"),
        (elastic(instance_count=3, job_type="PyTorchJob"), "x = 1"),
    ],
)
def test_of_data_that_are_divided_nothing_is_said(spec: JobSpec, source: str) -> None:
    assert not any("divide" in each or "shards" in each for each in notes_of(spec, source))


def test_that_code_behind_the_loop_may_not_run_is_said_where_that_is_so() -> None:
    (said,) = [each for each in notes_of(elastic(instance_count=3), f"{LOOP}merge()\n") if "behind" in each]
    assert said.startswith("line 5: what stands behind the loop over the shards may not run")
    assert not any("behind" in each for each in notes_of(elastic(job_type="PyTorchJob"), f"{LOOP}merge()\n"))


def test_that_values_to_be_returned_may_be_missing_is_said() -> None:
    (said,) = [each for each in notes_of(elastic(returns=("x",)), f"{LOOP}x = 1\n") if "loop" in each]
    assert said.startswith("the values of --return may be missing: they are written behind the loop over the shards")


@pytest.mark.parametrize("backend", ["process", "docker"])
def test_that_the_aimaster_is_left_out_is_said(backend: str) -> None:
    assert any(
        "AIMaster is left out: PAI runs its own" in each for each in get_backend(backend).check(elastic(roles=ROLES))
    )
    assert not any("AIMaster" in each for each in get_backend(backend).check(elastic(instance_count=3)))


@pytest.mark.parametrize("backend", ["process", "docker", "pai"])
def test_an_aimaster_alone_is_refused(backend: str, rehearsed: PaiBackend) -> None:
    with pytest.raises(SpecError, match="ElasticBatchJob needs workers: nothing of yours runs in an AIMaster"):
        notes_of(elastic(roles=ROLES[:1], instance_type="ecs.c6.large"), LOOP, backend)


@pytest.mark.parametrize("roles", [(), ROLES])
def test_pai_is_sent_workers_alone_and_told_to_start_failed_ones_again(
    roles: tuple[Role, ...], rehearsed: PaiBackend
) -> None:
    spec = elastic(roles=roles, instance_count=3, instance_type="ecs.c6.large")
    body = rehearsed.request(spec, job_id="j1")
    assert [(each["Type"], each["PodCount"], each["Image"]) for each in body["JobSpecs"]] == [("Worker", 3, "img:1")]  # type: ignore[union-attr,index,call-overload]  # JSON
    assert body["JobType"] == "ElasticBatchJob"
    assert MONITORING.items() <= body["Settings"].items()  # type: ignore[union-attr]  # JSON
    assert MONITORING["ErrorMonitoringArgs"] == (
        "--job-execution-mode=Async --fault-tolerant-policy=OnFailure --max-num-of-same-error=20"
    )
    assert body["Envs"]["PAI_SHARDS_WORKERS"] == "3"  # type: ignore[index,call-overload]  # JSON


def test_the_users_own_settings_win(rehearsed: PaiBackend) -> None:
    spec = elastic(
        instance_count=3,
        instance_type="ecs.c6.large",
        options={"pai.settings": {"EnableErrorMonitoringInAIMaster": False}},
    )
    assert rehearsed.request(spec, job_id="j1")["Settings"]["EnableErrorMonitoringInAIMaster"] is False  # type: ignore[index,call-overload]  # JSON


def test_what_dlc_lacks_is_said_of_an_elastic_batch_job_too(rehearsed: PaiBackend) -> None:
    spec = elastic(instance_type="ecs.c6.large", options={"pai.role_arn": "acs:ram::1:role/x"})
    assert any("ElasticBatchJobs run on DLC. Leave it out." in each for each in rehearsed.check(spec))


async def test_at_the_emulator_a_worker_that_leaves_its_shards_fails_the_job(
    rehearsed: PaiBackend, tmp_path: Path
) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "train.py").write_text(LOOP.replace("size=9", "size=100") + "    break\n")
    spec = elastic(instance_count=2, instance_type="ecs.c6.large", source_dir=tmp_path / "source")
    try:
        job = await asyncio.to_thread(lambda: submit(spec, backend="pai"))
        with pytest.raises(JobFailed, match="exit code 1"):
            await asyncio.to_thread(job.wait, DEADLINE)
        log = [line.text for line in job.logs()]
    finally:
        close_runtime()
    assert "pai_jupyter: this worker has left shards that nobody else does, so it has failed" in log
    assert not any("ended with exit code" in line for line in log)


async def test_the_emulator_runs_the_workers_each_with_its_part(
    rehearsed: PaiBackend, rehearsal: Emulator, tmp_path: Path
) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "train.py").write_text(LOOP)
    spec = elastic(instance_count=2, instance_type="ecs.c6.large", source_dir=tmp_path / "source")
    try:
        job = await asyncio.to_thread(lambda: submit(spec, backend="pai").wait(DEADLINE))
        place = await asyncio.to_thread(job.fetch, "model", tmp_path)
        async with rehearsal.client() as client:
            ref = job.folder.read().ref
            assert ref is not None
            shown = await client.call(dlc.GET_JOB, path={"job_id": str(ref.data["id"])})
    finally:
        close_runtime()
    assert sorted(path.name for path in (place / "shards" / "done").iterdir()) == ["0", "1", "2", "3", "4"]
    assert (place / "shards" / "_SUCCESS").exists()
    assert MONITORING.items() <= shown["Settings"].items()  # type: ignore[union-attr]  # JSON
