"""References in templates: found wherever they are, and replaced by values that are never read again."""

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.references import Reference, read_reference, references_in, resolve
from pai_jupyter.spec import Json

VALUES: dict[str, Json] = {
    "item": 3,
    "inputs.parameters.n": 500,
    "inputs.parameters.text": "{{item}}",
    "inputs.parameters.none": None,
    "inputs.artifacts.x": [True, 0.1],
}


def lookup(reference: Reference) -> Json:
    return VALUES[reference.text]


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("inputs.parameters.a-b", Reference(text="inputs.parameters.a-b", name="a-b")),
        ("inputs.artifacts.x", Reference(text="inputs.artifacts.x", kind="artifacts", name="x")),
        (
            "pipelines.train-step-1.outputs.parameters.test-accuracy",
            Reference(
                text="pipelines.train-step-1.outputs.parameters.test-accuracy",
                name="test-accuracy",
                step="train-step-1",
            ),
        ),
        (
            "pipelines.a b.c.outputs.artifacts.m_0",
            Reference(text="pipelines.a b.c.outputs.artifacts.m_0", kind="artifacts", name="m_0", step="a b.c"),
        ),
        (" item ", Reference(text="item")),
    ],
)
def test_references_are_read(text: str, reference: Reference) -> None:
    assert read_reference(text) == reference


@pytest.mark.parametrize(
    "text", ["inputs.x", "pipelines.a.outputs", "item.name", "inputs.parameters.", "outputs.parameters.a"]
)
def test_what_is_no_reference_gets_a_sentence(text: str) -> None:
    with pytest.raises(SpecError, match="is no reference"):
        read_reference(text)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{inputs.parameters.n}}", 500),
        (" {{ inputs.parameters.n }}\n", 500),
        ("--n {{inputs.parameters.n}}", "--n 500"),
        ("{{item}}{{item}}", "33"),
        ("{{inputs.artifacts.x}}", [True, 0.1]),
        ("x={{inputs.artifacts.x}}", "x=[true,0.1]"),
        ("<{{inputs.parameters.none}}>", "<>"),
        ("{{inputs.parameters.none}}", None),
        (["{{item}}", {"a": "{{item}}!", "{{item}}": 1}, None, 2], [3, {"a": "3!", "{{item}}": 1}, None, 2]),
        ("{{.Names}} {{ title }} {{items}} ${x} {{}}", "{{.Names}} {{ title }} {{items}} ${x} {{}}"),
        ("{{inputs.parameters.text}}", "{{item}}"),
        ("a {{inputs.parameters.text}}", "a {{item}}"),
    ],
)
def test_templates_are_resolved(template: Json, value: Json) -> None:
    assert resolve(template, lookup) == value


def test_references_are_found_in_lists_and_maps() -> None:
    found = references_in(["{{item}}", {"a": "x {{inputs.parameters.n}} {{item}}"}, 3, "{{ no }}"])
    assert [reference.text for reference in found] == ["item", "inputs.parameters.n", "item"]


def test_what_begins_like_a_reference_must_be_one() -> None:
    with pytest.raises(SpecError, match=r"\{\{inputs.n\}\} is no reference"):
        list(references_in("{{inputs.n}}"))
