"""Images: read from labels and tags, chosen by version, listed and looked up at the emulator, %pai_images."""

from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.images import ImageInfo, ImageScope, is_short_name, list_images, resolve_image, retrieve
from pai_jupyter.cloud.images.choice import choose, newness, read_short_name
from pai_jupyter.cloud.images.image import read_image
from pai_jupyter.cloud.session import Session
from pai_jupyter.errors import NotFoundError, SpecError
from tests.support.cloud_sessions import configure, session_at
from tests.support.emulators import Emulator
from tests.support.shells import Shell

REGISTRY = "registry.cn-emulator.aliyuncs.com/pai-dlc"


@pytest.fixture
def session(running: Emulator) -> Session:
    return session_at(running)


def told(uri: str, **labels: str) -> dict[str, Any]:  # Any: an object of the service
    named = [{"Key": f"system.{key.replace('__', '.')}", "Value": value} for key, value in labels.items()]
    return {"Name": "a name", "ImageUri": uri, "Labels": named}


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        (
            f"{REGISTRY}/pytorch-training:1.12-gpu-py39-cu113-ubuntu20.04",
            ("PyTorch", "1.12", "GPU", "3.9", "11.3", "ubuntu20.04"),
        ),
        (f"{REGISTRY}/xgboost-training:1.6.0-cpu-py36-ubuntu18.04", ("XGBoost", "1.6.0", "CPU", "3.6", None, "ubuntu18.04")),
        (f"{REGISTRY}/tensorflow-training:1.15-mkl-cpu-py36-ubuntu18.04", ("TensorFlow", "1.15", "CPU", "3.6", None, "ubuntu18.04")),
        # inference images have another order
        (
            f"{REGISTRY}/pytorch-inference:1.12-py310-gpu-cu118-ubuntu20.04",
            ("PyTorch", "1.12", "GPU", "3.10", "11.8", "ubuntu20.04"),
        ),
        (f"{REGISTRY}/xgboost-inference:1.6.0-py36-ubuntu18.04", ("XGBoost", "1.6.0", None, "3.6", None, "ubuntu18.04")),
        (f"{REGISTRY}/pytorch-training:1.12PAI2304-cpu-py39-alios7", ("PyTorch", "1.12PAI2304", "CPU", "3.9", None, "alios7")),
        (f"{REGISTRY}/pytorch-training:2.0-rc1-cpu-py39-a-b", ("PyTorch", "2.0-rc1", "CPU", "3.9", None, "a-b")),
        # what follows no rule
        (f"{REGISTRY}/pytorch:develop-py310", ("PyTorch", None, None, None, None, None)),
        (f"{REGISTRY}/easyrec:latest", ("easyrec", None, None, None, None, None)),
        ("nothing", ("nothing", None, None, None, None, None)),
        (f"{REGISTRY}/x@sha256:{'0' * 64}", ("x", None, None, None, None, None)),
        ("", ("", None, None, None, None, None)),
    ],
)  # fmt: skip
def test_a_tag_is_read_as_far_as_it_follows_the_rule(uri: str, found: tuple[str | None, ...]) -> None:
    image = read_image(told(uri), ImageScope.TRAINING)
    assert (
        image.framework_name,
        image.framework_version,
        image.accelerator_type,
        image.python_version,
        image.cuda,
        image.os,
    ) == found


def test_labels_say_more_than_the_tag() -> None:
    labels = {"chipType": "GPU", "pythonVersion": "3.11", "dsw__cudaVersion": "12.4", "framework__DeepSpeed": "0.14"}
    image = read_image(told(f"{REGISTRY}/deepspeed:odd", **labels), ImageScope.DEVELOP)
    assert (image.framework_name, image.framework_version, image.accelerator_type) == ("DeepSpeed", "0.14", "GPU")
    assert (image.python_version, image.cuda) == ("3.11", "12.4")


def test_a_listing_without_labels_or_with_odd_ones_is_read() -> None:
    assert read_image({"ImageUri": None, "Labels": None}, ImageScope.TRAINING).image_uri == ""
    assert read_image({"ImageUri": "a/b:1", "Labels": [{}]}, ImageScope.TRAINING).framework_name == "b"


