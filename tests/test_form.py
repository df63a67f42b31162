"""The form without a browser: controls are set as a front end sets them, by their state."""

import ast
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from ipywidgets.widgets.widget import _instances
from traitlets import TraitError

import pai_jupyter.form
from pai_jupyter.errors import PackageError
from pai_jupyter.form import FormValues, HyperparameterForm, translator
from pai_jupyter.form.rows import InputRow, ValueRow
from pai_jupyter.form.words import CHINESE
from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.options import TrainOptions
from pai_jupyter.magics.train_magics import TrainMagics
from pai_jupyter.spec import Scalar

SOURCE = """
lr: float = 0.01      # hp: [1e-5..1] log  how fast
decay: float = 0.5    # hp: [0..1]
epochs: int = 10      # hp: [1..100]
depth: int = 3
opt: str = "adam"     # hp: {"adam", "sgd"}
amp: bool = True
name: str = "a b"
free: str = ""
layers: list = [64, 64]
p.add_argument("--maybe", type=bool)
p.add_argument("--limit", type=int, default=os.cpu_count(), help="<b>bold</b>")
p.add_argument("--train_data", help="Input train data path.")
p.parse_args()
"""
ODD = ["a b", "a'; echo x", '"', "训练", "--image", "-x", "{name}", "a={name}$HOME", "\\", "#", "%s", "\t."]
CLEVER = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def no_widgets_left() -> Iterator[None]:
    yield
    for widget in list(_instances.values()):
        widget.close()


def make(source: str = SOURCE, **line: Any) -> HyperparameterForm:  # Any: what a line gives
    return HyperparameterForm(read_schema(source, inputs=tuple(line.get("inputs", ()))), **line)


def row(form: HyperparameterForm, name: str) -> ValueRow:
    return next(it for it in form.rows if it.name == name)


def input_row(form: HyperparameterForm, name: str) -> InputRow:
    return next(it for it in form.input_rows if it.name == name)


def field(form: HyperparameterForm, name: str) -> Any:  # Any: ipywidgets carries no types
    """The widget that holds the value of a row."""
    widget = row(form, name).control.widget
    return widget.children[0] if isinstance(widget, ipywidgets.HBox) else widget


def type_into(form: HyperparameterForm, name: str, value: object) -> None:
    field(form, name).set_state({"value": value})


def press(button: Any) -> None:  # Any: ipywidgets carries no types
    button._handle_button_msg(button, {"event": "click"}, [])


def submitted(form: HyperparameterForm) -> list[FormValues]:
    got: list[FormValues] = []
    form.on_submit(got.append)
    press(form.submit)
    return got


def refuse(reason: str) -> None:
    raise PackageError(reason)


def described() -> list[Any]:  # Any: ipywidgets carries no types
    """The widgets whose labels a front end could take for HTML."""
    return [widget for widget in _instances.values() if hasattr(widget, "description_allow_html")]


def shown() -> str:
    """All HTML on the page."""
    return "\n".join(widget.value for widget in _instances.values() if isinstance(widget, ipywidgets.HTML))


# Controls


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("lr", ipywidgets.Text),
        ("epochs", ipywidgets.BoundedIntText),
        ("depth", ipywidgets.Text),
        ("opt", ipywidgets.Dropdown),
        ("amp", ipywidgets.Checkbox),
        ("name", ipywidgets.Text),
        ("layers", ipywidgets.Textarea),
        ("maybe", ipywidgets.Dropdown),
        ("limit", ipywidgets.Text),
    ],
)
def test_control_by_type(name: str, kind: type) -> None:
    assert type(field(make(), name)) is kind


@pytest.mark.parametrize(("name", "kind"), [("lr", ipywidgets.FloatLogSlider), ("decay", ipywidgets.FloatSlider)])
def test_float_between_bounds_has_a_slider_beside_its_text(name: str, kind: type) -> None:
    assert type(row(make(), name).control.widget.children[1]) is kind


