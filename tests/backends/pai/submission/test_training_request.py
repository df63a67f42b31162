"""The body of CreateTrainingJob, beside those that the official SDK sent (captured on the wire)."""

import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.backends.pai.services.job import LABEL
from pai_jupyter.backends.pai.submission.training_request import UploadedPlaces, code_dir, training_job
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.storage import OssUrl, parse_oss_url
from tests.support.paths import DATA

OFFICIAL: dict[str, dict[str, Any]] = {
    row["name"]: row["body"]
    for row in json.loads((DATA / "pai_requests.json").read_text())
    if row["action"] == "CreateTrainingJob" and row["name"].startswith("est_fit")
}
JOB = "j1mq8x4f0k7d2"
ENDPOINT = "oss-cn-hangzhou.aliyuncs.com"

# What the SDK was asked for, as a spec; its defects: what it left out of that (reference/alipai-defects.md, 10).
ASKED: Mapping[str, dict[str, Any]] = {
    "est_fit_minimal_local_source": {"code": "oss://test-bucket/pai/training_src/nb_20260101_000000_123/"},
    "est_fit_wait_logs_short": {},
    "est_fit_sts_token": {},
    "est_fit_unicode_job_name": {"name": "训练 job一?&=#+"},
    "est_fit_env_requirements_labels": {
        "environments": {"K": "v"},
        "requirements": ("xgboost==1.7", "pandas>=2"),
        "max_run_time": 3600,
        "options": {"pai.labels": {"team": "a", "x": "y"}},
    },
    "est_fit_local_file_input": {
        "inputs": {"train": "oss://test-bucket/pai/input_data/20261121_015625_436198/iris 数据.csv"}
    },
    "est_fit_settings": {
        "options": {
            "pai.settings": {
                "EnableRDMA": True,
                "Tags": {"a": "b"},
                "ErrorMonitoringArgs": "--x",
                "EnableErrorMonitoringInAIMaster": True,
            }
        }
    },
    "est_fit_vpc_full": {
        "options": {
            "pai.user_vpc_config": {
                "VpcId": "vpc-1",
                "SecurityGroupId": "sg-1",
                "SwitchId": "vsw-1",
                "ExtendedCIDRs": ["10.0.0.0/8"],
            }
        }
    },
    "est_fit_lingjun_resource_type": {
        "instance_type": "local",
        "options": {
            "pai.resource_id": "quota-1",
            "pai.instance_spec": {"Memory": "8Gi", "CPU": 2, "GPU": "1", "SharedMemory": "4Gi"},
        },
    },
}
LOST_BY_THE_SDK: Mapping[str, dict[str, Json]] = {
    "est_fit_settings": {"Settings": {"EnableRDMA": True, "Tags": {"a": "b"}}},
    "est_fit_vpc_full": {"UserVpc": {"SwitchId": "vsw-1", "ExtendedCIDRs": ["10.0.0.0/8"]}},
}


def spec_of(official: Mapping[str, Any], *, code: str = "", **fields: Any) -> JobSpec:  # Any: JSON, fields of a spec
    model = official["OutputChannels"][0]["OutputUri"]
    standard = {
        "name": official["TrainingJobName"],
        "command": "python train.py $PAI_USER_ARGS",
        "image_uri": official["AlgorithmSpec"]["Image"],
        "instance_type": "ecs.c6.xlarge",
        "output_path": model.removesuffix("model/"),
    }
    return JobSpec(**{**standard, **fields})


def body_of(spec: JobSpec, *, code: str = "", workspace: str = "12345") -> dict[str, Any]:  # Any: JSON
    places = UploadedPlaces(code=parse_oss_url(code) if code else None, inputs=spec.inputs)
    return training_job(spec, places, job_id=JOB, workspace=workspace, endpoint=ENDPOINT)


def filled(value: Any) -> Any:  # Any: JSON
    """Without what is empty: the SDK sends `"UserVpc": {}`."""
    if isinstance(value, dict):
        return {name: inside for name, item in value.items() if (inside := filled(item)) not in ({}, [], None)}
    return [filled(item) for item in value] if isinstance(value, list) else value


