"""Logs and their line index: windows, search and counting agree with a plain reading of the bytes, whatever they hold."""

import os
import random
import re
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.events.lines import decode_line
from pai_jupyter.store import LogFile
from pai_jupyter.store.index import INTERVAL, RECORD_SIZE, STRIDE, Indexer, IndexRecord, RecordTable
from pai_jupyter.store.view import CLIP
from tests.support.descriptors import open_below

MiB = 1024 * 1024


def texts(data: bytes) -> list[str]:
    """The lines of a log, read plainly."""
    pieces = data.split(b"\n")
    return [decode_line(piece) for piece in (pieces if pieces[-1] else pieces[:-1])]


def index_of(data: bytes, time: float = 7.0) -> list[IndexRecord]:
    return Indexer().feed(data, time)


def write_log(folder: Path, data: bytes, records: list[IndexRecord] | None = None, *, torn: bytes = b"") -> LogFile:
    path = folder / "worker-0.log"
    path.write_bytes(data)
    if records is not None:
        path.with_suffix(".idx").write_bytes(b"".join(record.pack() for record in records) + torn)
    return LogFile(path)


def long_log(lines: int = 20_000, seed: int = 1) -> bytes:
    """About 1.3 MB: short, empty and long lines, bars, Chinese, bytes that are no UTF-8, an unfinished end."""
    rng = random.Random(seed)
    odd = [b"", b"\r", b"10%\r20%", "训练 42%".encode(), b"\xff\xfe", b"x" * 9_000, b"\x1b[31mred\x1b[0m", b"\t"]
    pieces = [
        rng.choice(odd) if rng.random() < 0.01 else b"epoch %d " % i + b"." * rng.randrange(90) for i in range(lines)
    ]
    return b"\n".join(pieces) + b"\nunfinished"


@pytest.fixture(scope="module")
def data() -> bytes:
    return long_log()


# --- the index ---


@given(
    st.lists(st.sampled_from([b"\n", b"a\n", b"b" * 40_000, b"c" * 70_000 + b"\n", b"\n" * 70_000]), max_size=12),
    st.data(),
)
@settings(max_examples=80)
def test_records_do_not_depend_on_how_the_bytes_are_cut(pieces: list[bytes], draw: st.DataObject) -> None:
    whole = b"".join(pieces)
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    indexer, found = Indexer(), []
    for start, stop in pairwise([0, *cuts, len(whole)]):
        found += indexer.feed(whole[start:stop], 7.0)
    assert found == index_of(whole)


def test_records_name_line_starts_one_for_each_64_kib(data: bytes) -> None:
    records = index_of(data)
    assert records[0] == (0, 0, 7.0)
    assert len(records) > 10
    for before, record in pairwise(records):
        assert data[record.offset - 1 : record.offset] == b"\n"
        assert record.line == data.count(b"\n", 0, record.offset)
        first = data.index(b"\n", before.offset + STRIDE - 1) + 1
        assert record.offset == first


def test_a_line_that_comes_a_second_later_gets_a_record() -> None:
    indexer = Indexer()
    found = [indexer.feed(b"line\n", time) for time in (10.0, 10.5, 10.0 + INTERVAL, 11.5, 15.0)]
    assert found == [[(0, 0, 10.0)], [], [(2, 10, 11.0)], [], [(4, 20, 15.0)]]


def test_a_record_waits_for_the_first_byte_of_its_line() -> None:
    indexer = Indexer()
    assert indexer.feed(b"one\ntwo", 1.0) == [(0, 0, 1.0)]
    assert indexer.feed(b" goes on\n", 5.0) == []  # no line starts here
    assert indexer.feed(b"", 9.0) == []
    assert indexer.feed(b"three\n", 20.0) == [(2, 16, 20.0)]


def test_a_record_is_24_bytes_little_endian() -> None:
    assert IndexRecord(3, 70_000, 1.5).pack() == struct.pack("<QQd", 3, 70_000, 1.5)
    assert RECORD_SIZE == 24


# --- windows ---


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        (0, 0),
        (0, 5),
        (-3, 2),
        (9_990, 10_100),
        (19_995, 20_001),
        (19_995, 90_000),
        (5, 3),
        (90_000, 90_010),
        (0, 10**12),
    ],
)
def test_a_window_has_the_lines_of_its_numbers(tmp_path: Path, data: bytes, start: int, stop: int) -> None:
    lines = write_log(tmp_path, data, index_of(data)).lines(start, stop)
    expected = list(enumerate(texts(data)))[max(start, 0) : stop]
    assert [(line.number, line.text) for line in lines] == expected


@pytest.mark.parametrize("records", ["whole", "none", "torn", "behind", "lost power"])
def test_an_index_with_any_damage_costs_no_line(tmp_path: Path, data: bytes, records: str) -> None:
    whole = index_of(data)
    log = {
        "whole": lambda: write_log(tmp_path, data, whole),
        "none": lambda: write_log(tmp_path, data),
        "torn": lambda: write_log(tmp_path, data, whole[:-2], torn=b"\1" * 11),
        "behind": lambda: write_log(tmp_path, data, whole[:3]),
        "lost power": lambda: write_log(tmp_path, data, whole[:5], torn=bytes(5 * RECORD_SIZE)),
    }[records]()
    assert log.count() == 20_001
    assert [line.text for line in log.lines(15_000, 15_100)] == texts(data)[15_000:15_100]
    assert [line.text for line in log] == texts(data)


