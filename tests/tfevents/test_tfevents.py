"""Event files as TensorFlow, PyTorch and tensorboardX write them: exact values, torn tails, damage, hostile bytes."""

import math
import os
import struct
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.types_pb2 import DT_BFLOAT16, DT_DOUBLE, DT_FLOAT, DT_HALF, DT_STRING
from tensorboard.util.tensor_util import make_tensor_proto
from tensorboardX import SummaryWriter
from tensorboardX.record_writer import RecordWriter, masked_crc32c

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.tfevents import Columns, read_scalars
from pai_jupyter.tfevents.block import MAX_TAG, MAX_TAGS
from pai_jupyter.tfevents.frames import FRAME, HEAD

Point = tuple[float, float, float]  # step, time, value


def event_file(folder: Path) -> Path:
    (path,) = folder.glob("*tfevents*")
    return path


def write(path: Path, events: Iterable[Event]) -> Path:
    """The messages are TensorBoard's own."""
    return write_messages(path, (event.SerializeToString() for event in events))


def write_messages(path: Path, messages: Iterable[bytes]) -> Path:
    """The frames are those of tensorboardX."""
    with closing(RecordWriter(str(path))) as writer:
        for message in messages:
            writer.write(message)
    return path


def scalar_event(tag: str, value: float, step: int, time: float = 1.5) -> Event:
    return Event(wall_time=time, step=step, summary=Summary(value=[Summary.Value(tag=tag, simple_value=value)]))


def tensor_event(tag: str, tensor: TensorProto, step: int = 7, plugin: str | None = "scalars") -> Event:
    data = SummaryMetadata.PluginData(plugin_name=plugin or "")
    metadata = None if plugin is None else SummaryMetadata(plugin_data=data)
    return Event(
        wall_time=1.5, step=step, summary=Summary(value=[Summary.Value(tag=tag, tensor=tensor, metadata=metadata)])
    )


def points(columns: Columns) -> list[Point]:
    return list(zip(columns.steps, columns.times, columns.values, strict=True))


def read(path: Path, offset: int = 0) -> dict[str, list[Point]]:
    """Everything there is, block by block."""
    found: dict[str, list[Point]] = {}
    while True:
        scalars, offset = read_scalars(path, offset)
        for tag, columns in scalars.columns.items():
            found.setdefault(tag, []).extend(points(columns))
        if not scalars.is_more:
            assert scalars.notice == ""
            return found


# --- what is read ---


@pytest.fixture
def real(tmp_path: Path) -> Path:
    """What a training with tensorboardX leaves: scalars of every kind among other things, past 2 ** 14 steps."""
    values = [1.5, -0.0, 1e-45, 3.4e38, 1 / 3]
    with SummaryWriter(str(tmp_path), max_queue=1000) as writer:
        writer.add_text("note", "hello", 0)
        writer.add_histogram("weights", [1.0, 2.0, 3.0], 1)
        for number in range(600):
            writer.add_scalar("train/loss", values[number % 5] + number, number * 40, walltime=1e9 + number / 7)
            writer.add_scalar("学习率", 0.1 / (number + 1), number * 40, walltime=1e9 + number)
            if number % 50 == 0:
                writer.add_scalar("eval/acc", number / 600, number, display_name="accuracy", summary_description="训练")
    return event_file(tmp_path)


def test_all_scalars_are_exactly_those_of_tensorboard_s_own_reader(real: Path) -> None:
    peer = EventAccumulator(str(real), size_guidance={"scalars": 0}).Reload()
    expected = {
        tag: [(float(item.step), item.wall_time, item.value) for item in peer.Scalars(tag)]
        for tag in peer.Tags()["scalars"]
    }
    assert len(expected) == 3
    assert read(real) == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_may_be_no_number(tmp_path: Path, value: float) -> None:
    write(tmp_path / "x", [scalar_event("loss", value, 300), scalar_event("loss", value, 301)])
    found = [point[2] for point in read(tmp_path / "x")["loss"]]
    assert [str(each) for each in found] == [str(value)] * 2


