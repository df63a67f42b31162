"""What is wrong is said in the user's language, whatever is wrong, with the names and values as they are."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.form import translator
from pai_jupyter.hyperparameters import Hyperparameter, Schema, as_option, read_schema
from pai_jupyter.wire.protocol.value_sentences import in_chinese
from tests.support.forms import field, make, row, type_into

STRICT = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=0.1)
p.add_argument("--batch-size", "--bs", type=int, required=True)
p.add_argument("--sizes", type=int, nargs="+")
p.add_argument("--train_data", help="Input train data path.", required=True)
p.parse_args()
"""
ENGLISH = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]{2,})+")  # words in a row
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# Any: arguments of a `Hyperparameter`
NUMBERS: tuple[Mapping[str, Any], ...] = ({}, {"minimum": 1}, {"maximum": 9}, {"minimum": 1e-5, "maximum": 0.5})
LENGTHS: tuple[Mapping[str, Any], ...] = ({"minimum": 3}, {"maximum": 1}, {"minimum": 3, "maximum": 9})
ROWS = (
    *(Hyperparameter(name="x", type=kind, **bounds) for kind in ("Int", "Float") for bounds in NUMBERS),
    *(Hyperparameter(name="x", type="String", **bounds) for bounds in LENGTHS),
    *(Hyperparameter(name="x", type=kind) for kind in ("Bool", "Json")),
    Hyperparameter(name="x", type="String", choices=("adam", "sgd")),
)
WRONG: tuple[Mapping[str, object], ...] = (
    *({name: 1} for name in ("lrr", "qqqqqqq", "_x", "batch_size")),
    {"bs": 1, "batch-size": 2},
    {"sizes": "a"},
)


def sentences() -> list[str]:
    """All that can be said of values, of names, and of what is not there."""
    said = [Schema(hyperparameters=(row,)).errors({"x": "训练"})["x"] for row in ROWS]
    said += [sentence for values in WRONG for sentence in read_schema(STRICT).errors(values).values()]
    many = tuple(Hyperparameter(name=f"n{number}", type="Int") for number in range(50))
    said += Schema(strict=True, hyperparameters=many).errors({"qqqqqqq": 1}).values()
    said += Schema(strict=True).errors({"x": 1}).values()
    said += Schema(is_closed=True, hyperparameters=many).errors({"qqqqqqq": 1, "n0x": 2}).values()
    said += Schema(is_closed=True).errors({"x": 1}).values()
    said += [
        Schema(hyperparameters=(replace(row, default=1),)).errors({"x": " "})["x"]
        for row in ROWS
        if row.type != "String"
    ]
    said += read_schema(STRICT, inputs=("train_data",)).errors({"train_data": "x"}).values()
    with pytest.raises(SpecError) as caught:
        as_option("--image", "a\nb", long="--image")
    return [*said, str(caught.value)]


def test_every_sentence_of_a_schema_is_known() -> None:
    said = {sentence: in_chinese(sentence) for sentence in sentences()}
    assert len(said) >= 20
    odd = {one: other for one, other in said.items() if other is None or not CHINESE.search(other)}
    assert odd == {}


def test_no_english_is_left_between() -> None:
    left = [(text, found[0]) for text in map(in_chinese, sentences()) if (found := ENGLISH.search(text or ""))]
    assert left == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "`lr` is 'abc'; it must be a number between 1e-05 and 1.",
            "`lr` 是 'abc'，应为：数字，在 1e-05 和 1 之间。",
        ),
        (
            "`lr` is a plain variable in cell [7], line 1. To give it values, write `lr: float = 0.1` there.",
            "`lr` 是单元格 [7] 第 1 行的普通变量。要使其成为超参数，请在该行写 `lr: float = 0.1`。",
        ),
        (
            "`n` is a key of several dicts: `a.n`, `b.n`. Write the one that you mean: -p a.n=...",
            "`n` 是多个字典的键：`a.n`, `b.n`。请写明是哪一个：-p a.n=...",
        ),
        ('`opt` is \'x\'; it must be one of "adam", "sgd".', '`opt` 是 \'x\'，应为："adam", "sgd" 之一。'),
        (
            "`s` is 'a'; it must be a list as JSON, e.g. [1, 2], and each item a whole number at least 1.",
            "`s` 是 'a'，应为：JSON 列表，例如 [1, 2]，其中每一项为：整数，不小于 1。",
        ),
    ],
    ids=["number", "variable", "keys", "choice", "list"],
)
def test_a_sentence_has_its_names_and_values(english: str, chinese: str) -> None:
    assert in_chinese(english) == chinese


@pytest.mark.parametrize("value", ["{name}", "%s", "; it must be one of x.", "a\nb", "`", "<b>", "\\1"])
def test_what_is_in_a_value_is_no_word(value: str) -> None:
    schema = Schema(hyperparameters=(Hyperparameter(name="x", type="Int"),))
    [sentence] = schema.errors({"x": value}).values()
    assert in_chinese(sentence) == f"`x` 是 {value!r}，应为：整数。"


def test_what_is_not_known_stays_as_it_is() -> None:
    assert translator("zh")("disk is full") == "disk is full"


def test_a_form_says_what_is_wrong_in_its_language() -> None:
    form = make(translate=translator("zh"))
    type_into(form, "depth", "3.5")
    assert row(form, "depth").error == "depth 应为：整数"
    assert form.submit.tooltip == row(form, "depth").error
    assert form.message.value == '<span role="status">depth 应为：整数</span>'
    assert field(form, "depth").value == "3.5"
