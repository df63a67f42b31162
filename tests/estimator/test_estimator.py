"""`Estimator`, as PAI's "Submit a training job" shows it, for the places of this machine."""

import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import JobFailed, SpecError
from pai_jupyter.estimator import Estimator
from pai_jupyter.events import Status
from pai_jupyter.jobs import attach, list_jobs
from pai_jupyter.spec import MetricDefinition
from pai_jupyter.store import JobStore
from tests.support.started import DEADLINE, open_gate, until

SCRIPT = """\
import argparse, json, os, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)  # hp: [1..10]
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()
print("epochs", args.epochs, "lr", args.lr)
print("mode", os.environ.get("MODE"))
print("acc=%.2f" % (args.lr * 2))
checkpoints = pathlib.Path(os.environ["PAI_OUTPUT_CHECKPOINTS"], "seen")
seen = int(checkpoints.read_text()) if checkpoints.exists() else 0
checkpoints.write_text(str(seen + args.epochs))
print("trained for", seen + args.epochs)
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.json").write_text(json.dumps(vars(args)))
pathlib.Path(os.environ["PAI_OUTPUT_LOGS"], "events").write_text("x")
"""


@pytest.fixture(autouse=True)
def source(workplace: Path) -> Path:
    """The working directory of a user: `train_src/train.py`, and the same script as `fit.py` beside other files."""
    (workplace / "train_src").mkdir()
    (workplace / "train_src" / "train.py").write_text(SCRIPT)
    (workplace / "fit.py").write_text(SCRIPT)
    (workplace / "secret.txt").write_text("not for the job")
    return workplace


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


# --- command, entry point, source ------------------------------------------------------------------------------------


def test_a_command_runs_the_script_of_a_directory(capsys: pytest.CaptureFixture[str]) -> None:
    estimator = Estimator(
        command="python train.py $PAI_USER_ARGS",
        source_dir="./train_src/",
        hyperparameters={"epochs": 4, "lr": 0.25},
        base_job_name="example_train_job",
    )
    estimator.fit()
    assert "epochs 4 lr 0.25" in printed(capsys)
    assert Path(estimator.model_data(), "model.json").read_text() == '{"epochs": 4, "lr": 0.25}'


def test_an_entry_point_means_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    job = Estimator(entry_point="train.py", source_dir="train_src", hyperparameters={"lr": 0.5}).fit()
    assert job.spec.command == "python train.py $PAI_USER_ARGS"
    assert "epochs 3 lr 0.5" in printed(capsys)


@pytest.mark.parametrize("entry_point", ["fit.py", "./fit.py", "{cwd}/fit.py"])
def test_without_a_directory_only_the_entry_point_is_packed(
    entry_point: str, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "fit.py").write_text("import os\nprint(sorted(os.listdir('.')))\n")
    Estimator(entry_point=entry_point.format(cwd=source)).fit()
    assert printed(capsys)[-1] == "['fit.py']"


def test_a_shell_script_runs_with_bash(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "run me.sh").write_text('echo "got $1 $2"\n')
    job = Estimator(entry_point="run me.sh", hyperparameters={"lr": 0.5}).fit()
    assert job.spec.command == "bash 'run me.sh' $PAI_USER_ARGS"
    assert printed(capsys)[-1] == "got --lr 0.5"


def test_a_script_with_a_byte_order_mark_runs(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "fit.py").write_bytes(b"\xef\xbb\xbfprint('read')\n")
    Estimator(entry_point="fit.py").fit()
    assert printed(capsys)[-1] == "read"


