"""The options `pai.<key>`: what a job of PAI can be given beyond a `JobSpec`, and where it goes in CreateTrainingJob.

A mapping goes in as it is, with the service's own names inside: `pai.user_vpc_config={"VpcId": "vpc-1"}`.

What is wrong with options that a user gives, `pai_jupyter.backends.pai.submission.option_check` says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json

Kind = Literal["text", "number", "flag", "mapping", "labels", "list"]
_WORDS: Mapping[Kind, tuple[type | tuple[type, ...], str]] = {
    "text": ((str, int), "a text"),
    "number": (int, "a whole number"),
    "flag": (bool, "true or false"),
    "mapping": (dict, "a mapping, e.g. {'team': 'vision'}"),
    "labels": (dict, "a mapping, e.g. {'team': 'vision'}"),
    "list": (list, "a list"),
}


@dataclass(frozen=True, kw_only=True)
class PaiOption:
    """What one option takes, and its place in the body; `names` are those that a mapping may hold, () where any may be."""

    kind: Kind
    path: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


PAI_OPTIONS: Mapping[str, PaiOption] = {
    "workspace_id": PaiOption(kind="text", path=("WorkspaceId",)),
    "description": PaiOption(kind="text", path=("TrainingJobDescription",)),
    "labels": PaiOption(kind="labels", path=("Labels",)),
    "resource_id": PaiOption(kind="text", path=("ComputeResource", "ResourceId")),
    "instance_spec": PaiOption(
        kind="mapping",
        path=("ComputeResource", "InstanceSpec"),
        names=("CPU", "GPU", "GPUType", "Memory", "SharedMemory"),
    ),
    "spot_spec": PaiOption(
        kind="mapping", path=("ComputeResource", "SpotSpec"), names=("SpotStrategy", "SpotDiscountLimit")
    ),
    "use_spot_instance": PaiOption(kind="flag", path=("ComputeResource", "UseSpotInstance")),
    "assign_node_spec": PaiOption(
        kind="mapping", path=("AssignNodeSpec",), names=("EnableAssignNode", "NodeNames", "AntiAffinityNodeNames")
    ),
    "user_vpc_config": PaiOption(
        kind="mapping",
        path=("UserVpc",),
        names=("VpcId", "SwitchId", "SecurityGroupId", "ExtendedCIDRs", "DefaultRoute"),
    ),
    "experiment_config": PaiOption(kind="mapping", path=("ExperimentConfig",), names=("ExperimentId",)),
    "priority": PaiOption(kind="number", path=("Priority",)),
    "role_arn": PaiOption(kind="text", path=("RoleArn",)),
    "credential_config": PaiOption(
        kind="mapping",
        path=("CredentialConfig",),
        names=("EnableCredentialInject", "AliyunEnvRoleKey", "CredentialConfigItems"),
    ),
    "settings": PaiOption(
        kind="mapping",
        path=("Settings",),
        names=(
            *("AdvancedSettings", "BusinessUserId", "Caller", "Driver", "EnableErrorMonitoringInAIMaster"),
            *("EnableOssAppend", "EnableRDMA", "EnableSanityCheck", "EnableTideResource", "ErrorMonitoringArgs"),
            *("JobReservedMinutes", "JobReservedPolicy", "OversoldType", "PipelineId", "SanityCheckArgs", "Tags"),
        ),
    ),
    "progress_definitions": PaiOption(
        kind="mapping", path=("AlgorithmSpec", "ProgressDefinitions"), names=("OverallProgress", "RemainingTime")
    ),
    "hyperparameter_definitions": PaiOption(kind="list", path=("AlgorithmSpec", "HyperParameters")),
    "resource_requirements": PaiOption(kind="list", path=("AlgorithmSpec", "ResourceRequirements")),
    # channel -> what the service takes for it besides its place
    "input_options": PaiOption(kind="mapping"),
    "output_options": PaiOption(kind="mapping"),
}


def not_of_kind(kind: Kind, value: Json) -> str | None:
    """Return what an option of this kind must be; None where `value` is that."""
    kinds, wanted = _WORDS[kind]
    return None if isinstance(value, kinds) and (kind == "flag" or not isinstance(value, bool)) else wanted


def read_pai_option(options: Mapping[str, Json], name: str) -> Json:
    """Return the value of one option as the request body has it; None if it is not given.

    Raises:
        SpecError: it is of the wrong shape.
    """
    value, option = options.get(name), PAI_OPTIONS[name]
    if value is None:
        return None
    if wanted := not_of_kind(option.kind, value):
        raise SpecError(f"the option pai.{name} is {value!r}; it must be {wanted}.", field="options")
    if name == "instance_spec" and isinstance(value, dict):
        return {key: item if isinstance(item, str) else str(item) for key, item in value.items()}  # the service's way
    if option.kind == "labels" and isinstance(value, dict):
        return [{"Key": key, "Value": str(item)} for key, item in value.items()]
    return str(value) if option.kind == "text" else value


def channel_options(options: Mapping[str, Json], kind: Literal["input", "output"], channel: str) -> dict[str, Json]:
    """Return the options of one channel besides its location; {} if there are none."""
    every = read_pai_option(options, f"{kind}_options")
    of_channel = every.get(channel) if isinstance(every, dict) else None
    return dict(of_channel) if isinstance(of_channel, dict) else {}
