"""The training contract, line by line (tests/support/contract_table.py), and what it refuses."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.contract import (
    PATHS,
    Paths,
    Replica,
    environment,
    files,
    is_secret,
    output_channels,
    text_of,
    user_args,
)
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json
from tests.support.contract_table import CASES, Case, build, expected

MASTER = Replica(role="master", index=0)


def spec_with(**fields: Any) -> JobSpec:  # Any: fields of a spec
    return JobSpec(**{"name": "iris", "command": "python train.py $PAI_USER_ARGS", **fields})


def lay_out(spec: JobSpec, root: Path) -> dict[str, str]:
    """Make the tree as a backend without a literal /ml does; channel -> file name for inputs that are one file."""
    shutil.copytree(str(spec.source_dir), root / "usercode")
    (root / "code").symlink_to("usercode")
    for name, content in files(spec).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    for channel in output_channels(spec):
        (root / "output" / channel).mkdir(parents=True)
    (root / "output" / "logs").symlink_to("tensorboard")
    (root / "input" / "data").mkdir()
    for channel, place in spec.inputs.items():
        directory = root / "input" / "data" / channel
        if Path(place).is_dir():
            directory.symlink_to(place)
        else:
            directory.mkdir()
            (directory / Path(place).name).symlink_to(place)
    return {channel: Path(place).name for channel, place in spec.inputs.items() if Path(place).is_file()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_script_sees_what_the_contract_says(case: Case, tmp_path: Path) -> None:
    spec = build(case, tmp_path)
    root = tmp_path / "ml"
    input_files = lay_out(spec, root)
    replica = contract.replicas(spec)[0]
    variables = environment(spec, replica, paths=Paths(root=str(root)), input_files=input_files)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    output = subprocess.run(
        contract.command(spec).argv,
        cwd=root / "usercode",
        env={"PATH": path, "HOME": "/root", **variables},
        stdout=subprocess.PIPE,
        check=True,
    ).stdout

    assert json.loads(output) == expected(case, spec)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_variables_name_a_literal_ml_by_default(case: Case, tmp_path: Path) -> None:
    spec = build(case, tmp_path)
    input_files = {channel: given[0] for channel, given in case.inputs.items() if isinstance(given, tuple)}
    variables = environment(spec, contract.replicas(spec)[0], input_files=input_files)
    wanted = expected(case, spec)["variables"]
    assert {name: value for name, value in variables.items() if name in wanted} == wanted  # type: ignore[operator]  # a mapping


def test_every_path_ends_in_a_slash() -> None:
    paths = [PATHS.working_dir, PATHS.config_dir, PATHS.data_dir, PATHS.output_dir, PATHS.input("a"), PATHS.output("b")]
    assert paths == [
        "/ml/usercode/",
        "/ml/input/config/",
        "/ml/input/data/",
        "/ml/output/",
        "/ml/input/data/a/",
        "/ml/output/b/",
    ]


def test_a_root_may_end_in_a_slash() -> None:
    assert Paths(root="/tmp/my job/ml/").working_dir == "/tmp/my job/ml/usercode/"


def test_an_output_of_the_user_comes_after_the_standard_ones() -> None:
    spec = spec_with(outputs={"report": "./r", "checkpoints": "./c"})
    assert output_channels(spec) == ("model", "checkpoints", "tensorboard", "output_parameters", "report")


@pytest.mark.parametrize("name", ["Model", "CHECKPOINTS", "Logs", "output-parameters", "logs"])
def test_an_output_that_takes_the_variable_of_a_standard_one_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match=name):
        spec_with(outputs={name: "./out"})


@pytest.mark.parametrize(("gpus", "value"), [(0, None), (1, "0"), (4, "0,1,2,3")])
def test_gpus_are_listed_by_index(gpus: int, value: str | None) -> None:
    variables = environment(spec_with(), MASTER, gpus=gpus)
    assert variables.get("NVIDIA_VISIBLE_DEVICES") == value


def test_a_maxcompute_input_comes_with_the_path_of_its_credential() -> None:
    variables = environment(spec_with(inputs={"table": "odps://p/tables/t"}), MASTER, paths=Paths(root="/x"))
    assert variables["PAI_ODPS_CREDENTIAL"] == "/x/input/credential/odps.json"
    assert variables["PAI_INPUT_TABLE"] == "/x/input/data/table/"


def test_other_inputs_have_no_credential() -> None:
    assert "PAI_ODPS_CREDENTIAL" not in environment(spec_with(inputs={"a": "oss://b/c/"}), MASTER)


class LoudFloat(float):
    """As numpy's: a float whose repr is a call."""

    def __repr__(self) -> str:
        return f"np.float64({float(self)})"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (True, "True"),
        (0, "0"),
        (-3, "-3"),
        (0.1, "0.1"),
        (1e-05, "1e-05"),
        (1e16, "1e+16"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (LoudFloat(0.1), "0.1"),
        ("", ""),
        (" a\n", " a\n"),
        ([], "[]"),
        ([1, None, True], "[1, null, true]"),
        ({"学": [LoudFloat(0.5)]}, '{"学": [0.5]}'),
    ],
)
def test_a_value_has_one_text(value: Json, text: str | None) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize("value", [{1, 2}, b"x", [object()], 10**5000], ids=["set", "bytes", "object", "huge"])
def test_a_value_without_a_text_is_refused(value: Any) -> None:  # Any: what untyped callers pass
    with pytest.raises(SpecError, match="cannot be written as text"):
        text_of(value)


