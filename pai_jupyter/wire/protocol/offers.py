"""Images and instance types of PAI or the emulator, listed on request and cached for a minute.

Rule: `details` is the one text that says what an image or an instance type is; all who offer them show it, and whoever learns more
of one (a price, say) adds it there.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pai_jupyter.jobs.pricing import price_of_type
from pai_jupyter.money import rate
from pai_jupyter.wire.protocol.ttl_cache import CachedAnswer

if TYPE_CHECKING:
    from pai_jupyter.cloud.images import ImageInfo
    from pai_jupyter.cloud.instances import InstanceType
    from pai_jupyter.wire.schema.panel import ImageRow, ImagesAnswer, InstanceRow, InstancesAnswer

_LISTED_FOR = 60.0  # seconds
_CHINESE = {"in stock": "有货", "out of stock": "无货", "preemptible ones, too": "可用抢占式实例"}

_images: CachedAnswer[list["ImageInfo"]] = CachedAnswer(_LISTED_FOR)
_instances: CachedAnswer[list["InstanceType"]] = CachedAnswer(_LISTED_FOR)


def images(framework: str = "", *, gpu: bool | None = None) -> "ImagesAnswer":
    """List the official training images; `framework` "" = all, `gpu` None = with and without.

    Raises:
        SpecError: no region is set.
        BackendError: the service refuses, or does not answer.
    """
    from pai_jupyter.cloud.images import list_images  # late: many servers never need it
    from pai_jupyter.cloud.session import need_session

    session = need_session()
    rows = [
        _image(image)
        for image in _images.get(session, lambda: list_images(session=session))
        if framework.lower() in ("", image.framework_name.lower())
        and gpu in (None, (image.accelerator_type or "CPU").upper() == "GPU")
    ]
    return {"images": rows}


def instances(*, gpu: bool | None = None) -> "InstancesAnswer":
    """List the instance types, smallest first; `gpu` None = with and without.

    Raises:
        SpecError, BackendError: as `images`.
    """
    from pai_jupyter.cloud.instances import list_instances
    from pai_jupyter.cloud.session import need_session

    session = need_session()
    found = _instances.get(session, lambda: list_instances(session=session))
    return {"instances": [_instance(each) for each in found if gpu in (None, each.gpu > 0)]}


def _image(image: "ImageInfo") -> "ImageRow":
    from pai_jupyter.cloud.images import short_names

    python, cuda = image.python_version or "", image.cuda or ""
    parts = [image.framework_name, python and f"Python {python}", cuda and f"CUDA {cuda}"]
    return {
        "short_name": next(iter(short_names(image)), image.image_uri),
        "uri": image.image_uri,
        "framework": image.framework_name,
        "python": python,
        "cuda": cuda,
        "details": _listed(parts),
    }


def _instance(each: "InstanceType") -> "InstanceRow":
    gpu = f"{each.gpu} × {each.gpu_type} {each.gpu_memory:g} GiB" if each.gpu else ""
    price = price_of_type(each.name)
    row: InstanceRow = {
        "name": each.name,
        "cpu": each.cpu,
        "memory": each.memory,
        "gpu": gpu,
        "is_available": each.is_available,
        "details": instance_details(each, rate(*price) if price is not None else ""),
    }
    if price is not None:
        row["cost"] = {"currency": price[1], "per_hour": float(price[0])}
    return row


def instance_details(each: "InstanceType", price: str = "") -> str:
    """Return what an instance type has: "8 CPU · 32 GiB · 1 × V100 16 GiB · in stock · ¥6.20/h"; unknown parts are left out."""
    gpu = f"{each.gpu} × {each.gpu_type} {each.gpu_memory:g} GiB" if each.gpu else ""
    stock = "" if not each.tells_stock else "in stock" if each.is_available else "out of stock"
    spot = "preemptible ones, too" if each.has_spot else ""
    return _listed([f"{each.cpu} CPU", f"{each.memory:g} GiB", gpu, stock, spot, price])


def details_in_chinese(details: str) -> str:
    """Translate the words of a text of `instance_details`; figures and names stay."""
    return " · ".join(_CHINESE.get(part, part) for part in details.split(" · "))


def _listed(parts: Sequence[str]) -> str:
    return " · ".join(part for part in parts if part)
