"""AIWorkSpace in the emulator: images, the workspace and its settings, datasets, experiments with runs and metrics."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import Operation, aiworkspace
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.spec import Json
from tests.support.tables import ask, make_world

SERVICE = aiworkspace.SERVICE
ADD_IMAGE = SERVICE.operation("AddImage", "POST /images")
GET_IMAGE = SERVICE.operation("GetImage", "GET /images/{image_id}")
ADD_LABELS = SERVICE.operation("AddImageLabels", "POST /images/{image_id}/labels")
REMOVE_IMAGE = SERVICE.operation("RemoveImage", "DELETE /images/{image_id}")
LIST_FEATURES = SERVICE.operation("ListFeatures", "GET /features")
LIST_LABELS = SERVICE.operation("ListImageLabels", "GET /image/labels")
UPDATE_CONFIGS = SERVICE.operation("UpdateConfigs", "PUT /workspaces/{workspace_id}/configs")
DELETE_EXPERIMENT = SERVICE.operation("DeleteExperiment", "DELETE /experiments/{experiment_id}")
GET_RUN = SERVICE.operation("GetRun", "GET /runs/{run_id}")
LIST_RUNS = SERVICE.operation("ListRuns", "GET /runs")
UPDATE_RUN = SERVICE.operation("UpdateRun", "PUT /runs/{run_id}")
OFFICIAL_GPU = "system.official=true,system.supported.dlc=true,system.chipType=GPU"
DATASET: dict[str, Json] = {
    "Name": "鸢尾花",
    "Uri": "oss://emulator/iris/",
    "DataSourceType": "OSS",
    "Property": "DIRECTORY",
}


@pytest.fixture
def world(tmp_path: Path) -> EmulatorContext:
    return make_world(tmp_path)


async def items(
    world: EmulatorContext, operation: Operation, **query: str
) -> list[dict[str, Any]]:  # Any: fields of the service
    assert operation.paging is not None
    answer: Any = await ask(world, operation, query=query)
    found: list[dict[str, Any]] = answer[operation.paging.items]
    return found


async def refused(
    world: EmulatorContext, operation: Operation, **parts: Mapping[str, Any]
) -> str:  # Any: values of any type
    with pytest.raises(ApiRefusal) as refusal:
        await ask(world, operation, **parts)
    return refusal.value.code


async def test_official_images_are_found_by_label_and_part_of_their_name(world: EmulatorContext) -> None:
    found = await items(world, aiworkspace.LIST_IMAGES, Name="pytorch", Labels=OFFICIAL_GPU, PageSize="50")
    assert [image["Name"].partition(":")[2] for image in found] == [
        "1.8-gpu-py36-cu111-ubuntu18.04",
        "1.12-gpu-py39-cu113-ubuntu20.04",
        "1.12.1-gpu-py39-cu116-ubuntu20.04",
        "2.0-gpu-py310-cu118-ubuntu22.04",
        "2.3.1-gpu-py310-cu121-ubuntu22.04",
    ]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"Labels": "system.supported.eas=true"}, 6),
        ({"Labels": "system.framework.XGBoost=*,system.supported.dlc=true"}, 4),
        ({"Labels": "system.framework.PyTorch=1.12,system.supported.dlc=true"}, 2),
        ({"Name": "xgboost-training:1.6.0-cpu-py36-ubuntu18.04", "Options": "ExactMatchName"}, 1),
        ({"Name": "xgboost", "Options": "ExactMatchName"}, 0),
        ({"Name": "tensorflow-inference"}, 3),
        ({"Labels": "system.framework.OneFlow=*,system.supported.dlc=true"}, 2),
        ({"Query": "TENSORFLOW 2.11"}, 2),
        ({"ImageUri": "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"}, 1),
    ],
)
async def test_each_filter_chooses(world: EmulatorContext, query: dict[str, str], count: int) -> None:
    assert len(await items(world, aiworkspace.LIST_IMAGES, **query)) == count


async def test_labels_come_only_verbose(world: EmulatorContext) -> None:
    assert (await items(world, aiworkspace.LIST_IMAGES))[0]["Labels"] == []
    labels = (await items(world, aiworkspace.LIST_IMAGES, Verbose="True"))[0]["Labels"]
    assert {"Key": "system.official", "Value": "true"} in labels


async def test_images_come_in_pages_newest_first(world: EmulatorContext) -> None:
    query = {"SortBy": "GmtCreateTime", "Order": "DESC", "PageSize": "10"}
    pages: list[Any] = [
        await ask(world, aiworkspace.LIST_IMAGES, query={**query, "PageNumber": str(number)}) for number in range(1, 5)
    ]
    total = pages[0]["TotalCount"]
    made = [image["GmtCreateTime"] for page in pages for image in page["Images"]]
    assert len(made) == total
    assert made == sorted(made, reverse=True)
    assert pages[3]["Images"] == []


async def test_an_image_of_the_users_own_is_seen_in_its_workspace_until_it_is_removed(world: EmulatorContext) -> None:
    made = await ask(
        world, ADD_IMAGE, body={"Name": "mine", "ImageUri": "hub/x:1", "Labels": [{"Key": "a", "Value": "b"}]}
    )
    path = {"image_id": str(made["ImageId"])}
    assert await items(world, aiworkspace.LIST_IMAGES, Name="mine") == []
    assert len(await items(world, aiworkspace.LIST_IMAGES, Name="mine", WorkspaceId="10001")) == 1
    await ask(world, ADD_LABELS, path=path, body={"Labels": [{"Key": "a", "Value": "c"}]})
    assert (await ask(world, GET_IMAGE, path=path, query={"Verbose": "true"}))["Labels"] == [{"Key": "a", "Value": "c"}]
    await ask(world, REMOVE_IMAGE, path=path)
    assert await refused(world, GET_IMAGE, path=path) == "ImageNotFound"


async def test_nobody_changes_an_official_image(world: EmulatorContext) -> None:
    official = (await items(world, aiworkspace.LIST_IMAGES))[0]["ImageId"]
    assert await refused(world, REMOVE_IMAGE, path={"image_id": official}) == "Forbidden.OfficialImage"


async def test_each_label_is_listed_once(world: EmulatorContext) -> None:
    answer: Any = await ask(world, LIST_LABELS, query={"LabelKeys": "system.chipType"})
    assert [label["Value"] for label in answer["Labels"]] == ["CPU", "GPU"]


async def test_labels_are_those_of_the_images_that_fit_the_filter(world: EmulatorContext) -> None:
    wanted = "system.official=true,system.chipType=CPU,system.framework.PyTorch=*"
    answer: Any = await ask(
        world, LIST_LABELS, query={"LabelKeys": "system.framework.PyTorch", "LabelFilter": wanted, "WorkspaceId": "0"}
    )
    assert [label["Value"] for label in answer["Labels"]] == ["1.12", "1.8", "2.0", "2.3.1"]
    assert answer["TotalCount"] == 4


@pytest.mark.parametrize(
    ("names", "features"),
    [
        ({}, ["PaiConsole:IntegrateWithWorkspace"]),
        ({"Names": "Other:Feature,PaiConsole:IntegrateWithWorkspace"}, ["PaiConsole:IntegrateWithWorkspace"]),
        ({"Names": "Other:Feature"}, []),
    ],
)
async def test_features_say_which_of_those_asked_for_are_on(
    world: EmulatorContext, names: dict[str, str], features: list[str]
) -> None:
    answer = await ask(world, LIST_FEATURES, query=names)
    assert answer == {"Features": features, "TotalCount": len(features)}


async def test_the_one_workspace_is_the_default(world: EmulatorContext) -> None:
    default = await ask(world, aiworkspace.GET_DEFAULT_WORKSPACE)
    assert default["WorkspaceId"] == "10001"
    assert await ask(world, aiworkspace.GET_WORKSPACE, path={"workspace_id": "10001"}) == default
    assert await items(world, aiworkspace.LIST_WORKSPACES, Status="ENABLED", WorkspaceName="emul") == [default]
    assert await refused(world, aiworkspace.GET_WORKSPACE, path={"workspace_id": "7"}) == "WorkspaceNotFound"


async def test_the_workspace_says_where_results_go_and_can_be_told_otherwise(world: EmulatorContext) -> None:
    async def storage() -> Json:
        answer: Any = await ask(world, aiworkspace.LIST_CONFIGS, path=path, query={"ConfigKeys": "modelExportPath"})
        value: Json = answer["Configs"][0]["ConfigValue"]
        return value

    path = {"workspace_id": "10001"}
    assert await storage() == "oss://emulator.127.0.0.1:7777/"
    config: Json = {"ConfigKey": "modelExportPath", "ConfigValue": "oss://other.oss-cn-x.aliyuncs.com/m/"}
    await ask(world, UPDATE_CONFIGS, path=path, body={"Configs": [config]})
    assert await storage() == "oss://other.oss-cn-x.aliyuncs.com/m/"


async def test_a_dataset_is_made_found_and_deleted(world: EmulatorContext) -> None:
    made = await ask(world, aiworkspace.CREATE_DATASET, body=DATASET)
    path = {"dataset_id": str(made["DatasetId"])}
    assert (await ask(world, aiworkspace.GET_DATASET, path=path))["Uri"] == "oss://emulator/iris/"
    assert len(await items(world, aiworkspace.LIST_DATASETS, Name="鸢尾", DataSourceTypes="OSS,NAS")) == 1
    await ask(world, aiworkspace.DELETE_DATASET, path=path)
    assert await items(world, aiworkspace.LIST_DATASETS) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"Name": ""}, "MissingParameter"),
        ({"Name": "-x"}, "InvalidParameter"),
        ({"Name": 7}, "InvalidParameter"),
        ({"DataSourceType": "TAPE"}, "InvalidParameter"),
        ({"Property": "file"}, "InvalidParameter"),
        ({"Uri": None}, "MissingParameter"),
        ({"WorkspaceId": "7"}, "WorkspaceNotFound"),
    ],
)
async def test_a_dataset_is_checked(world: EmulatorContext, change: dict[str, Json], code: str) -> None:
    assert await refused(world, aiworkspace.CREATE_DATASET, body={**DATASET, **change}) == code
    assert await items(world, aiworkspace.LIST_DATASETS) == []


async def test_two_datasets_cannot_have_one_name(world: EmulatorContext) -> None:
    await ask(world, aiworkspace.CREATE_DATASET, body=DATASET)
    assert await refused(world, aiworkspace.CREATE_DATASET, body=DATASET) == "DatasetNameExists"


async def experiment(world: EmulatorContext, name: str = "exp") -> str:
    body: Fields = {"Name": name, "WorkspaceId": "10001", "ArtifactUri": "oss://emulator/exp/"}
    return str((await ask(world, aiworkspace.CREATE_EXPERIMENT, body=body))["ExperimentId"])


async def run(world: EmulatorContext, experiment_id: str, source: str = "train1") -> dict[str, str]:
    body: Fields = {"ExperimentId": experiment_id, "SourceType": "TrainingService", "SourceId": source}
    return {"run_id": str((await ask(world, aiworkspace.CREATE_RUN, body=body))["RunId"])}


async def test_experiments_are_listed_by_page_and_by_token(world: EmulatorContext) -> None:
    for name in "abc":
        await experiment(world, name)
    by_page = await ask(
        world, aiworkspace.LIST_EXPERIMENTS, query={"PageNumber": "2", "PageSize": "2", "Order": "DESC"}
    )
    assert [each["Name"] for each in _list(by_page, "Experiments")] == ["a"]
    first = await ask(world, aiworkspace.LIST_EXPERIMENTS, query={"MaxResults": "2"})
    assert first["NextPageToken"] == 2
    rest = await ask(world, aiworkspace.LIST_EXPERIMENTS, query={"MaxResults": "2", "PageToken": "2"})
    assert rest["NextPageToken"] == 0
    assert [each["Name"] for each in _list(first, "Experiments") + _list(rest, "Experiments")] == ["a", "b", "c"]


async def test_a_run_is_found_by_its_job_and_is_the_newest_of_its_experiment(world: EmulatorContext) -> None:
    wanted = await experiment(world)
    await run(world, wanted, "train1")
    path = await run(world, wanted, "train2")
    found = await ask(world, LIST_RUNS, query={"SourceType": "TrainingService", "SourceId": "train2"})
    assert [each["RunId"] for each in _list(found, "Runs")] == [path["run_id"]]
    shown: Any = await ask(world, aiworkspace.GET_EXPERIMENT, path={"experiment_id": wanted}, query={"Verbose": "true"})
    assert shown["LatestRun"]["RunId"] == path["run_id"]


async def test_metrics_of_a_run_come_in_the_order_in_which_they_were_logged(world: EmulatorContext) -> None:
    path = await run(world, await experiment(world))
    points: list[Json] = [{"Key": "损失", "Value": 1.0 / (step + 1), "Step": step} for step in range(12)]
    await ask(world, aiworkspace.LOG_RUN_METRICS, path=path, body={"Metrics": points})
    await ask(world, aiworkspace.LOG_RUN_METRICS, path=path, body={"Metrics": [{"Key": "acc", "Value": 1}]})
    first = await ask(world, aiworkspace.LIST_RUN_METRICS, path=path, query={"Key": "损失"})
    rest = await ask(world, aiworkspace.LIST_RUN_METRICS, path=path, query={"Key": "损失", "PageToken": "10"})
    assert _list(first, "Metrics") + _list(rest, "Metrics") == points
    newest: Any = await ask(world, GET_RUN, path=path)
    assert {each["Key"]: each.get("Step") for each in newest["Metrics"]} == {"损失": 11, "acc": None}


async def test_labels_and_parameters_are_added_to_a_run(world: EmulatorContext) -> None:
    path = await run(world, await experiment(world))
    for labels in ({"a": "1"}, {"b": "2", "a": "3"}):
        added: list[Json] = [{"Key": key, "Value": value} for key, value in labels.items()]
        await ask(world, UPDATE_RUN, path=path, body={"Labels": added})
    changed: Any = await ask(world, GET_RUN, path=path)
    assert {each["Key"]: each["Value"] for each in changed["Labels"]} == {"a": "3", "b": "2"}


@pytest.mark.parametrize(
    "metric", [{"Key": "a"}, {"Key": "a", "Value": "1"}, {"Value": 1.0}, {"Key": "a", "Value": True}]
)
async def test_a_metric_is_a_name_and_a_number(world: EmulatorContext, metric: Json) -> None:
    path = await run(world, await experiment(world))
    assert (
        await refused(world, aiworkspace.LOG_RUN_METRICS, path=path, body={"Metrics": [metric]}) == "InvalidParameter"
    )


async def test_a_deleted_experiment_takes_its_runs_along(world: EmulatorContext) -> None:
    wanted = await experiment(world)
    path = await run(world, wanted)
    await ask(world, DELETE_EXPERIMENT, path={"experiment_id": wanted})
    assert await refused(world, GET_RUN, path=path) == "RunNotFound"
    assert await refused(world, aiworkspace.CREATE_RUN, body={"ExperimentId": wanted}) == "ExperimentNotFound"


@pytest.mark.parametrize(
    "query",
    [
        {"PageNumber": "0"},
        {"PageSize": "-1"},
        {"PageSize": "٣"},
        {"PageNumber": "1e3"},
        {"Order": "UP"},
        {"SortBy": "Colour"},
        {"Verbose": "yes"},
        {"Labels": "system.official"},
    ],
)
async def test_a_query_that_cannot_be_read_is_refused(world: EmulatorContext, query: dict[str, str]) -> None:
    assert await refused(world, aiworkspace.LIST_IMAGES, query=query) == "InvalidParameter"


async def test_everything_is_there_again_after_a_restart(world: EmulatorContext) -> None:
    path = await run(world, await experiment(world))
    await ask(world, aiworkspace.LOG_RUN_METRICS, path=path, body={"Metrics": [{"Key": "a", "Value": 0.5}]})
    again = make_world(world.data)
    assert await ask(again, GET_RUN, path=path) == await ask(world, GET_RUN, path=path)


def _list(answer: Fields, name: str) -> list[Any]:  # Any: fields of the service
    found: Any = answer[name]
    return list(found)
