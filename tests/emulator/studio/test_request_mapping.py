"""How the emulator reads a body of CreateTrainingJob as a job of this machine, and what it takes away from that."""

import json
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.emulator.jobs.channels import Directories
from pai_jupyter.emulator.studio.request_mapping import PROGRESS, job_spec, training_job_json
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec
from tests.support.emulators import training_job

PLACES = Directories(inputs={"train": Path("/in/train")}, output=Path("/out"))


def spec_of(command: str = "true", **more: Any) -> JobSpec:
    body = training_job(command, **more)
    return job_spec(body, body["AlgorithmSpec"], PLACES, job_id="train1", image="image")


def test_values_are_the_texts_that_the_service_was_sent() -> None:
    sent = [{"Name": "lr", "Value": "1e-5"}, {"Name": "flag", "Value": "True"}, {"Name": "empty", "Value": ""}]
    assert spec_of(HyperParameters=sent).hyperparameters == {"lr": "1e-5", "flag": "True", "empty": ""}


def test_the_algorithms_defaults_hold_where_nothing_is_given() -> None:
    body = training_job(HyperParameters=[{"Name": "lr", "Value": "0.1"}])
    defined = [{"Name": "lr", "Type": "Float", "DefaultValue": "1"}, {"Name": "n", "Type": "Int", "DefaultValue": "2"}]
    body["AlgorithmSpec"]["HyperParameters"] = [*defined, {"Name": "x", "Type": "String"}]
    spec = job_spec(body, body["AlgorithmSpec"], PLACES, job_id="train1", image="image")
    assert spec.hyperparameters == {"lr": "0.1", "n": "2"}


@pytest.mark.parametrize(
    ("scheduler", "seconds"),
    [
        ({}, None),
        ({"MaxRunningTimeInSeconds": 0}, None),
        ({"MaxRunningTimeInSeconds": 90}, 90),
        ({"MaxRunningTimeInMinutes": 2}, 120),
        ({"MaxRunningTimeInMinutes": 2, "MaxRunningTimeInSeconds": 7}, 7),
    ],
)
def test_the_longest_time_is_in_seconds(scheduler: dict[str, int], seconds: int | None) -> None:
    assert spec_of(Scheduler=scheduler).max_run_time == seconds


@pytest.mark.parametrize(
    ("resource", "count"),
    [
        ({"EcsSpec": "ecs.c6.large"}, 1),
        ({"EcsSpec": "ecs.c6.large", "EcsCount": 3}, 3),
        ({"ResourceId": "quota-1", "InstanceCount": 2}, 2),
    ],
)
def test_machines_are_counted_in_both_ways(resource: dict[str, Any], count: int) -> None:
    assert spec_of(ComputeResource=resource).instance_count == count


def test_words_are_left_to_the_shell_as_the_service_leaves_them() -> None:
    spec = spec_of("python train.py $PAI_USER_ARGS", HyperParameters=[{"Name": "a", "Value": "x  y"}])
    command = contract.command(spec)
    assert command.arguments == ()
    assert command.text.endswith("exec sh -c 'python train.py $PAI_USER_ARGS'")


@pytest.mark.parametrize("value", ["it's", "$HOME", 'a"b', "`id`", "a\nb", "训练"])
def test_the_words_of_the_variable_are_quoted_for_nobody(value: str) -> None:
    import subprocess

    spec = spec_of('printf %s "$PAI_USER_ARGS"', HyperParameters=[{"Name": "a", "Value": value}])
    done = subprocess.run(["sh", "-c", spec.command], capture_output=True, text=True, check=True, cwd="/tmp")
    assert done.stdout == f"--a {value}"


def test_only_channels_of_the_body_have_variables() -> None:
    outputs = [{"Name": "model", "OutputUri": "oss://b/m/"}, {"Name": "extra", "OutputUri": "oss://b/e/"}]
    spec = spec_of(OutputChannels=outputs)
    unset = next(line for line in spec.command.splitlines() if line.startswith("unset "))
    assert set(unset.split()[1:]) >= {"PAI_OUTPUT_LOGS", "PAI_OUTPUT_CHECKPOINTS", "PAI_OUTPUT_OUTPUT_PARAMETERS"}
    assert "PAI_OUTPUT_MODEL" not in unset
    assert spec.outputs == {"extra": "/out/extra"}
    assert spec.output_path == "/out"


def test_progress_is_read_like_a_metric_of_its_own() -> None:
    spec = spec_of(ProgressDefinitions={"OverallProgress": {"Regex": r"(\d+)%"}, "RemainingTime": {}})
    assert [(each.name, each.regex) for each in spec.metric_definitions] == [(PROGRESS, r"(\d+)%")]


def test_a_job_type_that_nobody_can_run_here_is_refused_by_name() -> None:
    with pytest.raises(SpecError, match="RayJob"):
        spec_of(JobType="RayJob")


def test_the_body_that_a_job_finds_has_no_credentials() -> None:
    body = training_job(
        Environments={"API_TOKEN": "t0psecret", "MODE": "fast"},
        CredentialConfig={"EnableCredentialInject": True},
        UserVpc={},
    )
    told = json.loads(training_job_json(body))
    assert told["Environments"] == {"API_TOKEN": "***", "MODE": "fast"}
    assert told["TrainingJobName"] == "a job"
    assert "CredentialConfig" not in told
    assert "UserVpc" not in told
