"""The body of CreateTrainingJob, beside bodies that the official client sent (captured on the wire)."""

import json
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.backends import request_options
from pai_jupyter.contract import files
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json, MetricDefinition, Role

IMAGE = "registry.cn-hangzhou.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
OUTPUT = "oss://test-bucket/pai/training_job/nb_20260101_000000_123_ujzde8"

# What the official client sends for every job, less its empty objects.
OFFICIAL: dict[str, Any] = {  # Any: nested JSON
    "AlgorithmSpec": {
        "Command": ["sh", "-c", "python train.py $PAI_USER_ARGS"],
        "Image": IMAGE,
        "JobType": "PyTorchJob",
        "OutputChannels": [
            {"Description": "Training output models", "Name": "model", "Required": True},
            {"Description": "Training checkpoints channel", "Name": "checkpoints", "Required": False},
            {
                "Description": "TensorBoard logs channel",
                "Name": "tensorboard",
                "Properties": {"ossAppendable": "true"},
                "Required": False,
            },
        ],
        "SupportsDistributedTraining": True,
    },
    "ComputeResource": {"EcsCount": 1, "EcsSpec": "ecs.c6.xlarge"},
    "OutputChannels": [
        {"Name": "model", "OutputUri": f"{OUTPUT}/model/"},
        {"Name": "checkpoints", "OutputUri": f"{OUTPUT}/checkpoints/"},
        {"Name": "tensorboard", "OutputUri": f"{OUTPUT}/tensorboard/"},
    ],
    "TrainingJobName": "nb-20260101-000000-123",
    "WorkspaceId": "12345",
}


def training_job(spec: JobSpec) -> dict[str, Json]:
    return contract.training_job(spec, spec.backend_options.get("pai", {}))


def spec_with(**fields: Any) -> JobSpec:  # Any: fields of a spec
    standard: dict[str, Any] = {  # Any: as above
        "name": "nb-20260101-000000-123",
        "command": "python train.py $PAI_USER_ARGS",
        "image_uri": IMAGE,
        "instance_type": "ecs.c6.xlarge",
        "output_path": OUTPUT,
    }
    options = {"pai.workspace_id": 12345, **fields.pop("options", {})}
    return JobSpec(**{**standard, **fields}, options=options)


def without_our_channel(body: dict[str, Any]) -> dict[str, Any]:  # Any: nested JSON
    """The body without `output_parameters`, which we add to every job."""
    assert body["OutputChannels"].pop() == {"Name": "output_parameters", "OutputUri": f"{OUTPUT}/output_parameters/"}
    assert body["AlgorithmSpec"]["OutputChannels"].pop() == {"Name": "output_parameters", "Required": False}
    return body


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ({}, {}),
        (
            {
                "environments": {"K": "v", "Z": "值"},
                "requirements": ("xgboost==1.7", "pandas>=2"),
                "max_run_time": 3600,
                "options": {"pai.labels": {"team": "a", "x": "y"}},
            },
            {
                "Environments": {"K": "v", "Z": "值"},
                "PythonRequirements": ["xgboost==1.7", "pandas>=2"],
                "Scheduler": {"MaxRunningTimeInSeconds": 3600},
                "Labels": [{"Key": "team", "Value": "a"}, {"Key": "x", "Value": "y"}],
            },
        ),
        (
            {"options": {"pai.settings": {"EnableErrorMonitoringInAIMaster": True, "ErrorMonitoringArgs": "--x"}}},
            {"Settings": {"EnableErrorMonitoringInAIMaster": True, "ErrorMonitoringArgs": "--x"}},
        ),
        (
            {"options": {"pai.user_vpc_config": {"VpcId": "vpc-1", "SwitchId": "vsw-1", "SecurityGroupId": "sg-1"}}},
            {"UserVpc": {"VpcId": "vpc-1", "SwitchId": "vsw-1", "SecurityGroupId": "sg-1"}},
        ),
        (
            {
                "options": {
                    "pai.resource_id": "quota-1",
                    "pai.instance_spec": {"CPU": "2", "GPU": "1", "Memory": "8Gi", "SharedMemory": "4Gi"},
                }
            },
            {
                "ComputeResource": {
                    "InstanceCount": 1,
                    "InstanceSpec": {"CPU": "2", "GPU": "1", "Memory": "8Gi", "SharedMemory": "4Gi"},
                    "ResourceId": "quota-1",
                }
            },
        ),
        (
            {"options": {"pai.experiment_config": {"ExperimentId": "exp-1"}, "pai.priority": 0}},
            {"ExperimentConfig": {"ExperimentId": "exp-1"}, "Priority": 0},
        ),
    ],
    ids=["minimal", "env_requirements_labels", "settings", "vpc_full", "quota", "experiment"],
)
def test_the_body_is_what_the_official_client_sends(fields: dict[str, Any], more: dict[str, Json]) -> None:
    assert without_our_channel(training_job(spec_with(**fields))) == {**OFFICIAL, **more}


