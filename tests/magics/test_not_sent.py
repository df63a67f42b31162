"""What a cell missed and what lies beside its notebook, or on `sys.path`, is named by the failure with its --include."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.shells import Shell

LINE = "%%pai_train --as job --backend process"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    (tmp_path / "nb").mkdir()
    monkeypatch.chdir(tmp_path / "nb")
    with Shell() as shell:
        yield shell


def test_file_beside_a_module_that_was_sent_is_to_be_included(shell: Shell) -> None:
    Path("conf").mkdir()
    Path("conf/c.txt").write_text("c")
    Path("mine13.py").write_text(
        "import os\ndef z(): return open(os.path.join(os.path.dirname(__file__), 'conf/c.txt')).read()\n"
    )
    result = shell.run(f"{LINE}\nfrom mine13 import z\nprint(z())\n")
    assert "'conf/c.txt' lies beside the notebook and was not sent with the job: --include conf" in str(result.error)
    assert "/ml is not there" not in result.text
    assert shell.run(f"{LINE} --include conf\nfrom mine13 import z\nprint(z())\n").error is None


def test_file_that_is_nowhere_has_no_hint_of_ml_where_no_code_names_it(shell: Shell) -> None:
    result = shell.run(f"{LINE}\nimport os\nopen(os.path.join(os.path.dirname(__file__), 'gone.txt'))\n")
    assert "/ml is not there" not in str(result.error)
    assert "Give it as an input" in str(result.error)


@pytest.mark.parametrize("is_in_cell", [True, False])
def test_module_on_the_path_of_another_cell_is_never_to_be_installed(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_in_cell: bool
) -> None:
    libs = tmp_path / "libs13"
    libs.mkdir()
    (libs / "mylib13.py").write_text("X = 1\n")
    added = "import sys; sys.path.append('../libs13')\n" if is_in_cell else ""
    if not is_in_cell:
        monkeypatch.syspath_prepend(str(libs))
    result = shell.run(f"{LINE}\n{added}print(__import__('mylib13').X)\n")
    assert f"`mylib13` was not sent with the job; send it along: --include {libs / 'mylib13.py'}" in str(result.error)
    assert "%pip install" not in str(result.error)
    assert "mylib13" not in sys.modules


def test_processes_that_are_spawned_without_a_guard_are_explained(shell: Shell) -> None:
    result = shell.run(
        f"{LINE} --max-time 60\nimport multiprocessing as mp\n"
        "p = mp.get_context('spawn').Process(target=print, args=(1,))\np.start(); p.join()\n"
        "raise SystemExit(p.exitcode)\n"
    )
    assert 'Start the processes below `if __name__ == "__main__":`' in str(result.error)


def test_what_python_has_is_to_be_installed_still(shell: Shell) -> None:
    result = shell.run(f"{LINE}\nimport nosuchpackage13\n")
    assert "%pip install nosuchpackage13" in str(result.error)
