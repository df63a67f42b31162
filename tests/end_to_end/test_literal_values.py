"""A value that looks like a variable of the notebook stays what it is, also where that variable is there by now."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job, rerun
from pai_jupyter.wire.job_view.facts import rerun_line
from tests.support.shells import Shell

VALUES = ["{x}", "$x", "a{x.real}b", "${x}", "{'a'}{x}", '{"a": "{x}$x"}', "{{x}}", "$$x"]
CELL = 'opt: str = "a"\nprint("opt", opt)\n'


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


@pytest.fixture
def first(shell: Shell) -> Job:
    """A job of the values `{x}` and `$x`, typed before the notebook had an `x`."""
    line = "demo --run --quiet --backend process --as first -p opt={x} -p n=$x"
    result = shell.run(f"%%pai_train {line}\nimport sys\nprint(sys.argv)\n{CELL}")
    assert result.error is None, result.text
    job: Job = shell.user_ns["first"]
    assert dict(job.hyperparameters) == {"opt": "{x}", "n": "$x"}
    shell.user_ns["x"] = 5
    return job


def cloned(shell: Shell, job: Job) -> Job:
    """The job of "Clone to a new cell"."""
    shell.run(f"%pai_attach {job.id} --source")
    result = shell.run((shell.next_input or "").replace("--as first", "--as again --force"))
    assert result.error is None, result.text
    again: Job = shell.user_ns["again"]
    return again


def test_clone_of_a_value_in_braces_has_the_same_value(shell: Shell, first: Job) -> None:
    assert dict(cloned(shell, first).hyperparameters) == {"opt": "{x}", "n": "$x"}


@pytest.mark.parametrize("value", VALUES)
def test_rerun_line_and_clone_have_the_same_value(shell: Shell, first: Job, value: str) -> None:
    second = rerun(first, {"opt": value})
    result = shell.run(f"{rerun_line(second)} --as third")
    assert result.error is None, result.text
    assert shell.user_ns["third"].hyperparameters["opt"] == value
    assert cloned(shell, second).hyperparameters["opt"] == value


def test_rerun_takes_variables_and_their_attributes(shell: Shell, first: Job) -> None:
    shell.user_ns["note"] = "b c"
    assert shell.run("%pai_rerun {first.id} -p opt='{note}' --as second").error is None
    assert shell.user_ns["second"].hyperparameters["opt"] == "b c"
    assert shell.run("%pai_rerun {first.id} -p opt={first.nothing} --as third").error is None
    assert shell.user_ns["third"].hyperparameters["opt"] == "{first.nothing}"
    assert isinstance(shell.run("%pai_rerun {first.id} -p opt={first.api_key}").error, SpecError)
