"""Bytes of a line into text, whatever they are, and however they arrived."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.events import decode_line, for_terminal, strip_ansi
from pai_jupyter.events.lines import clip, unfinished

LIMIT = 65_536  # bytes
# Bytes of one line, in which everything that makes lines hard is frequent.
lines = st.lists(
    st.sampled_from([b"\r", "é".encode(), "训练".encode(), b"\xff", b"\xc3", b"\x1b[1m", b"ab", b" 50%"]), max_size=40
).map(b"".join)
places = st.lists(st.integers(0, 1000), max_size=8)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """`data` in pieces, cut at `places` (each modulo its length)."""
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(bounds)]


def kept(chunks: list[bytes], limit: int = LIMIT) -> bytes:
    """What is kept of a line that arrives in `chunks`."""
    tail = b""
    for chunk in chunks:
        tail = unfinished(tail + chunk, limit)
    return tail


@given(lines, places)
def test_what_is_kept_of_a_line_shows_what_the_whole_line_shows(line: bytes, places: list[int]) -> None:
    assert decode_line(kept(cut(line, places))) == decode_line(line)


@given(lines, places, st.integers(1, 8))
def test_however_a_line_arrives_the_same_is_kept(line: bytes, places: list[int], limit: int) -> None:
    assert kept(cut(line, places), limit) == unfinished(line, limit)


@pytest.mark.parametrize("chunk", [1000, LIMIT, 10_000_000])
def test_a_line_without_an_end_keeps_its_last_part_and_no_more(chunk: int) -> None:
    data = b"x" * 9_000_000 + b"the end"
    assert kept([data[at : at + chunk] for at in range(0, len(data), chunk)]) == clip(data, LIMIT)


def test_endless_returns_do_not_push_the_bar_out() -> None:
    assert kept([b"50%" + b"\r" * (2 * LIMIT), b"\r\r"]) == b"50%\r"


@pytest.mark.parametrize(
    ("tail", "rest"),
    [
        (b"unfinished", b"unfinished"),
        (b"10%\r20%", b"20%"),
        (b"10%\r20%\r", b"20%\r"),  # the next byte may be the newline of this return
        (b"\xe8\xae\xad\xe7", b"\xe8\xae\xad\xe7"),
        (b"", b""),
    ],
)
def test_of_an_unfinished_line_its_last_state_is_kept(tail: bytes, rest: bytes) -> None:
    assert unfinished(tail, LIMIT) == rest


@pytest.mark.parametrize(("piece", "limit", "last"), [(b"abc", 3, b"abc"), (b"abc", 2, b"bc"), (b"", 2, b"")])
def test_clip_keeps_the_end(piece: bytes, limit: int, last: bytes) -> None:
    assert clip(piece, limit) == last


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain\n", "plain"),
        (b"windows\r\n", "windows"),
        (b"1%\r2%\r", "2%"),
        (b"\r10%\r20%", "20%"),
        (b"\r\r\n", ""),
        (b"\xff\xfe ok\n", "\ufffd\ufffd ok"),
        (b"cut \xe8\xae\n", "cut \ufffd"),
        (b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m"),
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
