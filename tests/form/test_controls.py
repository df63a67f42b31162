"""Each type has its control, what is typed comes out in its type, and all of it is said in the user's language."""

import ast
import math
import re
from pathlib import Path

import ipywidgets
import pytest

import pai_jupyter.form
from pai_jupyter.form import translator
from pai_jupyter.form.words import CHINESE
from pai_jupyter.spec import Scalar
from pai_jupyter.wire.schema.form import SECTIONS
from tests.support.forms import field, make, row, shown, submitted, type_into


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("lr", ipywidgets.Text),
        ("epochs", ipywidgets.Text),
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


@pytest.mark.parametrize(
    ("name", "kind"),
    [("lr", ipywidgets.FloatLogSlider), ("decay", ipywidgets.FloatSlider), ("epochs", ipywidgets.IntSlider)],
)
def test_number_between_bounds_has_a_slider_beside_its_text(name: str, kind: type) -> None:
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
        ("epochs", "7", 7),
        ("epochs", "2e1", 20),
        ("depth", "12", 12),
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
    ("name", "moved", "text"),
    [("lr", 0.0316227766, "0.03162"), ("decay", 0.25000001, "0.25"), ("lr", 5.0, "1.0"), ("epochs", 42, "42")],
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


@pytest.mark.parametrize(
    ("name", "typed", "stands"),
    [("decay", "7", 0.5), ("epochs", "5000", 10), ("epochs", "", 10), ("epochs", "2.5", 10)],
)
def test_text_that_does_not_fit_stays_as_typed_and_leaves_the_slider(name: str, typed: str, stands: float) -> None:
    form = make()
    type_into(form, name, typed)
    assert field(form, name).value == typed
    assert row(form, name).control.widget.children[1].value == stands


def test_whole_number_on_a_logarithmic_slider_stays_whole() -> None:
    form = make("batch: int = 32  # hp: [1..1024] log")
    row(form, "batch").control.widget.children[1].set_state({"value": 90.5096679918781})
    assert field(form, "batch").value == "91"
    assert form.values() == {"batch": 91}


@pytest.mark.parametrize("bounds", ["[0..1e999]", "[0..1e300]", "[1..1]", "[1..]"])
def test_range_that_no_slider_can_show_gets_a_text(bounds: str) -> None:
    form = make(f"x: float = 1.0  # hp: {bounds}")
    assert isinstance(row(form, "x").control.widget, ipywidgets.Text)


def test_large_whole_numbers_stay_exact() -> None:
    form = make(f"x: int = {10**18}  # hp: [0..{10**19}]")
    type_into(form, "x", str(10**18 + 1))
    assert form.values() == {"x": 10**18 + 1}


# Language, help


def test_labels_help_and_defaults_are_shown() -> None:
    form = make()
    assert field(form, "lr").description == "lr"
    assert field(form, "lr").tooltip == "how fast"
    assert "how fast · float · 1e-05 – 1 · default 0.01" in shown()
    assert field(form, "limit").placeholder == "os.cpu_count()"


def test_words_of_the_form_are_translated() -> None:
    chinese = {
        "Submit": "提交",
        "Dry run": "试运行",
        "default": "默认值",
        "Image": "镜像",
        "Auto": "自动选择",
    }
    form = make(translate=lambda text: chinese.get(text, text))
    assert (form.submit.description, form.dry_run.description, form.place.image.description) == (
        "提交",
        "试运行",
        "镜像",
    )
    assert "默认值 0.01" in shown()
    type_into(form, "lr", "abc")
    assert form.message.value


def test_catalogue_has_every_word_of_the_form_and_no_other() -> None:
    calls = [
        node
        for path in Path(pai_jupyter.form.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("translate", "_translate")
    ]
    sections = [
        text for it in SECTIONS for text in (it["title"], *(f[k] for f in it["fields"] for k in ("label", "help")))
    ]
    literals = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert literals | set(filter(None, sections)) == set(CHINESE)


def test_form_speaks_chinese() -> None:
    form = make(translate=translator("zh"), findings=["一"])
    assert (form.submit.description, form.reset_all.description) == ("提交", "全部恢复默认")
    assert not {"Hyperparameters", "Inputs", "Run on", "Warnings"} & set(re.findall(r"\w+", shown()))


def test_script_without_hyperparameters_has_a_form_too() -> None:
    form = make("print(1)")
    (got,) = submitted(form)
    assert got.values == {}
