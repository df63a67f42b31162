"""The names of other cells in the form: a checkbox each, which ends up on the magic's line."""

from pai_jupyter.form import translator
from tests.support.forms import make


def test_every_name_has_a_checkbox_that_names_its_cell() -> None:
    form = make(taken={"np": 1, "Net": 3})
    assert [check.description for check in form.taken.checks.values()] == ["np · cell [1]", "Net · cell [3]"]
    assert form.read().leave_out == ()
    assert "--leave-out" not in form.line.value


def test_a_name_that_is_switched_off_is_on_the_line() -> None:
    form = make(taken={"np": 1, "Net": 3, "train": 4})
    form.taken.checks["Net"].value = False
    form.taken.checks["train"].value = False
    assert form.read().leave_out == ("Net", "train")
    assert form.line.value == "%%pai_train --leave-out Net,train"


def test_a_name_that_the_line_leaves_out_can_be_switched_on_again() -> None:
    form = make(taken={"np": 1, "Net": None})
    assert form.read().leave_out == ("Net",)
    form.taken.checks["Net"].value = True
    assert form.read().leave_out == ()


def test_without_names_there_is_no_such_part() -> None:
    assert "From other cells" not in str([getattr(it, "value", "") for it in make().widget.children])


def test_the_part_is_in_chinese() -> None:
    form = make(taken={"np": 1}, translate=translator("zh"))
    assert form.taken.checks["np"].description == "np · 单元格 [1]"
    assert "<b>来自其他单元格</b>" in [getattr(it, "value", "") for it in form.widget.children]
