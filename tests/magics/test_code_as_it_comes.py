"""Code that was written for other places, as a cell: its variables, what it leaves, what it asks for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.shells import Shell

WHERE = """%%pai_train where --backend process --as job {line}
import os
names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
print(*(name for name in names if name in os.environ))
"""
SAGEMAKER = """%%pai_train sm --backend process --as job {line}
import argparse, json, os, pathlib
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=1)
p.add_argument("--model-dir", default=os.environ["SM_MODEL_DIR"])
p.add_argument("--train", default=os.environ["SM_CHANNEL_TRAIN"])
p.add_argument("--out", default=os.environ["SM_OUTPUT_DATA_DIR"])
args = p.parse_args()
pathlib.Path(args.model_dir, "m.txt").write_text(pathlib.Path(args.train, "a.csv").read_text())
pathlib.Path(args.out, "o.txt").write_text(json.loads(os.environ["SM_HPS"]) and os.environ["SM_HP_EPOCHS"])
pathlib.Path("notes.txt").write_text("n")
"""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


def lines(shell: Shell) -> list[str]:
    return [line.text for line in shell.user_ns["job"].logs()]


def test_a_plain_cell_finds_no_launcher_and_a_job_of_a_type_finds_one(shell: Shell) -> None:
    shell.run(WHERE.format(line=""))
    assert lines(shell) == [""]
    shell.run("%pai_rerun where --as job")
    assert lines(shell) == [""]
    shell.run(WHERE.format(line="--job-type PyTorchJob --force"))
    assert lines(shell) == ["RANK WORLD_SIZE MASTER_ADDR LOCAL_RANK LOCAL_WORLD_SIZE"]


def test_code_for_sagemaker_runs_unchanged(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("1,2")
    told = shell.run(SAGEMAKER.format(line="--dry-run -i train=./data"))
    assert "--compat sagemaker gives them." in told.text
    result = shell.run(SAGEMAKER.format(line="--compat sagemaker -i train=./data -p epochs=3"))
    assert result.error is None, result.text
    job = shell.user_ns["job"]
    assert Path(job.output("model"), "m.txt").read_text() == "1,2"
    assert Path(job.output("output_data"), "o.txt").read_text() == "3"
    assert [notice.text for notice in job.state.notices] == [
        "1 file beside the channels: notes.txt, in Files below workdir."
    ]
    fetched = shell.run("%pai_download sm:workdir got")
    assert fetched.error is None, fetched.text
    assert (tmp_path / "got" / "workdir" / "notes.txt").read_text() == "n"
    assert [path.name for path in (tmp_path / "got" / "workdir").iterdir()] == ["notes.txt"]


def test_a_dry_run_offers_the_variables_that_are_set_and_shows_no_value(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "s3cr3t-value-of-wandb")
    cell = "%%pai_train a --backend process --dry-run {line}\nimport wandb\n"
    told = shell.run(cell.format(line=""))
    assert (
        "This code reads WANDB_API_KEY, which is set here: --pass-env WANDB_API_KEY gives it to the job." in told.text
    )
    assert "s3cr3t" not in told.text
    assert "This code reads" not in shell.run(cell.format(line="--pass-env WANDB_API_KEY")).text


def test_a_channel_with_a_name_of_ours_is_one_sentence(shell: Shell) -> None:
    told = shell.run("%%pai_train a --backend process -o workdir=./out\nprint(1)\n")
    assert "`outputs` has 'workdir', a name that every job uses itself. Choose another." in str(told.error)


def test_what_gitignore_keeps_out_is_named(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "src" / "data").mkdir(parents=True)
    (tmp_path / "src" / "data" / "train.csv").write_text("1")
    (tmp_path / "src" / ".gitignore").write_text("*.log\n\ndata/\n")
    cell = "%%pai_train a --backend process --source-dir src {line}\nprint(open('data/train.csv').read())\n"
    told = shell.run(cell.format(line=""))
    sentence = "'data/train.csv' is beside the code, but .gitignore line 3 `data/` keeps it out of the package: --include src/data"
    assert sentence in told.text
    assert shell.run(cell.format(line="--include src/data")).error is None
