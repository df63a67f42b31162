"""The instance types of PAI: cores, memory, GPUs and availability."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pai_jupyter.cloud.client import Client, dlc
from pai_jupyter.cloud.session import Session, need_session

_MIB_PER_CORE = 256  # no machine has that many GiB per core; the service uses MiB or GiB without saying which


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """One instance type. `memory` and `gpu_memory` (per GPU) are in GiB; `spot_stock` is the service's term.

    `tells_stock`: the service said whether it is available.
    """

    name: str
    cpu: int
    memory: float
    gpu: int = 0
    gpu_type: str = ""
    gpu_memory: float = 0
    is_available: bool = True
    spot_stock: str = ""
    tells_stock: bool = field(default=False, compare=False)

    @property
    def has_spot(self) -> bool:
        """Whether preemptible instances are available."""
        return bool(self.spot_stock) and not self.spot_stock.lower().startswith("no")


def list_instances(*, accelerator_type: str | None = None, session: Session | None = None) -> list[InstanceType]:
    """List the instance types, or those for `CPU` or `GPU` jobs, smallest first.

    Raises:
        SpecError: no region is configured.
        BackendError: the service rejects the request or does not answer.
    """
    query = {"AcceleratorType": accelerator_type.upper() if accelerator_type else None}

    async def ask(client: Client) -> list[InstanceType]:
        return [_read(entry) async for page in client.pages(dlc.LIST_ECS_SPECS, query=query) for entry in page]

    found = (session or need_session()).ask(ask)
    return sorted(found, key=lambda each: (each.gpu, each.cpu, each.memory, each.name))


def _read(entry: Mapping[str, Any]) -> InstanceType:  # Any: an object of the service
    cpu = _number(entry.get("Cpu"))
    return InstanceType(
        name=str(entry.get("InstanceType") or ""),
        cpu=int(cpu),
        memory=_gib(_number(entry.get("Memory")), cpu),
        gpu=int(_number(entry.get("Gpu"))),
        gpu_type=str(entry.get("GpuType") or ""),
        gpu_memory=_gib(_number(entry.get("GpuMemory")), 1),
        is_available=entry.get("IsAvailable") is not False,
        spot_stock=str(entry.get("SpotStockStatus") or ""),
        tells_stock=isinstance(entry.get("IsAvailable"), bool),
    )


def _gib(amount: float, units: float) -> float:
    return amount / 1024 if amount > _MIB_PER_CORE * max(units, 1) else amount


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0
