"""What a training job of the emulator has said of its metrics: each value once, whenever it is asked for, at no growing cost."""

import statistics
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import Operation, paistudio
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.events import Metric, Status, StatusChanged
from pai_jupyter.spec import JobRef, JobSpec, Json, MetricDefinition
from pai_jupyter.store import JobFolder, JobRecord, JobStore
from tests.support.tables import ask, make_world

BEGAN = 1_700_000_000.0
MANY, FEW, CALLS = 20_000, 20, 15
SPEC = JobSpec(
    name="a",
    command="true",
    metric_definitions=tuple(MetricDefinition(name=name, regex=f"{name}=(.*)") for name in ("loss", "acc")),
)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EmulatorContext:
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(tmp_path / "home"))
    return make_world(tmp_path / "data")


def job(world: EmulatorContext, job_id: str) -> JobFolder:
    """A training job that runs, as its record and its folder tell."""
    fields: dict[str, Json] = {
        "Status": "Running",
        "StatusTransitions": [],
        "Body": {},
        "Algorithm": {},
        "TrainingJobName": "a",
    }
    world.records("trainingjobs").put(job_id, {"TrainingJobId": job_id, **fields})
    folder = JobStore().create(JobRecord(id=job_id, spec=SPEC, backend="process", created=BEGAN))
    folder.start(JobRef(backend="process", job_id=job_id), folder.read().state)
    say(folder, StatusChanged(status=Status.RUNNING, time=BEGAN))
    return folder


def say(folder: JobFolder, *events: Metric | StatusChanged) -> None:
    with closing(folder.writer("service")) as writer:
        for event in events:
            writer.record(event)


def metric(number: int, name: str = "loss") -> Metric:
    return Metric(name=name, value=float(number), time=BEGAN + number, replica="master-0")


async def asked(
    world: EmulatorContext, job_id: str, operation: Operation, **query: str
) -> dict[str, Any]:  # Any: JSON values
    return await ask(world, operation, path={"training_job_id": job_id}, query=query)


async def values(world: EmulatorContext, job_id: str, **query: str) -> tuple[list[float], int]:
    answer = await asked(world, job_id, paistudio.LIST_TRAINING_JOB_METRICS, **query)
    return [each["Value"] for each in answer["Metrics"]], answer["TotalCount"]


async def test_values_come_in_order_and_new_ones_are_seen(world: EmulatorContext) -> None:
    folder = job(world, "train1")
    say(folder, metric(1), metric(2, "acc"), metric(3), metric(4, "of nobody"), metric(5))
    assert await values(world, "train1") == ([1, 2, 3, 5], 4)
    say(folder, metric(6))
    assert await values(world, "train1", Order="DESC", PageSize="2") == ([6, 5], 5)
    assert await values(world, "train1", Name="loss", PageSize="2", PageNumber="2") == ([5, 6], 4)
    assert await values(world, "train1", Name="no such") == ([], 0)
    assert await values(world, "train1", StartTime="2023-11-14T22:13:23Z") == ([3, 5, 6], 3)
    assert await values(world, "train1", EndTime="2023-11-14T22:13:22Z") == ([1, 2], 2)
    latest = (await asked(world, "train1", paistudio.GET_TRAINING_JOB))["LatestMetrics"]
    assert [(each["Name"], each["Value"]) for each in latest] == [("loss", 6), ("acc", 2)]


@pytest.mark.parametrize(
    ("operation", "query"),
    [
        (paistudio.GET_TRAINING_JOB, {}),
        (paistudio.LIST_TRAINING_JOB_METRICS, {}),
        (paistudio.LIST_TRAINING_JOB_METRICS, {"Name": "loss", "Order": "DESC"}),
    ],
)
async def test_a_job_of_many_values_is_told_as_quickly_as_one_of_few(
    world: EmulatorContext, operation: Operation, query: dict[str, str]
) -> None:
    async def seconds(job_id: str, count: int) -> float:
        say(job(world, job_id), *map(metric, range(count)))
        await asked(world, job_id, operation, **query)  # reads what has been said until now
        taken = []
        for _ in range(CALLS):
            began = time.process_time()
            await asked(world, job_id, operation, **query)
            taken.append(time.process_time() - began)
        return statistics.median(taken)

    assert await seconds("many", MANY) < 20 * await seconds("few", FEW)