STEPS = [0, 1, 127, 128, 16383, 16384, 2**21, 2**31, 2**53, -1, -(2**63)]


@pytest.mark.parametrize("step", STEPS)
def test_steps_of_every_length(tmp_path: Path, step: int) -> None:
    write(tmp_path / "x", [scalar_event("a", number, step, time=number + 0.5) for number in range(3)])
    assert read(tmp_path / "x") == {"a": [(step, number + 0.5, number) for number in range(3)]}


def test_times_that_are_missing_are_zero(tmp_path: Path) -> None:
    write(tmp_path / "x", [scalar_event("a", 2, 3, time=0.0), scalar_event("a", 2, 3)])
    assert read(tmp_path / "x") == {"a": [(3, 0.0, 2.0), (3, 1.5, 2.0)]}


TAGS = ["a", "", "训练/损失", "<script>alert(1)</script>", "a'; echo x", "\x1b[31m", "a\nb", "\x15\x00", "x" * 300]


def test_tags_are_just_text(tmp_path: Path) -> None:
    write(tmp_path / "x", [scalar_event(tag, step, step) for step in range(3) for tag in TAGS])
    assert read(tmp_path / "x") == {tag: [(step, 1.5, step) for step in range(3)] for tag in TAGS}


def test_an_endless_tag_is_cut_and_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    endless, broken = (scalar_event(tag, 1, 1).SerializeToString() for tag in ("x" * 100_000, "ab"))
    write_messages(tmp_path / "x", [endless, broken.replace(b"ab", b"a\xff")])
    assert list(read(tmp_path / "x")) == ["x" * MAX_TAG, "a\N{REPLACEMENT CHARACTER}"]


def test_many_tags_interleaved_keep_their_own_values(tmp_path: Path) -> None:
    tags = [f"layer{number}/norm" for number in range(MAX_TAGS)]
    write(tmp_path / "x", (scalar_event(tag, n, step) for step in range(5) for n, tag in enumerate(tags)))
    found = read(tmp_path / "x")
    assert list(found) == tags
    assert all(found[tag] == [(step, 1.5, n) for step in range(5)] for n, tag in enumerate(tags))


def test_tags_without_end_are_bounded_and_the_notice_says_so(tmp_path: Path) -> None:
    write(tmp_path / "x", (scalar_event(str(number), 1, number) for number in range(MAX_TAGS + 5)))
    scalars, offset = read_scalars(tmp_path / "x")
    assert len(scalars.columns) == MAX_TAGS
    assert "more than 1,000 tags" in scalars.notice
    assert offset == (tmp_path / "x").stat().st_size


def test_several_values_in_one_event(tmp_path: Path) -> None:
    values = [Summary.Value(tag=tag, simple_value=number) for number, tag in enumerate(["a", "b", "a"])]
    write(tmp_path / "x", [Event(wall_time=1.5, step=9, summary=Summary(value=values))] * 3)
    assert read(tmp_path / "x") == {"a": [(9, 1.5, 0), (9, 1.5, 2)] * 3, "b": [(9, 1.5, 1)] * 3}


def test_events_without_scalars_are_passed_over(tmp_path: Path) -> None:
    others = [
        Event(wall_time=1.0, file_version="brain.Event:2"),
        Event(wall_time=1.0, session_log=SessionLog(status=SessionLog.START)),
        Event(wall_time=1.0, graph_def=b"\x0a\x05graph"),
        Event(),
    ]
    write(tmp_path / "x", [*others, scalar_event("a", 1, 1), *others])
    assert read(tmp_path / "x") == {"a": [(1, 1.5, 1)]}


# --- tensors, as TensorFlow 2 and PyTorch's new style write them ---

