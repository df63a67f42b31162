"""Lists of the emulator: what a page costs, and what stands in it, however many records there are."""

import statistics
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import Operation, aiworkspace, dlc, paistudio
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.state.rows import Rows
from pai_jupyter.spec import Json
from tests.support.emulators import WORKSPACE
from tests.support.tables import ask, make_world

MANY, FEW = 2_000, 20
CALLS = 15
RECORDS: dict[str, tuple[Operation, dict[str, Json]]] = {
    "trainingjobs": (
        paistudio.LIST_TRAINING_JOBS,
        {"TrainingJobName": "a job", "IsTempAlgo": True, "StatusTransitions": [], "Body": {}},
    ),
    "dlcjobs": (dlc.LIST_JOBS, {"DisplayName": "a job", "JobType": "TFJob", "StatusHistory": [], "Body": {}}),
    "tensorboards": (dlc.LIST_TENSORBOARDS, {"DisplayName": "a board"}),
    "datasets": (aiworkspace.LIST_DATASETS, {"Name": "data", "DataSourceType": "OSS"}),
    "experiments": (aiworkspace.LIST_EXPERIMENTS, {"Name": "an experiment"}),
    "algorithms": (paistudio.LIST_ALGORITHMS, {"AlgorithmName": "an algorithm"}),
}
IDS = {
    "trainingjobs": "TrainingJobId",
    "dlcjobs": "JobId",
    "tensorboards": "TensorboardId",
    "experiments": "ExperimentId",
}


def fill(world: EmulatorContext, kind: str, count: int, **more: Json) -> None:
    """Make records, one a second, the last of them now."""
    now = datetime.now(UTC)
    for number in range(count):
        made = (now - timedelta(seconds=count - number)).strftime("%Y-%m-%dT%H:%M:%SZ")
        fields: dict[str, Json] = {
            "WorkspaceId": WORKSPACE, "Status": "Stopped", "GmtCreateTime": made, IDS.get(kind, "Id"): f"id{number:05}",
        }  # fmt: skip
        world.records(kind).put(f"id{number:05}", {**fields, **RECORDS[kind][1], **more})


async def seconds_of(world: EmulatorContext, operation: Operation, query: Mapping[str, str]) -> float:
    """The median of what a call costs this process: what others do meanwhile is not measured."""
    taken = []
    for _ in range(CALLS):
        began = time.process_time()
        await ask(world, operation, query=query)
        taken.append(time.process_time() - began)
    return statistics.median(taken)


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("trainingjobs", {}),
        ("trainingjobs", {"SortBy": "GmtCreateTime", "Order": "DESC", "WorkspaceId": WORKSPACE}),
        ("trainingjobs", {"Status": "Running"}),
        ("dlcjobs", {}),
        ("dlcjobs", {"JobType": "PyTorchJob"}),
        ("tensorboards", {"Status": "Running"}),
        ("datasets", {}),
        ("experiments", {"Verbose": "true"}),
        ("algorithms", {}),
    ],
)
async def test_a_page_costs_as_much_of_many_records_as_of_few(tmp_path: Path, kind: str, query: dict[str, str]) -> None:
    few, many = make_world(tmp_path / "few"), make_world(tmp_path / "many")
    fill(few, kind, FEW)
    fill(many, kind, MANY)
    operation = RECORDS[kind][0]
    assert await seconds_of(many, operation, query) < 20 * await seconds_of(few, operation, query)


async def test_a_new_record_costs_as_much_beside_many_as_beside_few(tmp_path: Path) -> None:
    async def seconds(count: int) -> float:
        world = make_world(tmp_path / str(count))
        fill(world, "datasets", count)
        body: dict[str, Json] = {"Uri": "oss://emulator/x/", "DataSourceType": "OSS", "Property": "DIRECTORY"}
        taken = []
        for number in range(CALLS):
            began = time.process_time()
            await ask(world, aiworkspace.CREATE_DATASET, body={**body, "Name": f"n{number}"})
            taken.append(time.process_time() - began)
        return statistics.median(taken)

    assert await seconds(MANY) < 5 * await seconds(FEW)


async def jobs(world: EmulatorContext, **query: str) -> tuple[list[str], int]:
    answer: Any = await ask(world, paistudio.LIST_TRAINING_JOBS, query=query)
    return [job["TrainingJobId"] for job in answer["TrainingJobs"]], answer["TotalCount"]


async def test_pages_begin_with_the_newest_and_say_how_many_there_are(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    fill(world, "trainingjobs", 25)
    assert await jobs(world, PageSize="3", PageNumber="2") == (["id00021", "id00020", "id00019"], 25)
    assert await jobs(world, PageSize="2", Order="ASC", SortBy="gmtcreatetime") == (["id00000", "id00001"], 25)
    assert await jobs(world, PageSize="2", Order="ASC", SortBy="TrainingJobId") == (["id00000", "id00001"], 25)
    assert await jobs(world, PageNumber="3", PageSize="20") == ([], 25)


async def test_what_has_changed_is_found_by_its_new_value_alone(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    fill(world, "trainingjobs", 5)
    assert (await jobs(world, Status="Running"))[1] == 0
    for job_id in ("id00003", "id00001"):
        world.records("trainingjobs").change(job_id, Status="Running")
    world.records("trainingjobs").remove("id00002")
    assert await jobs(world, Status="Running") == (["id00003", "id00001"], 2)
    assert await jobs(world) == (["id00004", "id00003", "id00001", "id00000"], 4)
    again = make_world(tmp_path)
    assert await jobs(again, Status="Running") == (["id00003", "id00001"], 2)
    assert await jobs(again) == (["id00004", "id00003", "id00001", "id00000"], 4)


async def test_jobs_are_chosen_by_the_time_at_which_they_were_made(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    fill(world, "trainingjobs", 10)
    times = [str(record["GmtCreateTime"]) for record in world.records("trainingjobs").rows()]
    assert await jobs(world, StartTime=times[3], EndTime=times[5]) == (["id00005", "id00004", "id00003"], 3)
    fill(make_world(tmp_path / "old"), "trainingjobs", 1, GmtCreateTime="2020-01-01T00:00:00Z")
    assert await jobs(make_world(tmp_path / "old")) == ([], 0)


async def test_jobs_that_have_not_ended_are_sorted_by_their_end_too(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    fill(world, "dlcjobs", 3)
    world.records("dlcjobs").change("id00001", GmtFinishTime="2026-01-01T00:00:00Z")
    answer: Any = await ask(world, dlc.LIST_JOBS, query={"SortBy": "GmtFinishTime", "Order": "DESC"})
    assert [job["JobId"] for job in answer["Jobs"]] == ["id00001", "id00002", "id00000"]


def test_what_is_taken_of_records_is_a_copy() -> None:
    known: dict[str, dict[str, Json]] = {"a": {"Name": "x"}}
    rows = Rows(known, ["a"])
    rows[0]["Name"] = rows[:1][0]["Name"] = "y"
    assert (known, len(rows), [*rows]) == ({"a": {"Name": "x"}}, 1, [{"Name": "x"}])
