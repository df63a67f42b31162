"""Requests: what can be meant becomes a value, everything else one sentence that names the field."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pai_jupyter.errors import SpecError
from pai_jupyter.wire.protocol.requests import Hello, LinesRequest, Points, RequestHead, Search, id_of

LINES = {"replica": "master-0", "start": 0, "stop": 10}
SEARCH = {"replica": "master-0", "pattern": "loss"}
READERS = {
    "call": RequestHead.parse,
    "hello": Hello.parse,
    "lines": LinesRequest.parse,
    "points": Points.parse,
    "search": Search.parse,
}


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("call", {"id": 1, "kind": "stop", "job": "j1"}, RequestHead(id=1, kind="stop", job="j1", view="")),
        ("call", {"id": "a", "kind": "x", "job": "", "view": "v"}, RequestHead(id="a", kind="x", job="", view="v")),
        ("hello", {}, Hello(replica=None)),
        ("hello", {"replica": None}, Hello(replica=None)),
        ("hello", {"replica": "worker-1"}, Hello(replica="worker-1")),
        ("lines", LINES, LinesRequest(replica="master-0", start=0, stop=10)),
        ("lines", {"replica": "训练", "numbers": [5, 1, 5]}, LinesRequest(replica="训练", numbers=[5, 1, 5])),
        ("points", {"group": "usage"}, Points(group="usage", is_live=None)),
        ("points", {"group": "metrics", "live": False}, Points(group="metrics", is_live=False)),
        (
            "search",
            {**SEARCH, "something": "of a newer client"},
            Search(replica="master-0", pattern="loss", regex=False, ignore_case=False, level=None, after=0, limit=1000),
        ),
        (
            "search",
            {**SEARCH, "regex": True, "ignore_case": True, "level": "error", "after": 7, "limit": 100_000},
            Search(
                replica="master-0", pattern="loss", regex=True, ignore_case=True, level="error", after=7, limit=100_000
            ),
        ),
    ],
)
def test_a_request_is_read(kind: str, given: Mapping[str, Any], expected: object) -> None:
    assert READERS[kind](given) == expected


@pytest.mark.parametrize(
    ("kind", "given", "field"),
    [
        ("call", {}, "kind"),
        ("call", {"kind": 5, "job": "j1"}, "kind"),
        ("call", {"kind": "lines"}, "job"),
        ("call", {"kind": "lines", "job": ["j1"]}, "job"),
        ("call", {"kind": "lines", "job": "j" * 10_000}, "job"),
        ("call", {"kind": "lines", "job": "j1\ud800"}, "job"),
        ("call", {"kind": "hello", "job": "j1", "view": {}}, "view"),
        ("hello", {"replica": 0}, "replica"),
        ("lines", {"start": 0, "stop": 10}, "replica"),
        ("lines", {**LINES, "start": -1}, "start"),
        ("lines", {**LINES, "start": True}, "start"),
        ("lines", {**LINES, "start": 1.5}, "start"),
        ("lines", {**LINES, "start": "1"}, "start"),
        ("lines", {**LINES, "stop": float("nan")}, "stop"),
        ("lines", {**LINES, "stop": 2**53 + 1}, "stop"),
        ("lines", {**LINES, "stop": 10**5000}, "stop"),
        ("lines", {**LINES, "start": 11}, "stop"),
        ("lines", {"replica": "a", "numbers": [0] * 501}, "numbers"),
        ("lines", {"replica": "a", "numbers": [1, None]}, "numbers"),
        ("lines", {"replica": "a", "numbers": [1, -1]}, "numbers"),
        ("lines", {"replica": "a", "numbers": {"0": 1}}, "numbers"),
        ("search", {"replica": "a"}, "pattern"),
        ("search", {**SEARCH, "pattern": "x" * 10_001}, "pattern"),
        ("search", {**SEARCH, "pattern": "\udc80"}, "pattern"),
        ("search", {**SEARCH, "regex": 1}, "regex"),
        ("search", {**SEARCH, "ignore_case": "yes"}, "ignore_case"),
        ("search", {**SEARCH, "level": "ERROR"}, "level"),
        ("search", {**SEARCH, "limit": 0}, "limit"),
        ("search", {**SEARCH, "limit": 100_001}, "limit"),
        ("search", {**SEARCH, "after": -5}, "after"),
        ("points", {}, "group"),
        ("points", {"group": "everything"}, "group"),
        ("points", {"group": ["metrics"]}, "group"),
        ("points", {"group": "metrics", "live": "no"}, "live"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_the_name_of_its_field(
    kind: str, given: Mapping[str, Any], field: str
) -> None:
    with pytest.raises(SpecError, match=rf"`{field}`") as caught:
        READERS[kind](given)
    assert caught.value.field == field
    assert len(str(caught.value)) < 400


@given(
    st.sampled_from(sorted(READERS)),
    st.dictionaries(
        st.sampled_from(
            ["id", "kind", "job", "view", "replica", "start", "stop", "numbers", "pattern", "level", "group"]
        ),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers(), max_size=3),
    ),
)
def test_no_request_ends_in_anything_but_a_value_or_a_sentence(kind: str, given: dict[str, Any]) -> None:
    with suppress(SpecError):
        READERS[kind](given)


@pytest.mark.parametrize(
    ("request_", "id_"),
    [
        ({"id": 5}, 5),
        ({"id": "a b"}, "a b"),
        ({"id": True}, None),
        ({"id": 1.5}, None),
        ({"id": "x" * 201}, None),
        ({"id": 10**30}, None),
        ({}, None),
        ([5], None),
        ("hello", None),
        (None, None),
    ],
)
def test_an_answer_repeats_the_id_where_there_is_one(request_: object, id_: object) -> None:
    assert id_of(request_) == id_
