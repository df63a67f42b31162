"""Saved components: in the home, where nobody has a session, else in PAIFlow; and where components and pipelines run."""

from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import CustomJob, JobConfig
from pai_jupyter.errors import NotFoundError, RunFailed, SpecError
from pai_jupyter.workflow import (
    ArtifactMetadataUtils,
    CustomJobComponent,
    Pipeline,
    PipelineArtifact,
    PipelineParameter,
    RegisteredComponent,
    SavedOperator,
)
from tests.support.cloud_sessions import configure
from tests.support.emulators import Emulator

SCRIPT = """
import argparse, os, pathlib
parser = argparse.ArgumentParser()
parser.add_argument("--accuracy")
parser.add_argument("--train_data")
args = parser.parse_args()
assert not args.train_data or pathlib.Path(args.train_data).read_text() == "1,2"
(pathlib.Path(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"]) / "test-accuracy").write_text(args.accuracy)
"""
HERE = {"job_config": JobConfig.create(worker_count=1, worker_instance_type="local").to_dict()}
THERE = {"job_config": JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large").to_dict()}


@pytest.fixture
def op(tmp_path: Path) -> CustomJobComponent:
    (tmp_path / "train.py").write_text(SCRIPT)
    job = CustomJob(entry_point=str(tmp_path / "train.py"), image_uri="python:3", parameters={"accuracy": "0.5"})
    component: CustomJobComponent = job.as_component(
        inputs=[PipelineArtifact("train_data", metadata=ArtifactMetadataUtils.oss_dataset())],
        outputs=[PipelineParameter("test-accuracy")],
    )
    return component


def branches(op: Any, accuracy: str, **more: Any) -> Pipeline:  # Any: a component; values of the first step
    one = op.as_step(name="one", inputs={**HERE, "accuracy": accuracy, **more})
    low = op.as_condition_step("low", one.outputs["test-accuracy"] <= 0.90, inputs=HERE)
    high = op.as_condition_step("high", one.outputs["test-accuracy"] > 0.90, inputs=HERE)
    return Pipeline(steps=[low, high], outputs=[one.outputs["test-accuracy"]])


def statuses(run: Any) -> dict[str, str]:  # Any: a run
    return {step.name: str(step.status) for step in run.state.steps}


# --- kept in the home --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "version", ["v1", "v-1690000000", "1.0.0-rc1", "../../../x", "..", ".", "a/b\\c", "训练 版本", "~", "x" * 128]
)
def test_a_version_is_free_text(version: str, op: CustomJobComponent, home: Path) -> None:
    saved = op.save("xgb-example", version)
    found = RegisteredComponent.get_by_identifier("xgb-example", version=version)
    assert (found.identifier, found.version, found.provider) == ("xgb-example", version, "local")
    assert found == saved
    assert [it.name for it in found.inputs] == ["job_config", "output_path", "accuracy", "train_data"]
    assert [it.relative_to(home).parts[:3] for it in home.rglob("*.yaml")] == [
        ("workflow", "components", "xgb-example")
    ]


def test_a_version_stays_as_it_is(op: CustomJobComponent) -> None:
    op.save("a", "v1")
    with pytest.raises(SpecError, match="a version stays as it is"):
        op.save("a", "v1")
    op.save("a", "v2")
    assert sorted(it.version for it in RegisteredComponent.list("a")) == ["v1", "v2"]
    SavedOperator.get_by_identifier("a", version="v1").delete()
    with pytest.raises(NotFoundError, match="it has: 'v2'"):
        RegisteredComponent.get_by_identifier("a", version="v1")


@pytest.mark.parametrize(
    ("identifier", "version"), [("", "v1"), ("a", ""), ("a", "x\ny"), ("a" * 200, "v1"), (None, "v1")]
)
def test_identifiers_and_versions_are_one_line(identifier: Any, version: str, op: CustomJobComponent) -> None:
    with pytest.raises(SpecError):
        op.save(identifier, version)


def test_a_version_that_is_a_number_is_named_as_the_text_to_write(op: CustomJobComponent) -> None:
    number: Any = 3  # what users give
    with pytest.raises(SpecError, match=r"the version is 3; it must be text, e\.g\. '3'"):
        op.save("a", number)


def test_a_saved_component_has_no_secret(op: CustomJobComponent, home: Path) -> None:
    op.environments["WANDB_API_KEY"] = "k-0123456789abcdef"
    op.save("a", "v1")
    assert all(b"k-0123456789abcdef" not in it.read_bytes() for it in home.rglob("*.yaml"))


def test_a_damaged_file_is_named(op: CustomJobComponent, home: Path) -> None:
    op.save("a", "v1")
    next(home.rglob("v1.yaml")).write_text("a: [")
    with pytest.raises(SpecError, match="holds no component"):
        RegisteredComponent.get_by_identifier("a", version="v1")


def test_a_component_of_the_home_goes_into_manifests_whole(op: CustomJobComponent) -> None:
    op.save("a", "v1")
    pipeline = branches(RegisteredComponent.get_by_identifier("a", version="v1"), "1")
    documents = pipeline.to_dict()
    assert len(documents) == 2
    assert Pipeline.from_manifest(pipeline.to_manifest()).to_dict() == documents


