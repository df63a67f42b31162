"""What `Estimator` and `CustomJob` refuse, in words of Python: nobody who wrote Python is told an option of a magic."""

import pickle
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cell import reworded
from pai_jupyter.cell.wording import PYTHON_NAMES
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.estimator import CustomJob, Estimator, JobConfig
from pai_jupyter.jobs import list_jobs, submit
from pai_jupyter.spec import JobSpec, JobType, Role
from pai_jupyter.training.arguments import GROUPS, RUN
from pai_jupyter.view import said
from tests.view.chinese.test_chinese import chinese as chinese

SCRIPT = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--seed", type=int, required=True)
parser.add_argument("--train_dir", required=True)
parser.parse_args()
"""
COMMAND = re.compile(r"`?%pai_\w+( [\w./=-]+)*|python -m [\w.]+ --mount \S+")  # typed whole, wherever one is
OPTION = re.compile(r"%%|(?<![\w\"'/-])--?[a-z]|\bcell\b")
SEEDED: Mapping[str, Any] = {"hyperparameters": {"seed": 1}}
FIT: Mapping[str, Any] = {"entry_point": "plain.py"}
Inputs = dict[str, str]


@pytest.fixture(autouse=True)
def source(workplace: Path) -> Path:
    """A script that needs a value and an input, and one that needs nothing."""
    for place in (workplace, workplace / "sd", workplace / "out"):
        place.mkdir(exist_ok=True)
        (place / "train.py").write_text(SCRIPT)
        (place / "plain.py").write_text("print(1)\n")
    (workplace / "out" / "link").symlink_to("/etc/passwd")
    return workplace


def wrong_words(text: str) -> list[str]:
    return OPTION.findall(COMMAND.sub("", text))


def refused(run: Callable[[], object]) -> str:
    with pytest.raises(PaiJupyterError) as caught:
        run()
    assert list_jobs() == []
    return str(caught.value)


@pytest.mark.parametrize(
    ("given", "inputs", "words"),
    [
        ({"entry_point": "nope.py", "source_dir": "sd"}, {}, "Give a script that is there, e.g. entry_point='train.py'"),
        ({"command": "true", "source_dir": "nowhere"}, {}, 'Give the directory of your code, e.g. ./src'),
        ({"entry_point": "train.py", "hyperparameters": {"LR": 1}}, {}, 'Write `hyperparameters={"lr": ...}`'),
        ({"entry_point": "train.py"}, {"train_dir": "."}, 'Give it: `hyperparameters={"seed": ...}`'),
        ({"entry_point": "train.py", **SEEDED}, {}, 'Give it: `inputs={"train_dir": "./data"}`'),
        ({"entry_point": "train.py", "hyperparameters": {"seed": 1, "train_dir": "x"}}, {"train_dir": "."}, "from `inputs`"),
        (FIT, {"a": "/nope"}, '`inputs={"a": "PATH"}`'),
        (FIT, {"a": "nas://x.y/z"}, '`options={"local.mount_map": {"nas://x.y/z": "/local/path"}}`'),
        ({**FIT, "options": {"local.mount_map": {"x": "/y"}}}, {}, "local.mount_map"),
        ({**FIT, "options": {"local.mount_map": {"nas://x.y/z": ""}}}, {"a": "nas://x.y/z"}, "local.mount_map"),
        ({**FIT, "options": {"local.odps_limit": 0}}, {"a": "odps://p/tables/t"}, '`options={"local.odps_limit": 1000}`'),
        ({**FIT, "options": {"local.pass_env": 3}}, {}, '`options={"local.pass_env": ["HF_TOKEN"]}`'),
        ({**FIT, "options": {"local.pass_env": ["NOT_THERE_X"]}}, {}, "NOT_THERE_X"),
        ({**FIT, "backend": "pai"}, {}, 'Leave out `backend="pai"`, or give a type of PAI, e.g. `instance_type="ecs.c6.large"`.'),
        ({**FIT, "backend": "docker"}, {}, '`image_uri="python:3.11-slim"`, or use `backend="process"`.'),
        ({**FIT, "backend": "process", "instance_type": "ecs.c6.large"}, {}, '`backend="pai"`, or `instance_type="local"`.'),
        ({"command": " "}, {}, "`command='python train.py $PAI_USER_ARGS'`"),
        ({**FIT, "metric_definitions": [{"Name": "acc", "Regex": "("}]}, {}, '`metric_definitions=[{"Name": "acc"'),
        ({**FIT, "metric_definitions": [{"Name": "acc", "Regex": "acc"}]}, {}, '`metric_definitions=[{"Name": "acc"'),

        ({**FIT, "output_path": "/proc/x"}, {}, 'Name another directory: `output_path="DIR"`'),
        ({**FIT, "source_dir": "git://x/y"}, {}, '`source_dir="DIR"`'),
        ({"entry_point": "plain.py", "source_dir": "out"}, {}, '`inputs={"NAME": "PATH"}`'),
        ({**FIT, "instance_type": "local_gpu", "backend": "process"}, {}, '`instance_type="local"`'),
        ({**FIT, "hyperparameters": [1]}, {}, "`hyperparameters` must be a dict"),
        ({**FIT, "environments": "A=1"}, {}, "`environments` must be a dict"),
        ({**FIT, "roles": "worker=2"}, {}, "`roles` must be a list of texts or `Role`s, e.g. ['chief=1', 'worker=2']"),
        ({**FIT, "roles": 2}, {}, "`roles` must be a list of texts or `Role`s"),
        *(
            ({**FIT, "roles": [Role(name="worker", instance_count=count)], "job_type": "TFJob"}, {},  # type: ignore[arg-type]
             f"`instance_count of role 'worker'` is {count!r}; it must be a whole number from 1.")
            for count in ("2", None, 1.0, 0, True)
        ),
        ({**FIT, "roles": [Role(name=None)], "job_type": "TFJob"}, {}, "a role has the name None. Give e.g. Role(name='worker'"),  # type: ignore[arg-type]
        ({**FIT, "roles": ["worker=0"]}, {}, '"worker=0" in `roles`: the count must be a whole number from 1, e.g. `Role('),
        ({**FIT, "roles": ["worker"]}, {}, '`Role(name="worker", instance_count=2, instance_type="ecs.c6.large")`'),
        ({**FIT, "roles": ["chief=1"]}, {}, '"chief=1" in `roles` needs a job type, one of TFJob. Type e.g. `job_type="TFJob"`'),
        ({**FIT, "roles": ["boss=1"], "job_type": "TFJob"}, {}, """"boss=1" in `roles`: TFJob has no role 'boss'; it has chief,"""),
        ({**FIT, "roles": ["worker=1"], "job_type": "PyTorchJob"}, {}, 'Type `Role(name="master", instance_count=1)`'),
        ({**FIT, "roles": [Role(name="ps")], "job_type": "TFJob", "instance_count": 2}, {}, "Leave out `instance_count`."),
        ({**FIT, "roles": [Role(name="ps", instance_type="ecs.c6.large")], "job_type": "TFJob", "backend": "process"}, {},
         'Use `backend="pai"`, or `Role(name="ps", instance_count=1)`.'),
    ],
    ids=str,
)  # fmt: skip
def test_a_refusal_names_arguments_of_estimator(given: dict[str, Any], inputs: Inputs, words: str) -> None:
    text = refused(lambda: Estimator(**given).fit(inputs=inputs))
    assert words in text
    assert not wrong_words(text), text


@pytest.mark.parametrize(
    ("given", "inputs", "words"),
    [
        ({"entry_point": "nope.py", "source_code": "sd"}, {}, "Give a script that is there, e.g. entry_point='train.py'"),
        ({"entry_point": "train.py", "parameters": {"LR": 1}}, {}, 'Write `parameters={"lr": ...}`'),
        ({"entry_point": "plain.py", "parameters": [1]}, {}, "`parameters` must be a dict"),
        ({"entry_point": "plain.py", "source_code": "nowhere"}, {}, "nowhere"),
        ({"entry_point": "plain.py"}, {"a": "/nope"}, '`inputs={"a": "PATH"}`'),
    ],
    ids=str,
)  # fmt: skip
def test_a_refusal_names_arguments_of_custom_job(given: dict[str, Any], inputs: Inputs, words: str) -> None:
    text = refused(lambda: CustomJob(**given).local_run(inputs=inputs))
    assert words in text
    assert not wrong_words(text), text


@pytest.mark.parametrize(
    ("job_type", "roles", "words"),
    [
        (
            "PyTorchJob",
            {"chief": 1},
            "\"chief=1:ecs.c6.large\" in `job_config`: PyTorchJob has no role 'chief'; it has",
        ),
        ("PyTorchJob", {"worker": 1, "master": 2}, "Type `JobConfig.create(master_count=1, master_instance_type=...)`"),
    ],
)
def test_a_refusal_of_roles_names_the_config(job_type: JobType, roles: dict[str, int], words: str) -> None:
    given: dict[str, Any] = {}
    for name, count in roles.items():
        given |= {f"{name}_count": count, f"{name}_instance_type": "ecs.c6.large"}
    job = CustomJob(entry_point="plain.py", job_type=job_type, image_uri="img:1")
    for run in (job.run, job.local_run):
        text = refused(partial(run, job_config=JobConfig.create(**given)))
        assert words.replace(":ecs.c6.large", "" if run == job.local_run else ":ecs.c6.large") in text
        assert not wrong_words(text), text


def test_submit_and_a_cloud_job_speak_of_arguments_too() -> None:
    spec = JobSpec(name="x", command="true", source_dir=None, image_uri=None, output_path=None, inputs={"a": "/nope"})
    config = JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large")
    job = CustomJob(entry_point="plain.py")
    for text in (refused(lambda: submit(spec)), refused(lambda: job.run(job_config=config, inputs={"a": "file:///x"}))):
        assert not wrong_words(text), text
    assert '`image_uri="pytorch:latest-gpu"`' in text


@pytest.mark.usefixtures("chinese")
def test_in_chinese_a_refusal_names_arguments_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PaiJupyterError, "translate", staticmethod(said))
    with pytest.raises(PaiJupyterError) as caught:
        Estimator(entry_point="plain.py").fit(inputs={"a": "/nope"})
    shown = "".join(caught.value._render_traceback_())
    assert "请指定存在的文件或目录：" in shown
    assert not wrong_words(shown)
    assert '`inputs={"a": "PATH"}`' in shown


def test_a_refusal_can_be_sent_to_another_process() -> None:
    with pytest.raises(PaiJupyterError) as caught:
        Estimator(entry_point="plain.py").fit(inputs={"a": "/nope"})
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_every_option_that_says_what_a_job_is_has_an_argument() -> None:
    options = {name for group in GROUPS if group is not RUN for each in group.arguments for name in each.names}
    assert {name.removeprefix("--") for name in options if name.startswith("--")} == set(PYTHON_NAMES)
    texts = [reworded(f"Type {name}", "python") for name in options]
    assert not [each for each in texts if wrong_words(each)]