def test_untouched_form_gives_nothing_and_can_be_submitted() -> None:
    form = make()
    assert form.values() == {}
    assert form.errors() == {}
    assert form.submit.disabled is False


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("lr", "1e-3", 0.001),
        ("decay", "0.123456789", 0.123456789),
        ("epochs", 7, 7),
        ("depth", "12", 12),
        ("depth", "", None),
        ("amp", False, False),
        ("name", 'it\'s "中文" $HOME', 'it\'s "中文" $HOME'),
        ("name", "", None),
        ("free", "x", "x"),
        ("layers", '[1, "a"]', [1, "a"]),
        ("limit", "4", 4),
    ],
)
def test_typed_value_comes_out_in_its_type(name: str, typed: object, value: Scalar) -> None:
    form = make()
    type_into(form, name, typed)
    assert form.values() == {name: value}


def test_choice_comes_out() -> None:
    form = make()
    field(form, "opt").set_state({"index": 1})
    field(form, "maybe").set_state({"index": 2})
    assert form.values() == {"opt": "sgd", "maybe": False}


@pytest.mark.parametrize(
    ("name", "moved", "text"), [("lr", 0.0316227766, "0.03162"), ("decay", 0.25000001, "0.25"), ("lr", 5.0, "1.0")]
)
def test_slider_writes_its_text(name: str, moved: float, text: str) -> None:
    form = make()
    row(form, name).control.widget.children[1].set_state({"value": moved})
    assert field(form, name).value == text
    assert form.errors() == {}


def test_slider_under_a_hand_is_not_moved_by_its_own_text() -> None:
    form = make()
    slider = row(form, "lr").control.widget.children[1]
    slider.set_state({"value": 0.0316227766})
    assert slider.value == 0.0316227766


def test_text_moves_the_slider_and_stays_as_typed() -> None:
    form = make()
    type_into(form, "lr", "1e-3")
    assert row(form, "lr").control.widget.children[1].value == pytest.approx(0.001)
    assert field(form, "lr").value == "1e-3"


def test_slider_that_a_browser_moves_to_its_step_leaves_the_text() -> None:
    form = make()
    text, slider = row(form, "lr").control.widget.children
    text.value = "0.002"
    step = round(math.log10(0.002) / slider.step) * slider.step
    slider.set_state({"value": 10**step})  # the browser's echo
    assert slider.value != 0.002
    assert text.value == "0.002"
    slider.set_state({"value": 10 ** (step + slider.step)})  # a hand
    assert text.value != "0.002"


def test_text_out_of_range_stays_as_typed_and_leaves_the_slider() -> None:
    form = make()
    type_into(form, "decay", "7")
    assert field(form, "decay").value == "7"
    assert row(form, "decay").control.widget.children[1].value == 0.5


@pytest.mark.parametrize("bounds", ["[0..1e999]", "[0..1e300]", "[1..1]", "[1..]"])
def test_range_that_no_slider_can_show_gets_a_text(bounds: str) -> None:
    form = make(f"x: float = 1.0  # hp: {bounds}")
    assert isinstance(row(form, "x").control.widget, ipywidgets.Text)


def test_large_whole_numbers_stay_exact() -> None:
    form = make(f"x: int = {10**18}  # hp: [0..{10**19}]")
    type_into(form, "x", str(10**18 + 1))
    assert form.values() == {"x": 10**18 + 1}


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
    assert value in row(form, name).error
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


# Errors


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("lr", "abc", "must be a number (Float) between 1e-05 and 1"),
        ("lr", "2", "between 1e-05 and 1"),
        ("depth", "3.5", "must be a whole number (Int)"),
        ("layers", "[1", "JSON"),
        ("limit", "x", "whole number"),
    ],
)
def test_error_stands_beside_its_field_and_submit_is_off(name: str, typed: str, words: str) -> None:
    form = make()
    type_into(form, name, typed)
    assert words in row(form, name).error
    error = row(form, name).widget.children[1]
    assert 'role="alert"' in error.value
    assert error.layout.display is None
    assert form.submit.disabled
    assert form.dry_run.disabled
    assert words in form.message.value
    assert form.line.value == ""


def test_corrected_field_takes_its_error_away() -> None:
    form = make()
    type_into(form, "lr", "abc")
    type_into(form, "lr", "0.1")
    assert row(form, "lr").error == ""
    assert row(form, "lr").widget.children[1].layout.display == "none"
    assert not form.submit.disabled
    assert form.message.value == ""


