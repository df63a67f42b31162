"""The code of PAI's documents (seeds 000 and 001) runs as it stands there, but for imports and its own slips.

tests/data/seed_<document>_<block>.txt are the originals, letter by letter. What is changed before they run is here: every
import is from `pai_jupyter`, `SLIPS` are the documents' errors, `PLACES` are what a reader has to fill in.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.jobs import PlainLines, close_runtime, use_presenter
from pai_jupyter.storage import parse_oss_url
from tests.support.emulators import BUCKET, KEY, REGION, SECRET, WORKSPACE, Emulator
from tests.support.paths import DATA

# What is no Python, or names what is not there, and what stands for it.
SLIPS: dict[str, list[tuple[str | re.Pattern[str], str]]] = {
    "000_imports": [("import pai\n", "import pai_jupyter as pai\n")],
    "001_overview": [
        ('"<LaunchCommand>"\n', '"<LaunchCommand>",\n'),
        ('"<SourceCodeDirectory>"\n', '"<SourceCodeDirectory>",\n'),
        ('"<TrainingImageUri>"\n', '"<TrainingImageUri>",\n'),
    ],
    "001_fits": [(".fits(", ".fit(")],
    "001_tensorboard": [("\nestimator.tensorboard()", "\ntensorboard = estimator.tensorboard()")],
    "001_user_args": [('"learning-rate": 0.001\n', '"learning-rate": 0.001,\n')],
}
PLACES = {
    "<YourAccessKeyId>": KEY,
    "<YourAccessKeySecret>": SECRET,
    "<RegionIdWorking>": REGION,
    "<YourWorkspaceId>": WORKSPACE,
    "<YourOssBucketName>": BUCKET,
    "<YourOssBucket>": BUCKET,
    "<BucketName>": BUCKET,
    "<LaunchCommand>": "python train.py $PAI_USER_ARGS",
    "<SourceCodeDirectory>": "train_src",
    "<TrainingInstanceType>": "ecs.c6.large",
    "<TrainingImageUri>": "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04",
}
SCRIPT = """\
import os, sys
print("words", *sys.argv[1:])
for name in ("TRAIN", "TEST", "TRAIN_DATA"):
    if place := os.environ.get("PAI_INPUT_" + name):
        print(name, sorted(os.listdir(place)) if os.path.isdir(place) else open(place).read())
with open(os.environ["PAI_OUTPUT_MODEL"] + "model.txt", "w") as file:
    file.write("trained")
"""


# Blocks that stand on names of others: where the document says `estimator` its reader has made one.
BEFORE = {
    "001_overview_import": "from pai_jupyter import Estimator\n",
    "001_overview_estimator": (
        "from pai_jupyter import Estimator\nestimator = Estimator(entry_point='train.py', "
        "image_uri='<TrainingImageUri>', instance_type='<TrainingInstanceType>')\n"
    ),
}


def corrected(block: str) -> str:
    """The block as it runs."""
    text = BEFORE.get(block) or (DATA / f"seed_{block}.txt").read_text()
    for slip, right in SLIPS.get(block, []):
        changed = slip.sub(right, text) if isinstance(slip, re.Pattern) else text.replace(slip, right)
        assert changed != text, f"{slip} does not stand there"
        text = changed
    text = re.sub(r"^from pai(\.\w+)* import", "from pai_jupyter import", text, flags=re.MULTILINE)
    for name, place in PLACES.items():
        text = text.replace(name, place)
    return text


def run(names: dict[str, Any], *blocks: str) -> None:  # Any: the names of a user's notebook
    for block in blocks:
        exec(compile(corrected(block), block, "exec"), names)  # the documents' code is what is tested


@pytest.fixture
def names(running: Emulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A user's names, in a directory with the scripts of the documents, the session set up by the code of PAI's document."""
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", running.address)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train_src").mkdir()
    (tmp_path / "train_src" / "train.py").write_text(SCRIPT)
    (tmp_path / "train.py").write_text(SCRIPT)
    use_presenter(PlainLines())
    names: dict[str, Any] = {}
    run(names, "000_imports")
    names["get_default_session"] = lambda: None  # as for a user who has configured nothing; here the emulator is
    run(names, "000_session")
    assert "persist_config" in (DATA / "seed_000_session.txt").read_text()
    yield names
    close_runtime()