def test_not_a_number_keeps_its_type_in_json() -> None:
    spec = spec_with(hyperparameters={"a": float("nan"), "b": float("inf")})
    assert environment(spec, MASTER)["PAI_HPS"] == '{"a": NaN, "b": Infinity}'


@pytest.mark.parametrize(
    ("value", "words"),
    [("-", ("--x=-",)), ("--x", ("--x=--x",)), (-0.5, ("--x=-0.5",)), ("a-", ("--x", "a-")), (None, ())],
)
def test_a_value_that_begins_with_a_dash_is_glued_to_its_option(value: Json, words: tuple[str, ...]) -> None:
    assert user_args(spec_with(hyperparameters={"x": value})) == words


@pytest.mark.parametrize("use", [files, user_args, contract.command, lambda spec: environment(spec, MASTER)])
@pytest.mark.parametrize("value", ["a\0b", "\ud800", ["\udfff"], "x" * 131_073], ids=["nul", "half", "list", "long"])
def test_what_no_program_can_be_given_is_refused_everywhere(use: Any, value: Json) -> None:  # Any: functions of a spec
    with pytest.raises(SpecError, match="'note'") as caught:
        use(spec_with(hyperparameters={"lr": 0.1, "note": value}))
    assert caught.value.field == "hyperparameters"


def test_an_item_that_no_program_can_be_given_is_refused() -> None:
    spec = spec_with(hyperparameters={"note": ["a\0b"]}, argument_styles={"note": "words"})
    with pytest.raises(SpecError, match="'note' holds a NUL"):
        user_args(spec)


def test_values_too_long_together_are_refused_with_the_variable_they_make() -> None:
    spec = spec_with(hyperparameters={"a": "x" * 70_000, "b": "x" * 70_000})
    with pytest.raises(SpecError, match="the variable PAI_HPS has 140,026 bytes"):
        environment(spec, MASTER)


def test_the_longest_variable_that_is_let_through_can_be_passed() -> None:
    spec = spec_with(environments={"LONG": "x" * (131_071 - len("LONG="))})
    done = subprocess.run(["sh", "-c", "echo ${#LONG}"], env=environment(spec, MASTER), capture_output=True, check=True)
    assert done.stdout == b"131066\n"


def test_a_variable_of_the_user_that_is_too_long_is_refused() -> None:
    with pytest.raises(SpecError, match="the variable LONG has 131,072 bytes") as caught:
        environment(spec_with(environments={"LONG": "x" * (131_072 - len("LONG="))}), MASTER)
    assert caught.value.field == "environments"


def test_secrets_among_the_variables_do_not_reach_the_file() -> None:
    names = ["MY_API_KEY", "hf_token", "DB_PASSWORD_2", "OSS_SECRET", "ALIBABA_CLOUD_ACCESS_KEY_ID", "KEYS", "MONKEY"]
    spec = spec_with(environments=dict.fromkeys(names, "s3cret"))
    written = json.loads(files(spec)["input/config/training_job.json"])["Environments"]
    assert [name for name in names if written[name] == "s3cret"] == ["KEYS", "MONKEY"]
    assert environment(spec, MASTER)["MY_API_KEY"] == "s3cret"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(
            (name, True)
            for name in ("api_key", "API-KEY", "apikey", "openai.api_key", "OPENAI_API_KEY_2", "key", "sort_key")
        ),
        *(
            (name, True)
            for name in ("token", "HF_TOKEN", "wandb.token", "access_token_url", "authToken", "SecurityToken")
        ),
        *(
            (name, True)
            for name in ("password", "DB_PASSWD", "passwordFile", "PASSPHRASE", "accessKeySecret", "secret_id")
        ),
        *(
            (name, True)
            for name in ("AWS_SECRET_ACCESS_KEY", "PRIVATE_KEY_PEM", "ALIBABA_CLOUD_ACCESS_KEY_ID", "MY_SECRET")
        ),
        *(
            (name, False)
            for name in ("lr", "", "训练", "keyboard", "monkey", "KEYS", "max_tokens", "tokenizer", "token_ids")
        ),
        *(
            (name, False)
            for name in ("access_key_id", "AccessKeyId", "AWS_ACCESS_KEY_ID", "passes", "author", "ALIBABA")
        ),
    ],
)
def test_a_name_tells_whether_its_value_is_a_secret(name: str, expected: bool) -> None:
    assert is_secret(name) is expected


def test_files_are_utf8_text_with_names_as_given() -> None:
    content = files(spec_with(hyperparameters={"train.lr": 0.1, "none": None, "note": "训练"} | {"b-c": True}))
    assert content["input/config/hyperparameters.json"].decode() == (
        '{\n    "train.lr": "0.1",\n    "note": "训练",\n    "b-c": "True"\n}\n'
    )


@pytest.mark.parametrize(("text", "expected"), [("***", '"***"'), ("x", '"x"'), ("1e-3", "1e-3"), (".5", "0.5")])
def test_number_as_typed_is_json_whatever_takes_its_place(text: str, expected: str) -> None:
    spec = JobSpec(name="x", command="x", hyperparameters={"a": text}, argument_styles={"a": "number"})
    assert environment(spec, MASTER)["PAI_HPS"] == f'{{"a": {expected}}}'
