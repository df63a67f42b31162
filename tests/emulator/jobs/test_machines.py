"""Machines and images that a job at the emulator may name: those that are there, as on PAI."""

from pathlib import Path

import pytest

from pai_jupyter.cloud.client import dlc
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.dlc.validation import check_job as check_dlc_job
from pai_jupyter.emulator.jobs.machines import MACHINES
from pai_jupyter.emulator.jobs.registry import check_image
from pai_jupyter.emulator.protocol.refusal import ApiRefusal
from pai_jupyter.emulator.studio.validation import check_job
from pai_jupyter.spec import Json
from tests.support.emulators import training_job
from tests.support.tables import ask, make_world

OWN = "registry.cn-emulator.aliyuncs.com/pai-dlc/"


@pytest.fixture
def world(tmp_path: Path) -> EmulatorContext:
    return make_world(tmp_path)


@pytest.mark.parametrize(
    "name", ["ecs.c6.l", "ecs.gn6v-c8g1.3xlarge", "local", "ml.c6.large", ["ecs.c6.large"], {"a": 1}]
)
def test_a_machine_that_the_region_does_not_have_is_refused(name: Json) -> None:
    with pytest.raises(ApiRefusal, match=r"EcsSpec.*not an instance type of this region.*ListEcsSpecs"):
        check_job(training_job(ComputeResource={"EcsCount": 1, "EcsSpec": name}))
    body = {"DisplayName": "x", "JobType": "TFJob", "UserCommand": "true"}
    with pytest.raises(ApiRefusal, match="EcsSpec"):
        check_dlc_job({**body, "JobSpecs": [{"Type": "Worker", "Image": "x", "EcsSpec": name}]})


def test_the_nearest_machine_is_named() -> None:
    with pytest.raises(ApiRefusal, match=r"e\.g\. ecs\.c6\.xlarge;"):
        check_job(training_job(ComputeResource={"EcsCount": 1, "EcsSpec": "ecs.c6.xlage"}))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_every_machine_that_is_listed_can_be_asked_for(machine: object) -> None:
    check_job(training_job(ComputeResource={"EcsCount": 1, "EcsSpec": getattr(machine, "name", "")}))


async def test_gpus_of_many_kinds_are_listed(world: EmulatorContext) -> None:
    answer = await ask(world, dlc.LIST_ECS_SPECS, query={"AcceleratorType": "GPU", "PageSize": "100"})
    specs = answer["EcsSpecs"]
    assert isinstance(specs, list)
    kinds = {spec["GpuType"] for spec in specs if isinstance(spec, dict)}
    assert kinds == {f"NVIDIA {name}" for name in ("P100", "P4", "T4", "V100", "A10", "A100", "L20")}


@pytest.mark.parametrize("host", ["registry", "registry-vpc"])
@pytest.mark.parametrize("name", ["pytorch-training:9.9-cpu-py310-ubuntu22.04", "nothing:1", "pytorch-training"])
def test_an_image_that_is_not_in_the_regions_registry_is_refused(world: EmulatorContext, host: str, name: str) -> None:
    image = f"{host}.cn-emulator.aliyuncs.com/pai-dlc/{name}"
    with pytest.raises(
        ApiRefusal, match=r"AlgorithmSpec\.Image .* not an image of PAI in region cn-emulator"
    ) as refused:
        check_image(world, "AlgorithmSpec.Image", image)
    assert (refused.value.status, refused.value.code) == (400, "InvalidParameter")


@pytest.mark.parametrize(
    "image",
    [
        f"{OWN}pytorch-training:2.0-cpu-py310-ubuntu22.04",
        f"{OWN}tensorflow-inference:2.3-py36-cpu-ubuntu18.04",
        f"{OWN}oneflow-training:0.8.0-gpu-py39-cu113-ubuntu20.04",
        "registry.cn-shanghai.aliyuncs.com/pai-dlc/of-another:region",
        "registry.cn-emulator.aliyuncs.com/mine/own:1",
        "python:3.11",
    ],
)
def test_images_that_are_there_and_those_of_other_registries_pass(world: EmulatorContext, image: str) -> None:
    check_image(world, "Image", image)


def test_an_image_that_the_emulator_replaces_passes(tmp_path: Path) -> None:
    world = EmulatorContext(data=tmp_path, address="http://127.0.0.1:7", images={"*:special": "python:3.11"})
    check_image(world, "Image", f"{OWN}pytorch-training:special")