def test_no_field_loses_what_was_typed_when_others_are_wrong() -> None:
    form = make()
    typed = {"lr": "abc", "depth": "x", "name": "new", "layers": "{", "free": " "}
    for name, text in typed.items():
        type_into(form, name, text)
    press(row(form, "depth").reset)
    assert {name: field(form, name).value for name in typed} == {**typed, "depth": "3"}
    assert set(form.errors()) == {"lr", "layers"}


@pytest.mark.parametrize("name", ["lr", "decay", "epochs", "depth", "amp", "name", "layers"])
def test_reset_brings_the_default_back(name: str) -> None:
    form = make(values={"lr": 0.5, "decay": 1, "epochs": 3, "depth": 9, "amp": False, "name": "", "layers": [1]})
    assert name in form.values()
    press(row(form, name).reset)
    assert name not in form.values()
    assert form.errors() == {}


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("lr", {"value": None}),
        ("lr", {"value": ["x"]}),
        ("opt", {"index": 99}),
        ("amp", {"value": {}}),
        ("epochs", {"value": "x"}),
    ],
)
def test_hostile_state_of_a_front_end_changes_nothing(name: str, state: dict[str, object]) -> None:
    form = make()
    with pytest.raises(TraitError):
        field(form, name).set_state(state)
    assert form.values() == {}


def test_number_out_of_range_from_a_front_end_is_kept_within() -> None:
    form = make()
    type_into(form, "epochs", 10**6)
    assert form.values()["epochs"] == 100


def test_text_of_others_is_escaped() -> None:
    make(findings=[f"cell line 3: {CLEVER}"])
    assert "<script>" not in shown()
    assert "&lt;script&gt;" in shown()
    assert "&lt;b&gt;bold" in shown()


@pytest.mark.parametrize(
    "source",
    [
        f"p.add_argument('--x', help={CLEVER!r})",
        f"p.add_argument('--x', choices=['a', {CLEVER!r}], default={CLEVER!r})",
        f"p.add_argument('--x', default={CLEVER!r})",
        f"p.add_argument('--x', type=int, default=f({CLEVER!r}))",
        f"p.add_argument('--{CLEVER}', required=True)",
        f"p.add_argument('--train_data', help={'path of the data ' + CLEVER!r})",
        f"hp = {{{CLEVER!r}: 1}}",
        f"x: int = 1  # hp: [0..2] {CLEVER}",
    ],
)
@pytest.mark.parametrize("values", [{}, {"x": CLEVER}, {CLEVER: CLEVER}])
def test_no_script_gets_into_the_page(source: str, values: dict[str, object]) -> None:
    form = make(source, values=values, inputs={"more": CLEVER})
    form.on_submit(lambda _: refuse(CLEVER))
    press(form.submit)
    assert "<script" not in shown()
    assert not any(widget.description_allow_html for widget in described())


# Buttons


def test_submit_gives_what_differs_once_and_closes_the_form() -> None:
    form = make()
    type_into(form, "lr", "0.25")
    (got,) = submitted(form)
    assert got.values == {"lr": 0.25}
    press(form.submit)
    assert _instances == {}


def test_click_that_was_under_way_when_a_field_became_wrong_submits_nothing() -> None:
    form = make()
    type_into(form, "lr", "abc")
    assert submitted(form) == []


def test_refusal_of_the_submission_is_shown_and_the_form_stays() -> None:
    form = make()
    type_into(form, "lr", "0.25")
    form.on_submit(lambda _: refuse("the source is <too> large"))
    press(form.submit)
    assert "the source is &lt;too&gt; large" in form.message.value
    assert field(form, "lr").value == "0.25"
    assert not form.submit.disabled


def test_bug_in_a_callback_is_shown_with_its_traceback_and_leaves_the_form_usable() -> None:
    form = make()

    def fail(_: FormValues) -> None:
        raise ZeroDivisionError

    form.on_submit(fail)
    press(form.submit)
    assert "ZeroDivisionError" in form.message.value
    assert not form.submit.disabled


def test_second_press_while_the_first_is_at_work_submits_nothing() -> None:
    form = make()
    got: list[FormValues] = []

    def submit(values: FormValues) -> None:
        got.append(values)
        press(form.submit)

    form.on_submit(submit)
    press(form.submit)
    assert len(got) == 1