def test_records_behind_the_end_of_a_cut_log_do_not_count(tmp_path: Path, data: bytes) -> None:
    cut = data[:300_000]
    log = write_log(tmp_path, cut, index_of(data))
    assert [line.text for line in log] == texts(cut)
    assert log.count() == len(texts(cut))


def test_zeros_that_a_power_failure_left_are_no_records(data: bytes) -> None:
    index = b"".join(record.pack() for record in index_of(data)[:3]) + bytes(5 * RECORD_SIZE)
    table = RecordTable(lambda size, at: index[at : at + size], index_size=len(index), log_size=len(data))
    assert [table[number] for number in range(len(table))] == index_of(data)[:3]


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xe4\xb8", b"\xad", b"\x1b[0m"]), max_size=30).map(
        b"".join
    )
)
@settings(max_examples=150)
def test_any_bytes_read_as_the_decoder_has_them(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    log = write_log(tmp_path_factory.mktemp("log"), data, index_of(data))
    assert [line.text for line in log] == texts(data)
    assert log.count() == len(texts(data))


def test_times_are_those_of_the_records(tmp_path: Path) -> None:
    indexer = Indexer()
    chunks = [(b"a\nb\n", 1.0), (b"c\n", 2.5), (b"d\n", 2.6), (b"e\n", 9.0)]
    records = [record for chunk, time in chunks for record in indexer.feed(chunk, time)]
    log = write_log(tmp_path, b"".join(chunk for chunk, _ in chunks), records)
    assert [line.time for line in log] == [1.0, 1.0, 2.5, 2.5, 9.0]
    assert [line.time for line in log.lines(3, 5)] == [2.5, 9.0]
    assert [line.time for line in log.search("e")] == [9.0]


@pytest.mark.parametrize("n", [0, 1, 3, 100_000])
def test_tail_gives_the_last_lines(tmp_path: Path, data: bytes, n: int) -> None:
    lines = write_log(tmp_path, data, index_of(data)).tail(n)
    assert [line.text for line in lines] == (texts(data)[-n:] if n else [])


def test_a_log_that_is_not_there_is_empty(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "logs" / "worker-0.log")
    assert (log.count(), log.tail(5), list(log), log.search("x")) == (0, [], [], [])


def test_a_growing_log_is_read_on(tmp_path: Path) -> None:
    log = write_log(tmp_path, b"")
    counts = []
    for piece in (b"one", b" and\ntwo\n", b"", b"three\n"):
        with log.path.open("ab") as file:
            file.write(piece)
        counts.append((log.count(), log.tail(1)[0].text))
    assert counts == [(1, "one"), (2, "two"), (2, "two"), (3, "three")]


def test_a_log_that_was_cut_loses_what_was_remembered_behind_its_end(tmp_path: Path, data: bytes) -> None:
    log = write_log(tmp_path, data)
    assert log.count() == 20_001
    os.truncate(log.path, 200_000)
    assert [line.text for line in log.tail(3)] == texts(data[:200_000])[-3:]
    with log.path.open("ab") as file:
        file.write(b"\nother\n" * 50_000)
    assert log.count() == len(texts(log.path.read_bytes()))


# --- very long lines ---


def test_of_a_very_long_line_both_ends_are_read(tmp_path: Path) -> None:
    log = write_log(tmp_path, b"first\n" + b"a" * 3 * MiB + b"b" * 3 * MiB + b"\nlast\n")
    first, long, last = log.lines(0, 10)
    assert (first.text, last.text, last.number) == ("first", "last", 2)
    assert re.fullmatch(r"a+ … \[5242880 bytes left out\] … b+", long.text)
    assert len(long.text) < CLIP + 100


def test_a_bar_of_many_megabytes_shows_its_last_state(tmp_path: Path) -> None:
    states = b"\r".join(b"%d/200000 steps" % step for step in range(1, 200_001))
    log = write_log(tmp_path, b"start\n" + states)
    assert [line.text for line in log] == ["start", "200000/200000 steps"]


@pytest.mark.parametrize("length", [CLIP - 1, CLIP, 300_000])
def test_a_long_line_within_the_limit_is_whole(tmp_path: Path, length: int) -> None:
    log = write_log(tmp_path, b"a\n" + b"x" * length + b"\nb\n")
    assert [len(line.text) for line in log] == [1, length, 1]


# --- search ---


def numbers(log: LogFile, pattern: str, *, regex: bool = False) -> list[int]:
    return [line.number for line in log.search(pattern, regex=regex)]


@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize("text", ["epoch 1234 ", "训练", "epoch 77", "unfinished", "nowhere", "Epoch 1"])
def test_search_finds_the_lines_that_hold_the_text(tmp_path: Path, data: bytes, text: str, with_index: bool) -> None:
    log = write_log(tmp_path, data, index_of(data) if with_index else None)
    found = log.search(text, limit=10**6)
    raw = data.split(b"\n")
    expected = [number for number, line in enumerate(raw) if text.encode() in line]
    assert [line.number for line in found] == expected
    assert [line.text for line in found] == [decode_line(raw[number]) for number in expected]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"^loss", [0, 4]),
        (r"\d$", [0, 1, 4]),
        (r"[训练]{2} ok", [2]),
        (r"\w+ ok", [2]),
        (r"(?i)LOSS", [0, 1, 4]),
        (r"1\s+train", []),  # a match lies within one line
        (r"a*", [0, 1, 2, 3, 4]),
        (r"^$", [3]),
        (r".\udcff.", []),
    ],
)
def test_a_regex_means_letters_and_one_line(tmp_path: Path, pattern: str, expected: list[int]) -> None:
    log = write_log(tmp_path, "loss 1\ntrain loss 2\r\n训练 ok\r\n\nloss 3".encode())
    assert numbers(log, pattern, regex=True) == expected


