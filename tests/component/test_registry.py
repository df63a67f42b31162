"""Components at the emulator: registered, listed, run by name and version, deleted; also as the panel does it."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.client import paistudio
from pai_jupyter.component import (
    Component,
    ComponentInput,
    ComponentOutput,
    ComponentRun,
    TrainingConstraint,
    delete,
    list_registered,
    next_version,
    read,
    register,
    run,
    run_registered,
)
from pai_jupyter.component.algorithm import from_algorithm, to_algorithm
from pai_jupyter.component.cell import of_source
from pai_jupyter.component.forms import to_json
from pai_jupyter.component.panel import (
    component_check,
    component_delete,
    component_list,
    component_new,
    component_register,
    component_run,
    component_show,
)
from pai_jupyter.component.saved import folder, store
from pai_jupyter.config import settings
from pai_jupyter.errors import NotFoundError, PackageError, PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.hyperparameters import Hyperparameter
from pai_jupyter.jobs import attach, list_jobs, rerun
from tests.support.cloud_sessions import configure, session_at
from tests.support.emulators import BUCKET, Emulator
from tests.support.pai_jobs import forget

IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
SCRIPT = """\
import os, pathlib, sys
print("args", *sys.argv[1:])
print("lr", os.environ["PAI_HPS_LR"])
print("rows", len(pathlib.Path(os.environ["PAI_INPUT_TRAIN"]).read_text().split()))
pathlib.Path(os.environ["PAI_OUTPUT_REPORT"], "report.txt").write_text("done")
"""
COMPONENT = Component(
    name="counted",
    description="Counts rows",
    command="python main.py $PAI_USER_ARGS",
    image_uri=IMAGE,
    files={"main.py": SCRIPT.encode()},
    inputs=(ComponentInput(name="train", sources=("OSS", "MaxCompute")),),
    outputs=(ComponentOutput(name="report"),),
    parameters=(
        Hyperparameter(name="lr", type="Float", default=0.1, minimum=0, maximum=1, open_minimum=True, help="a rate"),
        Hyperparameter(name="kind", type="String", default="a", choices=("a", "b")),
    ),
    constraint=TrainingConstraint(machine="CPU", several_machines=False),
)
GIVEN = ComponentRun(inputs={"train": "rows.txt"}, instance_type="ecs.c6.large", values={"lr": 0.5})


@pytest.fixture(autouse=True)
def _place(running: Emulator, workplace: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    forget()
    configure(running, home, monkeypatch)
    (workplace / "rows.txt").write_text("1 2 3")
    yield
    for each in list_registered():
        delete(each.name)
    forget()


@pytest.mark.parametrize(
    "component",
    [
        COMPONENT,
        replace(
            COMPONENT,
            constraint=TrainingConstraint(machine="GPU", several_cards=True),
            inputs=(ComponentInput(name="train", required=False, description="rows"),),
            outputs=(ComponentOutput(name="rows", storage="MaxCompute"),),
            parameters=(
                Hyperparameter(name="n", type="Int", default=3, choices=(1, 3)),
                Hyperparameter(name="name", type="String", minimum=1, maximum=9, required=True),
                Hyperparameter(name="quick", type="Bool", default=False),
            ),
        ),
        replace(COMPONENT, constraint=TrainingConstraint(machine="GPU", several_machines=False), parameters=()),
        replace(COMPONENT, constraint=None, inputs=(), job_type="XGBoostJob"),
    ],
)
def test_an_algorithm_says_what_the_component_says(component: Component) -> None:
    spec: Any = json.loads(json.dumps(to_algorithm(component, image=IMAGE, code=None)))
    read_again = from_algorithm(spec, name="counted", version="1.0.0", description="Counts rows")
    assert read_again == replace(component, files={})


def test_a_component_is_registered_listed_run_and_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    assert next_version("counted") == "1.0.0"
    notes = register(COMPONENT).notes
    assert notes == (f"the code in counted is 1 file of {len(SCRIPT)} bytes.",)
    assert next_version("counted") == "1.0.1"
    register(replace(COMPONENT, version="1.0.1", files={"main.py": b"print('next')"}))
    (listed,) = list_registered()
    assert (listed.name, listed.versions, listed.description) == ("counted", ("1.0.0", "1.0.1"), "Counts rows")
    job = run_registered("counted", "1.0.0", GIVEN)
    assert job.status is Status.SUCCEEDED
    out = capsys.readouterr().out.splitlines()
    assert {"args --lr 0.5 --kind a", "lr 0.5", "rows 3"} <= set(out)
    assert (job.fetch("report") / "report.txt").read_text() == "done"
    newest = run_registered("counted", None, replace(GIVEN, name="named"))
    assert [line.text for line in newest.tail(5)] == ["next"]
    delete("counted", "1.0.1")
    assert read("counted").component.version == "1.0.0"
    delete("counted")
    with pytest.raises(NotFoundError, match="no component 'counted' is registered"):
        read("counted")


LOOP = """\
import pai_shards
for shard in pai_shards.shards(size=9, shard_size=2):
    shard.path.write_text("x")
    shard.commit()
