"""Flags, counts and options given several times, of parsers that are not argparse: the parser itself is the referee."""

import json
import subprocess
import sys

import pytest

from pai_jupyter.contract import user_args
from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.spec import JobSpec

CLICK = """
import click, json

@click.command()
@click.option("--lr", type=float, default=0.1)
@click.option("--amp", is_flag=True, help="half  precision")
@click.option("--shout/--no-shout", default=True)
@click.option("-v", "--verbose", count=True)
@click.option(
    "--tag", multiple=True, type=int,
)
def main(**given):
    print(json.dumps(given))

main()
"""
OPTPARSE = """
import json
from optparse import OptionParser
p = OptionParser()
p.add_option("--lr", type="float", default=0.1)
p.add_option("--amp", action="store_true", default=False)
p.add_option("--shout", action="store_false", default=True)
p.add_option("-v", "--verbose", action="count", default=0)
p.add_option("--tag", action="append", type="int", default=[])
print(json.dumps(vars(p.parse_args()[0])))
"""
GETOPT = """
import getopt, json, sys
print(json.dumps(dict(getopt.getopt(sys.argv[1:], "v", ["lr=", "amp", "help"])[0])))
"""


def parsed(script: str, values: dict[str, object]) -> dict[str, object]:
    """What the script's own parser makes of the words of a job with these values."""
    schema = read_schema(script)
    checked = schema.validate(values)
    spec = JobSpec(name="x", command="x", hyperparameters=checked, argument_styles=schema.argument_styles(checked))
    done = subprocess.run([sys.executable, "-c", script, *user_args(spec)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("script", [CLICK, OPTPARSE])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, {}),
        ({"amp": "true", "lr": "0.5"}, {"amp": True, "lr": 0.5}),
        ({"amp": "false", "shout": "no"}, {"shout": False}),
        ({"verbose": "3", "tag": "[1, 2]"}, {"verbose": 3, "tag": [1, 2]}),
        ({"tag": "7", "verbose": "true"}, {"verbose": 1, "tag": [7]}),
    ],
)
def test_parser_receives_flags_counts_and_lists(
    script: str, values: dict[str, object], expected: dict[str, object]
) -> None:
    if "click" in script:
        pytest.importorskip("click")
    default = {"lr": 0.1, "amp": False, "shout": True, "verbose": 0, "tag": []}
    assert parsed(script, values) == {**default, **expected}


def test_getopt_receives_a_flag_without_a_value() -> None:
    assert parsed(GETOPT, {"amp": "true", "lr": "1e-3"}) == {"--amp": "", "--lr": "1e-3"}
    assert parsed(GETOPT, {"amp": "false"}) == {}


def test_options_with_one_value_have_the_type_and_default_that_they_say() -> None:
    for script in (CLICK, OPTPARSE):
        lr = read_schema(script).find("lr")
        assert lr is not None
        assert (lr.type, lr.default) == ("Float", 0.1)
    assert read_schema(GETOPT).find("lr") is None
    amp = read_schema(CLICK).find("amp")
    assert amp is not None
    assert amp.help == "half precision"


@pytest.mark.parametrize(
    ("option", "flag"),
    [('"--shout/-S"', "-S"), ('"--on/--off"', "--off"), ('"--amp", is_flag=True, default=True', "--amp")],
)
def test_flag_that_cannot_be_given_is_told_with_the_command_to_type(option: str, flag: str) -> None:
    (note,) = read_schema(f"import click\n@click.option({option})\ndef main(): ...").notes
    assert note.text == (
        f"the flag `{flag}` cannot be given by -p; write --command 'python train.py $PAI_USER_ARGS {flag}'"
    )
