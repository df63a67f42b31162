"""Roles on the line of a magic: the job that they make, where they are shown, what Tab completes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.jobs import list_rows
from pai_jupyter.spec import JobSpec, Role
from pai_jupyter.store import JobRecord
from pai_jupyter.training import cell_as_run
from pai_jupyter.view import render_text
from pai_jupyter.view.show import view_data
from pai_jupyter.wire.connection.listing import row_body
from pai_jupyter.wire.job_view.facts import job_facts
from tests.support.shells import Shell

LINE = "%%pai_train many --backend process --job-type TFJob --role chief=1 --role worker=2"
CODE = "import json, os\nprint(json.loads(os.environ['TF_CONFIG'])['task'])\n"
ROLES = (Role(name="chief"), Role(name="worker", instance_count=2))


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


def spec_of(shell: Shell) -> JobSpec:
    spec: JobSpec = shell.user_ns["_pai"].spec
    return spec


def test_each_replica_of_a_role_runs(shell: Shell) -> None:
    shell.run(f"{LINE} --quiet --wait\n{CODE}")
    assert spec_of(shell).roles == ROLES
    assert (spec_of(shell).job_type, spec_of(shell).instance_count) == ("TFJob", 3)
    said = shell.run("%pai_logs many").text
    for role, index in (("chief", 0), ("worker", 0), ("worker", 1)):
        assert f"{role}-{index} | {{'index': {index}, 'type': '{role}'}}" in said.replace("  |", " |")


def test_roles_are_said_by_the_dry_run_and_the_lists(shell: Shell) -> None:
    assert "roles: 1 chief, 2 worker\n" in shell.run(f"{LINE} --dry-run\n{CODE}").text
    shell.run(f"{LINE} --quiet --wait\n{CODE}")
    assert "Local process · 1 chief, 2 worker" in shell.run("%pai_jobs").text
    assert "1 chief, 2 worker" in shell.run("%pai_jobs worker").text
    assert "no matching jobs" in shell.run("%pai_jobs ps").text
    (row,) = list_rows()
    assert row_body(row).get("roles") == "1 chief, 2 worker"
    job = shell.user_ns["_pai"]
    assert job_facts(job).get("machines") == "local · 1 chief, 2 worker"
    assert "Local process · local · 1 chief, 2 worker" in render_text(view_data(job))


def test_a_job_without_roles_has_none_in_the_lists(shell: Shell) -> None:
    shell.run("%%pai_train one --backend process --quiet --wait\nprint(1)\n")
    (row,) = list_rows()
    assert "roles" not in row_body(row)
    assert "machines" not in job_facts(shell.user_ns["_pai"])
    assert "Local process · local ×1" in render_text(view_data(shell.user_ns["_pai"]))
    assert "roles:" not in shell.run("%%pai_train one --backend process --dry-run\nprint(1)\n").text


def test_a_rerun_and_a_clone_keep_the_roles(shell: Shell) -> None:
    shell.run(f"{LINE} --quiet --wait\n{CODE}")
    record: JobRecord = shell.user_ns["_pai"].folder.record
    assert cell_as_run(record) == f"{LINE} --quiet --wait\n{CODE}"
    shell.run("%pai_rerun many --as again")
    again = shell.user_ns["again"].wait()
    assert (again.spec.job_type, again.spec.roles) == ("TFJob", ROLES)
    assert again.folder.replicas() == ["chief-0", "worker-0", "worker-1"]


def test_roles_of_code_on_disk(shell: Shell) -> None:
    shell.run("import pathlib; pathlib.Path('src').mkdir(); pathlib.Path('src/train.py').write_text('print(1)')")
    line = LINE.removeprefix("%").replace("many", "disk --source-dir src")
    shell.run(f"{line} --quiet --wait")
    assert spec_of(shell).roles == ROLES


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("%%pai_train --job-type TFJob --role ", {"chief=", "evaluator=", "ps=", "worker="}),
        ("%%pai_train --job-type=PyTorchJob --role m", {"master="}),
        ("%%pai_train --role ch", {"chief="}),
        ("%%pai_train --role AI", set()),
    ],
)
def test_roles_of_the_type_complete(shell: Shell, typed: str, offered: set[str]) -> None:
    assert set(shell.complete(typed)) == offered


def test_the_type_of_a_roles_machines_completes(shell: Shell) -> None:
    assert any(each.endswith("local_gpu") for each in shell.complete("%%pai_train --role worker=2:local_"))
    assert "--role" in shell.complete("%%pai_train --ro")


@pytest.mark.parametrize(
    ("language", "words"), [("en", "is not started again: nothing preempts it"), ("zh", "不会重新启动")]
)
def test_the_help_says_that_replicas_are_not_started_again(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, language: str, words: str
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", language)
    help_text = shell.run("%pai_train?").text
    assert words in " ".join(help_text.split())
    assert "--role NAME=COUNT[:TYPE]" in help_text
