"""A recorded cell as it would run again: with the values of the run, and what else the form gave."""

from dataclasses import replace
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.cell import magic_line, read_cell
from pai_jupyter.jobs import Script
from pai_jupyter.spec import JobSpec, JobType, Scalar
from pai_jupyter.store import JobRecord
from pai_jupyter.training import cell_as_run, pairs, parse_line

BODY = """
lr: float = 0.1  # hp: [1e-5..1] log
opt = "adam"  # hp: {"adam", "sgd"}
name: str = "a"
layers: list = [1, 2]
"""
OWN: dict[str, Scalar] = {"lr": 0.1, "opt": "adam", "name": "a", "layers": [1, 2]}


def record(line: str, *, given: dict[str, Any] | None = None, body: str = BODY, **ran: Scalar) -> JobRecord:
    """A job of a cell with this line that ran with these values. (Any: JSON)"""
    spec = JobSpec(name="iris", command="python train.py", hyperparameters={**OWN, **ran})
    return JobRecord(id="j1", spec=spec, backend="process", created=1.0, cell=f"%%pai_train {line}{body}", given=given)


def line_of(made: JobRecord) -> str:
    return magic_line(cell_as_run(made)) or ""


def test_values_of_the_form_are_on_the_line_of_the_clone() -> None:
    made = record("iris --run", lr=0.3, opt="sgd")
    assert cell_as_run(made) == f"%%pai_train iris --run -p lr=0.3 -p opt=sgd{BODY}"


@pytest.mark.parametrize(
    "line", ["", "iris  -p  lr=0.1", "iris -p 'lr'=1e-1 -i train={data}", "--metric 'a:a=(.*)'  x"]
)
def test_a_cell_that_ran_as_written_is_cloned_to_the_letter(line: str) -> None:
    made = record(line)
    assert cell_as_run(made) == made.cell


def test_a_value_on_the_line_gives_way_to_that_of_the_run_in_its_place() -> None:
    assert (
        line_of(record("iris -p lr=0.2 --run -p opt='sgd'", lr=0.3, opt="sgd")) == "iris -p lr=0.3 --run -p opt='sgd'"
    )


def test_a_value_that_the_run_did_not_have_any_more_goes() -> None:
    assert line_of(record("iris -p lr=0.2 --wait")) == "iris --wait"


def test_a_variable_of_the_notebook_is_the_value_that_it_had() -> None:
    assert line_of(record("iris -p lr={rate}", lr=0.5)) == "iris -p lr=0.5"


def test_variables_that_the_form_passed_on_are_on_the_line_of_the_clone() -> None:
    made = record("iris --pass-env A --run")
    made = replace(made, spec=replace(made.spec, options={"local.pass_env": ["A", "B"]}))
    assert line_of(made) == "iris --pass-env A --run --pass-env B"
    assert (
        line_of(replace(made, spec=replace(made.spec, options={"local.pass_env": ["A"]}))) == "iris --pass-env A --run"
    )


def test_the_type_and_the_service_of_the_line_stay() -> None:
    line = "iris --job-type PyTorchJob --compat sagemaker -p lr=0.3"
    assert line_of(record(line, lr=0.3)) == line


def with_roles(line: str, *roles: str, job_type: JobType | None = "TFJob") -> JobRecord:
    """A job of a cell with this line that ran with these roles, as the form gave them."""
    made = record(line, given={"inputs": {}})
    spec = replace(made.spec, job_type=job_type, roles=tuple(contract.read_role(text) for text in roles))
    return replace(made, spec=spec)


@pytest.mark.parametrize(
    ("line", "roles", "clone"),
    [
        ("iris --job-type TFJob --role 'chief=1' --role=Worker=2", ["chief=1", "Worker=2"], None),
        ("iris", ["chief=1", "worker=2:local"], "iris --job-type TFJob --role chief=1 --role worker=2:local"),
        (
            "iris --role worker=1 --job-type PyTorchJob --role ps=1 --wait --role chief=1",
            ["chief=1", "worker=3"],
            "iris --role worker=3 --job-type TFJob --wait --role chief=1",
        ),
        ("iris --job-type TFJob --role worker={n}", ["worker=2"], "iris --job-type TFJob --role worker=2"),
    ],
)
def test_the_roles_of_the_run_are_on_the_line_of_the_clone(line: str, roles: list[str], clone: str | None) -> None:
    assert line_of(with_roles(line, *roles)) == (line if clone is None else clone)


