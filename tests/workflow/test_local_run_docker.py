"""The same pipelines in containers of an image that the tests build."""

from pathlib import Path

import pytest

from pai_jupyter.workflow.local_run import local_run
from tests.support.manifests import container, custom_job, out, packed, parameter, pipeline, step

TRAIN = """
import sys
print("trains with", sys.argv[1:])
open("/ml/output/output_parameters/test-accuracy", "w").write(sys.argv[sys.argv.index("--accuracy") + 1])
"""


@pytest.mark.docker
@pytest.mark.usefixtures("docker_backend", "workplace")
def test_a_pipeline_runs_in_containers(tmp_path: Path, test_image: str) -> None:
    job = custom_job(
        source=packed(tmp_path / "code.tar.gz", train_py=TRAIN),
        image=test_image,
        inputs=(parameter("accuracy"),),
        outputs=(parameter("test-accuracy", "Double"),),
    )
    words = ["sh", "-c", "printf '[\"0.7\"]' > /pai/outputs/parameters/values"]
    box = container(*words, guid="box", image=test_image, outputs=(parameter("values", "Array"),))
    tested = out("train", "test-accuracy")
    entry = pipeline(
        step("values", guid="box"),
        step("train", given={"accuracy": "0.95"}),
        step("worse", "train", when=f"{tested} <= 0.9"),
        step("better", given={"accuracy": "{{item}}"}, when=f"{tested} > 0.9", withParam=out("values", "values")),
    )
    entry["spec"]["pipelines"][2]["spec"]["arguments"]["parameters"] = [{"name": "accuracy", "value": "1"}]
    run = local_run([job, box, entry], "demo")  # an image is given, and an engine answers
    found = {each.name: each for each in run.state.steps}
    assert {name: each.status.value for name, each in found.items()} == {
        "values": "succeeded",
        "train": "succeeded",
        "worse": "skipped",
        "better": "succeeded",
    }
    assert [child.parameters for child in found["better"].children] == [{"test-accuracy": 0.7}]
    assert {job.folder.record.backend for job in run.jobs} == {"docker"}
