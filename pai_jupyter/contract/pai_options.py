"""The options `pai.<key>`: settings of a PAI job beyond `JobSpec`, and their fields in CreateTrainingJob.

A mapping is passed unchanged, with the service's field names: `pai.user_vpc_config={"VpcId": "vpc-1"}`.

`pai_jupyter.backends.pai.submission.option_check` reports errors in a user's options.
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
    """The kind of one option and its place in the body; `names` are the keys that a mapping may have, () = any."""

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
    # the registered component that runs in place of an AlgorithmSpec
    "algorithm": PaiOption(kind="mapping", names=("AlgorithmName", "AlgorithmVersion", "AlgorithmProvider")),
    # channel -> its fields in the body besides its location
    "input_options": PaiOption(kind="mapping"),
    "output_options": PaiOption(kind="mapping"),
}


def not_of_kind(kind: Kind, value: Json) -> str | None:
    """Return what an option of this kind must be; None if `value` is valid."""
    kinds, wanted = _WORDS[kind]
    return None if isinstance(value, kinds) and (kind == "flag" or not isinstance(value, bool)) else wanted


def read_pai_option(options: Mapping[str, Json], name: str) -> Json:
    """Return the value of one option as the request body has it; None if it is not given.

    Raises:
        SpecError: it has the wrong type.
    """
    value, option = options.get(name), PAI_OPTIONS[name]
    if value is None:
        return None
    if wanted := not_of_kind(option.kind, value):
        raise SpecError(f"the option pai.{name} is {value!r}; it must be {wanted}.", field="options")
    if name == "instance_spec" and isinstance(value, dict):
        return {
            key: item if isinstance(item, str) else str(item) for key, item in value.items()
        }  # as the service expects it
    if option.kind == "labels" and isinstance(value, dict):
        return [{"Key": key, "Value": str(item)} for key, item in value.items()]
    return str(value) if option.kind == "text" else value


def channel_options(options: Mapping[str, Json], kind: Literal["input", "output"], channel: str) -> dict[str, Json]:
    """Return the options of one channel besides its location; {} if there are none."""
    every = read_pai_option(options, f"{kind}_options")
    of_channel = every.get(channel) if isinstance(every, dict) else None
    return dict(of_channel) if isinstance(of_channel, dict) else {}