@pytest.mark.parametrize("given", [{}, {"command": "python train.py", "entry_point": "train.py"}], ids=["none", "both"])
def test_either_a_command_or_an_entry_point_is_needed(given: dict[str, str]) -> None:
    with pytest.raises(SpecError, match="give either `command` or `entry_point`"):
        Estimator(**given)  # type: ignore[arg-type]  # text only


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"entry_point": "missing.py"},
            "no entry_point 'missing.py'. Give a script that is there, e.g. entry_point='train.py'",
        ),
        ({"entry_point": "gone.py", "source_dir": "."}, r"no 'gone.py' in '\.'\. Give a script that is there"),
        (
            {"entry_point": "train.py", "source_dir": "missing"},
            r"'missing' is not a directory\. Give the .* e\.g\. \./src$",
        ),
        ({"command": "true", "source_dir": "missing"}, r"'missing' is not a directory\. Give the .* e\.g\. \./src$"),
        ({"entry_point": "fit.py", "hyperparameters": {"epochs": 99}}, "`epochs` is 99; it must be"),
        ({"entry_point": "fit.py", "hyperparameters": {"epcohs": 3}}, "Did you mean `epochs`"),
        ({"entry_point": "fit.py", "max_run_time": 0}, "max_run_time"),
        ({"entry_point": "fit.py", "instance_type": "huge"}, "huge"),
        ({"entry_point": "fit.py", "requirements": "numpy"}, r"requirements=\['numpy'\]"),
        ({"entry_point": "fit.py", "metric_definitions": [{"Name": "acc"}]}, "needs a Name and a Regex"),
        ({"entry_point": "fit.py", "metric_definitions": [{"Name": "acc", "Regex": "("}]}, "regex of metric 'acc'"),
        ({"entry_point": "fit.py", "environments": {"A": 1}}, "must be text"),
        ({"entry_point": "fit.py", "base_job_name": "a/b"}, "slash"),
        ({"entry_point": "fit.py", "checkpoints_path": "oss://bucket/c/"}, "oss://bucket/c/"),
        ({"entry_point": "fit.py", "backend": "nowhere"}, "no backend 'nowhere'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_meant_is_one_sentence_and_starts_nothing(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Estimator(**given).fit()
    assert list_jobs() == []
    assert [path for path in JobStore().home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("given", [{}, {"source_dir": "."}], ids=["alone", "directory"])
def test_a_script_is_read_by_its_coding_line(given: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    text = "# -*- coding: latin-1 -*-\nrate: float = 0.1\nprint('caf\xe9', rate)\n"
    Path("old.py").write_bytes(text.encode("latin-1"))
    Estimator(entry_point="old.py", hyperparameters={"rate": 0.5}, backend="process", **given).fit()
    assert "café 0.5" in printed(capsys)


def test_a_script_without_a_coding_line_is_to_be_saved_as_utf_8() -> None:
    Path("old.py").write_bytes(b"print('caf\xe9')\n")
    with pytest.raises(SpecError, match=r"is no text in UTF-8.* Save it as UTF-8\.") as caught:
        Estimator(entry_point="old.py").fit()
    assert "codec" not in str(caught.value)


def test_a_value_that_the_encoding_of_the_script_lacks_is_refused() -> None:
    Path("old.py").write_bytes(b"# coding: latin-1\nname: str = 'a'\n")
    with pytest.raises(SpecError, match="whose coding line says iso-8859-1"):
        Estimator(entry_point="old.py", hyperparameters={"name": "训练"}, backend="process").fit()


def test_an_input_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(SpecError, match=r"there is no .*missing\.csv"):
        Estimator(entry_point="fit.py").fit({"train": "missing.csv"})


# --- names and places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "start"), [("iris 训练", "iris 训练"), (None, "fit")])
def test_a_job_is_named_by_its_base_and_the_time(base: str | None, start: str) -> None:
    name = Estimator(entry_point="fit.py", base_job_name=base).fit().name
    assert re.fullmatch(rf"{start}_\d{{8}}-\d{{6}}", name)


def test_outputs_go_below_the_output_path_by_job_and_channel(source: Path) -> None:
    estimator = Estimator(entry_point="fit.py", output_path="out")
    job = estimator.fit()
    assert estimator.model_data() == f"{source}/out/{job.name}/model/"
    assert estimator.tensorboard_data() == f"{source}/out/{job.name}/tensorboard/"
    assert (source / "out" / job.name / "model" / "model.json").is_file()
    assert (source / "out" / job.name / "tensorboard" / "events").is_file()


def test_two_jobs_of_one_second_do_not_share_an_output_directory() -> None:
    estimator = Estimator(entry_point="fit.py", output_path="out")
    places = {estimator.fit(wait=False).model_data() for _ in range(4)}
    assert len(places) == 4


def test_without_an_output_path_outputs_are_in_the_job_folder() -> None:
    estimator = Estimator(entry_point="fit.py")
    job = estimator.fit()
    assert estimator.model_data() == f"{job.folder.path}/output/model/"


def test_a_second_job_goes_on_from_the_checkpoints_of_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    first = Estimator(entry_point="fit.py", hyperparameters={"epochs": 3})
    first.fit()
    second = Estimator(entry_point="fit.py", hyperparameters={"epochs": 2}, checkpoints_path=first.checkpoints_data())
    second.fit()
    assert [line for line in printed(capsys) if line.startswith("trained")] == ["trained for 3", "trained for 5"]
    assert second.checkpoints_data() == first.checkpoints_data()


def test_inputs_are_files_or_directories_of_this_machine(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "iris 数据.csv").write_text("5.1")
    estimator = Estimator(command='cat "$PAI_INPUT_TRAIN" && ls "$PAI_INPUT_SRC"')
    estimator.fit({"train": source / "iris 数据.csv", "src": "train_src"})
    assert printed(capsys)[-1] == "5.1train.py"


# --- what else a job is given ----------------------------------------------------------------------------------------


def test_environments_metrics_and_time_limit_reach_the_job(capsys: pytest.CaptureFixture[str]) -> None:
    job = Estimator(
        entry_point="fit.py",
        hyperparameters={"lr": 0.25},
        environments={"MODE": "a 'b' $HOME"},
        metric_definitions=[
            {"Name": "accuracy", "Regex": "acc=([0-9.]+)"},
            MetricDefinition(name="lr", regex="lr (.*)"),
        ],
        max_run_time=60,
    ).fit()
    assert "mode a 'b' $HOME" in printed(capsys)
    assert job.metrics()["accuracy"] == 0.5
    assert job.metrics()["lr"] == 0.25
    assert job.spec.max_run_time == 60


def test_a_job_that_runs_too_long_fails_with_that_reason(source: Path) -> None:
    (source / "fit.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(JobFailed, match=r"Time limit reached \(1 s\)"):
        Estimator(entry_point="fit.py", max_run_time=1).fit()


def test_requirements_are_recorded_and_satisfied_ones_cost_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    job = Estimator(entry_point="fit.py", requirements=["# nothing to install"]).fit()
    assert job.spec.requirements == ("# nothing to install",)
    assert printed(capsys)[1].startswith("epochs")


def test_hyperparameters_of_a_command_without_a_script_are_taken_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    job = Estimator(command="echo $PAI_USER_ARGS", hyperparameters={"a": 1, "b": None, "c": "x y"}).fit()
    assert printed(capsys)[-1] == "--a 1 --c x y"
    assert job.spec.hyperparameters["c"] == "x y"


# --- fit -------------------------------------------------------------------------------------------------------------


def test_fit_prints_the_place_first_then_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    job = Estimator(entry_point="fit.py", base_job_name="a").fit()
    assert printed(capsys) == [
        f"job {job.id} ({job.name}) runs on: Local process (no image is given)",
        "epochs 3 lr 0.1",
        "mode None",
        "acc=0.20",
        "trained for 3",
    ]


def test_fit_says_what_is_worth_knowing_before_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    Estimator(entry_point="fit.py", image_uri="python:3.11", backend="process").fit()
    assert printed(capsys)[1] == "note: the image python:3.11 is not used by the process backend."


def test_fit_prints_lines_as_they_come(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "gate").mkdir()
    (source / "fit.py").write_text(
        "import os, time\nprint('first')\n"
        "while not os.path.exists(os.environ['PAI_INPUT_GATE'] + 'open'): time.sleep(0.01)\nprint('second')\n"
    )
    fit = threading.Thread(target=Estimator(entry_point="fit.py").fit, args=[{"gate": "gate"}])
    fit.start()
    seen: list[str] = []
    until(lambda: seen.extend(printed(capsys)) or "first" in seen)  # type: ignore[func-returns-value]  # None is falsy
    assert "second" not in seen
    open_gate(source / "gate")
    fit.join(DEADLINE)
    assert printed(capsys) == ["second"]


def test_fit_raises_when_the_job_fails(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "fit.py").write_text("print('begun')\n1 / 0\n")
    with pytest.raises(JobFailed, match=r"ZeroDivisionError: division by zero \(fit.py line 2\)"):
        Estimator(entry_point="fit.py").fit()
    assert printed(capsys)[1] == "begun"


def test_fit_without_waiting_returns_the_running_job(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source / "fit.py").write_text("import time\ntime.sleep(60)\n")
    estimator = Estimator(entry_point="fit.py")
    job = estimator.fit(wait=False)
    assert not job.status.is_terminal
    assert estimator.latest_job.id == job.id
    assert len(printed(capsys)) == 1
    job.stop()


def test_the_latest_job_is_that_of_the_last_fit() -> None:
    estimator = Estimator(entry_point="fit.py")
    with pytest.raises(SpecError, match=r"Call \.fit\(\) first"):
        estimator.model_data()
    estimator.fit()
    last = estimator.fit()
    assert estimator.latest_job is last


def test_a_program_that_is_interrupted_while_it_fits_detaches(source: Path) -> None:
    (source / "fit.py").write_text("import time\nprint('begun')\nwhile True: time.sleep(0.1)\n")
    words = "from pai_jupyter import Estimator\nEstimator(entry_point='fit.py').fit()\n"
    with subprocess.Popen(
        [sys.executable, "-c", words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert "runs on: Local process" in program.stdout.readline()
        assert program.stdout.readline() == "begun\n"
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=DEADLINE)
    job = list_jobs()[0]
    assert f"Detached: job {job.id} goes on. To stop it: %pai_stop {job.id}" in errors
    attach(job.id)  # the program may have ended before it recorded that the job runs: who attaches goes on with it
    until(lambda: job.status is Status.RUNNING)
    job.stop()


def test_jobs_that_begin_in_the_same_second_have_names_of_their_own() -> None:
    names = [Estimator(entry_point="fit.py", base_job_name="a").fit().name for _ in range(3)]
    assert len({*names}) == 3
