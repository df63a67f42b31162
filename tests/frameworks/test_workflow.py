"""The second half of PAI's document on custom jobs with `local_run` as its last line: its own code, script and data (iris), with XGBoost.

The bucket is the emulator's, as in the first half; the steps run in processes of this machine, and in containers.
"""

from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import CustomJob
from pai_jupyter.runs import Run
from pai_jupyter.spec import Scalar
from tests.end_to_end.test_pai_documents import names, run
from tests.support.cloud_sessions import configure
from tests.support.emulators import Emulator
from tests.support.engine import Engine
from tests.support.paths import DATA
from tests.support.xgboost_image import make_xgboost_image

__all__ = ["names"]  # a fixture


def of_the_pipeline(names: dict[str, Any], folder: Path, *, backend: str, image: str) -> Run:
    """Run the seed's code but for the job of its first half, its last line in another place. (Any: names of a notebook)."""
    (folder / "src").mkdir()
    (folder / "src" / "xgb_train.py").write_text((DATA / "seed_xgb_train.py").read_text())
    run(names, "000_data")
    given: dict[str, Scalar] = {"n_estimators": 500, "objective": "multi:softmax", "max_depth": 5}
    job = CustomJob(entry_point="xgb_train.py", source_code=folder / "src", image_uri=image, parameters=given)
    exec("from pai_jupyter import *", names)
    names["op"] = job.as_component(
        inputs=[names["PipelineArtifact"]("train_data", metadata=names["ArtifactMetadataUtils"].oss_dataset())],
        outputs=[names["PipelineParameter"]("test-accuracy")],
    )
    text = (DATA / "seed_000_pipeline.txt").read_text().replace("from pai.pipeline", "from pai_jupyter")
    before, last, _ = text.partition('\np.run("example-custom-job-workflow")')
    assert last
    exec(f'{before}\npipeline_run = p.local_run("example-custom-job-workflow", backend="{backend}")\n', names)
    found = names["pipeline_run"]
    assert isinstance(found, Run)
    return found


def check(found: Run, running: Emulator) -> None:
    """Exactly one of the two steps has run, and it is the one that the accuracy says; its model is in the bucket."""
    steps = {each.name: each for each in found.state.steps}
    accuracy = float(str(steps["train-step-1"].parameters["test-accuracy"]))
    ran, skipped = ("train-step-2", "train-step-3") if accuracy <= 0.90 else ("train-step-3", "train-step-2")
    assert 0.5 < accuracy <= 1
    assert (steps[ran].status, steps[skipped].status, steps[skipped].tries) == ("succeeded", "skipped", ())
    assert [job.name for job in found.jobs] == [f"example-custom-job-workflow.{name}" for name in ("train-step-1", ran)]
    for name in ("train-step-1", ran):
        assert b"multi:softmax" in running.get(f"custom-job-example/output/{name}/model/xgb_model")
    assert not running.keys(f"custom-job-example/output/{skipped}/")


@pytest.fixture(autouse=True)
def _emulator(running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that drives the run has the emulator's key, as after `%pai_config use emulator`; its bucket has no earlier output."""
    configure(running, home, monkeypatch)
    # the split of iris is random, and so is which step ran before
    for key in running.keys("custom-job-example/output/"):
        running.bucket().delete_object(key)


def test_the_pipeline_of_the_seed_trains_iris_in_processes(
    names: dict[str, Any], running: Emulator, tmp_path: Path
) -> None:
    check(of_the_pipeline(names, tmp_path, backend="process", image="registry.example.com/xgboost:1.6"), running)


@pytest.mark.docker
@pytest.mark.usefixtures("docker_backend")
def test_the_pipeline_of_the_seed_trains_iris_in_containers(
    names: dict[str, Any], running: Emulator, engine: Engine, test_image: str, tmp_path: Path
) -> None:
    image = make_xgboost_image(engine.address)
    check(of_the_pipeline(names, tmp_path, backend="docker", image=image), running)
