"""`%pai_rerun --form`: the form in a cell with what a job ran with; what it submits is a rerun."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ipywidgets.widgets.widget import _instances

from pai_jupyter.config import settings
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


def test_form_tells_what_the_rerun_costs(shown: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pai_jupyter.toml").touch()
    settings.cache_clear()
    (tmp_path / "prices.json").write_text('{"currency": "CNY", "per_hour": {"local": 6.2}}')
    attended = SimpleNamespace(shows_form=True, is_attended=True)
    with Shell() as shell:
        ran = shell.run(CELL.replace("iris", "iris --max-time 7200"))
        assert ran.error is None, ran.error
        shell.user_ns["_pai"].wait()
        monkeypatch.setattr("pai_jupyter.magics.jobs_magics.front_end", lambda: attended)
        assert shell.run("%pai_rerun iris --form --as again").error is None
        assert any("at most ¥12.40 (2 h limit × ¥6.20)" in str(getattr(it, "value", "")) for it in _instances.values())
        press(field("Submit"))
        shell.user_ns["again"].wait()


def test_form_needs_a_front_end() -> None:
    with Shell() as shell:
        shell.run(CELL)
        refused = shell.run("%pai_rerun iris --form").error
        assert "`--form` needs a notebook" in str(refused)
