"""Training jobs of the emulator in containers, for who wants them as they are on PAI: with an image and a literal /ml."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.emulators import BUCKET, Emulator, emulator
from tests.support.engine import Engine

pytestmark = pytest.mark.docker
IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:none-here"


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


async def test_an_image_that_is_not_there_fails_the_initialisation(running: Emulator) -> None:
    async with running.client() as client:
        job = await running.run(client, Image=IMAGE)
    assert (job["Status"], "no-such" in job["ReasonMessage"]) == ("InitializeFailed", True)
