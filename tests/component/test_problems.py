"""Every rule for components, as sentences: 40 wrong components and more, each with what is said of it."""

from dataclasses import replace
from typing import Any

import pytest

from pai_jupyter.backends import ImageFacts
from pai_jupyter.component import (
    Component,
    ComponentInput,
    ComponentOutput,
    TrainingConstraint,
    check_component,
    problems,
)
from pai_jupyter.component.component import default_command, without_login
from pai_jupyter.component.names import newest_of, next_of
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Hyperparameter

OWN = "registry-vpc.cn-shanghai.aliyuncs.com/me/train:1"
RIGHT = Component(
    name="iris-train",
    command='python main.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN" --model $PAI_OUTPUT_MODEL',
    image_uri=OWN,
    source="./src",
    inputs=(ComponentInput(name="train"), ComponentInput(name="test", sources=("OSS",), required=False)),
    outputs=(ComponentOutput(name="model"), ComponentOutput(name="table", storage="MaxCompute")),
    parameters=(
        Hyperparameter(name="epochs", type="Int", default=3, minimum=1, maximum=10),
        Hyperparameter(name="optimizer", type="String", default="sgd", choices=("sgd", "adam")),
        Hyperparameter(name="verbose", type="Bool", default=False),
    ),
    constraint=TrainingConstraint(machine="GPU", several_machines=False, several_cards=True),
)


