"""The second half of the seed through the emulator's PAIFlow: exactly one of the two steps behind the first one runs."""

from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import RunFailed
from pai_jupyter.workflow.remote import RemoteRun, run_remote
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
with open("/ml/output/output_parameters/test-accuracy", "w") as file:
    file.write(given.accuracy)
print("wrote", repr(given.accuracy))
"""


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


@pytest.mark.parametrize(
    ("accuracy", "ran", "skipped"), [(" 9e-1\n", "step-2", "step-3"), ("0.9111", "step-3", "step-2")]
)
def test_exactly_one_of_the_two_steps_runs(documents: Any, accuracy: str, ran: str, skipped: str) -> None:
    run = run_remote(documents(accuracy), name="seed")
    run.wait(2 * DEADLINE)
    assert statuses(run) == {"step-1": "succeeded", ran: "succeeded", skipped: "skipped"}
    by_name = {step.name.removeprefix("train-"): step for step in run.state.steps}
    assert (len(by_name[ran].tries), by_name[skipped].tries) == (1, ())
    assert len(run.jobs) == 2


def test_nothing_runs_on_an_accuracy_that_is_none(running: Emulator, documents: Any) -> None:
    before = {*(running.data / "home" / "jobs").glob("*")}
    run = run_remote(documents("1 or 1==1"), name="seed")
    with pytest.raises(RunFailed, match=r"train-step-[23]"):
        run.wait(2 * DEADLINE)
    assert statuses(run) == {"step-1": "succeeded", "step-2": "failed", "step-3": "failed"}
    assert len({*(running.data / "home" / "jobs").glob("*")} - before) == 1


def test_an_instance_type_that_the_service_does_not_have_fails_the_run(documents: Any) -> None:
    run = run_remote(documents("1", "ecs.nope"), name="seed")
    with pytest.raises(RunFailed, match=r"ecs\.nope"):
        run.wait(2 * DEADLINE)
    assert statuses(run) == {"step-1": "failed", "step-2": "skipped", "step-3": "skipped"}