@pytest.mark.timeout(300)
def test_seed_000_from_the_session_to_the_model_and_to_a_pipeline(
    names: dict[str, Any], running: Emulator, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "xgb_train.py").write_text((DATA / "seed_xgb_train.py").read_text())
    names["source_code_dir"] = "src"  # the document does not say where it comes from
    run(names, "000_data", "000_run", "000_model")
    assert b"multi:softmax" in (tmp_path / "xgb_model").read_bytes()
    run(names, "000_component", "000_pipeline")
    steps = {step.name: step for step in names["p"].latest_run.state.steps}
    accuracy = float(steps["train-step-1"].parameters["test-accuracy"])
    ran, skipped = ("train-step-2", "train-step-3") if accuracy <= 0.90 else ("train-step-3", "train-step-2")
    found = [str(steps[name].status) for name in ("train-step-1", ran, skipped)]
    assert (found, steps[skipped].tries) == (["succeeded", "succeeded", "skipped"], ())
    assert f"custom-job-example/output/{ran}/model/xgb_model" in running.keys("custom-job-example/output/train-step")
    assert not running.keys(f"custom-job-example/output/{skipped}/")
    assert names["registered_op"].latest_run.state.status == "succeeded"


def test_seed_001_fits_to_data_in_oss_and_tells_where_the_model_is(
    names: dict[str, Any], running: Emulator, capsys: pytest.CaptureFixture[str]
) -> None:
    running.put("path/to/train/data/a.csv", "1,2")
    run(names, "001_overview")
    out = capsys.readouterr().out
    assert "words --n_estimators 500 --max_depth 5" in out
    assert "TRAIN_DATA ['a.csv']" in out
    model = parse_oss_url(out.splitlines()[-1])
    assert running.get(model.object_key + "model.txt") == b"trained"


def test_seed_001_tells_a_file_from_a_directory(
    names: dict[str, Any], running: Emulator, capsys: pytest.CaptureFixture[str]
) -> None:
    running.put("train/data/train.csv", "content of the file")
    running.put("test/data/test.csv", "x")
    run(names, "001_overview_estimator", "001_fits")
    out = capsys.readouterr().out
    assert "TRAIN content of the file" in out
    assert "TEST ['test.csv']" in out


def test_seed_001_lists_and_retrieves_images(names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    run(names, "001_images")
    *torch, tensorflow, newest, torch_gpu = capsys.readouterr().out.splitlines()
    assert len(torch) > 3
    assert all("pytorch" in line for line in torch)
    assert "tensorflow-training:2.3" in tensorflow
    assert "-gpu-" in newest
    assert "pytorch-training:1.12" in torch_gpu
    assert "-gpu-" in torch_gpu


def test_seed_001_runs_on_a_retrieved_image(names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    run(names, "001_fit")
    assert names["est"].model_data().startswith(f"oss://{BUCKET}")


def test_seed_001_shows_a_tensorboard_and_deletes_it(names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    run(names, "001_overview_import", "001_tensorboard")
    assert capsys.readouterr().out.splitlines()[-1].startswith("http://127.0.0.1:")
    names["estimator"].latest_job.wait()


@pytest.mark.parametrize("block", ["001_hyperparameters", "001_user_args"])
def test_seed_001_hands_hyperparameters_to_the_command(
    names: dict[str, Any], block: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(names, "001_overview_import", block)
    names["est"].source_dir = "train_src"  # "more arguments for estimator"
    names["est"].fit()
    words = capsys.readouterr().out.split("words ")[1].splitlines()[0]
    assert words.startswith("--epochs 10")
    assert "--batch-size 32" in words
