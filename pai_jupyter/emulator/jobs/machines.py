"""The instance types: a few of each family, with PAI's names and sizes; some are sold out. No I/O.

All jobs run on this computer, whatever type they ask for; a type that is not listed is refused, as PAI refuses types that
its region lacks.
"""

from dataclasses import dataclass
from typing import Literal

Stock = Literal["spot", "yes", "no"]  # available also as spot instance, available, sold out


@dataclass(frozen=True)
class Machine:
    """An instance type; `memory` and `gpu_memory` (of one GPU) in GiB."""

    name: str
    cpu: int
    memory: int
    gpu: int
    gpu_type: str
    gpu_memory: int
    stock: Stock


MACHINES = (
    Machine("ecs.c6.large", 2, 4, 0, "", 0, "spot"),
    Machine("ecs.c6.xlarge", 4, 8, 0, "", 0, "spot"),
    Machine("ecs.c6.2xlarge", 8, 16, 0, "", 0, "spot"),
    Machine("ecs.c6.4xlarge", 16, 32, 0, "", 0, "yes"),
    Machine("ecs.c6.8xlarge", 32, 64, 0, "", 0, "yes"),
    Machine("ecs.g6.large", 2, 8, 0, "", 0, "spot"),
    Machine("ecs.g6.xlarge", 4, 16, 0, "", 0, "spot"),
    Machine("ecs.g6.2xlarge", 8, 32, 0, "", 0, "yes"),
    Machine("ecs.g6.4xlarge", 16, 64, 0, "", 0, "yes"),
    Machine("ecs.g6.8xlarge", 32, 128, 0, "", 0, "no"),
    Machine("ecs.r6.large", 2, 16, 0, "", 0, "yes"),
    Machine("ecs.r6.xlarge", 4, 32, 0, "", 0, "yes"),
    Machine("ecs.r6.2xlarge", 8, 64, 0, "", 0, "yes"),
    Machine("ecs.c7.large", 2, 4, 0, "", 0, "spot"),
    Machine("ecs.c7.xlarge", 4, 8, 0, "", 0, "spot"),
    Machine("ecs.c7.2xlarge", 8, 16, 0, "", 0, "yes"),
    Machine("ecs.g7.large", 2, 8, 0, "", 0, "spot"),
    Machine("ecs.g7.xlarge", 4, 16, 0, "", 0, "yes"),
    Machine("ecs.g7.2xlarge", 8, 32, 0, "", 0, "yes"),
    Machine("ecs.g7.4xlarge", 16, 64, 0, "", 0, "yes"),
    Machine("ecs.r7.large", 2, 16, 0, "", 0, "yes"),
    Machine("ecs.r7.2xlarge", 8, 64, 0, "", 0, "yes"),
    Machine("ecs.gn5-c4g1.xlarge", 4, 30, 1, "NVIDIA P100", 16, "yes"),
    Machine("ecs.gn5-c8g1.2xlarge", 8, 60, 1, "NVIDIA P100", 16, "yes"),
    Machine("ecs.gn5-c28g1.7xlarge", 28, 112, 1, "NVIDIA P100", 16, "no"),
    Machine("ecs.gn5i-c4g1.xlarge", 4, 16, 1, "NVIDIA P4", 8, "yes"),
    Machine("ecs.gn6i-c4g1.xlarge", 4, 15, 1, "NVIDIA T4", 16, "spot"),
    Machine("ecs.gn6i-c8g1.2xlarge", 8, 31, 1, "NVIDIA T4", 16, "yes"),
    Machine("ecs.gn6i-c24g1.6xlarge", 24, 93, 1, "NVIDIA T4", 16, "yes"),
    Machine("ecs.gn6i-c24g1.12xlarge", 48, 186, 2, "NVIDIA T4", 16, "yes"),
    Machine("ecs.gn6i-c24g1.24xlarge", 96, 372, 4, "NVIDIA T4", 16, "no"),
    Machine("ecs.gn6v-c8g1.2xlarge", 8, 32, 1, "NVIDIA V100", 16, "spot"),
    Machine("ecs.gn6v-c8g1.8xlarge", 32, 128, 4, "NVIDIA V100", 16, "yes"),
    Machine("ecs.gn6v-c8g1.16xlarge", 64, 256, 8, "NVIDIA V100", 16, "no"),
    Machine("ecs.gn6e-c12g1.3xlarge", 12, 92, 1, "NVIDIA V100", 32, "yes"),
    Machine("ecs.gn6e-c12g1.24xlarge", 96, 736, 8, "NVIDIA V100", 32, "no"),
    Machine("ecs.gn7i-c8g1.2xlarge", 8, 30, 1, "NVIDIA A10", 24, "yes"),
    Machine("ecs.gn7i-c16g1.4xlarge", 16, 60, 1, "NVIDIA A10", 24, "yes"),
    Machine("ecs.gn7i-c32g1.8xlarge", 32, 188, 1, "NVIDIA A10", 24, "yes"),
    Machine("ecs.gn7i-c32g1.32xlarge", 128, 752, 4, "NVIDIA A10", 24, "no"),
    Machine("ecs.gn7-c12g1.3xlarge", 12, 94, 1, "NVIDIA A100", 40, "no"),
    Machine("ecs.gn7-c13g1.26xlarge", 104, 752, 8, "NVIDIA A100", 40, "no"),
    Machine("ecs.gn7e-c16g1.4xlarge", 16, 125, 1, "NVIDIA A100", 80, "yes"),
    Machine("ecs.gn7e-c16g1.32xlarge", 128, 1000, 8, "NVIDIA A100", 80, "no"),
    Machine("ecs.gn8is.2xlarge", 8, 64, 1, "NVIDIA L20", 48, "yes"),
    Machine("ecs.gn8is-8x.32xlarge", 128, 1024, 8, "NVIDIA L20", 48, "no"),
)
INSTANCE_TYPES = frozenset(machine.name for machine in MACHINES)