def images(*versions: str | None) -> list[ImageInfo]:
    return [
        ImageInfo(image_uri=str(number), image_name="", framework_name="PyTorch", framework_version=version)
        for number, version in enumerate(versions)
    ]


@pytest.mark.parametrize(
    ("wanted", "among", "chosen"),
    [
        ("latest", ("1.8", "1.12", "1.9"), "1.12"),
        ("LATEST", ("2.0", "2.0.1", None), "2.0.1"),
        ("latest", ("2.0rc1", "2.0"), "2.0"),
        ("1.12", ("1.1", "1.12.1", "1.120"), "1.12.1"),
        ("1.12", ("1.12.1", "1.12"), "1.12"),
        ("1", ("1.8", "1.12", "2.0"), "1.12"),
        ("1.12", ("1.12PAI2304", "1.12PAI2210"), "1.12PAI2304"),
        ("1.1", ("1.12", "1.10"), None),
        ("2.0", (None, "develop"), None),
        ("latest", (), None),
    ],
)
def test_a_version_matches_by_its_parts(wanted: str, among: tuple[str | None, ...], chosen: str | None) -> None:
    found = choose(images(*among), wanted)
    assert (found.framework_version if found else None) == chosen


def test_of_equal_versions_the_first_is_chosen() -> None:
    found = choose(images("1.0", "2.0", "2.0.0"), "latest")
    assert found is not None
    assert found.image_uri == "1"


def test_versions_are_compared_by_number() -> None:
    mixed = ["1.10", "2", "1.10rc1", "0.9", "", "1.10.1", "1.9"]
    assert sorted(mixed, key=newness) == ["", "0.9", "1.9", "1.10rc1", "1.10", "1.10.1", "2"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("pytorch", ("pytorch", "latest", "CPU")),
        ("PyTorch:1.12", ("PyTorch", "1.12", "CPU")),
        ("pytorch:latest-gpu", ("pytorch", "latest", "GPU")),
        ("Megatron-LM:23.04-GPU", ("Megatron-LM", "23.04", "GPU")),
        ("tensorflow-cpu", ("tensorflow", "latest", "CPU")),
        ("pytorch/pytorch:2.0", None),
        ("registry.example.com/pytorch:2.0", None),
        ("python:3.11", None),
        ("pytorch:2.0-tpu", None),
        ("pytorch:2.0\n", None),
        ("", None),
    ],
)
def test_a_short_name_is_told_from_an_address(text: str, read: tuple[str, str, str] | None) -> None:
    short = read_short_name(text)
    assert is_short_name(text) == (read is not None)
    assert (short and (short.framework, short.version, short.accelerator)) == read


def test_images_are_listed_by_framework_the_newest_first(session: Session) -> None:
    listed = [f"{image.framework_name} {image.framework_version}" for image in list_images(session=session)]
    assert list(dict.fromkeys(listed)) == [
        *("OneFlow 0.8.0", "OneFlow 0.7.0"),
        *("PyTorch 2.3.1", "PyTorch 2.0", "PyTorch 1.12.1", "PyTorch 1.12", "PyTorch 1.8"),
        *("TensorFlow 2.11", "TensorFlow 2.3", "TensorFlow 1.15", "XGBoost 2.0.3", "XGBoost 1.7.5", "XGBoost 1.6.0"),
    ]


@pytest.mark.parametrize(
    ("framework", "scope", "count"),
    [("PyTorch", "training", 9), ("pytorch", ImageScope.INFERENCE, 2), ("torch", "training", 0)],
)
def test_a_list_is_of_one_framework_and_scope(session: Session, framework: str, scope: str, count: int) -> None:
    assert len(list_images(framework, scope, session=session)) == count


