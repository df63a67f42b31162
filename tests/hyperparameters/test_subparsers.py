"""Subcommands, positional arguments and values that are sent only where they are given."""

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, read_schema
from tests.support.parser_cases import ARGPARSE, ARGPARSE_COMMANDS, CLICK_GROUP, HYDRA_CLASS, NANOGPT, TYPER


def order(schema: Schema) -> list[str]:
    return [it.name for it in schema.hyperparameters]


def test_subcommand_stands_between_the_programs_options_and_its_own() -> None:
    assert order(read_schema(ARGPARSE_COMMANDS)) == ["seed", "mode", "data", "batch-size", "lr", "checkpoint", "half"]
    assert order(read_schema(CLICK_GROUP)) == ["seed", "command", "lr", "split"]


def test_subcommand_that_is_required_is_asked_for() -> None:
    schema = read_schema(ARGPARSE_COMMANDS)
    assert schema.errors({}) == {"mode": "`mode` has no value, and the script requires one. Give it: -p mode=..."}
    mode = schema.find("mode")
    assert mode is not None
    assert mode.choices == ("train", "test", "export")
    with pytest.raises(SpecError, match='must be one of "train", "test", "export"'):
        schema.validate({"mode": "fit"})


def test_option_of_another_subcommand_is_refused_unless_it_says_nothing_new() -> None:
    schema = read_schema(ARGPARSE_COMMANDS)
    with pytest.raises(SpecError, match=r"`half` is an option of the subcommand `export`, which is not the chosen one"):
        schema.validate({"mode": "train", "half": "true"})
    assert "half" not in schema.validate({"mode": "train", "half": "false"})


def test_required_argument_of_another_subcommand_is_not_asked_for() -> None:
    schema = read_schema(ARGPARSE_COMMANDS)
    assert schema.errors({"mode": "train"}) == {}
    assert list(schema.errors({"mode": "test"})) == ["checkpoint"]


def test_default_that_differs_by_subcommand_is_left_to_the_script() -> None:
    schema = read_schema(ARGPARSE_COMMANDS)
    assert "lr" not in schema.validate({"mode": "train"})


def test_command_of_the_users_own_may_give_subcommand_and_arguments() -> None:
    schema = read_schema(ARGPARSE_COMMANDS)
    assert schema.errors({"lr": "0.3"}, runs_alone=False) == {}
    assert schema.validate({"lr": "0.3"}, runs_alone=False) == {"seed": 1, "lr": 0.3}
    assert read_schema(ARGPARSE).errors({}, runs_alone=False) == {}
    assert list(read_schema(ARGPARSE).errors({})) == ["data"]


def test_parameter_is_known_by_its_own_name_and_by_that_of_its_option() -> None:
    schema = read_schema(TYPER)
    assert schema.full_name("learning_rate") == "learning-rate"
    assert schema.full_name("batch_size") == "bs"
    with pytest.raises(SpecError, match="is spelled `learning-rate`"):
        schema.validate({"data": "d", "learning_rate": "1", "learning-rate": "2"})


@pytest.mark.parametrize(("script", "name"), [(NANOGPT, "batch_size"), (HYDRA_CLASS, "epochs")])
def test_default_that_a_file_may_change_is_shown_and_not_sent(script: str, name: str) -> None:
    schema = read_schema(script)
    declared = schema.find(name)
    assert declared is not None
    assert declared.default is not None
    assert schema.validate({}) == {}
    assert schema.validate({name: declared.default}) == {name: declared.default}


def test_hydra_gets_a_name_that_is_not_known_here_as_it_was_typed() -> None:
    schema = read_schema("import hydra\n@hydra.main(config_path='conf', config_name='x')\ndef main(cfg): ...\nmain()\n")
    checked = schema.validate({"optim": "[a, b]", "lr": "1e-3"})
    assert schema.argument_styles(checked) == {"optim": "override", "lr": "override"}


def test_wrong_type_is_refused_before_the_library_does() -> None:
    with pytest.raises(SpecError, match="must be a number"):
        read_schema(TYPER).validate({"data": "d", "learning_rate": "fast"})


def test_place_of_an_input_is_asked_for_by_the_chosen_subcommand_only_and_stands_where_its_parser_is() -> None:
    source = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--data-dir")
commands = parser.add_subparsers(dest="mode", required=True)
train = commands.add_parser("train")
train.add_argument("--train-data", required=True)
test = commands.add_parser("test")
test.add_argument("--n", type=int, default=1)
parser.parse_args()
"""
    schema = read_schema(source)
    assert schema.errors({"mode": "test"}) == {}
    assert list(schema.errors({"mode": "train"})) == ["train-data"]
    assert list(schema.validate({"mode": "train", "train-data": "a", "data-dir": "b"})) == [
        "data-dir",
        "mode",
        "train-data",
    ]
