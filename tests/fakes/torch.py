"""A stand-in for what `pai_values` uses of torch: tensors over numpy arrays, on a CPU or on GPUs that are only said to be there."""

import io
from types import SimpleNamespace
from typing import Any

import numpy as np

strided = "strided"
float64, float32, float16, int64, int32, int16, int8, uint8 = (
    np.dtype(name) for name in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1")
)
gpus = 0
cuda = SimpleNamespace(is_available=lambda: gpus > 0, device_count=lambda: gpus)


class Tensor:
    """An array with a device."""

    layout = strided

    def __init__(self, array: Any, device: str = "cpu", requires_grad: bool = False) -> None:
        self.array, self.device, self.requires_grad = array, _Device(device), requires_grad

    dtype = property(lambda self: self.array.dtype)
    shape = property(lambda self: self.array.shape)
    nbytes = property(lambda self: self.array.nbytes)

    def numel(self) -> int:
        return int(self.array.size)

    def detach(self) -> "Tensor":
        return Tensor(self.array, str(self.device))

    def cpu(self) -> "Tensor":
        return Tensor(self.array)

    def to(self, device: str) -> "Tensor":
        return Tensor(self.array, device)

    def contiguous(self) -> "Tensor":
        return Tensor(np.ascontiguousarray(self.array), str(self.device))

    def reshape(self, *shape: Any) -> "Tensor":
        return Tensor(self.array.reshape(*shape), str(self.device))

    def view(self, dtype: Any) -> "Tensor":
        return Tensor(self.array.view(dtype), str(self.device))

    def numpy(self) -> Any:
        assert self.device.type == "cpu", "torch copies no tensor from a GPU by itself"
        return self.array

    def requires_grad_(self) -> "Tensor":
        self.requires_grad = True
        return self


class _Device:
    def __init__(self, name: str) -> None:
        self.name, self.type = name, name.partition(":")[0]

    def __str__(self) -> str:
        return self.name


def frombuffer(data: Any, *, dtype: Any) -> Tensor:
    return Tensor(np.frombuffer(data, dtype))


def empty(size: int, *, dtype: Any) -> Tensor:
    return Tensor(np.empty(size, dtype))


def load(file: io.BytesIO, *, map_location: str, weights_only: bool) -> tuple[str, bytes]:
    return map_location, file.read()
