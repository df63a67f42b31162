"""A browser says at once what a value may be; here is the other half of its cases (labextension/test/cell/values.test.ts)."""

import json
from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Hyperparameter, Schema
from pai_jupyter.wire.protocol.value_rows import value_row
from tests.support.paths import DATA

CASES = json.loads((DATA / "value_cases.json").read_text(encoding="utf-8"))
TYPES = {"int": "Int", "float": "Float", "bool": "Bool", "str": "String", "json": "Json"}


def declared(row: dict[str, Any]) -> Hyperparameter:  # Any: a parsed case
    given = {**row, "choices": tuple(row.get("choices", ()))}
    return Hyperparameter(name="x", type=TYPES[given.pop("kind")], **given)  # type: ignore[arg-type]  # a word of the table


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['row']['kind']}-{case['text']}")
def test_value_is_valid_in_both_renderings(case: dict[str, Any]) -> None:
    try:
        Schema(hyperparameters=(declared(case["row"]),)).check("x", case["text"])
        is_valid = True
    except SpecError:
        is_valid = False
    assert is_valid is case["is_valid"]


def test_row_says_what_a_value_must_be() -> None:
    row = value_row(declared({"kind": "float", "minimum": 0, "maximum": 1, "open_minimum": True, "default": 0.5}))
    assert row["rule"] == "x must be a number above 0 and at most 1"
    assert (row["range"], row["default_text"]) == ("(0 – 1]", "0.5")