BITS = struct.unpack("<H", struct.pack("<e", 0.375))[0]
TENSORS = {
    "TensorFlow's writer": TensorProto(dtype=DT_FLOAT, tensor_shape={}, tensor_content=struct.pack("<f", 0.375)),
    "make_tensor_proto": make_tensor_proto(0.375, dtype="float32"),
    "PyTorch, new style": TensorProto(dtype=DT_FLOAT, float_val=[0.375]),
    "PyTorch, double": TensorProto(dtype=DT_DOUBLE, double_val=[0.375]),
    "double content": TensorProto(dtype=DT_DOUBLE, tensor_content=struct.pack("<d", 0.375)),
    "half": TensorProto(dtype=DT_HALF, half_val=[BITS]),
    "half content": TensorProto(dtype=DT_HALF, tensor_content=struct.pack("<e", 0.375)),
    "bfloat16": TensorProto(dtype=DT_BFLOAT16, half_val=[0x3EC0]),
    "bfloat16 content": TensorProto(dtype=DT_BFLOAT16, tensor_content=b"\xc0\x3e"),
}


@pytest.mark.parametrize("plugin", ["scalars", None])
@pytest.mark.parametrize("tensor", TENSORS.values(), ids=TENSORS)
def test_a_scalar_may_be_a_tensor(tmp_path: Path, tensor: TensorProto, plugin: str | None) -> None:
    write(tmp_path / "x", [tensor_event("loss", tensor, step, plugin) for step in (7, 8, 9)])
    assert read(tmp_path / "x") == {"loss": [(step, 1.5, 0.375) for step in (7, 8, 9)]}


@pytest.mark.parametrize(
    ("tensor", "plugin"),
    [
        (make_tensor_proto([1.0, 2.0]), "scalars"),
        (make_tensor_proto([1.0]), "scalars"),  # of rank 1
        (TensorProto(dtype=DT_FLOAT, float_val=[1.0, 2.0]), "scalars"),
        (TensorProto(dtype=DT_HALF, half_val=[1, 2]), "scalars"),
        (TensorProto(dtype=DT_FLOAT, tensor_content=b"abc"), "scalars"),
        (TensorProto(dtype=DT_FLOAT), "scalars"),
        (TensorProto(float_val=[1.0]), "scalars"),  # of no type
        (TensorProto(dtype=DT_STRING, string_val=[b"hi"]), "text"),
        (make_tensor_proto(1.0), "hparams"),
    ],
)
def test_other_tensors_are_no_scalars(tmp_path: Path, tensor: TensorProto, plugin: str) -> None:
    write(tmp_path / "x", [tensor_event("t", tensor, plugin=plugin)] * 2)
    assert read(tmp_path / "x") == {}


def test_kinds_of_one_length_do_not_mix(tmp_path: Path) -> None:
    """The same tag and length, but now the value stands elsewhere, is twice as long, or is none at all."""
    tensors = [
        make_tensor_proto(1.0, dtype="float32"),
        TensorProto(dtype=DT_FLOAT, tensor_shape={}, tensor_content=struct.pack("<f", 2.0)),
        TensorProto(dtype=DT_DOUBLE, double_val=[3.0]),
    ]
    plugins = ["scalars", "hparams", "scalar!"]
    events = [tensor_event(tag, t, 7, plugin) for tag in "ab" for t in tensors for plugin in plugins]
    write(tmp_path / "x", events * 3)
    expected = [(7, 1.5, 1.0), (7, 1.5, 2.0), (7, 1.5, 3.0)] * 3
    assert read(tmp_path / "x") == {"a": expected, "b": expected}


def test_fields_may_stand_in_any_order_and_be_unknown(tmp_path: Path) -> None:
    summary = Event(summary=Summary(value=[Summary.Value(tag="a", simple_value=2)])).SerializeToString()
    time, step = Event(wall_time=1.5).SerializeToString(), Event(step=7).SerializeToString()
    unknown = b"\x79" + b"8 bytes."  # as long as the time
    orders = [time + step + summary, unknown + step + summary, time + summary + step, step + summary + time + unknown]
    write_messages(tmp_path / "x", [message for message in orders for _ in range(2)])
    expected = [(7, 1.5, 2), (7, 0, 2), (7, 1.5, 2), (7, 1.5, 2)]
    assert read(tmp_path / "x") == {"a": [point for point in expected for _ in range(2)]}


