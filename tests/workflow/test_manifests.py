"""Manifests: equal to those of PAI's SDK, and what is read from them is written again."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from pai_jupyter import CustomJob, JobConfig
from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.workflow import (
    ArtifactMetadataUtils,
    ContainerComponent,
    CustomJobComponent,
    LoopItem,
    Pipeline,
    PipelineArtifact,
    PipelineParameter,
)
from tests.support.paths import DATA
from tests.support.workflows import BUCKET, DATA_URI, IMAGE, comparable, container, seed_component, seed_job

EXAMPLES = DATA / "workflow"


def example(name: str) -> list[Any]:  # Any: JSON
    return list(yaml.safe_load_all((EXAMPLES / name).read_text()))


def machines() -> dict[str, Any]:  # Any: JSON
    return JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large").to_dict()


def seed_pipeline(folder: Path) -> Pipeline:
    op = seed_component(folder)

    def values(number: int, count: int) -> dict[str, object]:
        place = f"{BUCKET}/output/train-step-{number}/"
        return {"job_config": machines(), "output_path": place, "train_data": DATA_URI, "n_estimators": count}

    step1 = op.as_step(name="train-step-1", inputs=values(1, 500))
    accuracy = step1.outputs["test-accuracy"]
    step2 = op.as_condition_step("train-step-2", accuracy <= 0.90, inputs=values(2, 500), depends=[step1])
    step3 = op.as_condition_step("train-step-3", accuracy > 0.90, inputs=values(3, 1000), depends=[step1])
    return Pipeline(steps=[step2, step3])


def loop_pipeline() -> Pipeline:
    foo = PipelineParameter("foo", default="valueFoo")
    op = ContainerComponent(
        image_uri="python:3",
        command=[
            "bash",
            "-c",
            "echo foo={{inputs.parameters.foo}} && mkdir -p /pai/outputs/parameters && echo "
            '\'["a","b"]\' > /pai/outputs/parameters/names',
        ],
        inputs=[
            foo,
            PipelineParameter("lr", typ=float, default=0.1, feasible={"range": "(0, 1]"}),
            PipelineArtifact("data", metadata=ArtifactMetadataUtils.maxc_table()),
        ],
        outputs=[
            PipelineParameter("names"),
            PipelineArtifact("out", metadata=ArtifactMetadataUtils.raw(), path="/pai/outputs/artifacts/out/data"),
        ],
        env={"PYTHONUNBUFFERED": 1},
    )
    table = PipelineArtifact("table", metadata=ArtifactMetadataUtils.maxc_table())
    produce = op.as_step(name="produce", inputs={"data": table})
    ranged = op.as_loop_step("loop-range", range(10), parallelism=10, inputs={"foo": LoopItem(), "data": table})
    named = op.as_loop_step(
        "loop-param", produce.outputs["names"], parallelism=3, inputs={"foo": LoopItem(), "data": table}
    )
    listed = op.as_loop_step(
        "loop-items",
        ["hello", "world"],
        inputs={"foo": LoopItem(), "data": "odps://proj/tables/t1/ds=20200101"},
        depends=[ranged],
    )
    return Pipeline(
        steps=[produce, ranged, named, listed],
        outputs={"final-names": produce.outputs["names"], "final-out": produce.outputs["out"]},
    )


# --- equal to PAI's ----------------------------------------------------------------------------------------------


def test_a_custom_job_is_the_component_that_pais_sdk_writes(tmp_path: Path) -> None:
    text = seed_component(tmp_path).to_manifest("xgb-example", "v-1690000000")
    assert comparable([*yaml.safe_load_all(text)]) == comparable(example("a_custom_job_component.yaml"))


def test_the_pipeline_of_the_seed_is_the_one_that_pais_sdk_writes(tmp_path: Path) -> None:
    text = seed_pipeline(tmp_path).to_manifest("example-custom-job-workflow", "v1")
    assert comparable([*yaml.safe_load_all(text)]) == comparable(example("b_conditional_pipeline.yaml"))


def test_loops_tables_and_outputs_are_those_that_pais_sdk_writes() -> None:
    text = loop_pipeline().to_manifest("loop-example", "v1")
    assert comparable([*yaml.safe_load_all(text)]) == comparable(example("c_loop_pipeline.yaml"))


def test_a_component_is_one_document_and_a_pipeline_a_list(tmp_path: Path) -> None:
    assert seed_component(tmp_path).to_dict()["apiVersion"] == "core/v1"
    documents = seed_pipeline(tmp_path).to_dict(identifier="x", version="free text 1.0 Ä")
    assert [("pipelines" in it["spec"]) for it in documents] == [False, True]
    assert documents[-1]["metadata"]["version"] == "free text 1.0 Ä"


# --- read and written again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(it.name for it in EXAMPLES.glob("*.yaml")))
def test_a_manifest_of_pai_stays_as_it_is(name: str) -> None:
    loaded = Pipeline.from_manifest((EXAMPLES / name).read_text())
    assert [*yaml.safe_load_all(loaded.to_manifest())] == example(name)


def test_a_loaded_pipeline_tells_its_inputs_outputs_and_steps() -> None:
    loaded = Pipeline.from_manifest((EXAMPLES / "c_loop_pipeline.yaml").read_text())
    assert [it.name for it in loaded.inputs] == ["table"]
    assert [it.name for it in loaded.outputs] == ["final-names", "final-out"]
    assert loaded.step_names == ["produce", "loop-range", "loop-param", "loop-items"]
    assert loaded.identifier == "loop-example"


def test_a_loaded_pipeline_is_a_step_of_another(tmp_path: Path) -> None:
    loaded = Pipeline.from_manifest((EXAMPLES / "c_loop_pipeline.yaml").read_text())
    inner = loaded.as_step(name="inner", inputs={"table": "odps://p/tables/t"})
    names = inner.outputs["final-names"]
    last = container(inputs=[PipelineParameter("x")]).as_step(name="last", inputs={"x": names})
    documents = Pipeline(steps=[last]).to_dict()
    assert [len(it["spec"].get("pipelines", [])) for it in documents] == [0, 4, 0, 2]
    again = Pipeline.from_manifest(documents)
    assert again.to_dict() == documents


def test_pipelines_within_each_other_are_documents_of_their_own() -> None:
    """PAI's SDK writes a list within the list here."""
    value = PipelineParameter("value", typ=int)
    op = container(inputs=[PipelineParameter("n", typ=int)], outputs=[PipelineParameter("m", typ=int)])
    one = op.as_step(name="one", inputs={"n": value})
    inner = Pipeline(steps=[one], outputs=[one.outputs["m"]])
    two = inner.as_step(name="two", inputs={"value": 3})
    three = inner.as_condition_step("three", two.outputs["m"] > 2, inputs={"value": two.outputs["m"]})
    documents = Pipeline(steps=[three]).to_dict()
    assert [[step["metadata"]["name"] for step in it["spec"].get("pipelines", [])] for it in documents] == [
        [],
        ["one"],
        ["two", "three"],
    ]
    assert Pipeline.from_manifest(
        Pipeline(steps=[inner.as_step(name="x", inputs={"value": 1})]).to_manifest()
    ).step_names == ["x"]


