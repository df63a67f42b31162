"""The official SDK `alipai` 0.4.13, unchanged but for endpoint and protocol, uses the emulator from session to model.

It needs an interpreter and packages of its own, and so runs as a program that prints what it has seen, as JSON.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.alipai import PYTHON, SETUP, environment
from tests.support.emulators import KEY, SECRET, STS_KEY, STS_SECRET, STS_TOKEN, Emulator, emulator
from tests.support.needs import lacking

DEADLINE = 100.0  # seconds; importing it takes one, following a job at least fifteen
ENDED = """
def ended(job):
    while not job.is_completed():
        time.sleep(0.1)
    return job.status
"""
FIT = """
from pai.estimator import Estimator
from pai.experiment import Experiment
from pai.estimator import ExperimentConfig
from pai.image import retrieve
image = retrieve("PyTorch", framework_version="latest", accelerator_type="CPU").image_uri
experiment = Experiment.create(name="first", artifact_uri="oss://emulator/")
def estimator(**more):
    return Estimator(
        image_uri=image, command="python train.py $PAI_USER_ARGS", source_dir=source, base_job_name="训练 a",
        instance_type="ecs.c6.xlarge", hyperparameters={"lr": 0.1, "name": "iris"}, environments={"MODE": "fast"},
        labels={"team": "vision"}, **more,
    )
first = estimator(experiment_config=ExperimentConfig(experiment_id=experiment.experiment_id))
first.fit(inputs={"train": source}, wait=False)
seen = {"first": ended(first.latest_job), "model": first.model_data(), "checkpoints": first.checkpoints_data()}
second = estimator(checkpoints_path=first.checkpoints_data())
second.fit(wait=True, show_logs=True)
seen |= {"second": ended(second.latest_job)}
board = first.tensorboard(wait=False)
seen |= {"board": board.tensorboard_id if hasattr(board, "tensorboard_id") else str(board)}
print("\\n" + json.dumps(seen))
"""
LISTS = """
from pai.image import list_images
from pai.job import TrainingJob
print(json.dumps({
    "provider": session.provider,
    "workspace": session.workspace_name,
    "images": [image.image_uri for image in list_images(framework_name="XGBoost")],
    "is_supported": session.is_supported_training_instance("ecs.c6.xlarge"),
    "is_gpu": session.is_gpu_training_instance("ecs.c6.xlarge"),
    "jobs": len(TrainingJob.list()),
}))
"""
REFUSED = """
from pai.job import TrainingJob
try:
    TrainingJob.list()
except Exception as exc:
    print(json.dumps({"code": getattr(exc, "code", str(exc))}))
"""
SCRIPT = """
import os, sys
print(sys.argv[1:], os.environ["MODE"], sorted(os.listdir(os.environ["PAI_OUTPUT_CHECKPOINTS"])), flush=True)
for channel in ("MODEL", "CHECKPOINTS", "TENSORBOARD"):
    with open(os.environ[f"PAI_OUTPUT_{channel}"] + "made", "w") as file:
        file.write(channel)
"""


def run(running: Emulator, folder: Path, program: str, *keys: str) -> tuple[dict[str, Any], str]:
    """What the program prints at its end, as JSON, and all that it prints before. (Any: JSON values)"""
    if not PYTHON.exists():
        lacking("alipai", f"there is no {PYTHON}")
    source = folder / "source"
    source.mkdir()
    (source / "train.py").write_text(SCRIPT)
    key, secret, token = keys or (KEY, SECRET, "")
    words = [str(PYTHON), "-c", SETUP + ENDED + program, running.address, key, secret, token, str(source)]
    done = subprocess.run(words, env=environment(folder), capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr[-3000:] + running.log
    *printed, last = done.stdout.strip().splitlines()
    return json.loads(last), "\n".join(printed)


@pytest.mark.timeout(150)
def test_estimators_train_and_leave_models_checkpoints_and_boards(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        seen, printed = run(running, tmp_path, FIT)
        assert (seen["first"], seen["second"]) == ("Succeed", "Succeed")
        assert seen["model"].startswith("oss://emulator/")
        assert "['--lr', '0.1', '--name', 'iris'] fast ['made']" in printed
        assert running.get(seen["model"].removeprefix("oss://emulator/") + "made") == b"MODEL"
        assert seen["board"]
        assert running.log == ""


def test_lists_are_read(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        seen, _ = run(running, tmp_path, LISTS)
    assert (seen["provider"], seen["workspace"]) == ("1000000000000001", "emulator")
    assert any("xgboost-training" in image for image in seen["images"])
    assert (seen["is_supported"], seen["is_gpu"], seen["jobs"]) == (True, False, 0)


def test_a_wrong_secret_is_refused(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        seen, _ = run(running, tmp_path, REFUSED, KEY, "wrong", "")
    assert seen == {"code": "SignatureDoesNotMatch"}


def test_a_temporary_key_is_let_in(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        seen, _ = run(running, tmp_path, LISTS, STS_KEY, STS_SECRET, STS_TOKEN)
    assert seen["jobs"] == 0
