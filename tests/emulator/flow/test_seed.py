"""The second half of the seed through the emulator's PAIFlow: exactly one of the two steps behind the first one runs."""

from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import RunFailed
from pai_jupyter.workflow.remote import RemoteRun, run_remote
from tests.support.accuracies import CASES, DECIDING, STALE, Accuracy, undecided
from tests.support.cloud_sessions import configure
from tests.support.emulators import BUCKET, Emulator
from tests.support.manifests import Doc, artifact, custom_job, packed, parameter, seed_pipeline
from tests.support.patience import DEADLINE

SCRIPT = """
import argparse, os
parser = argparse.ArgumentParser()
parser.add_argument("--accuracy")
parser.add_argument("--train_data")
given = parser.parse_args()
assert open(given.train_data).read() == "1,2,3"
os.makedirs("/ml/output/output_parameters", exist_ok=True)
if given.accuracy != "none":
    with open("/ml/output/output_parameters/test-accuracy", "w") as file:
        file.write(given.accuracy if given.accuracy != "empty" else "")
print("wrote", repr(given.accuracy))
"""
WRITTEN = "seed/step-1/output_parameters/test-accuracy"


@pytest.fixture
def documents(running: Emulator, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The seed's pipeline, whose first step writes what it is told to."""
    configure(running, home, monkeypatch)
    (tmp_path / "train.csv").write_text("1,2,3")
    source = packed(tmp_path / "source.tar.gz", xgb_train_py=SCRIPT)
    job = custom_job(
        source=source,
        image="python:3",
        entry_point="xgb_train.py",
        inputs=(parameter("accuracy", value="0.5"), artifact("train_data")),
        outputs=(parameter("test-accuracy"),),
    )

    def documents(accuracy: str, instance_type: str = "ecs.c6.large") -> list[Doc]:
        config = {"JobSpecs": [{"Type": "Worker", "PodCount": 1, "EcsSpec": instance_type}]}
        made = seed_pipeline(job)
        for number, step in enumerate(made[-1]["spec"]["pipelines"], 1):
            given = {"job_config": config, "output_path": f"oss://{BUCKET}/seed/step-{number}/", "accuracy": accuracy}
            step["spec"]["arguments"] = {
                "parameters": [{"name": name, "value": value} for name, value in given.items()],
                "artifacts": [{"name": "train_data", "value": str(tmp_path / "train.csv")}],
            }
        return made

    return documents


def statuses(run: RemoteRun) -> dict[str, str]:
    return {step.name.removeprefix("train-"): str(step.status) for step in run.state.steps}


@pytest.mark.parametrize("accuracy", DECIDING, ids=lambda it: it.name)
def test_exactly_one_of_the_two_steps_runs(documents: Any, accuracy: Accuracy) -> None:
    run = run_remote(documents(accuracy.text), name="seed")
    run.wait(2 * DEADLINE)
    assert statuses(run) == accuracy.statuses
    tries = {step.name.removeprefix("train-"): len(step.tries) for step in run.state.steps}
    assert tries == {name: int(status == "succeeded") for name, status in accuracy.statuses.items()}
    assert len(run.jobs) == 2


@pytest.mark.parametrize("case", CASES)
def test_nothing_runs_on_an_accuracy_that_is_none(running: Emulator, documents: Any, tmp_path: Path, case: int) -> None:
    (tmp_path / "marks").mkdir()
    accuracy = undecided(tmp_path / "marks")[case]
    running.bucket().delete_object(WRITTEN)
    if accuracy.is_stale:
        run_remote(documents(STALE), name="seed").wait(2 * DEADLINE)
        assert running.get(WRITTEN).decode() == STALE
    before = {*(running.data / "home" / "jobs").glob("*")}
    run = run_remote(documents(accuracy.text), name="seed")
    with pytest.raises(RunFailed, match=r"train-step-[123]"):
        run.wait(2 * DEADLINE)
    assert statuses(run) == accuracy.statuses
    assert accuracy.reason in " ".join(it.reason or "" for it in run.state.steps)
    assert list((tmp_path / "marks").iterdir()) == []
    assert len({*(running.data / "home" / "jobs").glob("*")} - before) == 1


def test_an_instance_type_that_the_service_does_not_have_fails_the_run(documents: Any) -> None:
    run = run_remote(documents("1", "ecs.nope"), name="seed")
    with pytest.raises(RunFailed, match=r"ecs\.nope"):
        run.wait(2 * DEADLINE)
    assert statuses(run) == {"step-1": "failed", "step-2": "skipped", "step-3": "skipped"}
