"""Messages of the wire: every one can be sent, and a browser reads its binary parts in place."""

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.wire import Message, error_body, to_frame

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats()
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def parse(frame: str | bytes) -> tuple[Any, list[bytes]]:
    """A frame as the browser reads it."""
    if isinstance(frame, str):
        return json.loads(frame), []
    (length,) = struct.unpack_from("<I", frame)
    body = json.loads(frame[4 : 4 + length])
    parts, at = [], 4 + length
    for size in body.pop("buffers"):
        assert at % 8 == 0
        parts.append(frame[at : at + size])
        at += size + -size % 8
    assert at == len(frame)
    return body, parts


def test_a_message_without_binary_parts_is_text() -> None:
    assert to_frame(Message(body={"id": 1, "ok": {"text": "训练"}})) == '{"id":1,"ok":{"text":"训练"}}'


@given(JSON, st.lists(st.binary(max_size=40), min_size=1, max_size=4))
def test_binary_parts_come_back_and_begin_where_doubles_may(value: object, buffers: list[bytes]) -> None:
    message = Message(body={"ok": value}, buffers=tuple(buffers))
    body, parts = parse(to_frame(message))
    assert parts == buffers
    assert body == json.loads(json.dumps(message.body))


@given(JSON)
def test_whatever_is_in_a_message_can_be_sent(value: object) -> None:
    frame = to_frame(Message(body={"ok": value}))
    assert isinstance(frame, str)
    frame.encode()
    json.loads(frame, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ("a\udc80b", "a\ufffdb"),
        ("\ud83d\ude00", "\U0001f600"),  # two halves that are one character
        ({"\ud800": (1, 2.5)}, {"\ufffd": [1, 2.5]}),
        ([True, None, 2**60], [True, None, 2**60]),
    ],
)
def test_what_json_lacks_becomes_words_and_whole_characters(value: Any, sent: object) -> None:
    assert Message(body={"value": value}).body["value"] == sent


def test_an_error_is_its_class_and_its_sentence() -> None:
    assert error_body(NotFoundError("there is no job.")) == {
        "type": "NotFoundError",
        "message": "there is no job.",
        "hint": "",
    }


def test_an_error_that_quotes_a_long_request_is_cut() -> None:
    assert len(str(error_body(SpecError("x" * 10**6))["message"])) == 2_000
