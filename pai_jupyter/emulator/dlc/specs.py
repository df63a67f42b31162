"""The list of instance types (`jobs.machines`)."""

from pai_jupyter.cloud.client import dlc
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.pagination import equal_to, in_pages, ordered, words
from pai_jupyter.emulator.calls.tables import DLC
from pai_jupyter.emulator.jobs.machines import MACHINES, Machine
from pai_jupyter.emulator.protocol.refusal import Fields

_SORTS = {"cpu": "Cpu", "gpu": "Gpu", "memory": "Memory", "gmtcreatetime": "InstanceType"}


@DLC.serves(dlc.LIST_ECS_SPECS)
async def list_ecs_specs(call: ApiCall) -> Fields:
    types = words(call, "InstanceTypes")
    specs = [each for each in map(_fields, MACHINES) if not types or each["InstanceType"] in types]
    specs = equal_to(call, specs, "AcceleratorType", "ResourceType")
    return in_pages(call, "EcsSpecs", ordered(call, specs, _SORTS), size=10)


def _fields(machine: Machine) -> Fields:
    is_spot = machine.stock == "spot"
    return {
        "InstanceType": machine.name,
        "AcceleratorType": "GPU" if machine.gpu else "CPU",
        "Cpu": machine.cpu,
        "Memory": machine.memory,
        "Gpu": machine.gpu,
        "GpuType": machine.gpu_type,
        "GpuMemory": machine.gpu_memory,
        "IsAvailable": machine.stock != "no",
        "SpotStockStatus": "WithStock" if is_spot else "NoStock",
        "NonProtectSpotDiscount": 0.2 if is_spot else None,
        "PaymentTypes": ["PostPaid"],
        "ResourceType": "ECS",
        "SupportedGPUDrivers": ["535.161.08"] if machine.gpu else [],
        "DefaultGPUDriver": "535.161.08" if machine.gpu else "",
    }
