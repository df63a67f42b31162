"""The form without a browser: controls are set as a front end sets them, by their state."""

import math
from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest
from ipywidgets.widgets.widget import _instances
from traitlets import TraitError

from pai_jupyter.errors import PackageError
from pai_jupyter.form import FormValues, HyperparameterForm
from pai_jupyter.form.rows import InputRow, ValueRow
from pai_jupyter.hyperparameters import read_schema
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
DEFAULTS: dict[str, Scalar] = {
    "lr": 0.01,
    "decay": 0.5,
    "epochs": 10,
    "depth": 3,
    "opt": "adam",
    "amp": True,
    "name": "a b",
    "free": "",
    "layers": [64, 64],
    "maybe": None,
    "limit": None,
}


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


def shown(form: HyperparameterForm) -> str:
    """All text and HTML of the form."""
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


def test_untouched_form_has_the_defaults() -> None:
    form = make()
    assert form.values() == DEFAULTS
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
    assert form.values() == {**DEFAULTS, name: value}


def test_choice_comes_out() -> None:
    form = make()
    field(form, "opt").set_state({"index": 1})
    field(form, "maybe").set_state({"index": 2})
    assert form.values() == {**DEFAULTS, "opt": "sgd", "maybe": False}


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
    assert form.values() == {**DEFAULTS, "lr": 0.5, "amp": False, "opt": "sgd", "layers": [1], "free": "x"}


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
        values=DEFAULTS,
        backend="docker",
        image_uri="pytorch:latest",
        instance_type="local_gpu",
        instance_count=2,
        inputs={"train_data": "./a b", "more": "oss://x/"},
    )


def test_untouched_place_is_not_given() -> None:
    (got,) = submitted(make())
    assert (got.backend, got.image_uri, got.instance_type, got.instance_count, got.inputs) == (None, None, None, 1, {})


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
    press(row(form, name).reset)
    assert form.values()[name] == DEFAULTS[name]


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
    assert form.values() == DEFAULTS


def test_number_out_of_range_from_a_front_end_is_kept_within() -> None:
    form = make()
    type_into(form, "epochs", 10**6)
    assert form.values()["epochs"] == 100


def test_text_of_others_is_escaped() -> None:
    make(findings=["cell line 3: <script>x</script>"])
    assert "<script>" not in shown(make())
    assert "&lt;script&gt;" in shown(make())
    assert "&lt;b&gt;bold" in shown(make())


# Buttons


def test_submit_gives_all_values_once_and_closes_the_form() -> None:
    form = make()
    type_into(form, "lr", "0.25")
    (got,) = submitted(form)
    assert got.values == {**DEFAULTS, "lr": 0.25}
    press(form.submit)
    assert _instances == {}


def test_click_that_was_under_way_when_a_field_became_wrong_submits_nothing() -> None:
    form = make()
    type_into(form, "lr", "abc")
    assert submitted(form) == []


def test_refusal_of_the_submission_is_shown_and_the_form_stays() -> None:
    form = make()
    type_into(form, "lr", "0.25")

    def refuse(_: FormValues) -> None:
        raise PackageError("the source is <too> large")

    form.on_submit(refuse)
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


def test_dry_run_shows_its_text_and_keeps_the_form() -> None:
    form = make()
    form.on_dry_run(lambda values: f"lr={values.values['lr']} <x>")
    press(form.dry_run)
    assert "lr=0.01 &lt;x&gt;" in form.message.value
    assert not form.submit.disabled


# Copy as line


def test_line_follows_the_fields() -> None:
    form = make()
    assert form.line.value == ""
    type_into(form, "lr", "0.003")
    type_into(form, "name", "a 'b'")
    assert form.line.value == "-p lr=0.003 -p 'name=a '\"'\"'b'\"'\"''"


def test_line_break_is_told_beside_the_line() -> None:
    form = make(values={"free": "a\nb"})
    assert isinstance(field(form, "free"), ipywidgets.Textarea)
    assert form.line.value == ""
    assert "--params FILE" in form.line.placeholder
    assert not form.submit.disabled


# Language, help


def test_labels_help_and_defaults_are_shown() -> None:
    form = make()
    assert field(form, "lr").description == "lr"
    assert field(form, "lr").tooltip == "how fast"
    assert "how fast · Float · 1e-05..1 · default 0.01" in shown(form)
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
    assert (form.submit.description, form.dry_run.description, form.image.description) == ("提交", "试运行", "镜像")
    assert "默认值 0.01" in shown(form)
    type_into(form, "lr", "abc")
    assert "无法提交:" in form.message.value


def test_script_without_hyperparameters_has_a_form_too() -> None:
    form = make("print(1)")
    (got,) = submitted(form)
    assert got.values == {}
