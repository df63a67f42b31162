"""Cells completed from the shell's own history: what is missing is told before anything starts."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from tests.support.shells import Shell

LINE = "%%pai_train --as job --backend process"
BUMP = "def bump():\n    global counter\n    counter += 1\n    return counter"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        shell.run("import random\nrandom.seed(0)\ndf = sorted([1, 2])\nTHR = 3\ncounter = 0")
        shell.run(BUMP)
        shell.run("bump()")
        yield shell


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "df = df[:1]",
            r"cell line 2: `df` is a value of cell \[\d+\] \(list\), which the job does not see. Send it along: --send df",
        ),
        ("print(bump())", r"cell \[\d+\], line 3: `counter` is a value of cell \[\d+\] \(int\), .* --send counter"),
    ],
)
def test_a_name_that_is_read_before_it_is_bound_stops_the_job(shell: Shell, code: str, says: str) -> None:
    result = shell.run(f"{LINE} --run --wait\n{code}")
    assert isinstance(result.error, SpecError)
    assert re.search(says, str(result.error))
    assert "job" not in shell.user_ns


def test_it_runs_once_it_is_sent_with_the_constants_it_reads(shell: Shell) -> None:
    code = "df = df[:1]\nTHR = THR * 2\nprint(df, THR, bump())"
    result = shell.run(f"{LINE} --run --wait --send df,counter\n{code}")
    assert result.error is None, result.text
    assert [line.text for line in shell.user_ns["job"].tail(5)] == ["[1] 6 2"]


@pytest.mark.parametrize("mode", ["--lint", "--dry-run"])
def test_a_seed_of_another_cell_is_told(shell: Shell, mode: str) -> None:
    note = "also calls random.seed, which does not come along: call it in this cell"
    assert f"] {note}" in shell.run(f"{LINE} {mode}\nprint(random.random())").text
    assert note not in shell.run(f"{LINE} {mode}\nrandom.seed(1)\nprint(random.random())").text


def test_a_misspelt_name_to_leave_out_is_refused(shell: Shell) -> None:
    result = shell.run(f"{LINE} --run --wait --leave-out nope\nprint(THR)")
    assert isinstance(result.error, SpecError)
    assert "the cell takes no `nope` from other cells. It takes: THR" in str(result.error)