def parameter(name: str = "lr", **more: Any) -> dict[str, Any]:  # Any: fields of a parameter
    return {"parameters": (Hyperparameter(**{"name": name, "type": "Float", **more}),)}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "the component has no name. Give one, e.g. iris-train."),
    ({"name": "鸢尾"}, "the component cannot be called '鸢尾': use letters, digits, _ and -"),
    ({"name": "_iris"}, "the component cannot be called '_iris'"),
    ({"name": "i" * 129}, "at most 128 characters"),
    ({"version": "v1"}, "the version 'v1' is not of the form x.y.z. Give three numbers, e.g. 1.0.0."),
    ({"version": "1.0"}, "the version '1.0' is not of the form x.y.z"),
    ({"version": "1.02.3"}, "the version '1.02.3' is not of the form x.y.z"),
    (
        {"job_type": "MPIJob"},
        "`job_type` is 'MPIJob'; it is one of TFJob, PyTorchJob, XGBoostJob, ElasticBatchJob.",
    ),
    ({"image_uri": None}, "the component has no image. Give one"),
    ({"image_uri": "a b:1"}, "the image 'a b:1' is no address of an image."),
    ({"image_uri": "python:3.11"}, "the image 'python:3.11' is in no registry that PAI reaches. Push it to ACR"),
    (
        {"image_uri": "mine-registry.cn-shanghai.cr.aliyuncs.com/me/train:1"},
        "is in the enterprise edition of ACR, and components take images of the personal edition only",
    ),
    (
        {"image_uri": "registry.cn-shanghai.aliyuncs.com/me/train:1"},
        "does not have the VPC address of its registry. Give that: registry-vpc.cn-shanghai.aliyuncs.com/me/train:1",
    ),
    ({"source": " "}, "`source` is empty. Give a directory"),
    ({"source": "oss://b/src"}, "`source`: 'oss://b/src' is no address in OSS"),
    ({"source": "oss://bucket/src"}, "`source` is 'oss://bucket/src'. Write 'oss://bucket/src/' for a directory, or"),
    ({"source": "ftp://host/src"}, "`source` begins with 'ftp://'; code comes from a directory"),
    ({"branch": "main"}, "`branch` is 'main', which only the address of a Git repository has. Leave it out."),
    (
        {"source": "https://host/r.git", "branch": "a", "commit": "abcdef1"},
        "`branch` and `commit` are both given. Keep one",
    ),
    ({"source": "https://host/r.git", "branch": "--upload-pack=x"}, "which no branch can be called."),
    ({"source": "https://host/r.git", "commit": "HEAD~1"}, "`commit` is 'HEAD~1'; give 7 to 40 of its digits"),
    ({"command": " "}, "the component has no command. Give one, e.g. python main.py $PAI_USER_ARGS"),
    (
        {"command": "python main.py --test $PAI_INPUT_TSET"},
        "the command has $PAI_INPUT_TSET, and there is no such input; it has: train, test.",
    ),
    ({"command": "x ${PAI_OUTPUT_LOGS}"}, "the command has $PAI_OUTPUT_LOGS, and there is no such output"),
    ({"inputs": (ComponentInput(name=""),)}, "the input has no name. Give one, e.g. train."),
    ({"outputs": (ComponentOutput(name="_model"),)}, "output '_model' begins with _. Remove it: 'model'."),
    ({"inputs": (ComponentInput(name="train data"),)}, "input 'train data' has other characters than letters"),
    (parameter("lr:0"), "parameter 'lr:0' has other characters than letters, digits, _ and -."),
    (
        {"inputs": (ComponentInput(name="train"), ComponentInput(name="train"))},
        "the input 'train' is there twice. Rename or remove one of them.",
    ),
    (parameter("train"), "the name 'train' is used for input and parameter; every channel"),
    (
        {"inputs": (ComponentInput(name="train"), ComponentInput(name="model"))},
        "the name 'model' is used for input and output;",
    ),
    (
        {"parameters": (Hyperparameter(name="a_b", type="Int"), Hyperparameter(name="A-b", type="Int"))},
        "the parameter names 'a_b' and 'A-b' become the same variable PAI_HPS_A_B. Rename one of them.",
    ),
    ({"outputs": (ComponentOutput(name="logs"),)}, "output 'logs' has a name that every job uses itself."),
    (
        {"inputs": (ComponentInput(name="train", sources=("HDFS",)),)},
        "input 'train' reads from 'HDFS'; give one or more of OSS, NAS, MaxCompute.",
    ),
    ({"inputs": (ComponentInput(name="train", sources=()),)}, "input 'train' reads from nowhere"),
    (
        {"outputs": (ComponentOutput(name="model", storage="NAS"),)},
        "output 'model' goes to 'NAS'; it is one of OSS, MaxCompute.",
    ),
    (parameter(type="Json"), "parameter 'lr' is of the type Json; it must be one of Int, Float, String, Bool."),
    (parameter(type="String", style="positional"), "parameter 'lr' is no plain option of the script"),
    (parameter(type="Bool", style="flag"), "parameter 'lr' is a switch of the script, and PAI passes every parameter"),
    (parameter(type="Bool", style="truthy"), "parameter 'lr' has type=bool, to which the text False is true"),
    (parameter(type="Json", style="words"), "parameter 'lr' takes several values, and PAI passes one: --name value."),
    (parameter(type="Bool", choices=(True,)), "parameter 'lr' is of the type Bool, which has no constraint."),
    (parameter(minimum=0, choices=(1.0,)), "parameter 'lr' has a range and a list of values. Keep one of them."),
    (parameter(minimum=2, maximum=1), "parameter 'lr' has the range 2 to 1, in which nothing is. Swap the two."),
    (parameter(minimum=float("nan")), "parameter 'lr' has the bound 'nan'; it must be a number."),
    (parameter(type="Int", maximum=1.5), "parameter 'lr' is of the type Int and has the bound 1.5"),
    (parameter(type="String", minimum=-1), "parameter 'lr' is text, whose range is its length"),
    (parameter(type="Int", choices=(1, "x")), "a value in the list of parameter 'lr' does not fit: `lr` is 'x'"),
    (parameter(choices=(1.0, 1.0)), "parameter 'lr' has the value 1.0 twice in its list. Remove one."),
    (parameter(maximum=1, default=2.0), "the default of parameter 'lr' does not fit: `lr` is 2.0; it must be"),
    (parameter(type="Int", default="many"), "the default of parameter 'lr' does not fit: `lr` is 'many'"),
    ({"constraint": TrainingConstraint(machine="TPU")}, "the machine is 'TPU'; it is CPU or GPU."),
    (
        {"constraint": TrainingConstraint(machine="CPU", several_cards=True)},
        "a CPU machine has no cards. Leave `several_cards` out",
    ),
]


def test_a_right_component_has_no_problems() -> None:
    assert problems(RIGHT, region="cn-shanghai", image=ImageFacts()) == []


def test_there_are_forty_wrong_components() -> None:
    assert len(WRONG) >= 40


