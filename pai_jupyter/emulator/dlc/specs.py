"""The machines that jobs can have: a few of each family, with PAI's names and sizes. Some of them are sold out.

Jobs of the emulator run on this computer all the same, whatever machine they ask for.
"""

from pai_jupyter.cloud.client import dlc
from pai_jupyter.emulator.api import Call, Fields
from pai_jupyter.emulator.dlc.table import TABLE
from pai_jupyter.emulator.lists import equal_to, in_pages, ordered, words

# instance type, cores, GiB, GPUs, kind of GPU, GiB of a GPU, what there is: "spot" for both, "yes" without spot, "no"
_SPECS = (
    ("ecs.c6.large", 2, 4, 0, "", 0, "spot"),
    ("ecs.c6.xlarge", 4, 8, 0, "", 0, "spot"),
    ("ecs.c6.2xlarge", 8, 16, 0, "", 0, "spot"),
    ("ecs.c6.4xlarge", 16, 32, 0, "", 0, "yes"),
    ("ecs.g6.large", 2, 8, 0, "", 0, "spot"),
    ("ecs.g6.xlarge", 4, 16, 0, "", 0, "spot"),
    ("ecs.g6.2xlarge", 8, 32, 0, "", 0, "yes"),
    ("ecs.g6.4xlarge", 16, 64, 0, "", 0, "yes"),
    ("ecs.g6.8xlarge", 32, 128, 0, "", 0, "no"),
    ("ecs.r6.large", 2, 16, 0, "", 0, "yes"),
    ("ecs.r6.2xlarge", 8, 64, 0, "", 0, "yes"),
    ("ecs.gn6i-c4g1.xlarge", 4, 15, 1, "NVIDIA T4", 16, "spot"),
    ("ecs.gn6i-c24g1.12xlarge", 48, 186, 2, "NVIDIA T4", 16, "yes"),
    ("ecs.gn6v-c8g1.2xlarge", 8, 32, 1, "NVIDIA V100", 16, "spot"),
    ("ecs.gn6v-c8g1.16xlarge", 64, 256, 8, "NVIDIA V100", 16, "no"),
    ("ecs.gn7i-c8g1.2xlarge", 8, 30, 1, "NVIDIA A10", 24, "yes"),
    ("ecs.gn7-c12g1.3xlarge", 12, 94, 1, "NVIDIA A100", 40, "no"),
)
_SORTS = {"cpu": "Cpu", "gpu": "Gpu", "memory": "Memory", "gmtcreatetime": "InstanceType"}


@TABLE.serves(dlc.LIST_ECS_SPECS)
async def list_ecs_specs(call: Call) -> Fields:
    types = words(call, "InstanceTypes")
    specs = [each for each in map(_fields, _SPECS) if not types or each["InstanceType"] in types]
    specs = equal_to(call, specs, "AcceleratorType", "ResourceType")
    return in_pages(call, "EcsSpecs", ordered(call, specs, _SORTS), size=10)


def _fields(spec: tuple[str, int, int, int, str, int, str]) -> Fields:
    name, cpu, memory, gpu, gpu_type, gpu_memory, stock = spec
    return {
        "InstanceType": name,
        "AcceleratorType": "GPU" if gpu else "CPU",
        "Cpu": cpu,
        "Memory": memory,
        "Gpu": gpu,
        "GpuType": gpu_type,
        "GpuMemory": gpu_memory,
        "IsAvailable": stock != "no",
        "SpotStockStatus": "WithStock" if stock == "spot" else "NoStock",
        "NonProtectSpotDiscount": 0.2 if stock == "spot" else None,
        "PaymentTypes": ["PostPaid"],
        "ResourceType": "ECS",
        "SupportedGPUDrivers": ["535.161.08"] if gpu else [],
        "DefaultGPUDriver": "535.161.08" if gpu else "",
    }
