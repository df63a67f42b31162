"""What the emulator refuses of a body of CreateTrainingJob, before anything is made."""

import json
from typing import Any

import pytest

from pai_jupyter.emulator.jobs.validation import JOB_TYPES
from pai_jupyter.emulator.protocol.refusal import ApiRefusal
from pai_jupyter.emulator.studio.validation import check_job
from tests.support.emulators import training_job
from tests.support.paths import DATA

CREATED = [
    request["body"]
    for request in json.loads((DATA / "pai_requests.json").read_text())
    if (request.get("body") or {}).get("TrainingJobName")
]
ECS = {"EcsCount": 1, "EcsSpec": "ecs.c6.large"}
QUOTA = {"ResourceId": "quota-1", "InstanceCount": 2, "InstanceSpec": {"CPU": "4", "Memory": "8Gi"}}
CODE = {"LocationType": "oss", "LocationValue": {"Bucket": "b", "Key": "k/"}}


def refusal(**more: Any) -> tuple[str, str]:
    with pytest.raises(ApiRefusal) as refused:
        check_job(training_job(**more))
    assert refused.value.status == 400
    return refused.value.code, refused.value.message


def test_bodies_of_the_official_clients_pass() -> None:
    assert CREATED
    for body in CREATED:
        check_job(body)


@pytest.mark.parametrize(
    "more",
    [
        {"UserVpc": {}, "ExperimentConfig": {}, "Scheduler": {}, "Labels": [], "HyperParameters": []},
        {"ComputeResource": QUOTA},
        {"ComputeResource": {**ECS, "SpotSpec": {"SpotStrategy": "SpotWithPriceLimit", "SpotDiscountLimit": 0.5}}},
        {"Scheduler": {"MaxRunningTimeInSeconds": 0}, "Priority": 9, "CodeDir": CODE},
        {"InputChannels": [{"Name": "a", "InputUri": "nas://fs.cn/x"}, {"Name": "b", "DatasetId": "d-1"}]},
        {"TrainingJobName": "训练 a'; echo x"},
        {"SomethingNewer": {"x": 1}},
    ],
)
def test_what_the_service_takes_passes(more: dict[str, Any]) -> None:
    check_job(training_job(**more))


@pytest.mark.parametrize("job_type", JOB_TYPES)
def test_every_documented_job_type_passes(job_type: str) -> None:
    check_job(training_job(JobType=job_type))


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"TrainingJobName": ""}, "TrainingJobName"),
        ({"Image": ""}, "AlgorithmSpec.Image"),
        ({"Command": []}, "AlgorithmSpec.Command"),
        ({"JobType": None}, "AlgorithmSpec.JobType"),
        ({"ComputeResource": {}}, "ComputeResource"),
        ({"MetricDefinitions": [{"Name": "loss"}]}, "MetricDefinitions.Regex"),
        ({"InputChannels": [{"InputUri": "oss://b/x/"}]}, "InputChannels.Name"),
        ({"HyperParameters": [{"Value": "1"}]}, "HyperParameters.Name"),
        ({"CodeDir": {"LocationType": "oss", "LocationValue": {"Bucket": "b"}}}, "CodeDir.LocationValue.Key"),
    ],
)
def test_what_is_missing_is_named(more: dict[str, Any], field: str) -> None:
    code, message = refusal(**more)
    assert (code, field in message) == ("MissingParameter", True)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"TrainingJobName": "x" * 257}, "TrainingJobName"),
        ({"TrainingJobName": 5}, "TrainingJobName"),
        ({"Command": "python train.py"}, "Command"),
        ({"JobType": "pytorch"}, "PyTorchJob"),
        ({"ComputeResource": {"EcsSpec": "local", "EcsCount": 1}}, "EcsSpec"),
        ({"ComputeResource": {**ECS, "EcsCount": 0}}, "EcsCount"),
        ({"ComputeResource": {**ECS, "EcsCount": True}}, "EcsCount"),
        ({"ComputeResource": {**ECS, "SpotSpec": {"SpotStrategy": "Cheap"}}}, "SpotWithPriceLimit"),
        ({"ComputeResource": {**QUOTA, "InstanceSpec": {"CPU": 4}}}, "InstanceSpec.CPU"),
        ({"HyperParameters": [{"Name": "lr", "Value": 0.1}]}, "HyperParameters.lr"),
        ({"Environments": {"A": 1}}, "Environments.A"),
        ({"Environments": ["A"]}, "Environments"),
        ({"PythonRequirements": "numpy"}, "PythonRequirements"),
        ({"Priority": 10}, "Priority"),
        ({"Scheduler": {"MaxRunningTimeInSeconds": -1}}, "MaxRunningTimeInSeconds"),
        ({"UserVpc": {"DefaultRoute": "eth7"}}, "eth0"),
        ({"InputChannels": [{"Name": "a"}]}, "InputUri"),
        ({"InputChannels": [{"Name": "a", "InputUri": "oss://b/x/", "DatasetId": "d-1"}]}, "DatasetId"),
        ({"InputChannels": [{"Name": "a", "InputUri": "./data"}]}, "InputUri"),
        ({"OutputChannels": [{"Name": "a", "OutputUri": "oss://b/x/"}] * 2}, "two items with the same name"),
        ({"CodeDir": {**CODE, "LocationType": "git"}}, "oss"),
        ({"AlgorithmName": "also"}, "AlgorithmName"),
        ({"AlgorithmSpec": None}, "AlgorithmSpec"),
        ({"Labels": "a=b"}, "Labels"),
        ({"Settings": "x"}, "Settings"),
    ],
)
def test_a_value_that_cannot_be_is_named(more: dict[str, Any], field: str) -> None:
    code, message = refusal(**more)
    assert (code, field in message) == ("InvalidParameter", True)
