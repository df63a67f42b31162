"""A hyperparameter that has the name of a secret is a value like any other; its user is told of it, once a job."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter import Estimator
from pai_jupyter.contract import exposed_secrets, is_secret
from pai_jupyter.spec import JobSpec, Scalar
from tests.support.shells import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    with Shell() as shell:
        yield shell


@pytest.mark.parametrize(
    ("name", "value", "variable"),
    [
        ("api_key", "k-123", "API_KEY"),
        ("train.token", "~", "TRAIN_TOKEN"),
        ("db-password", "训练 'x'", "DB_PASSWORD"),
    ],
)
def test_a_text_by_the_name_of_a_secret_gets_a_sentence_without_it(name: str, value: str, variable: str) -> None:
    [sentence] = exposed_secrets(JobSpec(name="x", command="true", hyperparameters={name: value}))
    assert f"`{name}`" in sentence
    assert f"--env {variable}=" in sentence
    assert value not in sentence
    assert is_secret(variable)


@pytest.mark.parametrize(
    ("name", "value"), [("lr", "0.1"), ("max_tokens", "many"), ("api_key", ""), ("key", 3), ("token", True)]
)
def test_anything_else_gets_none(name: str, value: Scalar) -> None:
    assert exposed_secrets(JobSpec(name="x", command="true", hyperparameters={name: value})) == []


def test_a_cell_says_it_once_and_its_script_gets_the_value(shell: Shell) -> None:
    cell = "%%pai_train one --backend process -p api_key=k-123\napi_key: str = ''\nprint(len(api_key))\n"
    result = shell.run(cell)
    assert result.error is None, result.text
    assert result.text.count("`api_key` looks like a secret") == 1
    assert "5" in [line.text for line in shell.user_ns["_pai"].logs()]


def test_an_estimator_says_it_too(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Estimator(command="true", hyperparameters={"api_key": "k-123"}).fit()
    assert capsys.readouterr().out.count("`api_key` looks like a secret") == 1
