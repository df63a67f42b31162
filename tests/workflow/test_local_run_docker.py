"""The same pipelines in containers of an image that the tests build."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter.errors import RunFailed
from pai_jupyter.workflow.local_run import local_run
from tests.support.manifests import container, custom_job, out, packed, parameter, pipeline, step
from tests.support.patience import DEADLINE

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


@pytest.mark.docker
@pytest.mark.usefixtures("docker_backend", "workplace")
def test_a_plain_container_starts_in_the_directory_of_its_image_and_a_custom_job_in_that_of_its_code(
    tmp_path: Path, test_image: str, image_of: Callable[[str], str]
) -> None:
    where = (parameter("where"),)
    box = container(
        "sh", "-c", "pwd > /pai/outputs/parameters/where", guid="box", image=image_of("workdir"), outputs=where
    )
    plain = container("sh", "-c", "pwd > /pai/outputs/parameters/where", guid="plain", image=test_image, outputs=where)
    code = packed(tmp_path / "code.tar.gz", train_py="")
    line = "pwd > /ml/output/output_parameters/where"
    job = custom_job(source=code, image=image_of("workdir"), outputs=where, command=line)
    run = local_run(
        [box, plain, job, pipeline(step("box", guid="box"), step("plain", guid="plain"), step("job"))], "demo"
    )
    found = {each.name: each.parameters["where"] for each in run.state.steps}
    assert found == {"box": "/opt/app", "plain": "/", "job": "/ml/usercode"}


@pytest.mark.docker
@pytest.mark.usefixtures("docker_backend", "workplace")
def test_a_step_whose_image_cannot_be_had_fails_at_once() -> None:
    box = container("true", guid="box", image="127.0.0.1:9/no-such-image:1")
    with pytest.raises(RunFailed, match=r"step `box` failed: the registry cannot be reached \(pulling image"):
        local_run([box, pipeline(step("box", guid="box"))], "demo", wait=False).wait(DEADLINE)
