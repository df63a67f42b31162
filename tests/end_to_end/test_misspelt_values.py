"""A misspelt value is refused by every way in, before anything starts; what something may read goes through."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter import Estimator
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import Job, attach, list_jobs, rerun, submit
from pai_jupyter.spec import JobSpec
from tests.support.shells import Shell

CELL = "lr = 0.1  # hp: [1e-5..1] log\nprint(f'lr={lr}')\n"
READER = "import os\n" + CELL + "print('read', os.environ.get('PAI_HPS_LRR'))\n"
WORDS = "Did you mean `lr`?"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    (tmp_path / "values.json").write_text('{"lrr": 0.3}')
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_text(CELL)
    (source / "reader.py").write_text(f"import helper\n{CELL}")
    (source / "helper.py").write_text("import sys\nprint(sys.argv)\n")
    with Shell() as shell:
        yield shell


def log_of(job: Job) -> list[str]:
    return [line.text for line in job.wait(120).logs()]


@pytest.mark.parametrize(
    "cell",
    [
        f"%%pai_train demo --run -p lrr=0.3\n{CELL}",
        f"%%pai_train demo --run --params values.json\n{CELL}",
        f"%%pai_train demo --run --source-dir src --entry-point cell.py -p lrr=0.3\n{CELL}",
        f"%%pai_train demo --dry-run -p lrr=0.3\n{CELL}",
        "%pai_train demo --run --source-dir src -p lrr=0.3",
    ],
)
def test_line_with_a_misspelt_value_starts_nothing(shell: Shell, cell: str) -> None:
    result = shell.run(cell)
    assert isinstance(result.error, SpecError), result.text
    assert WORDS in str(result.error)
    assert list_jobs() == []


def test_value_in_other_capitals_gets_the_name_of_the_script(shell: Shell) -> None:
    result = shell.run(f"%%pai_train demo --run -p LR=0.3\n{CELL}")
    assert "`LR` is spelled `lr` in the script. Write -p lr=..." in str(result.error)
    assert list_jobs() == []


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        (f"%%pai_train demo --run --backend process -p lrr=0.3\n{READER}", "read 0.3"),
        (
            f"%%pai_train demo --run --backend process -p lrr=0.3 --command 'python train.py; echo read $PAI_HPS_LRR'\n{CELL}",
            "read 0.3",
        ),
        (
            "%pai_train demo --run --backend process --source-dir src --entry-point reader.py -p lrr=0.3",
            "['reader.py', '--lrr', '0.3']",
        ),
    ],
)
def test_line_with_a_value_that_something_reads_runs(shell: Shell, cell: str, read: str) -> None:
    result = shell.run(cell)
    assert result.error is None, result.text
    assert read in log_of(shell.user_ns["_pai"])


def test_rerun_with_a_misspelt_value_starts_nothing(shell: Shell) -> None:
    shell.run(f"%%pai_train demo --run --backend process\n{CELL}")
    first = shell.user_ns["_pai"]
    result = shell.run(f"%pai_rerun {first.id} -p lrr=0.3")
    assert isinstance(result.error, SpecError)
    assert WORDS in str(result.error)
    with pytest.raises(SpecError, match="Did you mean `lr`"):
        rerun(first, {"lrr": 0.3})
    with pytest.raises(SpecError, match="is empty"):
        rerun(first, {"lr": ""})
    assert len(list_jobs()) == 1
    assert dict(rerun(first, {"lr": 0.3}).hyperparameters) == {"lr": 0.3}


def test_job_that_was_recorded_with_a_misspelt_value_runs_again(shell: Shell) -> None:
    """By a version before: nobody can take it out of the record, so it stays."""
    shell.run(f"%%pai_train demo --run --backend process\n{CELL}")
    first = shell.user_ns["_pai"].wait(120)
    path = first.folder.path / "job.json"
    record = json.loads(path.read_text())
    record["spec"]["hyperparameters"]["lrr"] = 0.3
    record["spec"]["options"] = {"foo.bar": 1}
    path.write_text(json.dumps(record))
    again = rerun(attach(first.id), {"lr": 0.2})
    assert dict(again.hyperparameters) == {"lr": 0.2, "lrr": 0.3}
    assert "lr=0.2" in log_of(again)
    with pytest.raises(SpecError, match="Did you mean `lr`"):
        rerun(first, {"lrr": 0.5})


@pytest.mark.parametrize("where", [{"source_dir": "src"}, {}])
def test_estimator_with_a_misspelt_value_starts_nothing(shell: Shell, where: dict[str, str]) -> None:
    entry_point = "train.py" if where else "src/train.py"
    with pytest.raises(SpecError, match="Did you mean `lr`"):
        Estimator(entry_point=entry_point, hyperparameters={"lrr": 0.3}, **where).fit()  # type: ignore[arg-type]  # of few
    assert list_jobs() == []


def test_estimator_with_a_command_of_its_own_runs(shell: Shell) -> None:
    command = "python train.py && echo $PAI_USER_ARGS"
    job = Estimator(command=command, source_dir="src", hyperparameters={"lrr": 0.3}).fit(wait=False)
    assert "--lrr 0.3" in log_of(job)[-1]


def test_spec_of_ones_own_is_taken_as_it_is(shell: Shell) -> None:
    spec = JobSpec(name="x", command="env | grep LRR", hyperparameters={"lrr": 0.3})
    assert "PAI_HPS_LRR=0.3" in log_of(submit(spec, backend="process"))


def test_value_of_another_spelling_is_told_that_of_the_script(shell: Shell) -> None:
    cell = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--use-bn", type=int)\np.parse_args()\n'
    result = shell.run(f"%%pai_train demo --run --backend process -p use_bn=1\n{cell}")
    assert "`use_bn` is spelled `use-bn` in the script. Write -p use-bn=..." in str(result.error)
