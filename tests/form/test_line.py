"""The form and a line: what a line gives fills the form, and the form says itself as a line."""

import html
import json
import re

import ipywidgets
import pytest

from pai_jupyter.form import FormValues
from pai_jupyter.form.words import translator
from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.train_magics import TrainMagics
from pai_jupyter.spec import Scalar
from pai_jupyter.training import TrainOptions
from tests.support.forms import SOURCE, field, input_row, make, press, row, submitted, type_into

ODD = ["a b", "a'; echo x", '"', "训练", "--image", "-x", "{name}", "a={name}$HOME", "\\", "#", "%s", "\t."]


# What the line gives


def test_values_of_the_line_fill_the_form() -> None:
    form = make(values={"lr": "0.5", "amp": "no", "opt": "sgd", "layers": "[1]", "free": "x"})
    assert form.values() == {"lr": 0.5, "amp": False, "opt": "sgd", "layers": [1], "free": "x"}


@pytest.mark.parametrize(
    ("name", "value"), [("lr", "abc"), ("epochs", "500"), ("opt", "adamw"), ("amp", "maybe"), ("maybe", "x")]
)
def test_wrong_value_of_the_line_is_shown_as_typed_with_its_error(name: str, value: str) -> None:
    form = make(values={name: value})
    assert field(form, name).value == value
    assert row(form, name).error.startswith(f"{name} must be ")
    assert form.submit.disabled
    press(row(form, name).reset)
    assert form.errors() == {}


def test_undeclared_value_has_a_row_that_can_be_removed() -> None:
    form = make(values={"other": "3"})
    assert "no option of the script" in row(form, "other").error
    press(row(form, "other").reset)
    assert form.errors() == {}
    assert "other" not in form.values()


def test_undeclared_empty_text_is_a_value() -> None:
    form = make("print()", values={"note": ""})
    assert form.values() == {"note": ""}


@pytest.mark.parametrize("value", [[1, 2], {"a": "b"}, True, 3, 0.5, "text"])
def test_undeclared_value_keeps_its_type(value: Scalar) -> None:
    assert make("print()", values={"note": value}).values() == {"note": value}


def test_empty_text_of_the_line_is_a_value() -> None:
    assert make(values={"name": ""}).values()["name"] == ""


def test_alias_of_the_line_keeps_its_name() -> None:
    form = make('p.add_argument("--batch-size", "--bs", type=int, default=1)', values={"bs": "8"})
    assert form.values() == {"bs": 8}


def test_place_of_the_line_fills_the_form() -> None:
    form = make(
        backend="docker",
        backends=("process", "docker"),
        image_uri="pytorch:latest",
        instance_type="local_gpu",
        instance_count=2,
        inputs={"train_data": "./a b", "more": "oss://x/"},
    )
    (got,) = submitted(form)
    assert got == FormValues(
        values={},
        backend="docker",
        image_uri="pytorch:latest",
        instance_type="local_gpu",
        instance_count=2,
        inputs={"train_data": "./a b", "more": "oss://x/"},
    )


def test_untouched_place_is_not_given() -> None:
    (got,) = submitted(make())
    assert (got.backend, got.image_uri, got.instance_type, got.instance_count, got.inputs) == (None, None, None, 1, {})


def test_configured_image_is_only_hinted_at() -> None:
    form = make(configured_image="team:latest")
    assert form.place.image.placeholder == "team:latest"
    assert form.read().image_uri is None


def test_backend_can_be_left_to_the_rules_again() -> None:
    form = make(backend="mine", backends=("process", "docker"))
    assert form.read().backend == "mine"
    form.place.backend.set_state({"index": 0})
    assert form.read().backend is None


def test_candidate_is_a_row_for_an_input() -> None:
    form = make()
    assert [it.name for it in form.input_rows] == ["train_data"]
    input_row(form, "train_data").control.widget.set_state({"value": " ./data "})
    assert form.read().inputs == {"train_data": "./data"}


def test_candidate_given_a_value_is_a_row_for_a_value() -> None:
    form = make(values={"train_data": "x"})
    assert form.input_rows == []
    assert form.values()["train_data"] == "x"


def test_input_given_a_value_as_well_keeps_submit_off_and_says_why() -> None:
    form = make(inputs={"train_data": "./x"}, values={"train_data": "y"})
    assert form.submit.disabled
    assert "Remove -i or -p" in form.message.value


def test_required_input_keeps_submit_off_until_it_has_a_place() -> None:
    form = make('p.add_argument("--train_data", required=True)')
    assert form.submit.disabled
    assert "has no place" in input_row(form, "train_data").error
    input_row(form, "train_data").control.widget.set_state({"value": "./data"})
    assert not form.submit.disabled


# Copy as line


def test_line_follows_the_fields() -> None:
    form = make()
    assert form.line.value == "%%pai_train"
    type_into(form, "lr", "0.003")
    type_into(form, "name", "a 'b'")
    assert form.line.value == "%%pai_train -p lr=0.003 -p 'name=a '\"'\"'b'\"'\"''"


def test_line_says_the_place_and_the_inputs_too() -> None:
    form = make(backends=("process", "docker"))
    input_row(form, "train_data").control.widget.set_state({"value": "./a b"})
    form.place.backend.set_state({"index": 2})
    form.place.image.set_state({"value": "my registry/x:1"})
    form.place.instance_type.set_state({"value": "local_gpu"})
    form.place.instance_count.set(2)
    assert form.line.value == (
        "%%pai_train --backend docker --image 'my registry/x:1' --instance-type local_gpu --instance-count 2 -i 'train_data=./a b'"
    )


@pytest.mark.parametrize("text", ODD)
def test_line_read_as_a_magic_reads_it_gives_the_form_again(text: str) -> None:
    form = make(backends=("process", "docker"), backend="docker")
    for name, typed in {"name": text, "free": text, "layers": json.dumps([text]), "lr": "1e-3", "depth": "4"}.items():
        type_into(form, name, typed)
    form.place.image.set_state({"value": text})
    input_row(form, "train_data").control.widget.set_state({"value": text})
    line = expand(form.line.value.removeprefix("%%pai_train"), {"name": "a notebook's variable"})
    options = TrainOptions.read(parse(TrainMagics.pai_train, line))
    given = form.read()
    assert (options.backend, options.image_uri, options.inputs) == (given.backend, given.image_uri, given.inputs)
    schema = read_schema(SOURCE)
    assert schema.validate(options.values) == schema.validate(given.values)


def test_line_break_is_told_beside_the_line() -> None:
    form = make(values={"free": "a\nb"})
    assert isinstance(field(form, "free"), ipywidgets.Textarea)
    assert form.line.value == ""
    assert "--params FILE" in form.line.placeholder
    assert not form.submit.disabled
    field(form, "free").set_state({"value": "ab"})
    assert form.line.value == "%%pai_train -p free=ab"


def test_the_line_can_be_copied_and_not_typed_into() -> None:
    form = make(values={"name": '"><b>'}, translate=translator("zh"))
    shown = form.line.widget.value
    assert re.findall(r"<(\w+)", shown) == ["input", "button", "span"]
    assert re.search(r" readonly ", shown)
    assert "disabled" not in shown.partition(">")[0]  # a disabled field takes no focus
    assert 'aria-label="魔法命令行"' in shown
    assert f'value="{html.escape(form.line.value)}"' in shown
    assert form.line.value == "%%pai_train -p 'name=\"><b>'"
