"""Bytes into lines, whatever their chunks."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.events import LineDecoder, decode_line, for_terminal, strip_ansi
from pai_jupyter.events.lines import MAX_LINE

# Bytes in which everything that makes lines hard is frequent.
logs = st.lists(
    st.sampled_from(
        [b"\r", b"\n", b"\r\n", "é".encode(), "训练".encode(), b"\xff", b"\xc3", b"\x1b[1m", b"ab", b" 50%"]
    ),
    max_size=40,
).map(b"".join)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """`data` in pieces, cut at `places` (each modulo its length)."""
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(bounds)]


def lines_of(chunks: list[bytes]) -> list[str]:
    decoder = LineDecoder()
    return [line for chunk in chunks for line in decoder.feed(chunk)] + decoder.flush()


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ([b"a\r", b"\nb\n"], ["a", "b"]),
        ([b"\xc3", b"\xa9\n"], ["é"]),
        ([b"\n\n"], ["", ""]),
        ([b"no newline"], ["no newline"]),
        ([b"10%\r", b"20%\r30%\n"], ["30%"]),
        ([b"\r10%\r20%", b"\n"], ["20%"]),
        ([b"90%\r100%\r", b"\n"], ["100%"]),
        ([b"90%\r100%\r"], ["100%"]),
        ([b"\xff\xfe ok\n"], ["\ufffd\ufffd ok"]),
        ([b"cut \xe8\xae\n", b"next\n"], ["cut \ufffd", "next"]),
        ([b"\x1b[31mred\x1b[0m\n"], ["\x1b[31mred\x1b[0m"]),
        ([b""], []),
    ],
)
def test_lines_survive_any_chunking(chunks: list[bytes], lines: list[str]) -> None:
    assert lines_of(chunks) == lines


@given(logs, st.lists(st.integers(0, 1000), max_size=8))
def test_every_way_of_cutting_gives_the_same_lines(data: bytes, places: list[int]) -> None:
    assert lines_of(cut(data, places)) == lines_of([data])


@given(logs)
def test_each_line_is_what_decode_line_makes_of_its_bytes(data: bytes) -> None:
    raws = data.split(b"\n")
    assert lines_of([data]) == [decode_line(raw) for raw in (raws if raws[-1] else raws[:-1])]


@given(logs, st.integers(0, 1000))
def test_a_restart_from_the_saved_state_changes_nothing(data: bytes, place: int) -> None:
    head, tail = cut(data, [place])
    first = LineDecoder()
    lines = first.feed(head)
    second = LineDecoder.from_state(json.loads(json.dumps(first.state)))
    assert lines + second.feed(tail) + second.flush() == lines_of([data])


@pytest.mark.parametrize("chunk", [1000, 65_536, 10_000_000])
def test_a_line_without_an_end_keeps_its_last_part_and_no_more(chunk: int) -> None:
    data = b"x" * 9_000_000 + b"the end"
    decoder = LineDecoder()
    for piece in (data[at : at + chunk] for at in range(0, len(data), chunk)):
        assert decoder.feed(piece) == []
        assert len(decoder.state["pending"]) <= MAX_LINE
    assert decoder.feed(b"\r\n") == ["x" * (MAX_LINE - 7) + "the end"]


def test_a_bar_without_an_end_is_kept_as_its_last_state() -> None:
    decoder = LineDecoder()
    for percent in range(1000):
        decoder.feed(b"\r%4d per mille" % percent)
    assert decoder.state == {"pending": " 999 per mille"}


def test_endless_returns_do_not_push_the_bar_out() -> None:
    decoder = LineDecoder()
    decoder.feed(b"50%" + b"\r" * (2 * MAX_LINE))
    assert decoder.partial == "50%"
    assert decoder.flush() == ["50%"]


@pytest.mark.parametrize(
    ("data", "partial"),
    [
        (b"a\nunfinished", "unfinished"),
        (b"10%\r20%\r", "20%"),
        (b"\xe8\xae\xad\xe7\xbb", "训"),
        (b"abc\xe7", "abc"),
        (b"\xff", "\ufffd"),
        (b"done\n", ""),
    ],
)
def test_partial_shows_the_unfinished_line_in_whole_letters(data: bytes, partial: str) -> None:
    decoder = LineDecoder()
    decoder.feed(data)
    assert decoder.partial == partial


def test_flush_leaves_nothing_behind() -> None:
    decoder = LineDecoder()
    decoder.feed(b"last")
    assert decoder.flush() == ["last"]
    assert decoder.flush() == []


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain\n", "plain"),
        (b"windows\r\n", "windows"),
        (b"1%\r2%\r", "2%"),
        (b"\r\r\n", ""),
        (b"x" * 100_000, "x" * 100_000),
    ],
)
def test_decode_line_takes_one_line_whole(raw: bytes, text: str) -> None:
    assert decode_line(raw) == text


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mred\x1b[0m",
        "\x1b[1;38;5;208mred",
        "\x1b]0;a title\x07red",
        "\x1b]8;;http://a/b\x1b\\red\x1b]8;;\x1b\\",
        "\x1b[2K\x1b[1Gred",
        "\x1b(Bred\x1b7",
        "red",
    ],
)
def test_strip_ansi_leaves_the_text(text: str) -> None:
    assert strip_ansi(text) == "red"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;38;5;208mred\x1b[0m", "\x1b[1;38;5;208mred\x1b[0m"),
        ("a\x1b]0;a title\x07b", "ab"),
        ("a\x1b]52;c;ZXZpbA==\x07b", "ab"),  # into the clipboard
        ("a\x1b[2J\x1b[1;1Hb", "ab"),
        ("a\x9b2Jb\x9d0;t\x9c", "a2Jb0;t"),
        ("a\x08\x07\x1bb", "a"),
        ("a\x1b", "a"),
        ("训练\tb", "训练\tb"),
    ],
)
def test_a_terminal_gets_colours_and_nothing_else(text: str, shown: str) -> None:
    assert for_terminal(text) == shown
