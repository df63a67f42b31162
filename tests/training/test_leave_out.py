"""`--leave-out`: only names that the cell takes from other cells."""

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.training.notebook_state import NotebookState, check_left_out
from tests.support.notebooks import ran

NOTEBOOK = ran("def helper():\n    return 1", "def train():\n    return helper()", "df = sorted([1])")
STATE = NotebookState(executed=tuple(NOTEBOOK.cells), namespace=NOTEBOOK.names)


@pytest.mark.parametrize("name", ["nope", "df", "own"])
def test_a_name_that_is_not_taken_cannot_be_left_out(name: str) -> None:
    with pytest.raises(SpecError, match=f"takes no `{name}` from other cells. It takes: helper, train") as raised:
        check_left_out("own = train(df)", STATE, [name])
    assert raised.value.field == "--leave-out"


def test_a_cell_that_takes_nothing_says_so() -> None:
    with pytest.raises(SpecError, match="It takes nothing from them: remove --leave-out"):
        check_left_out("print(1)", STATE, ["train"])


def test_what_is_taken_can_be_left_out_with_what_only_it_needs_and_what_is_sent() -> None:
    check_left_out("train()", STATE, ["train", "helper"])
    check_left_out("import pai_values; train = pai_values.load('train')\ntrain()", STATE, ["train"], sends=["train"])
    check_left_out("train()", None, ["nope"])
