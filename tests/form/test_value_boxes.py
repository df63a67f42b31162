"""The form's checkboxes for variables: what is offered, what Submit passes on, what the magic line says."""

from types import SimpleNamespace

import pytest

from pai_jupyter.form import HyperparameterForm
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.training.offers import assigned_names, offered_values
from tests.support.shells import Shell


def test_checked_names_are_passed_on_and_in_the_line() -> None:
    form = HyperparameterForm(
        Schema(),
        offered={"X": "numpy.ndarray (3, 2) float64, 0.0 MB", "y": "list (3)"},
        sends=["y"],
        assigned=["model", "h"],
    )
    assert [box.description for box in form.sends.widgets] == [
        "X · numpy.ndarray (3, 2) float64, 0.0 MB",
        "y · list (3)",
    ]
    assert (form.read().sends, form.read().returns) == (("y",), ())
    assert form.line.value == "%%pai_train --send y"
    form.sends.widgets[0].value = True
    form.returns.widgets[0].value = True
    assert (form.read().sends, form.read().returns) == (("X", "y"), ("model",))
    assert form.line.value == "%%pai_train --send X,y --return model"


def test_a_cell_without_variables_has_no_boxes() -> None:
    form = HyperparameterForm(Schema())
    assert form.sends.widgets == form.returns.widgets == []


def test_data_that_the_cell_uses_is_offered() -> None:
    namespace = {"X": [1, 2], "f": len, "g": lambda: 1, "sys": pytest, "api_key": "x", "unused": 1}
    undefined = dict.fromkeys(("X", "f", "g", "sys", "api_key", "gone"), 1)
    offered = offered_values(("more",), undefined, namespace)
    assert list(offered) == ["more", "X", "f"]
    assert offered["X"] == "list (2)"


def test_names_assigned_at_the_top_level_may_be_returned() -> None:
    cell = "%%pai_train\na = b = 1\n(c, *d), e.x = f()\ng: int = 2\n_h = 3\npassword = 4\nif a:\n    i = 1\ndef j():\n    k = 1\n"
    assert assigned_names(cell) == ["a", "b", "c", "d", "g"]
    assert assigned_names(cell, without={"a", "d"}) == ["b", "c", "g"]
    assert assigned_names("%%pai_train\na = (") == []


def test_the_form_comes_up_for_a_cell_whose_data_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr("pai_jupyter.magics.train_magics.replaceable", lambda widget, **_: shown.append(widget))
    attended = SimpleNamespace(shows_form=True, is_attended=True)
    monkeypatch.setattr("pai_jupyter.magics.train_magics.front_end", lambda: attended)
    with Shell() as shell:
        shell.run("X = [1, 2]")
        result = shell.run("%%pai_train --form --backend process\nmodel = sum(X)\n")
        assert (result.error, len(shown)) == (None, 1), result.text
        wrong = shell.run("%%pai_train --form --backend process\nmodel = sum(nowhere)\n")
        assert "`nowhere` is not defined" in str(wrong.error)
