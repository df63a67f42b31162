"""`--source-dir oss://...` of the magics, and the requirements that take the place of the source's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job
from tests.backends.local.test_inputs import put_archive, put_directory
from tests.fakes.oss import BUCKET, FakeOss
from tests.support.local_inputs import session
from tests.support.shells import Shell
from tests.support.storages import oss

__all__ = ["oss", "session"]


@pytest.fixture
def shell(session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


def log_of(shell: Shell) -> list[str]:
    job = shell.user_ns["_pai"]
    assert isinstance(job, Job)
    return [line.text for line in job.logs()]


@pytest.mark.parametrize("put", [put_directory, put_archive])
def test_a_line_runs_the_script_of_a_source_in_oss(shell: Shell, oss: FakeOss, put: Callable[[FakeOss], str]) -> None:
    uri = put(oss)
    result = shell.run(f"%pai_train far --source-dir {uri} --backend process")
    assert result.error is None, result.text
    assert log_of(shell) == ["imported"]
    assert shell.user_ns["_pai"].spec.source_dir == uri


def test_values_reach_a_script_that_nobody_has_read(shell: Shell, oss: FakeOss) -> None:
    oss.put("code/go.py", b"import sys; print(sys.argv[1:])")
    line = f"--source-dir {oss.uri('code/')} --entry-point go.py -p lr=0.5 --backend process"
    result = shell.run(f"%pai_train far {line}")
    assert result.error is None, result.text
    assert log_of(shell) == ["['--lr', '0.5']"]


def test_a_cell_may_use_what_lies_in_oss(shell: Shell, oss: FakeOss) -> None:
    oss.put("code/lib/__init__.py", b"x = 'imported'")
    result = shell.run(
        f"%%pai_train far --source-dir {oss.uri('code/')} --backend process\nfrom lib import x\nprint('cell', x)"
    )
    assert result.error is None, result.text
    assert log_of(shell) == ["cell imported"]


CLOUD = f"--backend pai --image x --instance-type ecs.c6.large --option pai.workspace_id=1 --source-dir oss://{BUCKET}/code/"


def test_what_pai_takes_from_oss_is_named_in_the_request(shell: Shell) -> None:
    result = shell.run(f"%pai_train far {CLOUD} --dry-run")
    assert result.error is None, result.text
    assert '"Key": "code/"' in result.text


def test_a_cell_cannot_be_added_to_what_pai_takes_as_it_is(shell: Shell) -> None:
    result = shell.run(f"%%pai_train far {CLOUD} --dry-run\nprint(1)")
    assert isinstance(result.error, SpecError)
    assert "'train.py' cannot be added to it" in str(result.error)
    assert "%pai_train, with one %" in str(result.error)


@pytest.mark.parametrize("uri", ["hdfs://host/code/", "https://host/code.git", "oss://bucket/code.zip", "oss://"])
def test_an_address_that_nobody_takes_is_refused_in_a_sentence(shell: Shell, uri: str) -> None:
    result = shell.run(f"%pai_train far --source-dir {uri} --backend process")
    assert isinstance(result.error, SpecError)
    assert "source_dir" in str(result.error)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text("print(open('requirements.txt').read())")
    (tmp_path / "src" / "requirements.txt").write_text("not-a-package-of-this-world\n")
    return tmp_path / "src"


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize(("choice", "content"), [("none", ""), ("own.txt", "# nothing")])
def test_other_requirements_take_the_place_of_those_of_the_source(
    shell: Shell, tmp_path: Path, choice: str, content: str
) -> None:
    (tmp_path / "own.txt").write_text("# nothing")
    result = shell.run(f"%pai_train own --source-dir src --requirements {choice} --backend process")
    assert result.error is None, result.text
    assert log_of(shell) == [content]


def test_a_line_runs_a_shell_script(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("if true; then echo values $PAI_USER_ARGS; fi\n")
    result = shell.run("%pai_train sh --source-dir . --entry-point run.sh -p lr=0.3 --backend process --run")
    assert result.error is None, result.text
    assert log_of(shell) == ["values --lr 0.3"]


@pytest.mark.parametrize("name", ["../out.py", "/etc/passwd"])
def test_a_script_outside_its_source_is_refused_before_anything_starts(shell: Shell, tmp_path: Path, name: str) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "out.py").write_text("print(1)")
    result = shell.run(f"%pai_train out --source-dir source --entry-point {name} --backend process --run")
    assert isinstance(result.error, SpecError)
    assert f"the script {name!r} must be in" in str(result.error)
    assert "_pai" not in shell.user_ns
