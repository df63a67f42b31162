"""What is wrong with a component is said in the same words, and before anything is sent, by Python, a form and a magic's line."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.component import Component, check_component, list_registered, problems, register, save
from pai_jupyter.component.forms import to_json
from pai_jupyter.component.panel import component_check, component_new
from pai_jupyter.component.saved import saved_versions
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import list_jobs
from tests.component.test_problems import RIGHT, WRONG
from tests.support.cloud_sessions import configure
from tests.support.emulators import Emulator
from tests.support.pai_jobs import forget
from tests.support.shells import Shell


def wrong(changes: dict[str, Any]) -> Component:
    return replace(RIGHT, **{"command": "python main.py", **changes})


def is_of_a_form(component: Component) -> bool:
    """Whether a form can hold it: no parameter is an option of a script, each input reads from somewhere, and a command is there."""
    styles, sources = [each.style for each in component.parameters], [each.sources for each in component.inputs]
    return not any(styles) and all(sources) and bool(component.command.strip())


OF_FORMS = [each for changes, _ in WRONG if is_of_a_form(each := wrong(changes))]


@pytest.fixture(autouse=True)
def _place(running: Emulator, workplace: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    forget()
    configure(running, home, monkeypatch)
    (workplace / "src").mkdir()
    (workplace / "src" / "main.py").write_text("print(1)")
    yield
    forget()


def test_python_saves_and_registers_nothing_wrong() -> None:
    for changes, sentence in WRONG:
        with pytest.raises(SpecError) as error:
            register(wrong(changes))
        assert sentence in str(error.value)
        if not any(each.on_pai for each in problems(wrong(changes))):
            with pytest.raises(SpecError) as error:
                save(wrong(changes))
            assert sentence in str(error.value)
    assert (list_registered(), saved_versions()) == ([], {})


@pytest.mark.parametrize("component", OF_FORMS, ids=range(len(OF_FORMS)))
def test_a_form_says_what_python_says(component: Component) -> None:
    inputs: Any = [{"name": each.name, "sources": [*each.sources]} for each in component.inputs]
    form = {**to_json(component), "name": component.name, "inputs": inputs}  # names are there, though empty
    of_form = [(each["text"], each["severity"], each["on_pai"]) for each in component_check(form)["problems"]]
    assert of_form == [(each.text, each.severity, each.on_pai) for each in problems(component)]
    with pytest.raises(SpecError) as error:
        component_new(form, is_registered=True)
    with pytest.raises(SpecError) as of_python:
        check_component(component, for_pai=True)
    assert str(error.value) == str(of_python.value)
    assert (list_registered(), saved_versions()) == ([], {})


LINES = {
    "_iris": "the component cannot be called '_iris'",
    "鸢尾": "the component cannot be called '鸢尾'",
    "x --version v1": "the version 'v1' is not of the form x.y.z.",
    "x --job-type MPIJob": "`job_type` is 'MPIJob'; it is one of TFJob, PyTorchJob",
    "x --image 'a b:1'": "the image 'a b:1' is no address of an image.",
    "x --image python:3.11": "the image 'python:3.11' is in no registry that PAI reaches.",
    "x --image mine-registry.cn-shanghai.cr.aliyuncs.com/me/train:1": "is in the enterprise edition of ACR",
    "x --image registry.cn-shanghai.aliyuncs.com/me/train:1": "does not have the VPC address of its registry.",
    "x --branch main": "`branch` is 'main', which only the address of a Git repository has.",
    "x --command 'python a.py $PAI_INPUT_TSET'": "the command has $PAI_INPUT_TSET, and there is no such input",
    "x -i train -o _model": "output '_model' begins with _. Remove it: 'model'.",
    "x -i 'train data'": "input 'train data' has other characters than letters, digits, _ and -.",
    "x -i train -i train": "the input 'train' is there twice.",
    "x -i train -o train": "the name 'train' is used for input and output;",
    "x -i lr": "the name 'lr' is used for input and parameter;",
    "x -i a_b -i A-b": "the input names 'a_b' and 'A-b' become the same variable PAI_INPUT_A_B.",
    "x -o logs": "output 'logs' has a name that every job uses itself.",
    "x -i train:HDFS": "input 'train' reads from 'HDFS'; give one or more of OSS, NAS, MaxCompute.",
    "x -o model:NAS": "output 'model' goes to 'NAS'; it is one of OSS, MaxCompute.",
    "x --machine TPU": "the machine is 'TPU'; it is CPU or GPU.",
    "x --machine CPU --several-cards": "a CPU machine has no cards.",
}


def test_a_line_says_what_python_says() -> None:
    cell = "lr: float = 0.1  # hp: [0..1]\nprint(lr)"
    with Shell() as shell:
        for options, sentence in LINES.items():
            error = shell.run(f"%%pai_component {options} --register\n{cell}").error
            assert isinstance(error, SpecError), options
            assert sentence in str(error), options
    assert (list_registered(), saved_versions(), list_jobs()) == ([], {}, [])
