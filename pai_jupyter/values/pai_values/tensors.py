"""Tensors of torch in the format of safetensors: the length of the head (8 bytes), the head (JSON), the data.

Written and read here, since the format is small and a job's image may lack the package of that name. What is written is on the
CPU; it is read to a GPU if it was on one and there is one.
"""

from __future__ import annotations

import json
import math
import sys
from collections import OrderedDict
from typing import Any, BinaryIO, Dict, Mapping  # Any: torch may not be installed

from .writing import Planned, Sink, ValueNotRead, needed, rest_of

_DTYPES = {  # the format's name: that of torch, bytes of an element
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I64": ("int64", 8),
    "I32": ("int32", 4),
    "I16": ("int16", 2),
    "I8": ("int8", 1),
    "U8": ("uint8", 1),
    "BOOL": ("bool", 1),
}


def plan_tensors(value: Any) -> Planned:
    """Return how a tensor or a dict of tensors is written; None if it is none, or the format would change it."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tensor"):
        return None
    is_one = type(value) is torch.Tensor
    if not is_one and (type(value) not in (dict, OrderedDict) or not value):
        return None
    tensors: Dict[str, Any] = {"value": value} if is_one else dict(value)
    names = {getattr(torch, name): short for short, (name, _) in _DTYPES.items() if hasattr(torch, name)}
    for key, each in tensors.items():
        if type(key) is not str or type(each) is not torch.Tensor or each.dtype not in names:
            return None
        if each.layout != torch.strided or each.device.type not in ("cpu", "cuda"):
            return None
    said = [
        {"name": key, "device": str(each.device), "grad": bool(each.requires_grad)} for key, each in tensors.items()
    ]
    own = {"tensors": said, "one": is_one, "ordered": type(value) is OrderedDict}
    return "safetensors", own, lambda sink: _write(torch, tensors, names, sink)


def _write(torch: Any, tensors: Mapping[str, Any], names: Mapping[Any, str], sink: Sink) -> None:
    head, at = {}, 0
    for key, each in tensors.items():
        size = each.numel() * _DTYPES[names[each.dtype]][1]
        head[key] = {"dtype": names[each.dtype], "shape": list(each.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    sink.write(len(text).to_bytes(8, "little") + text)
    for each in tensors.values():  # one at a time: a copy of a GPU's data is freed before the next
        if each.numel():
            sink.write_pieces(memoryview(each.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()))


def read_tensors(item: Mapping[str, Any], file: BinaryIO) -> Any:
    """Read what `plan_tensors` wrote."""
    torch = needed("torch")
    length = int.from_bytes(file.read(8), "little")
    if length > rest_of(file):
        raise ValueNotRead("is no file of tensors: its head is longer than the file.")
    head = json.loads(file.read(length).decode())
    start, there = file.tell(), rest_of(file)
    found = OrderedDict()
    for said in item["tensors"]:
        one = head[said["name"]]
        begin, end = one["data_offsets"]
        kind, width = _DTYPES[one["dtype"]]
        if not 0 <= begin <= end <= there or end - begin != math.prod(one["shape"]) * width:
            raise ValueNotRead("is no file of tensors: the sizes in its head do not fit.")
        data = bytearray(end - begin)
        file.seek(start + begin)
        _fill(file, data)
        dtype = getattr(torch, kind)
        tensor = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        found[said["name"]] = _placed(torch, tensor.reshape(one["shape"]), said)
    if item.get("one") is True:
        return found["value"]
    return found if item.get("ordered") is True else dict(found)


def _fill(file: BinaryIO, data: bytearray) -> None:
    at, view = 0, memoryview(data)
    while at < len(data):
        count = file.readinto(view[at:])  # type: ignore[attr-defined]  # a file of bytes has it
        if not count:
            raise ValueNotRead("is no file of tensors: it is cut off.")
        at += count


def _placed(torch: Any, tensor: Any, said: Mapping[str, Any]) -> Any:
    """Put a tensor where it was: on the same GPU, or another, or on the CPU if there is none."""
    device = str(said.get("device", "cpu"))
    if device.startswith("cuda") and torch.cuda.is_available():
        number = device.partition(":")[2]
        is_there = number.isdecimal() and int(number) < torch.cuda.device_count()
        tensor = tensor.to(device if is_there else "cuda")
    return tensor.requires_grad_() if said.get("grad") is True else tensor