print("done")
"""


@pytest.mark.parametrize("job_type", ["TFJob", "PyTorchJob", "XGBoostJob", "ElasticBatchJob"])
def test_a_registered_component_of_each_type_runs_on_several_machines(job_type: Any, running: Emulator) -> None:
    divided = job_type == "ElasticBatchJob"
    component = Component(
        name="several",
        job_type=job_type,
        command="python main.py",
        image_uri=IMAGE,
        files={"main.py": LOOP.encode() if divided else b"print('done')"},
        outputs=(ComponentOutput(name="model"),),
    )
    assert not any("`pai_shards`" in each for each in register(component).notes)
    job = run_registered("several", None, ComponentRun(instance_type="ecs.c6.large", instance_count=2))
    assert job.status is Status.SUCCEEDED
    assert sorted(each.replica for each in job.logs() if each.text == "done") == sorted(job.state.replicas)
    jobs: Any = running.ask(
        lambda client: client.call(paistudio.LIST_TRAINING_JOBS, query={"AlgorithmName": "several"})
    )
    sent = jobs["TrainingJobs"][0]
    assert sent["ComputeResource"]["EcsCount"] == 2
    assert sent.get("Environments", {}).get("PAI_SHARDS_WORKERS") == ("2" if divided else None)
    if divided:
        assert len(list((job.fetch("model") / "shards" / "done").iterdir())) == 5


def test_shards_without_an_output_for_them_are_said() -> None:
    lacking = Component(name="several", command="python main.py", image_uri=IMAGE, files={"main.py": LOOP.encode()})
    assert any("the results of `pai_shards` go to the output model" in each for each in register(lacking).notes)


def test_the_type_of_the_settings_is_the_type_of_a_run(home: Path) -> None:
    register(replace(COMPONENT, constraint=TrainingConstraint(machine="GPU")))
    settings().set("instance_type", "ecs.c6.large")
    given = replace(GIVEN, instance_type=None)
    with pytest.raises(SpecError, match=r"the component needs a GPU, and 'ecs\.c6\.large' has none"):
        run_registered("counted", None, given)
    register(replace(COMPONENT, version="1.0.1"))
    assert run_registered("counted", None, given).spec.instance_type == "ecs.c6.large"


def test_a_share_of_a_quota_is_held_against_the_constraint() -> None:
    register(replace(COMPONENT, constraint=TrainingConstraint(machine="GPU")))
    share: Any = {"CPU": "4", "GPU": "2", "Memory": "8Gi"}
    given = replace(GIVEN, instance_type=None, options={"pai.resource_id": "quota1", "pai.instance_spec": share})
    with pytest.raises(SpecError, match=r"the component uses one GPU, and 'pai\.instance_spec' has 2"):
        run_registered("counted", None, given)


@pytest.mark.parametrize("kind", ["huge", "ecs.none"])
def test_a_type_that_pai_lacks_is_refused_before_anything_is_sent(kind: str) -> None:
    register(replace(COMPONENT, constraint=None))
    sentence = f"PAI has no instance type '{kind}' in this region. Type %pai_instances to see them"
    with pytest.raises(SpecError, match=re.escape(sentence)):
        run_registered("counted", None, replace(GIVEN, instance_type=kind))
    with pytest.raises(SpecError, match=re.escape(sentence)):
        run(COMPONENT, replace(GIVEN, instance_type=kind, backend="pai"))
    assert list_jobs() == []


def test_both_descriptions_are_kept_or_it_is_said() -> None:
    register(COMPONENT)
    later = replace(COMPONENT, version="1.0.1", description="Counts all rows", version_description="quicker")
    assert any(
        "the description of the version is kept with the saved component only" in each for each in register(later).notes
    )
    assert list_registered()[0].description == "Counts all rows"
    register(replace(later, version="1.0.2", description="", version_description=""))
    assert list_registered()[0].description == "Counts all rows"


def test_a_name_that_another_workspace_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    register(COMPONENT)
    with monkeypatch.context() as patch:
        patch.setattr("pai_jupyter.component.registry._find", lambda *_: None)  # listed are those of one workspace
        with pytest.raises(SpecError, match="the name 'counted' is taken: a name is there once in a region") as error:
            register(replace(COMPONENT, version="2.0.0"))
    assert error.value.field == "name"


def test_the_job_names_the_component_and_has_no_algorithm_of_its_own(running: Emulator) -> None:
    register(COMPONENT)
    job = run_registered("counted", "1.0.0", GIVEN)
    jobs: Any = running.ask(
        lambda client: client.call(paistudio.LIST_TRAINING_JOBS, query={"AlgorithmName": "counted"})
    )
    record = jobs["TrainingJobs"][0]
    assert (record["AlgorithmName"], record["AlgorithmVersion"]) == ("counted", "1.0.0")
    assert record["IsTempAlgo"] is False
    assert [each["Name"] for each in record["OutputChannels"]] == ["report"]
    assert job.spec.options["pai.algorithm"] == {
        "AlgorithmName": "counted",
        "AlgorithmVersion": "1.0.0",
        "AlgorithmProvider": record["AlgorithmProvider"],
    }


def test_a_component_runs_at_the_emulator_with_its_code_from_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(COMPONENT, replace(GIVEN, backend="pai")).status is Status.SUCCEEDED
    assert "rows 3" in capsys.readouterr().out.splitlines()


def test_a_version_stays_as_it_is() -> None:
    register(COMPONENT)
    with pytest.raises(SpecError, match=r"is registered already, and a version stays .* --version 1\.0\.1"):
        register(COMPONENT)


def test_code_in_oss_is_counted_and_used_there(
    workplace: Path, running: Emulator, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "src").mkdir()
    (workplace / "src" / "main.py").write_text(SCRIPT)
    session = session_at(running)
    session.upload(workplace / "src", f"oss://{BUCKET}/src/")
    inside = replace(COMPONENT, files={}, source=f"oss://{BUCKET}/src/")
    notes = register(inside).notes
    assert any(f"the code in oss://{BUCKET}/src/ is 1 file of {len(SCRIPT)} bytes." in note for note in notes)
    assert any("and every run takes what is there then" in note for note in notes)
    assert f"the code in oss://{BUCKET}/src/ is 1 file of {len(SCRIPT)} bytes." in store(inside).notes
    capsys.readouterr()
    assert run_registered("counted", None, GIVEN).status is Status.SUCCEEDED
    assert f"the code of counted 1.0.0 was not copied: this run takes what is at oss://{BUCKET}/src/ now." in (
        capsys.readouterr().out
    )
    assert run(inside, replace(GIVEN, instance_type="local", backend="process")).status is Status.SUCCEEDED
    with pytest.raises(PackageError, match="there is no code at"):
        register(replace(inside, version="1.0.1", source=f"oss://{BUCKET}/nothing/"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (replace(GIVEN, backend="docker"), "a registered component runs on PAI only"),
        (replace(GIVEN, values={"lr": 0}), "`lr` is 0; it must be"),
        (replace(GIVEN, inputs={}), "input 'train' has no place"),
        (replace(GIVEN, instance_count=2), "the component runs on one machine"),
        (replace(GIVEN, instance_type=None), "PAI needs an instance type; 'local' is this machine."),
        (replace(GIVEN, instance_type="ecs.gn6v-c8g1.2xlarge"), "the component runs on CPU machines"),
    ],
)
def test_a_registered_component_is_held_to_what_it_says(given: ComponentRun, sentence: str) -> None:
    register(COMPONENT)
    with pytest.raises(SpecError) as error:
        run_registered("counted", None, given)
    assert sentence in str(error.value)
    assert list_jobs() == []


def test_a_version_that_is_none_lists_those_that_are() -> None:
    register(COMPONENT)
    with pytest.raises(NotFoundError, match=r"component 'counted' has no version 9\.9\.9; it has: 1\.0\.0\."):
        read("counted", "9.9.9")


def test_the_panel_makes_runs_and_deletes_components() -> None:
    form = to_json(replace(COMPONENT, files={"main.py": SCRIPT.encode()}))
    made = component_new(form, is_registered=True)
    assert (made["name"], made["version"]) == ("counted", "1.0.0")
    rows = component_list()["components"]
    assert [(row["name"], row["versions"], row["next_version"], row["is_registered"]) for row in rows] == [
        ("counted", ["1.0.0"], "1.0.1", False),
        ("counted", ["1.0.0"], "1.0.1", True),
    ]
    assert {(row["job_type"], row["image"], row["version"], row["problem"]) for row in rows} == {
        ("PyTorchJob", IMAGE, "1.0.0", "")
    }
    with pytest.raises(SpecError, match="is saved already"):
        component_new(form)
    following = component_show("counted")
    assert (following["next_version"], following["form"]["command"]) == ("1.0.1", COMPONENT.command)
    assert (following["files"], [row["name"] for row in following["values"]]) == (["main.py"], ["lr", "kind"])
    next_form: Any = {**following["form"], "version": following["next_version"]}
    component_new(next_form, ("counted", "1.0.0"))
    request: Any = {"name": "counted", "inputs": {"train": "rows.txt"}, "values": {"lr": 0.5}, "backend": "process"}
    on_pai: Any = {"is_registered": True, "version": "1.0.0", "backend": None, "instance_type": "ecs.c6.large"}
    both: list[dict[str, Any]] = [{}, on_pai]
    for more in both:
        job, _ = component_run({**request, **more}, base=Path.cwd())
        assert attach(job.id).wait().status is Status.SUCCEEDED
    assert component_register("counted")["version"] == "1.0.1"
    assert [row["versions"] for row in component_list()["components"]] == [["1.0.0", "1.0.1"]] * 2
    assert component_delete("counted", "1.0.0") == {"deleted": ["1.0.0"]}
    assert component_show("counted", is_registered=True)["next_version"] == "1.0.2"
    assert component_delete("counted") == {"deleted": ["1.0.1"]}
    component_delete("counted", is_registered=True)
    assert component_list()["components"] == []
    with pytest.raises(NotFoundError, match="has no saved version"):
        component_run(request)


def test_the_next_version_comes_after_saved_and_registered_ones() -> None:
    form = {**to_json(COMPONENT), "version": "2.0.0"}
    component_new(form, is_registered=True)
    component_delete("counted")
    component_new({**form, "version": "1.0.0"})
    assert [row["next_version"] for row in component_list()["components"]] == ["2.0.1", "2.0.1"]


def test_the_panel_says_every_problem_by_its_field() -> None:
    form = {**to_json(COMPONENT), "version": "one", "command": "python $PAI_INPUT_TSET"}
    found = component_check(form)
    assert [each["field"] for each in found["problems"] if each["severity"] == "error"] == ["version", "command"]
    assert found["next_version"] == "1.0.0"
    wrong = component_check({"name": 5})
    assert [each["field"] for each in wrong["problems"]] == ["name"]
    unread = component_check({**form, "parameters": [{"name": "a"}, {"name": "b", "minimum": "low"}]})
    assert [(each["field"], each["index"]) for each in unread["problems"]] == [("parameters", 1)]


def test_a_problem_names_the_row_that_it_is_about() -> None:
    inputs: Any = [{"name": "train"}, {"name": "test"}, {"name": "train"}, {"name": "a b"}]
    outputs: Any = [{"name": "model"}, {"name": "test"}]
    found = component_check({**to_json(COMPONENT), "inputs": inputs, "outputs": outputs})
    assert [(each["field"], each["index"]) for each in found["problems"]] == [
        ("inputs", 3),
        ("inputs", 2),
        ("outputs", 1),
    ]


def test_a_form_without_a_command_has_the_default_one(tmp_path: Path) -> None:
    form: Any = {"name": "plain", "inputs": [{"name": "train"}, {"name": " "}], "outputs": [{"name": "model"}]}
    command = 'python main.py $PAI_USER_ARGS --train "$PAI_INPUT_TRAIN" --model "$PAI_OUTPUT_MODEL"'
    found = component_check({**form, "source": "./nowhere"})
    assert found["command"] == command
    assert [each["field"] for each in found["problems"] if each["severity"] == "error"] == [
        "image",
        "inputs",
        "source",
    ]
    (tmp_path / "main.py").touch()
    component_new({**form, "inputs": [{"name": "train"}], "source": str(tmp_path)})
    assert component_show("plain")["form"].get("command") == command
    fields = [each["field"] for each in component_check({"name": "plain"})["problems"]]
    assert "version" in fields  # this version is saved


@pytest.mark.parametrize("line", ["default: 2026-11-21", "choices: [[1]]"])
def test_a_file_with_a_value_that_is_none_of_a_parameter_has_its_sentence(line: str) -> None:
    component_new({"name": "odd", "command": "true", "parameters": [{"name": "day", "type": "String"}]})
    path = folder() / "odd" / "1.0.0.yaml"
    path.write_text(path.read_text().replace("type: String", f"type: String\n  {line}"))
    [row] = component_list()["components"]
    assert "must be text, a number, true or false" in row["problem"]


def test_a_new_version_of_a_registered_component_keeps_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    register(COMPONENT)
    shown = component_show("counted", is_registered=True)
    form: Any = {**shown["form"], "version": "1.0.1"}
    assert "/pai-jupyter/code/" in form["source"]
    component_new(form, is_registered=True)
    capsys.readouterr()
    assert run_registered("counted", "1.0.1", GIVEN).status is Status.SUCCEEDED
    out = capsys.readouterr().out
    assert "rows 3" in out.splitlines()
    assert "was not copied" not in out


def test_changed_code_is_not_registered_by_the_panel(workplace: Path) -> None:
    (workplace / "src").mkdir()
    (workplace / "src" / "main.py").write_text(SCRIPT)
    component_new(to_json(replace(COMPONENT, files={}, source=str(workplace / "src"))))
    (workplace / "src" / "main.py").write_text("print('other')")
    with pytest.raises(SpecError, match=r"is not the one with which counted 1\.0\.0 was saved \(changed: main\.py\)"):
        component_register("counted")
    assert list_registered() == []


def test_the_panel_says_what_is_damaged_and_deletes_what_it_can() -> None:
    (folder() / "dirv" / "1.0.0.yaml").mkdir(parents=True)
    component_new({"name": "mism", "command": "true", "version": "2.0.0"})
    (folder() / "mism" / "2.0.0.yaml").rename(folder() / "mism" / "foo.yaml")
    problems = {row["name"]: row["problem"] for row in component_list()["components"]}
    assert "cannot be read: Is a directory" in problems["dirv"]
    assert "the version 'foo' is not of the form x.y.z" in problems["mism"]
    with pytest.raises(PaiJupyterError, match=r"1\.0\.0\.yaml' cannot be deleted: Is a directory"):
        component_delete("dirv")
    with pytest.raises(SpecError, match=r"holds mism 2\.0\.0, and its place is that of mism foo"):
        component_run({"name": "mism"})
    assert component_delete("mism") == {"deleted": ["foo"]}


def test_who_registers_a_version_at_the_same_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    register(COMPONENT)
    [before] = list_registered()
    register(replace(COMPONENT, version="1.0.1"))
    with monkeypatch.context() as patch:
        patch.setattr("pai_jupyter.component.registry._find", lambda *_: before)  # as it was a moment ago
        with pytest.raises(SpecError, match=r"counted 1\.0\.1 was registered by somebody else in the meantime"):
            register(replace(COMPONENT, version="1.0.1"))


def test_the_parameters_of_code_in_oss_are_read(workplace: Path, running: Emulator) -> None:
    (workplace / "src").mkdir()
    (workplace / "src" / "main.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, default=0.1)\nn: int = 3\n"
    )
    source = f"oss://{BUCKET}/read/"
    session_at(running).upload(workplace / "src", source)
    read = of_source(Component(name="inside", command="", source=source), "main.py")
    assert [(each.name, each.default) for each in read.component.parameters] == [("lr", 0.1)]
    assert "values of lines such as `lr: float = 0.1`" in read.notes[0]
    with pytest.raises(PackageError, match=r"there is no 'train\.py' at"):
        of_source(Component(name="inside", command="", source=source), "train.py")


def test_a_rerun_of_a_deleted_component_says_that_it_was_deleted() -> None:
    register(COMPONENT)
    job = run_registered("counted", "1.0.0", GIVEN)
    delete("counted")
    with pytest.raises(NotFoundError, match=r"The component, or this version of it, was deleted\. Type %pai_component"):
        rerun(job)