@pytest.mark.parametrize(
    ("arguments", "tag"),
    [
        # as "Submit a training job" asks for them
        ({"framework_name": "TensorFlow", "framework_version": "2.3"}, "tensorflow-training:2.3-cpu-py36-ubuntu18.04"),
        (
            {"framework_name": "TensorFlow", "framework_version": "latest", "accelerator_type": "GPU"},
            "tensorflow-training:2.11-gpu-py39-cu112-ubuntu20.04",
        ),
        (
            {"framework_name": "PyTorch", "framework_version": "1.12", "accelerator_type": "GPU"},
            "pytorch-training:1.12-gpu-py39-cu113-ubuntu20.04",
        ),
        (
            {"framework_name": "TensorFlow", "framework_version": "2.3", "scope": "inference"},
            "tensorflow-inference:2.3-py36-cpu-ubuntu18.04",
        ),
        (
            {"framework_name": "PyTorch", "accelerator_type": "gpu"},
            "pytorch-training:2.3.1-gpu-py310-cu121-ubuntu22.04",
        ),
    ],
)
def test_an_image_is_found_by_framework_and_version(session: Session, arguments: dict[str, str], tag: str) -> None:
    assert retrieve(**arguments, session=session).image_uri == f"{REGISTRY}/{tag}"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("PyTorch", "9.9"), "the emulator has no PyTorch 9.9 for CPU; there are 2.3.1, 2.0, 1.12, 1.8."),
        (("jax",), "the emulator has no image of 'jax' for training; there are OneFlow, PyTorch, TensorFlow, XGBoost."),
        (
            ("OneFlow", "latest", "GPU", "inference"),
            "no image of 'OneFlow' for inference; there are PyTorch, TensorFlow, XGBoost",
        ),
        (("XGBoost", "latest", "GPU", "inference"), "the emulator has no XGBoost image for GPU, but for CPU."),
    ],
)
def test_what_is_not_there_is_said_with_what_is(session: Session, arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(NotFoundError) as refusal:
        retrieve(*arguments, session=session)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("arguments", "field"), [(("PyTorch", "1", "TPU"), "accelerator_type"), (("PyTorch", "1", "CPU", "play"), "scope")]
)
def test_what_cannot_be_meant_is_refused_unasked(arguments: tuple[str, ...], field: str, session: Session) -> None:
    with pytest.raises(SpecError) as refusal:
        retrieve(*arguments, session=session)
    assert refusal.value.field == field


def test_without_a_session_it_is_said_how_to_get_one() -> None:
    with pytest.raises(SpecError, match="%pai_config"):
        retrieve("PyTorch")


def test_a_short_name_becomes_an_address_and_an_address_stays_one(session: Session) -> None:
    expected = f"{REGISTRY}/pytorch-training:2.3.1-gpu-py310-cu121-ubuntu22.04"
    assert resolve_image("pytorch:latest-gpu", session=session) == expected
    assert resolve_image("python:3.11") == "python:3.11"


def test_an_image_says_in_a_line_what_it_is(session: Session) -> None:
    shown = repr(retrieve("PyTorch", "2.0", "GPU", session=session))
    address = f"{REGISTRY}/pytorch-training:2.0-gpu-py310-cu118-ubuntu22.04"
    assert shown == f"<ImageInfo PyTorch 2.0 GPU, Python 3.10, CUDA 11.8, ubuntu22.04: {address}>"


def test_the_magic_lists_images_and_tab_knows_them_from_then_on(
    running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(running, home, monkeypatch)
    with Shell() as shell:
        assert "latest-cpu" not in shell.complete("%%pai_train --image pytorch:lat")
        shown = shell.run("%pai_images").text
        assert "PyTorch     2.3.1    GPU  3.10    12.1" in shown
        assert shell.complete("%%pai_train --image pytorch:lat") == ["latest-cpu", "latest-gpu"]
        assert shell.complete("%pai_images Ten") == ["TensorFlow"]
        assert len(shell.run("%pai_images xgboost --gpu").text.splitlines()) == 2
        assert "exclude each other" in str(shell.run("%pai_images --gpu --cpu").error)
        assert "no matching images" in shell.run("%pai_images jax").text
