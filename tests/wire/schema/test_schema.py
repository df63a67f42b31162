"""The wire is declared once: what is generated is what is there, and the code keeps to what is declared."""

import subprocess
import sys
from collections import Counter
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, NotRequired, TypedDict, get_args, get_type_hints

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.events import JobState, Metric, ReplicaChanged, Status, StoredEvent
from pai_jupyter.wire.connection.answers import HANDLERS
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.asked import PanelRequests, Requests, RunRequests
from pai_jupyter.wire.schema.generate.__main__ import CHECKOUT, generated
from pai_jupyter.wire.schema.generate.declared import declarations, fields_of
from pai_jupyter.wire.schema.generate.json_schema import schema_of
from pai_jupyter.wire.schema.generate.json_text import WIDTH, json_text
from pai_jupyter.wire.schema.generate.typescript import field_type
from pai_jupyter.wire.schema.job import JobEvent, JobStateJson
from pai_jupyter.wire.schema.limits import Items, Number, Text
from pai_jupyter.wire.schema.listing import JobRowJson, PanelAnswers
from pai_jupyter.wire.schema.run import RunViewAnswers
from pai_jupyter.wire.schema.tabs import Answers
from pai_jupyter.wire.schema.values import JsonNumber, Pair

OVER_REST = {"job", "difference", "cell"}  # kinds that no view asks for over its socket or comm
OF_A_FEED = {"hello", "bye", "board"}  # kinds that need to know the view, or where the browser sits


class Sample(TypedDict):
    """A request."""

    name: Annotated[str, Text(most=3)]
    count: NotRequired[Annotated[int, Number(least=1, most=9)]]
    names: NotRequired[Annotated[list[Annotated[str, Text(most=2)]], Items(most=2)]]
    word: NotRequired[Literal["a", "b"]]


# --- what is generated -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_generating_again_changes_nothing(path: Any) -> None:  # Any: a path
    assert path.read_text(encoding="utf-8") == generated()[path], f"{path.relative_to(CHECKOUT)}: type make generate"


@pytest.mark.parametrize(
    ("hint", "schema", "typescript"),
    [
        (str, {"type": "string"}, "string"),
        (Annotated[str, Text(least=1, most=9)], {"type": "string", "minLength": 1, "maxLength": 9}, "string"),
        (Annotated[int, Number()] | None, {"type": ["integer", "null"], "minimum": 0}, "number | null"),
        (Literal["a"], {"const": "a"}, "'a'"),
        (Literal["a", "b"], {"enum": ["a", "b"]}, "'a' | 'b'"),
        (list[int | None], {"type": "array", "items": {"type": ["integer", "null"]}}, "(number | null)[]"),
        (
            Annotated[list[str], Items(most=2)],
            {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "string[]",
        ),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
        (dict[str, object] | None, {"type": ["object", "null"]}, "Record<string, unknown> | null"),
        (JsonNumber, {"$ref": "#/components/schemas/JsonNumber"}, "JsonNumber"),
        (
            JsonNumber | None,
            {"oneOf": [{"$ref": "#/components/schemas/JsonNumber"}, {"type": "null"}]},
            "JsonNumber | null",
        ),
        (JobRowJson, {"$ref": "#/components/schemas/JobRow"}, "JobRow"),
        (list[Pair], {"type": "array", "items": {"$ref": "#/components/schemas/Pair"}}, "Pair[]"),
        (
            tuple[str, int],
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "maxItems": 2},
            "[string, number]",
        ),
    ],
)
def test_a_type_is_the_same_in_both(hint: object, schema: object, typescript: str) -> None:
    assert schema_of(hint) == schema
    assert field_type(hint) == typescript


def test_what_fits_stands_on_one_line() -> None:
    whole = {"a": [1] * 20, "b": ["x" * 50, "y" * 60], "训": {}}
    lines = json_text(whole).splitlines()
    assert lines[0] == "{"
    assert max(map(len, lines)) <= WIDTH
    assert json_text(whole["b"]) == f'["{"x" * 50}", "{"y" * 60}"]\n'


def test_a_name_is_declared_once() -> None:
    assert [name for name, times in Counter(name for name, _ in declarations()).items() if times > 1] == []


# --- what the code keeps to ------------------------------------------------------------------------------------------


def test_a_stored_event_has_the_fields_that_are_declared() -> None:
    [events] = [get_args(JobEvent)[0]]
    declared = {get_type_hints(each)["kind"].__args__[0]: each for each in get_args(events)}
    assert set(declared) == {each.__name__ for each in get_args(StoredEvent)}
    for each in get_args(StoredEvent):
        own = {item.name: item.default is MISSING for item in fields(each)}
        assert {it.name: it.is_required for it in fields_of(declared[each.__name__])} == {"kind": True, **own}


def test_a_state_has_the_fields_that_are_declared() -> None:
    plain = JobState()
    assert set(plain.to_json()) == JobStateJson.__required_keys__
    whole = plain.apply(ReplicaChanged(replica="worker-0", status=Status.RUNNING, time=1.0))
    whole = whole.apply(Metric(name="loss", value=1.0, time=1.0, replica="worker-0"))
    assert set(whole.to_json()) == set(get_type_hints(JobStateJson))


def test_every_kind_of_request_is_answered() -> None:
    asked, answered = set(get_type_hints(Requests)), set(get_type_hints(Answers))
    assert asked == answered == set(HANDLERS) - OVER_REST | OF_A_FEED
    assert set(get_type_hints(PanelRequests)) == set(get_type_hints(PanelAnswers))
    assert set(get_type_hints(RunRequests)) == set(get_type_hints(RunViewAnswers))


def test_what_is_asked_keeps_to_its_declared_limits() -> None:
    asked = RequestFields({"name": "abc", "count": 9, "names": ["ab", ""], "word": "b"}, Sample)
    assert (asked.text("name"), asked.number("count"), asked.texts("names"), asked.word("word")) == (
        *("abc", 9, ["ab", ""]),
        "b",
    )


@pytest.mark.parametrize(
    ("given", "read", "sentence"),
    [
        ({"name": "abcd"}, lambda asked: asked.text("name"), "a text of at most 3 characters"),
        ({"count": 0}, lambda asked: asked.number("count"), "a whole number from 1 to 9"),
        ({"count": 10}, lambda asked: asked.number("count"), "a whole number from 1 to 9"),
        ({"names": ["", "", ""]}, lambda asked: asked.texts("names"), "a list of at most 2 texts"),
        ({"names": ["abc"]}, lambda asked: asked.texts("names"), "a text of at most 2 characters"),
        ({"word": "c"}, lambda asked: asked.word("word"), "one of a, b"),
        ({}, lambda asked: asked.text("name"), "has no `name`"),
    ],
)
def test_what_is_beyond_its_declared_limit_is_refused(given: dict[str, object], read: Any, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        read(RequestFields(given, Sample))


def test_a_server_imports_no_declaration_of_an_answer() -> None:
    program = (
        "import sys, pai_jupyter.server.routes, pai_jupyter.view.widget\n"
        "print(*sorted(name for name in sys.modules if name.startswith('pai_jupyter.wire.schema.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert [name.rpartition(".")[2] for name in done.stdout.split()] == ["asked", "limits", "rest", "values"]
