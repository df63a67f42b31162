"""Tensors in the format of safetensors, with a stand-in for torch (tests/fakes/torch.py); with the real one where it is installed."""

import collections
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pai_jupyter.values.pai_values.formats import read_value
from pai_jupyter.values.pai_values.writing import ValueNotRead
from tests.fakes import torch as fake
from tests.values.pai_values.test_formats import there_and_back, written


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(sys.modules, "torch", fake)
    monkeypatch.setattr(fake, "gpus", 0)
    return fake


TENSORS = {
    "a matrix": np.arange(6, dtype="f4").reshape(2, 3),
    "no dimension": np.array(2.5),
    "empty": np.empty((0, 3), "i8"),
    "transposed": np.arange(6, dtype="i2").reshape(2, 3).T,
}


@pytest.mark.parametrize("array", TENSORS.values(), ids=TENSORS)
def test_a_tensor_comes_back(array: Any, tmp_path: Path) -> None:
    back = there_and_back(fake.Tensor(array, requires_grad=True), tmp_path, "safetensors")
    assert type(back) is fake.Tensor
    np.testing.assert_array_equal(back.array, array)
    assert (back.dtype, back.shape, back.requires_grad) == (array.dtype, array.shape, True)


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
def test_a_state_comes_back_in_its_order(kind: Any, tmp_path: Path) -> None:
    state = kind(b=fake.Tensor(np.ones(3)), a=fake.Tensor(np.zeros((2, 2), "f4")))
    back = there_and_back(state, tmp_path, "safetensors")
    assert type(back) is kind
    assert {name: tensor.array.tolist() for name, tensor in back.items()} == {"b": [1, 1, 1], "a": [[0, 0], [0, 0]]}
    assert list(back) == ["b", "a"]


@pytest.mark.parametrize(("gpus", "device"), [(0, "cpu"), (1, "cuda"), (2, "cuda:1")])
def test_a_tensor_of_a_gpu_comes_to_one_if_there_is_one(
    gpus: int, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake, "gpus", gpus)
    back = there_and_back(fake.Tensor(np.ones(3), "cuda:1"), tmp_path, "safetensors")
    assert str(back.device) == device
    np.testing.assert_array_equal(back.array, np.ones(3))


def test_others_read_the_file() -> None:
    data = written({"w": fake.Tensor(np.arange(3, dtype="f4"))})[1]
    length = int.from_bytes(data[:8], "little")
    assert length % 8 == 0
    assert json.loads(data[8 : 8 + length]) == {"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}
    assert np.frombuffer(data[8 + length :], "f4").tolist() == [0, 1, 2]


def test_a_pickle_with_tensors_of_a_gpu_is_read_without_one() -> None:
    data = b"ctorch.storage\n_load_from_bytes\n(C\x04datatR."  # as torch pickles a storage
    assert read_value({"format": "pickle"}, io.BytesIO(data), allow_pickle=True) == ("cpu", b"data")


@pytest.mark.parametrize(
    "head",
    [
        {"value": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 1 << 42]}},
        {"value": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}},
        {"value": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}},
        {"value": {"dtype": "OBJ", "shape": [1], "data_offsets": [0, 8]}},
        {"value": [1]},
        {},
        [],
    ],
)
def test_a_head_that_lies_is_refused(head: Any) -> None:
    item = {"format": "safetensors", "one": True, "tensors": [{"name": "value"}]}
    text = json.dumps(head).encode()
    for data in (len(text).to_bytes(8, "little") + text + b"x" * 8, (1 << 60).to_bytes(8, "little") + text, b"abc"):
        with pytest.raises(ValueNotRead):
            read_value(item, io.BytesIO(data))
