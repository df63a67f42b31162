"""What a job sends to the parser of each library, and, where the library is installed, what it makes of that."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pai_jupyter.contract import user_args
from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.jobs import read_script_file
from pai_jupyter.spec import JobSpec
from tests.support.parser_cases import PARSER_CASES, ParserCase

_MODULES = {"hydra": "hydra", "simple-parsing": "simple_parsing", "nanogpt": "sys"}
_named = pytest.mark.parametrize("case", PARSER_CASES, ids=lambda case: f"{case.library}: {case.name}")


def words_of(case: ParserCase) -> tuple[str, ...]:
    schema = read_schema(case.script, file=case.files.get)
    assert schema.notes == ()
    checked = schema.validate(case.values)
    spec = JobSpec(name="x", command="x", hyperparameters=checked, argument_styles=schema.argument_styles(checked))
    return user_args(spec)


def printed(case: ParserCase, directory: Path, python: str = sys.executable) -> object:
    """Run the script with the words, and return the last thing that it prints."""
    for name, content in {**case.files, "train.py": case.script}.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    words = [python, "train.py", *words_of(case)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=directory)
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.strip().splitlines()[-1]
    return json.loads(last[last.index(" ") + 1 :] if last[:1].isdigit() and " " in last else last)


@_named
def test_words_are_those_of_the_library(case: ParserCase) -> None:
    assert words_of(case) == case.words


@_named
def test_library_reads_the_values_that_are_meant(case: ParserCase, tmp_path: Path) -> None:
    if importlib.util.find_spec(_MODULES.get(case.library, case.library)) is None:
        pytest.skip(f"{case.library} is not installed")
    assert printed(case, tmp_path) == case.result


def test_configuration_beside_a_script_is_read(tmp_path: Path) -> None:
    case = next(it for it in PARSER_CASES if it.library == "hydra" and it.files)
    for name, content in {**case.files, "src/train.py": case.script.replace('"conf"', '"../conf"')}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    script = read_script_file(tmp_path, "src/train.py")
    assert script.schema.find("model.depth") is not None
    outside = read_script_file(tmp_path / "src", "train.py")
    assert outside.schema.hyperparameters == ()
