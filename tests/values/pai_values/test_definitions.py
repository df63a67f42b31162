"""A class of the notebook is the reader's own where that is defined the same, and the notebook's otherwise."""

import io
import pickle
import types
from typing import Any

import pytest

from pai_jupyter.values.pai_values.definitions import Definitions, digest_of
from pai_jupyter.values.pai_values.pickles import PickleReader, Pickles
from pai_jupyter.values.pai_values.writing import LIMIT, Sink

CELL = """
import enum, dataclasses, abc, typing
class Mode(enum.Enum):
    A = 1
    B = "b"
    def text(self):
        return {"a", "b", "c"} and self.name
@dataclasses.dataclass
class Config:
    lr: float = 0.1
    layers: list = dataclasses.field(default_factory=list)
class Base(abc.ABC):
    seen = []
    count = 0
    @abc.abstractmethod
    def run(self, *, n=3): ...
class Net(Base):
    def run(self, *, n=3):
        Base.count += 1
        return super().__init__()
    @property
    def size(self):
        return 1 if "x" in {"x", "y", "z"} else 2
    class Part:
        pass
class Pair(typing.NamedTuple):
    a: int
    b: int = 2
"""


def main(cell: str = CELL) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(cell, "<cell>", "exec"), names)
    return names


def through(value: Any, writer: dict[str, Any], reader: dict[str, Any], *, takes_state: bool = True) -> Any:
    return read(pickled(value, writer), reader, takes_state=takes_state)


def pickled(value: Any, writer: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    Pickles(Sink(out.write, [LIMIT]), names=writer).add(value)
    return out.getvalue()


def read(data: bytes, reader: dict[str, Any], *, takes_state: bool = True) -> Any:
    return PickleReader(io.BytesIO(data), definitions=Definitions(reader, takes_state=takes_state)).value(0)


def test_objects_are_of_the_readers_classes() -> None:
    writer, reader = main(), main("\n\n# moved down\n" + CELL)
    value = eval("[Mode.A, Config(), Net(), Net.Part(), Pair(1), Mode]", writer)
    mode, config, net, part, pair, kind = through(value, writer, reader)
    assert mode is reader["Mode"].A
    assert kind is reader["Mode"]
    assert [type(each) for each in (config, net, part, pair)] == [
        reader["Config"],
        reader["Net"],
        reader["Net"].Part,
        reader["Pair"],
    ]
    assert config == reader["Config"]()


CHANGES = {
    "a method": ("return super().__init__()", "return None"),
    "a base": ("class Net(Base)", "class Net"),
    "a method of a base": ("*, n=3): ...", "*, n=3): return 1"),
    "a default": ("def run(self, *, n=3):\n        Base", "def run(self, *, n=4):\n        Base"),
    "a constant": ('"x" in', '"y" in'),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_another_definition_is_another_class(change: tuple[str, str]) -> None:
    assert CELL.count(change[0]) == 1
    writer, reader = main(), main(CELL.replace(*change))
    net = through(writer["Net"](), writer, reader)
    assert type(net) is not reader["Net"]
    assert net.size == 1


def test_a_member_of_another_enum_is_none_of_the_readers() -> None:
    writer, reader = main(), main(CELL.replace("A = 1", "A = 2"))
    assert through(writer["Mode"].A, writer, reader).value == 1


def test_a_name_that_the_reader_lacks_or_has_for_something_else_is_the_writers() -> None:
    writer = main()
    for reader in ({}, {"Net": 3}, {"Net": types.SimpleNamespace}):
        assert through(writer["Net"](), writer, reader).size == 1


def test_an_object_of_an_older_definition_stays_what_it_was() -> None:
    writer = main()
    old = writer["Config"](lr=3)
    exec(CELL, writer)
    reader = main()
    assert type(through(old, writer, reader)) is not reader["Config"]


def test_attributes_that_changed_go_to_the_job_and_not_back() -> None:
    writer, reader = main(), main()
    writer["Base"].count = 5
    data = pickled(writer["Net"](), writer)
    read(data, reader, takes_state=False)
    assert reader["Base"].count == 0
    read(data, reader)
    assert reader["Base"].count == 5


def test_a_class_that_comes_back_keeps_its_methods() -> None:
    kernel = main()
    job: dict[str, Any] = {"__name__": "__main__"}
    run = kernel["Net"].run
    net = through(kernel["Net"](), kernel, job)
    assert type(through(net, job, kernel, takes_state=False)) is kernel["Net"]
    assert kernel["Net"].run is run


def test_a_pickle_needs_none_of_this_to_be_read() -> None:
    writer = main()
    assert pickle.loads(pickled(writer["Net"](), writer)).size == 1


def test_a_digest_says_the_same_of_the_same_text() -> None:
    one, other = main(), main("\n\n" + CELL)
    for name in ("Mode", "Config", "Net", "Pair"):
        assert digest_of(one[name]) == digest_of(other[name])
