"""Training jobs of the emulator in containers, for who wants them as they are on PAI: with an image and a literal /ml."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.emulators import BUCKET, Emulator, emulator
from tests.support.engine import Engine
from tests.support.flow_runs import create, ended, logs_of
from tests.support.flows import component, custom_job, job_config, packed, pipeline, step

pytestmark = pytest.mark.docker
IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:none-here"
SCRIPT = """
import argparse, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int)
parser.add_argument("--train_data")
given = parser.parse_args()
assert pathlib.Path(given.train_data).read_text() == "1,2,3"
out = pathlib.Path("/ml/output")
(out / "output_parameters").mkdir(exist_ok=True)
(out / "output_parameters" / "acc").write_text(str(given.n))
(out / "model.txt").write_text("trained")
"""


@pytest.fixture
def running(tmp_path: Path, engine: Engine, test_image: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    monkeypatch.setenv("DOCKER_HOST", engine.address)
    maps = [f"*/pai-dlc/pytorch-training:2.*={test_image}", "*:none-here=127.0.0.1:1/no-such:image"]
    words = [word for each in maps for word in ("--image-map", each)]
    with emulator(tmp_path / "data", "--backend", "docker", *words) as running:
        yield running
    engine.remove_containers_of(tmp_path / "data" / "home")


async def test_a_job_runs_in_the_image_that_the_map_names(running: Emulator) -> None:
    running.put("data/x", "input")
    async with running.client() as client:
        job = await running.run(
            client,
            "cat ${PAI_INPUT_TRAIN}x; echo; ls /ml; pwd; echo $PAI_USER_ARGS; echo kept > ${PAI_OUTPUT_MODEL}m",
            HyperParameters=[{"Name": "lr", "Value": "0.1"}],
            InputChannels=[{"Name": "train", "InputUri": f"oss://{BUCKET}/data/"}],
            OutputChannels=[{"Name": "model", "OutputUri": f"oss://{BUCKET}/model/"}],
        )
        lines = await running.lines(client, job["TrainingJobId"])
    assert job["Status"] == "Succeed", job["ReasonMessage"]
    assert lines == ["input", "input", "output", "usercode", "/ml/usercode", "--lr 0.1"]
    assert running.get("model/m") == b"kept\n"


async def test_steps_of_a_pipeline_run_in_the_image_that_the_map_names(running: Emulator) -> None:
    image = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
    running.put("code/source.tar.gz", packed("train.py", SCRIPT))
    running.put("data/train.csv", "1,2,3")
    train = custom_job(f"oss://{BUCKET}/code/source.tar.gz", "train.py", guid="t", image=image, outputs=("acc",), n=1)
    say = component("echo {{inputs.parameters.what}}", guid="s", image=image, inputs=("what",))
    first = step(
        "first",
        "t",
        parameters={"n": 7, "job_config": job_config(), "output_path": f"oss://{BUCKET}/out/"},
        artifacts={"train_data": f"oss://{BUCKET}/data/train.csv"},
    )
    acc = "{{pipelines.first.outputs.parameters.acc}}"
    steps = [first, step("second", "s", parameters={"what": acc}, when=f"{acc} > 6", dependencies=["first"])]
    async with running.client() as client:
        found = await ended(client, await create(client, train, say, pipeline(*steps)))
        assert (found["Status"], found["Message"]) == ("Succeeded", "")
        assert (await logs_of(client, found, "second"))[0] == ["7"]
    assert await asyncio.to_thread(running.keys, "out/") == ["out/model.txt", "out/output_parameters/acc"]


async def test_an_image_that_is_not_there_fails_the_initialisation(running: Emulator) -> None:
    async with running.client() as client:
        job = await running.run(client, Image=IMAGE)
    assert (job["Status"], "no-such" in job["ReasonMessage"]) == ("InitializeFailed", True)