def without_ours(body: dict[str, Any], spec: JobSpec) -> dict[str, Any]:  # Any: JSON
    """The body less what we add to every job: a label, three channels, the launcher around the command."""
    algorithm = body["AlgorithmSpec"]
    assert body["Labels"].pop() == {"Key": LABEL, "Value": JOB}
    for name in (contract.BESIDE, contract.WORKDIR, "output_parameters"):
        assert body["OutputChannels"].pop()["Name"] == algorithm["OutputChannels"].pop()["Name"] == name
    assert algorithm["Command"] == ["sh", "-c", contract.launcher(spec, job_id=JOB)]
    algorithm["Command"] = ["sh", "-c", spec.command]
    return filled(body)  # type: ignore[no-any-return]  # what goes in as an object comes out as one


@pytest.mark.parametrize("name", ASKED)
def test_the_body_is_what_the_official_sdk_sends(name: str) -> None:
    official, asked = filled(OFFICIAL[name]), dict(ASKED[name])
    spec = spec_of(official, **asked)
    ours = without_ours(body_of(spec, code=asked.get("code", "")), spec)
    official["TrainingJobName"] = official["TrainingJobName"].replace("/", "")  # ours may hold no slash,
    official.get("Environments", {}).pop("键", None)  # and no variable of sh is called so
    for field, lost in LOST_BY_THE_SDK.get(name, {}).items():
        assert isinstance(lost, dict)
        assert not lost.keys() & official[field].keys()
        official[field] = {**official[field], **lost}
    assert ours == official


def test_every_captured_job_is_compared() -> None:
    assert OFFICIAL.keys() == ASKED.keys()


def test_a_channel_takes_what_lies_beside_the_others_to_the_place_of_all_outputs() -> None:
    spec = JobSpec(name="a", command="true", image_uri="img:1", output_path="oss://b/out")
    body = body_of(spec)
    assert body["OutputChannels"][-1] == {"Name": contract.BESIDE, "OutputUri": "oss://b/out/"}
    assert body["AlgorithmSpec"]["OutputChannels"][-1]["Required"] is False
    own = body_of(replace(spec, outputs={contract.BESIDE: "oss://b/own/"}))
    assert [each["OutputUri"] for each in own["OutputChannels"] if each["Name"] == contract.BESIDE] == ["oss://b/own/"]


def test_a_channel_takes_what_the_script_leaves_in_its_working_directory() -> None:
    body = body_of(JobSpec(name="a", command="true", image_uri="img:1", output_path="oss://b/out"))
    assert body["OutputChannels"][-2] == {"Name": "workdir", "OutputUri": "oss://b/out/workdir/"}
    assert body["AlgorithmSpec"]["OutputChannels"][-2]["Required"] is False


def test_a_variable_that_the_service_does_not_set_is_the_users() -> None:
    given = {"RANK": "7", "LOCAL_RANK": "0"}
    for job_type in (None, "PyTorchJob"):
        spec = JobSpec(name="a", command="true", image_uri="img:1", environments=given, job_type=job_type)
        assert body_of(spec)["Environments"] == {"LOCAL_RANK": "0"}


def test_every_field_that_the_service_knows_can_be_given() -> None:
    models = pytest.importorskip("alibabacloud_paistudio20220112.models")
    fields = set(inspect.signature(models.CreateTrainingJobRequest.__init__).parameters) - {"self"}
    of_spec = {"TrainingJobName", "AlgorithmSpec", "ComputeResource", "HyperParameters", "InputChannels", "Labels"}
    of_spec |= {"OutputChannels", "Environments", "PythonRequirements", "Scheduler", "WorkspaceId"}
    of_options = {option.path[0] for option in contract.PAI_OPTIONS.values() if option.path}
    registered = {"algorithm_name", "algorithm_provider", "algorithm_version"}  # a job of ours has its own command
    twice = {"code_dir"}  # it goes into AlgorithmSpec
    ours = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in of_spec | of_options}
    assert fields - registered - twice == ours


def test_the_workspace_is_that_of_the_session_unless_another_is_asked_for() -> None:
    official = OFFICIAL["est_fit_wait_logs_short"]
    assert body_of(spec_of(official), workspace="7")["WorkspaceId"] == "7"
    assert body_of(spec_of(official, options={"pai.workspace_id": 8}), workspace="7")["WorkspaceId"] == "8"


