"""Manifests as text: those of the official SDK, and what is none."""

import json
from typing import Any

import pytest

from pai_jupyter.cloud.flow import from_yaml, to_yaml
from pai_jupyter.cloud.flow.artifact_values import artifact_place, artifact_value
from pai_jupyter.errors import SpecError
from tests.support.paths import DATA

SENT: list[str] = [
    text
    for row in json.loads((DATA / "pai_requests.json").read_text())
    if (text := (row["body"] or {}).get("PipelineManifest") or (row["body"] or {}).get("Manifest"))
]


@pytest.mark.parametrize("text", SENT)
def test_the_official_clients_text_comes_back_as_it_was(text: str) -> None:
    assert len(from_yaml(text)) == 2
    assert from_yaml(to_yaml(from_yaml(text))) == from_yaml(text)
    assert to_yaml(from_yaml(text)) == text


def test_a_value_that_is_there_twice_is_written_twice() -> None:
    both: Any = {"a": 1}
    assert "&" not in to_yaml([{"x": both, "y": both}])


def test_a_pipeline_in_another_is_a_list_of_documents_in_the_official_clients_text() -> None:
    assert from_yaml("a: 1\n---\n- b: 2\n- c: 3\n---\nd: 4\n") == [{"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no document"),
        ("- a\n", "no object"),
        ("a: &x [1]\nb: *x\n", "alias"),
        ("a: [\n", "line 2"),
        ("a: !!python/object/apply:os.system ['true']\n", "line 1"),
        ("a: " + "[" * 5000, "invalid"),
        ("a" * 5_000_001, "characters"),
    ],
    ids=["nothing", "list", "alias", "unfinished", "code", "deep", "large"],
)
def test_what_is_no_manifest_is_refused(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        from_yaml(text)


@pytest.mark.parametrize(
    ("place", "endpoint", "value"),
    [
        ("oss://pai-test/d/train.csv", "e.com", {"bucket": "pai-test", "endpoint": "e.com", "key": "d/train.csv"}),
        (
            "oss://pai-test.oss-cn-x.aliyuncs.com/d/",
            "",
            {"bucket": "pai-test", "endpoint": "oss-cn-x.aliyuncs.com", "key": "d/"},
        ),
    ],
)
def test_a_place_in_oss_is_written_as_json_and_read_again(place: str, endpoint: str, value: dict[str, str]) -> None:
    written = artifact_value("x", place, endpoint=endpoint)
    assert isinstance(written, str)
    assert json.loads(written) == {"location": value}
    assert artifact_place(written) == f"oss://{value['bucket']}.{value['endpoint']}/{value['key']}"


def test_repeated_artifacts_are_named_by_number() -> None:
    written = artifact_value("x", ["oss://pai-test/1", "oss://pai-test/2"], endpoint="e")
    assert isinstance(written, list)
    assert [each["name"] for each in written if isinstance(each, dict)] == ["x_0", "x_1"]
    assert artifact_place(written) == ["oss://pai-test.e/1", "oss://pai-test.e/2"]


@pytest.mark.parametrize("value", ['{"location": {"table": "t", "project": "p"}}', "text", "{", None, 7, "[" * 100_000])
def test_what_is_not_in_oss_stays_as_it_is(value: Any) -> None:
    assert artifact_place(value) == value
    assert artifact_value("x", value) == value