def test_a_manifest_that_names_registered_components_loads_without_asking_for_them() -> None:
    steps = [
        {
            "metadata": {"name": "split", "identifier": "split", "provider": "pai", "version": "v1"},
            "spec": {"arguments": {"parameters": [{"name": "ratio", "value": "0.7"}], "artifacts": []}},
        },
        {
            "metadata": {"name": "train", "identifier": "logistic", "provider": "pai", "version": "v1"},
            "spec": {
                "arguments": {
                    "parameters": [],
                    "artifacts": [{"name": "input", "from": "{{pipelines.split.outputs.artifacts.outputTable1}}"}],
                },
                "dependencies": ["split"],
                "when": "{{pipelines.split.outputs.parameters.rows}} > 10",
            },
        },
    ]
    document: Any = {"apiVersion": "core/v1", "metadata": {"name": "tmp-1", "guid": "a"}, "spec": {"pipelines": steps}}
    loaded = Pipeline.from_manifest([document])
    assert loaded.to_dict() == document
    steps[1]["spec"]["dependencies"] = ["nobody"]  # type: ignore[index]  # it is one
    with pytest.raises(SpecError, match="depends on `nobody`"):
        Pipeline.from_manifest([document])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no document"),
        ("- 1", "no object"),
        ("a: [", "is invalid"),
        ("a: &x [1]\nb: *x", "alias"),
        ("!!python/object/apply:os.system ['touch x']", "is invalid"),
        ("apiVersion: core/v1\nspec: 3", "damaged"),
        ("spec:\n  pipelines:\n  - metadata: {name: a, guid: gone}", "its component is not in the manifest"),
    ],
)
def test_what_is_no_manifest_is_said(text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        Pipeline.from_manifest(text)


# --- components of custom jobs -----------------------------------------------------------------------------------


def test_a_source_is_packed_when_the_component_is_made(tmp_path: Path) -> None:
    one, two = seed_component(tmp_path), seed_component(tmp_path)
    assert one.source == two.source
    assert one.source is not None
    before = Path(one.source).read_bytes()
    (tmp_path / "src" / "xgb_train.py").write_text("print('changed')")
    assert Path(one.source).read_bytes() == before
    assert seed_job(tmp_path).as_component().source == one.source  # the script is as it was again
    (tmp_path / "src" / "more.py").write_text("")
    assert seed_job(tmp_path).as_component().source != one.source


def test_a_lone_script_and_code_in_oss_are_sources(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)")
    alone = CustomJob(entry_point=str(tmp_path / "train.py")).as_component()
    assert (alone.entry_point, Path(alone.source).suffixes) == ("train.py", [".tar", ".gz"])
    there = CustomJob(entry_point="train.py", source_code="oss://b.e.com/code/source.tar.gz").as_component()
    assert there.source == "oss://b.e.com/code/source.tar.gz"
    with pytest.raises(PaiJupyterError, match="there is no"):
        CustomJob(entry_point=str(tmp_path / "gone.py")).as_component()


def test_parameters_have_the_types_of_their_values() -> None:
    component = CustomJobComponent(
        command=["bash", "-c", "echo 1"],
        image_uri="i",
        parameters={"a": 1, "b": 1.5, "c": True, "d": {"x": 1}, "e": [1], "f": "t"},
    )
    assert [it.typ for it in component.inputs.parameters[2:]] == ["Int", "Double", "Bool", "Map", "Array", "String"]
    envs = component.to_dict()["spec"]["container"]["envs"]
    assert (envs["CUSTOM_JOB_ENTRY_POINT"], envs["CUSTOM_JOB_COMMAND"]) == ("None", "bash -c 'echo 1'")


def test_a_manifest_shows_no_secret(tmp_path: Path) -> None:
    job = seed_job(tmp_path, environments={"WANDB_API_KEY": "k-0123456789abcdef", "MODE": "fast"})
    component = job.as_component()
    assert "k-0123456789abcdef" not in component.to_manifest()
    assert component.to_dict()["spec"]["container"]["envs"]["MODE"] == "fast"
    assert "k-0123456789abcdef" in str(component.documents())
    assert component.to_dict()["spec"]["container"]["envs"]["CUSTOM_JOB_IMAGE_URI"] == IMAGE
