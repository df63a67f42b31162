"""The job type and the roles in the form: what is shown, what is wrong, and the line that they make."""

from typing import Any

import pytest

from pai_jupyter.contract import read_role
from pai_jupyter.form import HyperparameterForm, translator
from pai_jupyter.form.place import COUNT
from pai_jupyter.form.roles import TYPE, RoleControl
from pai_jupyter.form.rows import Row
from pai_jupyter.hyperparameters import Schema
from pai_jupyter.magics.lines import parse
from pai_jupyter.magics.train_magics import TrainMagics
from pai_jupyter.spec import Role
from pai_jupyter.training import TrainOptions

GIVEN = (read_role("Chief=1"), read_role("worker=2:local"))


def make(**given: Any) -> HyperparameterForm:  # Any: arguments of a form
    return HyperparameterForm(Schema(), **given)


def row(form: HyperparameterForm, name: str) -> Row:
    return next(each for each in form.place.rows if each.name == name)


def choose(form: HyperparameterForm, job_type: str) -> None:
    choice = form.place.roles.rows[0].control.widget
    choice.set_state({"index": [value for _, value in choice.options].index(job_type)})


def fill(form: HyperparameterForm, role: str, count: str, machine: str = "") -> None:
    control = row(form, f"--role {role}").control
    assert isinstance(control, RoleControl)
    control.count.set_state({"value": count})
    control.machine.set_state({"value": machine})


def shown(form: HyperparameterForm) -> list[str]:
    return [each.name for each in form.place.rows if each.widget.layout.display != "none"]


def test_roles_are_hidden_until_a_type_is_chosen() -> None:
    form = make()
    assert shown(form) == [COUNT, TYPE]
    choose(form, "TFJob")
    assert shown(form) == [COUNT, TYPE, *(f"--role {role}" for role in ("chief", "ps", "worker", "evaluator"))]
    choose(form, "PyTorchJob")
    assert shown(form) == [COUNT, TYPE, "--role worker", "--role master"]
    assert form.line.value == "%%pai_train --job-type PyTorchJob"
    choose(form, "")
    assert shown(form) == [COUNT, TYPE]
    assert form.read().job_type is None


def test_roles_stand_on_the_line_in_the_place_of_the_count() -> None:
    form = make(instance_count=4)
    choose(form, "TFJob")
    assert form.line.value == "%%pai_train --instance-count 4 --job-type TFJob"
    fill(form, "chief", " 1 ")
    fill(form, "worker", "2", "ecs.c6.large")
    assert COUNT not in shown(form)
    assert form.line.value == "%%pai_train --job-type TFJob --role chief=1 --role worker=2:ecs.c6.large"
    options = TrainOptions.read(parse(TrainMagics.pai_train, form.line.value.removeprefix("%%pai_train")))
    assert (options.roles, options.job_type) == (form.read().roles, form.read().job_type)
    fill(form, "chief", "")
    fill(form, "worker", "")
    assert COUNT in shown(form)
    assert form.line.value == "%%pai_train --instance-count 4 --job-type TFJob"


def test_roles_of_the_line_fill_the_form() -> None:
    form = make(job_type="TFJob", roles=GIVEN)
    assert (form.read().job_type, form.read().roles, form.read().instance_count) == ("TFJob", GIVEN, 1)
    assert form.line.value == "%%pai_train --job-type TFJob --role Chief=1 --role worker=2:local"


@pytest.mark.parametrize(
    ("role", "count", "machine", "name", "said"),
    [
        ("worker", "two", "", "--role worker", "Replicas of worker must be a whole number between 1 and 10000"),
        ("worker", "-1", "", "--role worker", "Replicas of worker must be a whole number between 1 and 10000"),
        ("worker", "10001", "", "--role worker", "Replicas of worker must be a whole number between 1 and 10000"),
        (
            "worker",
            "",
            "ecs.c6.large",
            "--role worker",
            "Replicas of worker must be a whole number between 1 and 10000",
        ),
        ("worker", "2", "", "--role master", "PyTorchJob needs exactly one master: enter 1"),
        ("master", "2", "", "--role master", "PyTorchJob needs exactly one master: enter 1"),
    ],
)
def test_what_is_wrong_is_said_and_keeps_submit_off(role: str, count: str, machine: str, name: str, said: str) -> None:
    form = make(job_type="PyTorchJob")
    assert not form.submit.disabled
    fill(form, role, count, machine)
    assert form.submit.disabled
    assert form.errors() == {name: said} if name == "--role master" else row(form, name).error == said
    assert "--" not in form.message.value
    fill(form, role, "1" if role == "master" else "")
    assert not form.submit.disabled


def test_a_role_with_a_count_stays_and_is_named_if_the_type_lacks_it() -> None:
    form = make(job_type="TFJob", roles=(Role(name="ps"),))
    choose(form, "ElasticBatchJob")
    assert "--role ps" in shown(form)
    assert row(form, "--role ps").error == "ElasticBatchJob has no role ps. Empty its count"
    assert row(form, "--role worker").error == "ElasticBatchJob needs workers: enter how many"
    choose(form, "")
    assert row(form, TYPE).error == "The roles below need a job type"
    fill(form, "ps", "")
    assert not form.submit.disabled


@pytest.mark.parametrize("machine", ["", "ecs.c6.large"])
def test_a_count_of_0_is_an_empty_one(machine: str) -> None:
    form = make(job_type="TFJob")
    fill(form, "worker", "2")
    fill(form, "chief", "0", machine)
    assert form.errors() == {}
    assert form.line.value == "%%pai_train --job-type TFJob --role worker=2"
    fill(form, "worker", " 00 ")
    assert form.line.value == "%%pai_train --job-type TFJob"
    fill(form, "worker", "10")
    assert form.read().roles == (Role(name="worker", instance_count=10),)


def test_errors_are_in_the_language_of_the_form() -> None:
    form = make(job_type="PyTorchJob", translate=translator("zh"))
    fill(form, "worker", "2")
    assert row(form, "--role master").error == "PyTorchJob 需要且只需要一个 master：请输入 1"
    fill(form, "master", "one")
    assert row(form, "--role master").error == "master 的副本数必须是 1 到 10000 之间的整数"


def test_the_fields_speak_chinese() -> None:
    form = make(job_type="PyTorchJob", translate=translator("zh"))
    assert row(form, TYPE).control.widget.description == "作业类型"
    control = row(form, "--role worker").control
    assert isinstance(control, RoleControl)
    assert (control.count.description, control.machine.placeholder) == ("worker 的副本数", "实例类型")