# --- files that grow ---


def test_a_record_that_comes_byte_by_byte_is_read_when_it_is_whole(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole", [scalar_event("loss", n, n) for n in (1, 2)]).read_bytes()
    path, offset, found = tmp_path / "x", 0, []
    path.touch()
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        scalars, offset = read_scalars(path, offset)
        assert scalars.notice == ""
        assert not scalars.is_more
        found += [(end, *point) for columns in scalars.columns.values() for point in points(columns)]
    assert found == [(len(whole) // 2, 1, 1.5, 1), (len(whole), 2, 1.5, 2)]


@pytest.mark.parametrize("limit", [100, 1000, 4096, 10**6])
def test_pieces_of_any_size_give_the_same(real: Path, limit: int) -> None:
    found: dict[str, list[Point]] = {}
    offset, is_more = 0, True
    while is_more:
        scalars, offset = read_scalars(real, offset, limit=limit)
        is_more = scalars.is_more
        for tag, columns in scalars.columns.items():
            found.setdefault(tag, []).extend(points(columns))
    assert offset == real.stat().st_size
    assert found == read(real)


def test_a_record_larger_than_a_piece_is_leapt_over(tmp_path: Path) -> None:
    image = Event(wall_time=1.0, graph_def=b"x" * 5000)
    path = write(tmp_path / "x", [scalar_event("a", 1, 1), image, scalar_event("a", 2, 2)])
    found, offset, calls = [], 0, 0
    while offset < path.stat().st_size:
        scalars, offset = read_scalars(path, offset, limit=1000)
        found += [point[2] for columns in scalars.columns.values() for point in points(columns)]
        calls += 1
    assert found == [1, 2]
    assert calls == 3


def test_a_file_shorter_than_the_offset_has_nothing_new(real: Path) -> None:
    size = real.stat().st_size
    assert read_scalars(real, size + 100)[1] == size + 100


# --- damage ---


def heads(data: bytes | bytearray) -> list[int]:
    """Where the records begin."""
    found, at = [], 0
    while at < len(data):
        found.append(at)
        at += FRAME + int.from_bytes(data[at : at + 8], "little")
    return found


def damage(path: Path, place: int, piece: bytes) -> int:
    """Write `piece` over the fifth record, at this place in it; returns where that record begins."""
    data = bytearray(path.read_bytes())
    record = heads(data)[4]
    data[record + place : record + place + len(piece)] = piece
    path.write_bytes(data)
    return record


@pytest.mark.parametrize("length", [0, 2**31, 2**60, 2**64 - 1])
def test_a_length_that_is_not_meant_ends_the_file_with_a_notice(tmp_path: Path, length: int) -> None:
    path = write(tmp_path / "x", [scalar_event("a", n, n) for n in range(10)])
    fifth = damage(path, 0, length.to_bytes(8, "little"))
    scalars, offset = read_scalars(path)
    assert list(scalars.columns["a"].values) == [0, 1, 2, 3]
    assert offset == fifth
    assert "damaged at byte" in scalars.notice
    again, same = read_scalars(path, offset)
    assert (dict(again.columns), same, again.is_more) == ({}, offset, False)
    assert again.notice == scalars.notice


@pytest.mark.parametrize("length", [1000, 2**31 - 1, 2**31, 2**60])
def test_a_well_framed_length_beyond_the_file_allocates_nothing(tmp_path: Path, length: int) -> None:
    path = write(tmp_path / "x", [scalar_event("a", 1, 1)])
    head = struct.pack("<Q", length)
    with path.open("ab") as file:
        file.write(head + struct.pack("<I", masked_crc32c(head)) + b"the beginning")
    scalars, offset = read_scalars(path)
    assert list(scalars.columns["a"].values) == [1]
    assert read_scalars(path, offset)[1] == offset
    assert bool(scalars.notice) == (length >= 2**31)


def test_a_message_that_is_none_costs_its_own_record_only(tmp_path: Path) -> None:
    path = write(tmp_path / "x", [scalar_event("a", n, n) for n in range(1, 10)])
    damage(path, HEAD, b"\xff" * 12)
    scalars, _ = read_scalars(path)
    assert list(scalars.columns["a"].values) == [1, 2, 3, 4, 6, 7, 8, 9]


def test_what_was_not_on_the_disk_yet_is_read_later(tmp_path: Path) -> None:
    """A network file system may show zeros where bytes are on their way."""
    path = write(tmp_path / "x", [scalar_event("a", n, n) for n in range(1, 4)])
    data = path.read_bytes()
    third = heads(data)[2]
    path.write_bytes(data[:third] + bytes(len(data) - third))
    scalars, offset = read_scalars(path)
    assert (list(scalars.columns["a"].values), offset) == ([1, 2], third)
    path.write_bytes(data)
    assert list(read_scalars(path, offset)[0].columns["a"].values) == [3]


def test_a_file_of_something_else_is_a_notice(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no event file at all")
    scalars, offset = read_scalars(tmp_path / "x")
    assert (dict(scalars.columns), offset, scalars.is_more) == ({}, 0, False)
    assert "'x' is damaged at byte 0" in scalars.notice


SAMPLE = b"".join(
    event.SerializeToString()
    for event in [scalar_event("loss", 1, 300), tensor_event("acc", make_tensor_proto(0.5)), scalar_event("lr", 1, 0)]
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    events = [
        event
        for step in (0, 5, 300, 70_000)
        for event in [
            scalar_event("loss", step, step),
            tensor_event("acc", make_tensor_proto(0.5), step),
            tensor_event("half", TENSORS["half"], step, None),
            Event(wall_time=1.0, file_version="brain.Event:2"),
        ]
    ]
    return write(tmp_path_factory.mktemp("sample") / "x", events).read_bytes()


def drain(path: Path) -> int:
    """Read to the end; how many points there were."""
    offset, count = 0, 0
    for _ in range(1000):
        scalars, end = read_scalars(path, offset, limit=400)
        count += sum(len(columns.values) for columns in scalars.columns.values())
        assert offset <= end <= max(path.stat().st_size, offset)
        assert not scalars.is_more or end > offset
        offset = end
        if not scalars.is_more:
            return count
    raise AssertionError("it goes on for ever")


@settings(max_examples=300)
@given(data=st.data())
def test_damaged_bytes_never_raise_and_never_hang(
    sample: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    changed = bytearray(sample)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(sample) - 1))
        changed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(changed)
    assert drain(path) <= 12 + 8


@settings(max_examples=200)
@given(data=st.data())
def test_messages_of_any_bytes_never_raise_and_never_hang(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The frames are intact, so that every damaged message is looked at."""
    changes = st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.binary(max_size=9)), max_size=5)
    messages = [bytearray(SAMPLE) for _ in range(3)]
    for message in messages:
        for at, piece in data.draw(changes):
            message[at : at + len(piece)] = piece
    drain(write_messages(tmp_path_factory.getbasetemp() / "framed", map(bytes, messages)))


def test_a_step_without_end_is_no_message(tmp_path: Path) -> None:
    event = scalar_event("a", 1, 300).SerializeToString()
    endless = event[:10] + b"\xff" * (len(event) - 10)
    write_messages(tmp_path / "x", [event, endless, event])
    assert read(tmp_path / "x") == {"a": [(300, 1.5, 1)] * 2}


# --- what is no file of ours ---


def test_a_file_that_is_gone_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="is gone"):
        read_scalars(tmp_path / "x")


@pytest.mark.parametrize("name", ["link", "pipe", "folder", "nul\0"])
def test_what_is_no_plain_file_is_refused_in_a_sentence(tmp_path: Path, real: Path, name: str) -> None:
    (tmp_path / "link").symlink_to(real)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(PaiJupyterError, match=r"\."):
        read_scalars(tmp_path / name)
