"""Options that only one alternative of a choice has: simple-parsing's subgroups."""

import pytest

from pai_jupyter.contract import user_args
from pai_jupyter.hyperparameters import Schema, read_schema
from pai_jupyter.spec import JobSpec

SUBGROUPS = """
from dataclasses import dataclass
import simple_parsing
from simple_parsing import subgroups
@dataclass
class Adam:
    lr: float = 0.001
    beta: float = 0.9
@dataclass
class SGD:
    lr: float = 0.1
    momentum: float = 0.5
@dataclass
class Config:
    optimizer: Adam | SGD = subgroups({"adam": Adam, "sgd": SGD}, default="adam")
    epochs: int = 3
simple_parsing.parse(Config)
"""


@pytest.fixture
def schema() -> Schema:
    return read_schema(SUBGROUPS)


def words(schema: Schema, values: dict[str, object]) -> tuple[str, ...]:
    checked = schema.validate(values)
    return user_args(
        JobSpec(name="x", command="x", hyperparameters=checked, argument_styles=schema.argument_styles(checked))
    )


def test_choice_stands_before_what_depends_on_it(schema: Schema) -> None:
    assert [it.name for it in schema.hyperparameters] == ["optimizer", "lr", "beta", "momentum", "epochs"]
    optimizer = schema.find("optimizer")
    assert optimizer is not None
    assert (optimizer.choices, optimizer.default, optimizer.required) == (("adam", "sgd"), "adam", False)


def test_only_what_the_chosen_one_has_is_sent(schema: Schema) -> None:
    assert words(schema, {}) == ("--optimizer", "adam", "--beta", "0.9", "--epochs", "3")
    assert words(schema, {"optimizer": "sgd", "lr": 0.2}) == (
        *("--optimizer", "sgd", "--lr", "0.2", "--momentum", "0.5", "--epochs", "3"),
    )


def test_option_of_another_alternative_is_refused_unless_it_says_nothing_new(schema: Schema) -> None:
    sentence = "`momentum` is an option only with `optimizer` = `sgd`. Remove it, or give -p optimizer=sgd."
    assert schema.errors({"momentum": 0.7}) == {"momentum": sentence}
    assert schema.errors({"momentum": 0.5}) == {}
    assert schema.errors({"momentum": 0.7, "optimizer": "sgd"}) == {}
