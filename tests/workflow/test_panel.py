"""What the panel does with components of pipelines that are saved on this machine."""

from pathlib import Path

import pytest

from pai_jupyter import ContainerComponent, CustomJobComponent, Pipeline, PipelineArtifact, PipelineParameter
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.runs import attach_run, list_runs
from pai_jupyter.server import components
from pai_jupyter.wire.schema.components import ComponentsAnswer
from pai_jupyter.wire.schema.run import RunAgain, RunInputsAnswer
from pai_jupyter.workflow import panel
from pai_jupyter.workflow.component_store import HomeStore
from tests.support.declared import assert_declared
from tests.support.patience import DEADLINE

VERSION = "v 1/é"


@pytest.fixture(autouse=True)
def plain(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are processes, and /ml is not made."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")


def trainer() -> CustomJobComponent:
    inputs = [PipelineParameter("n", typ=int), PipelineParameter("lr", typ=float, default=0.1)]
    return CustomJobComponent(command="true", job_type="PyTorchJob", inputs=[*inputs, PipelineArtifact("data")])


def test_what_is_saved_is_listed_with_its_versions_and_what_it_is() -> None:
    trainer().save("train", "v1")
    trainer().save("train", VERSION)
    Pipeline(steps=[CustomJobComponent(command="true").as_step("only")]).save("whole", "v1")
    ContainerComponent(image_uri="python:3", command=["true"]).save("box", "v1")
    listed = components.components(saved=True)
    assert_declared(ComponentsAnswer, listed)
    rows = {row["name"]: row for row in listed["steps"]}
    assert {name: (row["kind"], row["about"]) for name, row in rows.items()} == {
        "train": ("job", "PyTorchJob · true"),
        "whole": ("pipeline", "only"),
        "box": ("container", "python:3"),
    }
    assert set(rows["train"]["versions"]) == {"v1", VERSION}
    assert rows["train"]["inputs"] == ["job_config", "output_path", "n", "lr", "data"]


def test_a_damaged_file_is_a_sentence_beside_the_others() -> None:
    trainer().save("train", "v1")
    next(HomeStore().folder.glob("*/*.yaml")).write_text("- nothing: [")
    listed = components.components(saved=True)
    assert (listed["steps"], "holds no component" in listed["problem"]) == ([], True)


def test_it_is_run_here_with_what_was_typed() -> None:
    trainer().save("train", VERSION)
    told = panel.step_component_inputs("train", VERSION)
    assert_declared(RunInputsAnswer, told)
    assert [(row["name"], row["value"], row["is_required"]) for row in told["inputs"]] == [
        ("n", "", True),
        ("lr", "0.1", False),
        ("job_config", "", False),
        ("output_path", "", False),
        ("data", "", False),
    ]
    again = panel.step_component_run({"name": "train", "version": VERSION, "parameters": {"n": "4", "lr": ""}})
    assert_declared(RunAgain, again)
    run = attach_run(again["run"])
    assert str(run.wait(DEADLINE).status) == "succeeded"
    assert (run.name, run.plan.parameters["n"]) == ("train", 4)


@pytest.mark.parametrize(
    ("values", "wrong"), [({}, ["n"]), ({"n": "x", "lr": "y"}, ["n", "lr"]), ({"none": "1"}, ["none"])]
)
def test_what_is_wrong_is_told_by_input_and_nothing_starts(values: dict[str, str], wrong: list[str]) -> None:
    trainer().save("train", "v1")
    answer = panel.step_component_run({"name": "train", "version": "v1", "parameters": values})
    assert ([it["name"] for it in answer["problems"]], answer["run"], list_runs()) == (wrong, "", [])


@pytest.mark.parametrize("values", [[1], {"n": "1", "data": "/no/such/file"}])
def test_what_is_about_no_field_is_refused_as_a_whole(values: object) -> None:
    trainer().save("train", "v1")
    with pytest.raises(SpecError):
        panel.step_component_run({"name": "train", "version": "v1", "parameters": values})
    assert list_runs() == []


def test_a_version_is_deleted_and_the_others_stay() -> None:
    trainer().save("train", "v1")
    trainer().save("train", VERSION)
    assert panel.step_component_delete("train", VERSION) == {"deleted": [VERSION]}
    assert [row["versions"] for row in panel.step_components()] == [["v1"]]
    for name in ("../../jobs", "", "none"):
        with pytest.raises(NotFoundError):
            panel.step_component_delete(name, "v1")
