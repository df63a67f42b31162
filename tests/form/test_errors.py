"""What is wrong stands beside its field and keeps the form from submitting; nothing typed is lost, and nothing of it is HTML."""

from typing import Any

import pytest
from ipywidgets.widgets.widget import _instances
from traitlets import TraitError

from pai_jupyter.form import FormValues, translator
from pai_jupyter.form.appearance import FORM, GONE, WRONG
from tests.support.forms import field, make, press, refuse, row, shown, submitted, type_into

CLEVER = "<script>alert(1)</script>"


def described() -> list[Any]:  # Any: ipywidgets carries no types
    """The widgets whose labels a front end could take for HTML."""
    return [widget for widget in _instances.values() if hasattr(widget, "description_allow_html")]


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("lr", "abc", "lr must be a number between 1e-05 and 1"),
        ("lr", "2", "between 1e-05 and 1"),
        ("depth", "3.5", "must be a whole number"),
        ("layers", "[1", "JSON"),
        ("limit", "x", "whole number"),
        ("epochs", "5000", "must be a whole number between 1 and 100"),
        ("epochs", "0", "between 1 and 100"),
        ("epochs", "", "epochs must be a whole number between 1 and 100. The default is 10."),
        ("depth", "", "depth must be a whole number. The default is 3."),
        ("lr", " ", "lr must be a number between 1e-05 and 1. The default is 0.01."),
        ("layers", "", "layers must be a list"),
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
    assert WRONG in row(form, name).control.widget._dom_classes


def test_corrected_field_takes_its_error_away() -> None:
    form = make()
    type_into(form, "lr", "abc")
    type_into(form, "lr", "0.1")
    assert row(form, "lr").error == ""
    assert WRONG not in row(form, "lr").control.widget._dom_classes
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
        ("epochs", {"value": 7}),
    ],
)
def test_hostile_state_of_a_front_end_changes_nothing(name: str, state: dict[str, object]) -> None:
    form = make()
    with pytest.raises(TraitError):
        field(form, name).set_state(state)
    assert form.values() == {}


@pytest.mark.parametrize("typed", ["0", "10001", "two", "", "-1", "1.5"])
def test_count_of_instances_that_cannot_be_is_said_beside_its_field(typed: str) -> None:
    form = make()
    form.place.instance_count.set(typed)
    assert "between 1 and 10000" in form.place.count_row.error
    assert form.submit.disabled
    assert WRONG in form.place.instance_count.widget._dom_classes
    form.place.instance_count.set("3")
    assert not form.submit.disabled
    assert form.read().instance_count == 3


@pytest.mark.parametrize(("language", "sentence"), [("en", "then this cell again"), ("zh", "再重新运行此单元格")])
def test_form_has_what_to_say_when_its_kernel_is_gone(language: str, sentence: str) -> None:
    """Then it cannot change any more: a style shows it (tests/browser/view/test_form.py)."""
    form = make(translate=translator(language))
    (gone,) = [widget for widget in form.widget.children if GONE in widget._dom_classes]
    assert sentence in gone.value
    assert FORM in form.widget._dom_classes


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


def test_refusal_of_the_submission_is_in_the_language_of_the_form() -> None:
    form = make(translate=lambda text: f"<{text}>" if text.startswith("there is") else text)
    form.on_submit(lambda _: refuse("there is no backend 'k'"))
    press(form.submit)
    assert "&lt;there is no backend &#x27;k&#x27;&gt;" in form.message.value


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