def test_roles_that_the_run_did_not_have_any_more_go() -> None:
    assert line_of(with_roles("iris --job-type TFJob --role worker=2 --run", job_type=None)) == "iris --run"


def test_a_file_of_values_is_not_needed_by_the_clone() -> None:
    assert line_of(record("iris --params p.json", lr=0.5)) == "iris -p lr=0.5"


def test_a_value_with_a_line_break_stays_in_its_file() -> None:
    assert line_of(record("iris --params p.json", lr=0.5, name="a\nb")) == "iris --params p.json -p lr=0.5"


@pytest.mark.parametrize("value", ["a b", "a'; echo x", "训练", "{x}", "-p"])
def test_odd_values_come_back_as_they_were(value: str) -> None:
    line = line_of(record("iris", name=value))
    assert pairs("-p", parse_line(line.replace("{''", "{")).param, example="") == {"name": value}


def test_that_a_default_was_taken_away_cannot_be_said_on_a_line() -> None:
    made = record("iris")
    spec = JobSpec(name="iris", command="c", hyperparameters={name: OWN[name] for name in OWN if name != "lr"})
    gone = JobRecord(id="j1", spec=spec, backend="process", created=1.0, cell=made.cell)
    assert line_of(gone) == "iris"


HYDRA = """
import hydra
from dataclasses import dataclass
from hydra.core.config_store import ConfigStore
@dataclass
class Config:
    lr: float | None = 0.1
ConfigStore.instance().store(name="config", node=Config)
@hydra.main(config_name="config")
def main(cfg): ...
main()
"""


def test_a_default_that_is_never_sent_was_not_taken_away() -> None:
    spec = JobSpec(name="iris", command="python train.py")
    made = JobRecord(id="j1", spec=spec, backend="process", created=1.0, cell=f"%%pai_train iris{HYDRA}")
    assert cell_as_run(made) == made.cell


def test_a_name_that_the_script_does_not_declare_is_kept() -> None:
    assert line_of(record("iris", extra=3)) == "iris -p extra=3"


def test_secrets_are_left_as_the_line_has_them() -> None:
    assert (
        line_of(record("iris -p api_key=*** -p lr=1", api_key="0123456789", lr=0.3)) == "iris -p api_key=*** -p lr=0.3"
    )


def test_place_and_inputs_of_the_form_are_on_the_line() -> None:
    given = {
        "backend": "docker",
        "image": "x:1",
        "instance_count": 1,
        "inputs": {"train": "./data", "b": "oss://b/c d/"},
    }
    made = record("iris --backend process -i train={here} -i old=x --instance-type local", given=given)
    assert line_of(made) == "iris --backend docker -i train=./data --image x:1 -i 'b=oss://b/c d/'"


def test_what_the_line_says_of_the_place_stays_as_it_stands() -> None:
    given = {"backend": "process", "instance_count": 2, "inputs": {"train": "a b"}}
    made = record("iris --back=process --instance-count 2 -i 'train=a b'", given=given)
    assert cell_as_run(made) == made.cell


def test_a_magic_below_empty_lines_and_line_ends_of_windows_stay() -> None:
    made = record("iris", body="\r\nlr: float = 0.1\r\n", lr=0.3)
    made = JobRecord(**{**vars(made), "cell": f"\n \n{made.cell}"})
    assert cell_as_run(made).startswith("\n \n%%pai_train iris -p lr=0.3 ")
    assert cell_as_run(made).endswith("\r\nlr: float = 0.1\r\n")


def test_a_line_that_cannot_be_read_is_cloned_as_it_is() -> None:
    made = record("iris --colour red", lr=0.3)
    assert cell_as_run(made) == made.cell


def test_the_clone_runs_with_the_same_values() -> None:
    made = record("iris -p lr=0.2", lr=0.3, layers=[3], name="")
    cell = cell_as_run(made)
    script = Script.read("train.py", read_cell(cell).source)
    values = pairs("-p", parse_line(magic_line(cell) or "").param, example="")
    assert script.schema.validate(values) == made.spec.hyperparameters