def test_hyperparameters_are_text_and_those_without_a_value_are_left_out() -> None:
    body = training_job(spec_with(hyperparameters={"lr": 1e-5, "amp": False, "layers": [1, 2], "unset": None}))
    assert body["HyperParameters"] == [
        {"Name": "lr", "Value": "1e-05"},
        {"Name": "amp", "Value": "False"},
        {"Name": "layers", "Value": "[1, 2]"},
    ]


def test_inputs_are_uris_or_ids_of_datasets() -> None:
    inputs = {
        "train": "oss://b/iris 数据.csv",
        "nas": "nas://fs-1.cn-hangzhou/a/",
        "set": "d-g1bt7qk8nm6gvg",
        "local": "./d-g1bt7qk8nm6gvg",
    }
    body = training_job(spec_with(inputs=inputs))
    assert body["InputChannels"] == [
        {"Name": "train", "InputUri": "oss://b/iris 数据.csv"},
        {"Name": "nas", "InputUri": "nas://fs-1.cn-hangzhou/a/"},
        {"Name": "set", "DatasetId": "d-g1bt7qk8nm6gvg"},
        {"Name": "local", "InputUri": "./d-g1bt7qk8nm6gvg"},
    ]


def test_an_output_with_a_place_of_its_own_leaves_output_path() -> None:
    body = training_job(spec_with(outputs={"checkpoints": "oss://b/ck/", "report": "oss://b/r/"}))
    assert body["OutputChannels"] == [
        {"Name": "model", "OutputUri": f"{OUTPUT}/model/"},
        {"Name": "checkpoints", "OutputUri": "oss://b/ck/"},
        {"Name": "tensorboard", "OutputUri": f"{OUTPUT}/tensorboard/"},
        {"Name": "output_parameters", "OutputUri": f"{OUTPUT}/output_parameters/"},
        {"Name": "report", "OutputUri": "oss://b/r/"},
    ]


def test_an_output_path_may_end_in_a_slash() -> None:
    assert training_job(spec_with(output_path=OUTPUT + "/")) == training_job(spec_with())


def test_metrics_are_defined_by_their_regex() -> None:
    definitions = (
        MetricDefinition(name="acc", regex=r"acc=([0-9.]+)"),
        MetricDefinition(name="l", regex="(x)", description="d"),
    )
    body: dict[str, Any] = training_job(spec_with(metric_definitions=definitions))  # Any: nested JSON
    assert body["AlgorithmSpec"]["MetricDefinitions"] == [
        {"Name": "acc", "Regex": "acc=([0-9.]+)"},
        {"Name": "l", "Regex": "(x)", "Description": "d"},
    ]


@pytest.mark.parametrize(
    ("fields", "count"),
    [({"instance_count": 3}, 3), ({"roles": (Role(name="master"), Role(name="worker", instance_count=4))}, 5)],
)
def test_every_machine_is_counted(fields: dict[str, Any], count: int) -> None:
    assert training_job(spec_with(**fields))["ComputeResource"] == {"EcsCount": count, "EcsSpec": "ecs.c6.xlarge"}


def test_a_spot_machine_names_its_limit() -> None:
    spot: dict[str, Json] = {"SpotStrategy": "SpotWithPriceLimit", "SpotDiscountLimit": 0.5}
    body: dict[str, Any] = training_job(spec_with(options={"pai.spot_spec": spot}))  # Any: nested JSON
    assert body["ComputeResource"]["SpotSpec"] == spot


@pytest.mark.parametrize("option", ["labels", "settings", "user_vpc_config", "experiment_config", "spot_spec"])
def test_an_option_of_the_wrong_shape_is_refused(option: str) -> None:
    with pytest.raises(SpecError, match=rf"the option pai\.{option} is 'x'; it must be a mapping"):
        training_job(spec_with(options={f"pai.{option}": "x"}))


def test_a_local_job_finds_the_same_body_in_its_file() -> None:
    spec = spec_with(instance_type="local", image_uri=None, environments={"A": "训练"}, name="训练 一?&=#+")
    content = files(spec, request_options(spec))["input/config/training_job.json"]
    assert json.loads(content) == training_job(spec)
    assert "训练 一" in content.decode()


def test_the_body_itself_keeps_what_the_service_must_know() -> None:
    assert training_job(spec_with(environments={"HF_TOKEN": "t"}))["Environments"] == {"HF_TOKEN": "t"}
