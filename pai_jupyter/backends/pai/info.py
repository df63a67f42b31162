"""The properties of the PAI backend; light to import: no HTTP client or cloud library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pai_jupyter.backends.health import Health
from pai_jupyter.backends.info import BackendInfo, BackendOption, ImageNames
from pai_jupyter.contract import PAI_OPTIONS
from pai_jupyter.spec import JobSpec

if TYPE_CHECKING:
    from pai_jupyter.config import Settings


@dataclass(frozen=True, kw_only=True)
class PaiInfo(BackendInfo):
    """The PAI backend's properties, from the settings and, on request, the service."""

    def is_emulated(self, settings: "Settings") -> bool:
        return settings.get("services") is not None

    def health(self, *, is_asked: bool = False) -> Health:
        from pai_jupyter.backends.pai.health import configured, service  # imported late: it needs the HTTP client

        return Health.of(service()) if is_asked else configured()

    def measures(self, spec: JobSpec) -> bool:
        return not spec.roles  # those are jobs of DLC, which the monitoring of the training service does not know

    def instances(self) -> Sequence[str]:
        from pai_jupyter.cloud.known import known  # imported late, as above

        return known("instances")


_HELP: Mapping[str, str] = {
    "workspace_id": "the workspace, in place of the configured one",
    "description": "a text that the console shows",
    "labels": "labels of the job",
    "resource_id": "a quota to run in, in place of the public pool",
    "instance_spec": "the share of the quota: CPU, GPU, GPUType, Memory, SharedMemory",
    "spot_spec": "preemptible machines and their highest price",
    "use_spot_instance": "run on preemptible machines",
    "assign_node_spec": "nodes of the quota to use or to avoid",
    "user_vpc_config": "the VPC that the job can reach",
    "experiment_config": "the experiment that the job belongs to",
    "priority": "1 to 9, among the jobs of the quota",
    "role_arn": "the RAM role of the job",
    "credential_config": "keys of a role that the job finds in its environment",
    "settings": "further settings of the service, e.g. Tags",
    "progress_definitions": "patterns of the log that tell the progress",
    "hyperparameter_definitions": "declarations of hyperparameters, as the service takes them",
    "resource_requirements": "what machines the job accepts",
    "algorithm": "the registered component that runs, by AlgorithmName and AlgorithmVersion",
    "input_options": "per input channel: VersionName, Options, RoleArn",
    "output_options": "per output channel: VersionName, RoleArn",
}
_EXAMPLES: Mapping[str, str] = {"resource_id": "QUOTA", "priority": "5", "workspace_id": "12345"}

INFO = PaiInfo(
    name="pai",
    title="PAI",
    instance_types=("ecs.*",),
    instance_example="ecs.c6.large",
    takes_images=True,
    image_names=ImageNames.ALWAYS,
    takes_cloud_keys=True,
    fills_request=True,
    emulator="emulator",
    time_limit=60,  # as DLC counts, which runs jobs with roles
    options=tuple(
        BackendOption(
            name=name,
            help=_HELP[name],
            kind=option.kind,
            example=_EXAMPLES.get(name, ""),
            chosen_because="a quota is given" if name == "resource_id" else "",
        )
        for name, option in PAI_OPTIONS.items()
    ),
)
