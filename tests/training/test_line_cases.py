"""The line of `%%pai_train` is written and read in the side panel too: the same recorded cases test both twins.

`labextension/test/cell/magicline.test.ts` is the other one; the cases are `tests/data/line_cases.json`.
"""

import json
import shlex
from argparse import Action
from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import as_option
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.train_magics import TrainMagics
from pai_jupyter.training import parts_of
from tests.support.paths import DATA

CASES = json.loads((DATA / "line_cases.json").read_text(encoding="utf-8"))
LETTERS = {"input": "-i", "output": "-o", "param": "-p"}
MAGIC: Any = TrainMagics.pai_train  # Any: IPython hangs the parser on the function


def long_name(action: Action) -> str:
    """`instance-type`; of the job's name ''."""
    return next((flag[2:] for flag in action.option_strings if flag.startswith("--")), "")


@pytest.mark.parametrize("case", CASES["options"], ids=lambda case: case["written"])
def test_option_is_written_as_the_panel_writes_it(case: dict[str, str]) -> None:
    option = case["option"]
    assert as_option(LETTERS.get(option, f"--{option}"), case["value"], long=f"--{option}") == case["written"]


@pytest.mark.parametrize("case", CASES["options"], ids=lambda case: case["written"])
def test_magic_reads_what_the_panel_writes(case: dict[str, str]) -> None:
    given = vars(parse(MAGIC, expand(case["written"], dict.fromkeys(["x", "变"], "a notebook's variable"))))
    read = given[case["option"].replace("-", "_")]
    assert (read[0] if isinstance(read, list) else read) == case["value"]


@pytest.mark.parametrize("case", CASES["words"], ids=lambda case: case["line"])
def test_line_has_the_words_that_the_panel_sees(case: dict[str, Any]) -> None:
    if case["words"] is None:
        with pytest.raises(ValueError, match="No "):
            shlex.split(case["line"])
    else:
        assert shlex.split(case["line"]) == case["words"]


@pytest.mark.parametrize("case", CASES["lines"], ids=lambda case: case["line"])
def test_line_has_the_parts_that_the_panel_sees(case: dict[str, Any]) -> None:
    if case["parts"] is None:
        with pytest.raises(SpecError):
            parse(MAGIC, case["line"])
        return
    given = vars(parse(MAGIC, case["line"]))
    names = {long_name(action): action.dest for action in MAGIC.parser._actions}
    for option, value in case["parts"]:
        read = given[names[option]]
        assert value in read if isinstance(read, list) else read in (value, True)


def test_panel_knows_every_option() -> None:
    actions = [action for action in MAGIC.parser._actions if action.option_strings]
    assert {long_name(it) for it in actions if it.nargs == 0} == set(CASES["flags"])
    assert {long_name(it) for it in actions if it.nargs != 0} == set(CASES["values"])


@pytest.mark.parametrize("case", CASES["lines"], ids=lambda case: case["line"])
def test_a_clone_sees_the_parts_that_the_panel_sees(case: dict[str, Any]) -> None:
    if case["parts"] is None:
        with pytest.raises(SpecError):
            parts_of(case["line"])
        return
    parts = parts_of(case["line"])
    assert [[part.option, part.value] for part in parts] == case["parts"]
    assert " ".join(part.raw for part in parts) == case["line"]