# --- where it runs -----------------------------------------------------------------------------------------------


def test_machines_of_this_one_run_here(op: CustomJobComponent, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("1,2")
    op.save("a", "v1")
    registered = RegisteredComponent.get_by_identifier("a", version="v1")
    run = branches(registered, "0.95", train_data=tmp_path / "train.csv").run("iris", backend="process")
    assert statuses(run) == {"one": "succeeded", "low": "skipped", "high": "succeeded"}
    assert run.outputs.parameters == {"test-accuracy": "0.95"}
    assert len(run.jobs) == 2


def test_a_local_run_takes_machines_of_pai_too(op: CustomJobComponent) -> None:
    pipeline = branches(op, "0.9", **THERE)
    run = pipeline.local_run("iris", backend="process")
    assert statuses(run) == {"one": "succeeded", "low": "succeeded", "high": "skipped"}
    assert pipeline.latest_run is run


def test_a_component_runs_alone(op: CustomJobComponent) -> None:
    run = op.run("alone", arguments={**HERE, "accuracy": "7"}, backend="process")
    assert run.outputs.parameters == {"test-accuracy": "7"}


def test_hostile_values_decide_nothing(op: CustomJobComponent, tmp_path: Path) -> None:
    pipeline = branches(op, f"1 or 1==1; $(touch {tmp_path}/x)")
    with pytest.raises(RunFailed):
        pipeline.local_run("iris", backend="process")
    assert statuses(pipeline.latest_run) == {"one": "succeeded", "low": "failed", "high": "failed"}
    assert not (tmp_path / "x").exists()
    assert len(pipeline.latest_run.jobs) == 1


def test_mixed_places_run_only_here(
    op: CustomJobComponent, running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(running, home, monkeypatch)
    mixed = branches(op, "0.9", **THERE)
    with pytest.raises(SpecError, match="Such a pipeline runs here alone"):
        mixed.run("iris")
    lacking = Pipeline(steps=[op.as_step(name="s")])
    with pytest.raises(SpecError, match="step `s` has no `job_config`"):
        lacking.run("iris")
    with pytest.raises(SpecError, match="`parallel` is for runs on this machine"):
        lacking.run("iris", parallel=2)
    with pytest.raises(SpecError, match="has not run yet"):
        lacking.latest_run  # noqa: B018  reading it is the test


def test_machines_of_nested_pipelines_and_of_inputs_are_places_too(
    op: CustomJobComponent, running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(running, home, monkeypatch)
    inner = Pipeline(steps=[op.as_step(name="inner", inputs=HERE)])
    nested = Pipeline(steps=[op.as_step(name="outer", inputs=THERE), inner.as_step(name="nested")])
    with pytest.raises(SpecError, match="step `inner` is for this machine and others are for PAI"):
        nested.run("iris")
    config = PipelineParameter("config", typ=dict)
    given = Pipeline(
        steps=[op.as_step(name="one", inputs=THERE), op.as_step(name="two", inputs={"job_config": config})]
    )
    with pytest.raises(SpecError, match="input `config` is for this machine and others are for PAI"):
        given.run("iris", arguments={"config": HERE["job_config"]})


def test_without_a_session_pai_is_no_place(op: CustomJobComponent) -> None:
    with pytest.raises(SpecError, match="no region is set"):
        Pipeline(steps=[op.as_step(name="s", inputs=THERE)]).run("iris")


# --- kept in PAIFlow ---------------------------------------------------------------------------------------------


def test_where_there_is_a_session_components_are_in_paiflow(
    op: CustomJobComponent, running: Emulator, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = op.save("only-here", "v1")
    configure(running, home, monkeypatch)
    saved = op.save("xgb-example", "v-1")
    found = RegisteredComponent.get_by_identifier("xgb-example", version="v-1")
    assert (saved.is_here, found.is_here, here.is_here) == (False, False, True)
    assert [it.name for it in found.inputs] == ["job_config", "output_path", "accuracy", "train_data"]
    envs = found.manifest["spec"]["container"]["envs"]  # type: ignore[index,call-overload]  # as it was saved
    assert str(envs["CUSTOM_JOB_SOURCE_FILE"]).startswith("oss://")  # type: ignore[index,call-overload]  # likewise
    pipeline = branches(found, "0.5")
    documents = pipeline.to_dict()
    assert isinstance(documents, dict)
    reference = documents["spec"]["pipelines"][0]["metadata"]
    assert {**reference, "provider": ""} == {
        "name": "one",
        "identifier": "xgb-example",
        "provider": "",
        "version": "v-1",
    }
    assert statuses(pipeline.local_run("here", backend="process"))["one"] == "succeeded"
    assert RegisteredComponent.get_by_identifier("only-here", version="v1").is_here
    assert {it.identifier for it in RegisteredComponent.list()} >= {"xgb-example", "only-here"}
    found.delete()
    with pytest.raises(
        NotFoundError, match="PAIFlow has none of it either: %pai_pipeline --components lists those saved"
    ):
        RegisteredComponent.get_by_identifier("xgb-example", version="v-1")
