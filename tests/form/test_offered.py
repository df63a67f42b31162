"""Values in the code are folded below what is declared; of a subcommand that is not chosen nothing is shown."""

from ipywidgets.widgets.widget import _instances

from pai_jupyter.form import HyperparameterForm
from tests.support.forms import field, make, row, submitted, type_into

CODE = "lr: float = 0.1\nBATCH = 64\nconfig = {'depth': 3}\n"
COMMANDS = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--seed", type=int, default=1)
s = p.add_subparsers(dest="command")
train = s.add_parser("train")
train.add_argument("--lr", type=float, default=0.1)
test = s.add_parser("test")
test.add_argument("--split", default="val")
p.parse_args()
"""


def test_values_in_the_code_are_folded_and_made_when_they_are_unfolded() -> None:
    form = make(CODE)
    assert form.offered is not None
    folded = form.offered.widget
    assert folded.selected_index is None
    assert folded.get_title(0) == "More values in the code (2)"
    assert form.offered.rows == []
    folded.set_state({"selected_index": 0})
    assert [it.name for it in form.offered.rows] == ["BATCH", "depth"]
    assert [it.widget for it in form.offered.rows] == list(folded.children[0].children)


def test_value_in_the_code_is_given_only_where_it_was_changed() -> None:
    form = make(CODE)
    assert form.offered is not None
    form.offered.widget.set_state({"selected_index": 0})
    batch, depth = form.offered.rows
    assert form.line.value == "%%pai_train"
    batch.control.widget.set_state({"value": "many"})
    assert "whole number" in batch.error
    assert form.submit.disabled
    batch.control.widget.set_state({"value": "32"})
    depth.control.widget.set_state({"value": "3"})
    assert form.line.value == "%%pai_train -p BATCH=32"
    assert submitted(form)[0].values == {"BATCH": 32}


def test_value_in_the_code_that_the_line_gives_stands_with_the_declared_ones() -> None:
    form = make(CODE, values={"depth": "5"})
    assert [it.name for it in form.rows] == ["lr", "depth"]
    assert form.line.value == "%%pai_train -p depth=5"


def test_without_such_values_there_is_nothing_to_unfold() -> None:
    assert make("lr: float = 0.1\n").offered is None


def shown(form: HyperparameterForm) -> list[str]:
    return [it.name for it in form.rows if it.widget.layout.display is None]


def test_only_options_of_the_chosen_subcommand_are_shown_and_given() -> None:
    form = make(COMMANDS, values={"command": "train"})
    assert shown(form) == ["seed", "command", "lr"]
    type_into(form, "lr", "0.5")
    assert form.line.value == "%%pai_train -p command=train -p lr=0.5"
    form_command = field(form, "command")
    form_command.set_state({"index": [label for label, _ in form_command.options].index("test")})
    assert shown(form) == ["seed", "command", "split"]
    assert form.line.value == "%%pai_train -p command=test"
    assert submitted(form)[0].values == {"command": "test"}


def test_option_that_the_line_gives_to_another_subcommand_is_shown_until_it_is_reset() -> None:
    form = make(COMMANDS, values={"command": "test", "lr": "0.5"})
    assert shown(form) == ["seed", "command", "lr", "split"]
    assert "is an option of the subcommand" in row(form, "lr").error
    assert form.submit.disabled
    row(form, "lr").reset.click()
    assert shown(form) == ["seed", "command", "split"]
    assert not form.submit.disabled


def test_form_that_closes_takes_the_folded_rows_along() -> None:
    form = make(CODE)
    assert form.offered is not None
    form.offered.widget.set_state({"selected_index": 0})
    form.close()
    assert _instances == {}
