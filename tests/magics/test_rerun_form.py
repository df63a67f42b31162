"""`%pai_rerun --form`: the form in a cell with what a job ran with; what it submits is a rerun."""

from types import SimpleNamespace
from typing import Any

import pytest
from ipywidgets.widgets.widget import _instances

from pai_jupyter.jobs import Job
from tests.support.forms import press
from tests.support.shells import Shell

CELL = "%%pai_train iris --backend process --run -p lr=0.5\nlr: float = 0.1  # hp: [0..1]\nprint('lr', lr)\n"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:  # Any: ipywidgets carries no types
    """The forms that were shown; jobs are not drawn."""
    forms: list[Any] = []
    monkeypatch.setattr("pai_jupyter.magics.rerun_form.replaceable", lambda widget, **_: forms.append(widget))
    monkeypatch.setattr("pai_jupyter.magics.rerun_form.show_live", lambda *_, **__: None)
    return forms


def field(label: str) -> Any:  # Any: ipywidgets carries no types
    found = [it for it in _instances.values() if getattr(it, "description", "") == label]
    assert len(found) == 1, label
    return found[0]


def test_form_opens_with_the_values_of_the_job_and_submits_a_rerun(
    shown: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    attended = SimpleNamespace(shows_form=True, is_attended=True)
    with Shell() as shell:
        shell.run(CELL)
        shell.user_ns["_pai"].wait()
        monkeypatch.setattr("pai_jupyter.magics.jobs_magics.front_end", lambda: attended)
        assert shell.run("%pai_rerun iris --form --as again").error is None
        assert len(shown) == 1
        assert (field("lr").value, field("Backend").value, field("Name").value) == ("0.5", "process", "iris")
        assert field("Dry run").layout.display == "none"
        field("lr").set_state({"value": "0.25"})
        press(field("Submit"))
        again: Job = shell.user_ns["again"]
        again.wait()
        assert (again.hyperparameters, [line.text for line in again.tail(3)]) == ({"lr": 0.25}, ["lr 0.25"])
        assert _instances == {}


def test_form_needs_a_front_end() -> None:
    with Shell() as shell:
        shell.run(CELL)
        refused = shell.run("%pai_rerun iris --form").error
        assert "`--form` needs a notebook" in str(refused)