def test_a_variable_of_the_contract_is_never_replaced() -> None:
    environments = {"PAI_OUTPUT_MODEL": "/tmp", "RANK": "7", "MODE": "x", "PYTHONUNBUFFERED": "0"}
    body = body_of(spec_of(OFFICIAL["est_fit_wait_logs_short"], environments=environments))
    assert body["Environments"] == {"MODE": "x", "PYTHONUNBUFFERED": "0"}


def test_datasets_are_named_by_their_ids_and_channels_may_say_more() -> None:
    spec = spec_of(
        OFFICIAL["est_fit_wait_logs_short"],
        inputs={"set": "d-g1bt7qk8nm6gvg", "nas": "nas://fs-1.cn-hangzhou/a/"},
        outputs={"report": "d-out12345678"},
        options={
            "pai.input_options": {"set": {"VersionName": "v1", "Options": '{"mountType": "x"}'}},
            "pai.output_options": {"report": {"RoleArn": "acs:ram::1:role/r"}},
        },
    )
    body = body_of(spec)
    assert body["InputChannels"] == [
        {"Name": "set", "DatasetId": "d-g1bt7qk8nm6gvg", "VersionName": "v1", "Options": '{"mountType": "x"}'},
        {"Name": "nas", "InputUri": "nas://fs-1.cn-hangzhou/a/"},
    ]
    assert body["OutputChannels"][-3] == {
        "Name": "report",
        "DatasetId": "d-out12345678",
        "RoleArn": "acs:ram::1:role/r",
    }


@pytest.mark.parametrize(
    ("option", "value", "path"),
    [
        ("description", "中文", ("TrainingJobDescription",)),
        ("priority", 0, ("Priority",)),
        ("role_arn", "acs:ram::1:role/r", ("RoleArn",)),
        ("use_spot_instance", False, ("ComputeResource", "UseSpotInstance")),
        ("spot_spec", {"SpotStrategy": "SpotAsPriceGo"}, ("ComputeResource", "SpotSpec")),
        ("assign_node_spec", {"NodeNames": "a,b"}, ("AssignNodeSpec",)),
        ("credential_config", {"EnableCredentialInject": True}, ("CredentialConfig",)),
        (
            "progress_definitions",
            {"OverallProgress": {"Regex": "(x)"}},
            ("AlgorithmSpec", "ProgressDefinitions"),
        ),
        ("hyperparameter_definitions", [{"Name": "lr", "Type": "Float"}], ("AlgorithmSpec", "HyperParameters")),
        (
            "resource_requirements",
            [{"Key": "gpu", "Operator": "In", "Values": ["1"]}],
            ("AlgorithmSpec", "ResourceRequirements"),
        ),
    ],
)
def test_an_option_goes_where_the_service_has_it(option: str, value: Json, path: tuple[str, ...]) -> None:
    found = body_of(spec_of(OFFICIAL["est_fit_wait_logs_short"], options={f"pai.{option}": value}))
    for part in path:
        found = found[part]
    assert found == value


@pytest.mark.parametrize(
    ("place", "endpoint", "expected"),
    [
        ("oss://b/code/x.tar.gz", ENDPOINT, {"Bucket": "b", "Key": "code/x.tar.gz", "Endpoint": ENDPOINT}),
        ("oss://b/c/", "http://127.0.0.1:80/", {"Bucket": "b", "Key": "c/", "Endpoint": "127.0.0.1:80"}),
        ("oss://bkt.h.com/c/", ENDPOINT, {"Bucket": "bkt", "Key": "c/", "Endpoint": "h.com"}),
        ("oss://b/c/", None, {"Bucket": "b", "Key": "c/"}),
    ],
)
def test_the_code_is_where_it_was_put(place: str, endpoint: str | None, expected: dict[str, str]) -> None:
    bucket, _, key = place.removeprefix("oss://").partition("/")
    name, _, host = bucket.partition(".")
    url = OssUrl(bucket_name=name, object_key=key, endpoint=host or None)
    assert code_dir(url, endpoint) == {"LocationType": "oss", "LocationValue": expected}


def test_a_command_that_no_program_can_be_given_is_refused() -> None:
    spec = spec_of(OFFICIAL["est_fit_wait_logs_short"], hyperparameters={"x": "y" * 60_000})
    with pytest.raises(SpecError, match="with the hyperparameters written into it"):
        body_of(spec)