@pytest.mark.parametrize(("changes", "sentence"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_component_has_its_sentence(changes: dict[str, Any], sentence: str) -> None:
    if "command" not in changes:
        changes = {**changes, "command": "python main.py"}
    found = [each.text for each in problems(replace(RIGHT, **changes)) if each.severity == "error"]
    assert len(found) == 1, found
    assert sentence in found[0]
    with pytest.raises(SpecError) as error:
        check_component(replace(RIGHT, **changes), for_pai=True)
    assert str(error.value) == found[0]


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [(("sh",), "lacks sh, which"), (("python", "pip"), "lacks python, pip, which a component needs")],
)
def test_an_own_image_needs_sh_python_and_pip(missing: tuple[str, ...], sentence: str) -> None:
    found = problems(RIGHT, image=ImageFacts(missing=missing))
    assert [sentence in each.text for each in found] == [True]


def test_an_official_image_is_not_looked_into() -> None:
    official = replace(RIGHT, image_uri="registry.cn-shanghai.aliyuncs.com/pai-dlc/pytorch-training:2.0")
    assert problems(official, image=ImageFacts(missing=("pip",))) == []
    assert problems(replace(RIGHT, image_uri="pytorch:latest-gpu")) == []


@pytest.mark.parametrize("region", ["cn-beijing", "cn-shanghai", "cn-hangzhou", "cn-shenzhen", "cn-chengdu"])
def test_other_regions_than_the_four_are_warned_of(region: str) -> None:
    image = f"registry-vpc.{region}.aliyuncs.com/me/train:1"
    found = problems(replace(RIGHT, image_uri=image), region=region)
    assert [(each.severity, each.field) for each in found] == ([("warning", "region")] if "chengdu" in region else [])
    notes = check_component(replace(RIGHT, image_uri=image), region=region, for_pai=True)
    assert len(notes) == len(found)


def test_an_image_of_another_region_is_warned_of() -> None:
    found = problems(RIGHT, region="cn-beijing")
    assert [each.severity for each in found] == ["warning"]
    assert "is in cn-shanghai, and the component in cn-beijing" in found[0].text


def test_a_name_with_a_dot_is_warned_of_on_pai_alone() -> None:
    dotted = replace(RIGHT, **parameter("train.lr"))
    assert [each.severity for each in problems(dotted)] == ["warning"]
    assert check_component(dotted, for_pai=False) == []


def test_what_only_pai_refuses_runs_here() -> None:
    assert check_component(replace(RIGHT, image_uri="python:3.11"), for_pai=False) == []


@pytest.mark.parametrize(
    ("address", "plain", "login"),
    [
        ("https://TOKEN@host/r.git", "https://host/r.git", "TOKEN"),
        ("https://me:TOK@EN@host/r.git", "https://host/r.git", "me:TOK@EN"),
        ("HTTPS://TOKEN@host/r.git", "HTTPS://host/r.git", "TOKEN"),
        ("git+https://TOKEN@host/r.git", "git+https://host/r.git", "TOKEN"),
        ("SSH://git:TOK@host/r.git", "SSH://git@host/r.git", None),
        ("https://host/a@b.git", "https://host/a@b.git", None),
        ("ssh://git:pw@host/r.git", "ssh://git@host/r.git", None),
        ("git@host:me/r.git", "git@host:me/r.git", None),
    ],
)
def test_a_login_is_never_part_of_the_source(address: str, plain: str, login: str | None) -> None:
    assert without_login(address) == (plain, login)
    component = replace(RIGHT, source=address)
    assert (component.source, component.login) == (plain, login)
    assert "TOK" not in repr(component)


@pytest.mark.parametrize(
    ("versions", "proposed", "newest"),
    [
        ([], "1.0.0", None),
        (["1.0.9", "1.0.10"], "1.0.11", "1.0.10"),
        (["0.1.0", "v2", "0.0.9"], "0.1.1", "0.1.0"),
        (["v2"], "1.0.0", "v2"),
    ],
)
def test_the_next_version_is_proposed(versions: list[str], proposed: str, newest: str | None) -> None:
    assert next_of(versions) == proposed
    assert newest_of(versions) == newest


def test_the_default_command_has_every_channel() -> None:
    assert default_command("main.py", inputs=("test", "train-a"), outputs=("model",)) == (
        'python main.py $PAI_USER_ARGS --test "$PAI_INPUT_TEST" --train-a "$PAI_INPUT_TRAIN_A" --model "$PAI_OUTPUT_MODEL"'
    )