def test_edit_while_submit_is_at_work_does_not_make_it_ready() -> None:
    form = make()
    ready: list[bool] = []

    def submit(_: FormValues) -> None:
        type_into(form, "lr", "0.5")
        ready.append(not form.submit.disabled)

    form.on_submit(submit)
    press(form.submit)
    assert ready == [False]


def test_form_can_be_submitted_after_a_refusal() -> None:
    form = make()
    got: list[FormValues] = []
    reasons = ["no room"]

    def submit(values: FormValues) -> None:
        if reasons:
            refuse(reasons.pop())
        got.append(values)

    form.on_submit(submit)
    press(form.submit)
    press(form.submit)
    assert len(got) == 1


def test_dry_run_shows_its_text_and_keeps_the_form() -> None:
    form = make()
    type_into(form, "lr", "0.25")
    form.on_dry_run(lambda values: f"lr={values.values['lr']} <x>")
    press(form.dry_run)
    assert "lr=0.25 &lt;x&gt;" in form.message.value
    assert not form.submit.disabled


# Copy as line


def test_line_follows_the_fields() -> None:
    form = make()
    assert form.line.value == ""
    type_into(form, "lr", "0.003")
    type_into(form, "name", "a 'b'")
    assert form.line.value == "-p lr=0.003 -p 'name=a '\"'\"'b'\"'\"''"


def test_line_says_the_place_and_the_inputs_too() -> None:
    form = make(backends=("process", "docker"))
    input_row(form, "train_data").control.widget.set_state({"value": "./a b"})
    form.place.backend.set_state({"index": 2})
    form.place.image.set_state({"value": "my registry/x:1"})
    form.place.instance_type.set_state({"value": "local_gpu"})
    form.place.instance_count.set_state({"value": 2})
    assert form.line.value == (
        "--backend docker --image 'my registry/x:1' --instance-type local_gpu --instance-count 2 -i 'train_data=./a b'"
    )


@pytest.mark.parametrize("text", ODD)
def test_line_read_as_a_magic_reads_it_gives_the_form_again(text: str) -> None:
    form = make(backends=("process", "docker"), backend="docker")
    for name, typed in {"name": text, "free": text, "layers": json.dumps([text]), "lr": "1e-3", "depth": ""}.items():
        type_into(form, name, typed)
    form.place.image.set_state({"value": text})
    input_row(form, "train_data").control.widget.set_state({"value": text})
    line = expand(form.line.value, {"name": "a notebook's variable"})
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
    assert form.line.value == "-p free=ab"


# Language, help


def test_labels_help_and_defaults_are_shown() -> None:
    form = make()
    assert field(form, "lr").description == "lr"
    assert field(form, "lr").tooltip == "how fast"
    assert "how fast · Float · 1e-05..1 · default 0.01" in shown()
    assert field(form, "limit").placeholder == "os.cpu_count()"


def test_words_of_the_form_are_translated() -> None:
    chinese = {
        "Submit": "提交",
        "Dry run": "试运行",
        "default": "默认值",
        "Image": "镜像",
        "Submit is off:": "无法提交:",
    }
    form = make(translate=lambda text: chinese.get(text, text))
    assert (form.submit.description, form.dry_run.description, form.place.image.description) == (
        "提交",
        "试运行",
        "镜像",
    )
    assert "默认值 0.01" in shown()
    type_into(form, "lr", "abc")
    assert "无法提交:" in form.message.value


def test_catalogue_has_every_word_of_the_form_and_no_other() -> None:
    calls = [
        node
        for path in Path(pai_jupyter.form.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("translate", "_translate")
    ]
    assert {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)} == set(CHINESE)


def test_form_speaks_chinese() -> None:
    form = make(translate=translator("zh"), findings=["一"])
    assert (form.submit.description, form.line.placeholder) == ("提交", "全部为默认值")
    assert not {"Hyperparameters", "Inputs", "Place", "Warnings"} & set(re.findall(r"\w+", shown()))


def test_script_without_hyperparameters_has_a_form_too() -> None:
    form = make("print(1)")
    (got,) = submitted(form)
    assert got.values == {}
