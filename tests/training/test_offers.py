"""What the code reads and would not find is offered: `--compat`, `--pass-env`; a value is never shown."""

import shlex

import pytest

from pai_jupyter.backends import infos
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.form import FormValues, HyperparameterForm
from pai_jupyter.form.form import _all_widgets
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.training import Training, TrainOptions, as_line, parse_line, read_training

SAGEMAKER = "import os\nprint(os.environ['SM_MODEL_DIR'])\n"
SECRET = "hunter2-" + "x" * 20
READS = "import os, wandb\nos.environ['MY_API_KEY']\nos.getenv('MODE')\nos.getenv('RANK')\nos.environ['HOME']\nos.getenv('GONE_KEY')\n"


def training(code: str, line: str = "--backend process") -> Training:
    options = TrainOptions.read(parse_line(line))
    return read_training(options, f"%%pai_train {line}\n{code}", settings(), notebook=None)


def offers(code: str, line: str = "--backend process") -> list[str]:
    return [finding.message for finding in training(code, line).warnings if finding.code == "compat"]


def test_compat_is_offered_where_the_code_reads_what_it_gives() -> None:
    assert offers(SAGEMAKER) == ["This code reads SM_MODEL_DIR: --compat sagemaker gives it."]
    assert [each.line for each in training(SAGEMAKER).warnings if each.code == "compat"] == [3]
    more = SAGEMAKER + "os.environ.get('SM_CHANNEL_TRAIN', 'x')\nos.environ['AIP_MODEL_DIR']\n"
    assert offers(more) == [
        "This code reads SM_MODEL_DIR, SM_CHANNEL_TRAIN: --compat sagemaker gives them.",
        "This code reads AIP_MODEL_DIR: --compat vertex gives it.",
    ]


@pytest.mark.parametrize("line", ["--compat sagemaker", "--compat vertex", "--env SM_MODEL_DIR=/tmp"])
def test_it_is_not_offered_where_it_is_given(line: str) -> None:
    assert offers(SAGEMAKER, f"--backend process {line}") == []


@pytest.mark.parametrize(
    "code", ["os.environ['SM_FRAMEWORK'] = 'tf.keras'", "os.environ['SM_FRAMEWORK']", "SM_MODEL_DIR = 1"]
)
def test_it_is_not_offered_for_what_it_does_not_give(code: str) -> None:
    assert offers(f"import os\n{code}\n") == []


def test_an_unknown_service_is_one_sentence() -> None:
    with pytest.raises(SpecError) as caught:
        training(SAGEMAKER, "--compat aws")
    assert str(caught.value) == "`--compat aws` is not a service that is known here. Use sagemaker, azureml, vertex."


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MY_API_KEY": SECRET, "WANDB_API_KEY": SECRET, "MODE": "fast", "RANK": "0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GONE_KEY", raising=False)


@pytest.mark.usefixtures("environ")
def test_secrets_that_the_code_or_its_libraries_read_are_offered() -> None:
    assert training(READS).to_pass == ("MY_API_KEY", "WANDB_API_KEY")
    assert training(READS, "--backend process --pass-env MY_API_KEY").to_pass == ("WANDB_API_KEY",)
    assert training(READS, "--backend process --env WANDB_API_KEY=x").to_pass == ("MY_API_KEY",)


@pytest.mark.usefixtures("environ")
def test_a_container_inherits_nothing_and_pai_gets_nothing() -> None:
    if "docker" in [info.name for info in infos()]:
        assert training(READS, "--backend docker --image a:1").to_pass == ("MY_API_KEY", "MODE", "WANDB_API_KEY")
    assert training(READS, "--backend pai --image a:1 --instance-type ecs.c6.large").to_pass == ()


@pytest.mark.usefixtures("environ")
def test_the_form_has_a_checkbox_each_and_no_value() -> None:
    form = HyperparameterForm(Schema(), variables=training(READS).to_pass)
    assert [(box.description, box.value) for box in form.variables] == [("MY_API_KEY", False), ("WANDB_API_KEY", False)]
    assert form.read().pass_env == ()
    form.variables[1].value = True
    assert form.read().pass_env == ("WANDB_API_KEY",)
    assert form.line.value == "%%pai_train --pass-env WANDB_API_KEY"
    assert SECRET not in repr([widget.get_state() for widget in _all_widgets(form.widget)])


def test_what_is_checked_goes_into_the_line_and_the_options() -> None:
    values = FormValues(
        values={}, backend=None, image_uri=None, instance_type=None, instance_count=1, inputs={}, pass_env=("A", "B")
    )
    line = as_line(values, Schema())
    assert TrainOptions.read(parse_line(line)).options == {"local.pass_env": ["A", "B"]}
    assert shlex.split(line) == ["--pass-env", "A", "--pass-env", "B"]
    before = TrainOptions.read(parse_line("--pass-env A"))
    assert before.passing(["B", "A"]).options == {"local.pass_env": ["A", "B"]}
    assert before.passing([]) is before or before.passing([]).options == before.options