def test_a_regex_finds_lines_in_every_block(tmp_path: Path) -> None:
    data = b"\xff filler 1\n" * 250_000  # three blocks
    log = write_log(tmp_path, b"needle 10\n" + data + b"needle 11\n" + data + "针 needle 12".encode())
    assert numbers(log, r"needle 1\d$", regex=True) == [0, 250_001, 500_002]


def test_a_broken_regex_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"'\(a' is no regular expression.*Put a") as caught:
        write_log(tmp_path, b"").search("(a", regex=True)
    assert caught.value.field == "pattern"


@pytest.mark.parametrize("pattern", ["1\ntrain", "loss 1\n"])
def test_text_over_two_lines_is_never_found(tmp_path: Path, pattern: str) -> None:
    assert numbers(write_log(tmp_path, b"loss 1\ntrain\n"), pattern) == []


def test_search_stops_at_its_limit(tmp_path: Path) -> None:
    log = write_log(tmp_path, b"a\n" * 5_000)
    assert [line.number for line in log.search("a", limit=3)] == [0, 1, 2]
    assert len(log.search("", limit=10_000)) == 5_000


@pytest.mark.parametrize("regex", [False, True])
def test_a_match_across_two_blocks_of_a_very_long_line_is_found_once(tmp_path: Path, regex: bool) -> None:
    before = b"\n".join([b"short", b"x" * (MiB - 9)])
    log = write_log(tmp_path, before + b"needle" * 2 + b"x" * 3 * MiB + b"needle\nafter needle\n")
    assert numbers(log, "needleneedle", regex=regex) == [1]
    assert numbers(log, "needle", regex=regex) == [1, 2]


# --- what a job puts in the place of its log ---

FOREIGN = b"what only the reader may see\n"


def put_link(log: Path, target: Path) -> None:
    log.symlink_to(target)


def put_link_to_the_folder(log: Path, target: Path) -> None:
    log.parent.rmdir()
    target.rename(target.with_name(log.name))
    log.parent.symlink_to(target.parent)


def put_pipe(log: Path, target: Path) -> None:
    os.mkfifo(log)


def put_folder(log: Path, target: Path) -> None:
    log.mkdir()


@pytest.fixture(params=[put_link, put_link_to_the_folder, put_pipe, put_folder])
def replaced(request: pytest.FixtureRequest, tmp_path: Path) -> LogFile:
    """A log in whose place there is something else."""
    log, target = tmp_path / "logs" / "worker-0.log", tmp_path / "elsewhere" / "target"
    log.parent.mkdir()
    target.parent.mkdir()
    target.write_bytes(FOREIGN)
    request.param(log, target)
    return LogFile(log)


@pytest.mark.parametrize(
    "read",
    [
        LogFile.count,
        lambda log: log.lines(0, 10),
        lambda log: list(log.pick([0])),
        lambda log: log.tail(5),
        list,
        lambda log: log.search("reader"),
        lambda log: log.search("reader", regex=True),
    ],
    ids=["count", "lines", "pick", "tail", "all", "search", "regex"],
)
def test_only_a_plain_file_is_read_as_a_log(replaced: LogFile, read: Callable[[LogFile], object]) -> None:
    with pytest.raises(PaiJupyterError, match=r"worker-0\.log' is not read: it is no plain file.*Remove"):
        read(replaced)


def test_an_index_that_is_a_link_is_not_read_either(tmp_path: Path) -> None:
    (tmp_path / "worker-0.log").write_bytes(b"line\n")
    (tmp_path / "worker-0.idx").symlink_to(tmp_path / "worker-0.log")
    with pytest.raises(PaiJupyterError, match=r"worker-0\.idx' is not read"):
        LogFile(tmp_path / "worker-0.log").count()


def test_refused_logs_leave_no_descriptor_open(replaced: LogFile, tmp_path: Path) -> None:
    for _ in range(5):
        with pytest.raises(PaiJupyterError):
            replaced.count()
    assert open_below(tmp_path) == []
