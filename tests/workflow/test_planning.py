"""Manifests as plans: what a step depends on, its loop, its values, its places; and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import Argument, Graph, JobBody, Step
from pai_jupyter.runs.plan_json import plan_from_json, plan_to_json
from pai_jupyter.workflow.outline import outline
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning import Planned, plan_manifest
from pai_jupyter.workflow.remote_notes import notes_for_pai
from tests.support.manifests import (
    OSS,
    TABLE,
    Doc,
    artifact,
    container,
    custom_job,
    out,
    packed,
    parameter,
    pipeline,
    seed_pipeline,
    step,
)

HERE = RunPlace("process")


def planned(*documents: Doc, **more: Any) -> Planned:  # Any: arguments of plan_manifest
    return plan_manifest(documents, name="run", place=HERE, **more)


def steps(found: Planned) -> dict[str, Step]:
    return {step.name: step for step in found.plan.graph.steps}


def refusal(*documents: Doc, **more: Any) -> str:  # Any: arguments of plan_manifest
    with pytest.raises(SpecError) as caught:
        planned(*documents, **more)
    return str(caught.value)


def train(**more: Any) -> Doc:  # Any: arguments of custom_job
    return custom_job(
        inputs=(parameter("n", "Int", value=500), artifact("data")), outputs=(parameter("test-accuracy"),), **more
    )


def only_body(found: Planned) -> JobBody:
    body = found.plan.graph.steps[0].body
    assert isinstance(body, JobBody)
    return body


def test_the_pipeline_of_the_seed_keeps_its_conditions_and_dependencies() -> None:
    found = steps(planned(*seed_pipeline(train())))
    assert [found[name].depends for name in found] == [(), ("train-step-1",), ("train-step-1",)]
    assert found["train-step-3"].condition == f"{out('train-step-1', 'test-accuracy')} > 0.9"


def test_a_plan_survives_run_json() -> None:
    found = planned(*seed_pipeline(train()))
    assert plan_from_json(json.loads(json.dumps(plan_to_json(found.plan)))) == found.plan


def test_a_component_alone_is_a_pipeline_of_one_step() -> None:
    found = planned(train(), parameters={"n": 3}, artifacts={"data": "/d.csv"})
    assert found.plan.parameters == {"n": 3}
    assert steps(found)["job"].parameters["n"] == Argument(value="{{inputs.parameters.n}}", is_template=True)


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ({"withItems": ["a", 1]}, ("items", ["a", 1], False)),
        ({"withParam": out("first", "test-accuracy")}, ("items", out("first", "test-accuracy"), True)),
        ({"withSequence": {"start": 0, "end": 3}}, ("end", 3, False)),
        ({"withSequence": {"end": "{{inputs.parameters.count}}"}}, ("end", "{{inputs.parameters.count}}", True)),
    ],
)
def test_every_kind_of_loop_is_read(loop: Doc, expected: tuple[str, Any, bool]) -> None:
    entry = pipeline(
        step("first"),
        step("each", given={"n": "{{item}}"}, parallelism=3, **loop),
        inputs=(parameter("count", "Int", value=2),),
    )
    found = steps(planned(train(), entry))["each"].loop
    assert found is not None
    assert found.parallelism == 3
    assert getattr(found, expected[0]) == Argument(value=expected[1], is_template=expected[2])


def test_pipelines_within_each_other_keep_inputs_and_outputs() -> None:
    inner = pipeline(
        step("train", given={"n": "{{inputs.parameters.n}}"}),
        guid="inner",
        inputs=(parameter("n", "Int"),),
        outputs=(parameter("acc", **{"from": out("train", "test-accuracy")}),),
    )
    entry = pipeline(step("nested", guid="inner", given={"n": 5}), step("after", when=f"{out('nested', 'acc')} > 1"))
    body = steps(planned(train(), inner, entry))["nested"].body
    assert isinstance(body, Graph)
    assert body.output_parameters["acc"].value == out("train", "test-accuracy")
    assert body.parameters[0].required


def test_a_registered_component_is_looked_up_by_its_name_and_version() -> None:
    asked = []

    def lookup(*name: str) -> list[Doc]:
        asked.append(name)
        return [train()]

    entry = pipeline(step("one"))
    entry["spec"]["pipelines"][0]["metadata"] = {
        "name": "one",
        "identifier": "xgb",
        "provider": "12",
        "version": "v-1",
    }
    assert isinstance(steps(planned(entry, lookup=lookup))["one"].body, JobBody)
    assert asked == [("xgb", "12", "v-1")]
    assert "`xgb` v-1 cannot be looked up" in refusal(entry)


def test_retries_and_cache_of_a_step_are_read() -> None:
    found = steps(planned(train(), pipeline(step("one", retries=2, cache=True))))["one"]
    assert (found.retries, found.cache) == (2, True)


def test_code_in_a_file_becomes_a_package_of_the_run_and_code_in_oss_an_address(tmp_path: Path) -> None:
    file = packed(tmp_path / "code.tar.gz", train_py="print()")
    found = planned(train(source=file))
    (name,) = found.packages
    assert found.packages == {name: file}
    assert only_body(found).data["package"] == name
    address = "oss://bucket.oss-cn-hangzhou.aliyuncs.com/source.tar.gz"
    assert only_body(planned(train(source=address))).data["source"] == address


def test_equal_code_gives_an_equal_digest_whatever_its_component_is_called(tmp_path: Path) -> None:
    file, other = packed(tmp_path / "a.tar.gz", train_py="1"), packed(tmp_path / "b.tar.gz", train_py="2")
    digests = [only_body(planned(train(source=it, guid=guid))).digest for it, guid in ((file, "a"), (file, "b"))]
    assert digests[0] == digests[1] != only_body(planned(train(source=other))).digest


def test_secrets_are_beside_the_plan_and_not_in_it() -> None:
    job = train()
    job["spec"]["container"]["envs"] |= {"HF_TOKEN": "hf_secret", "MODE": "fast"}
    found = planned(job)
    assert found.secrets == {"HF_TOKEN": "hf_secret"}
    assert found.plan.secrets == ("HF_TOKEN",)
    assert "hf_secret" not in json.dumps(plan_to_json(found.plan))
    assert only_body(found).data["environments"] == {"MODE": "fast"}


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ('{"location": {"bucket": "b", "key": "k/x.csv", "endpoint": "e.com"}}', "oss://b.e.com/k/x.csv"),
        ({"location": {"bucket": "b", "key": "k/"}}, "oss://b/k/"),
        ("oss://b/k", "oss://b/k"),
        ("/data/train.csv", "/data/train.csv"),
        ('{"location": {"path": "/data"}}', "/data"),
    ],
)
def test_artifacts_are_places(value: Any, place: str) -> None:
    found = steps(planned(train(), pipeline(step("one", places={"data": value}))))
    assert found["one"].artifacts["data"] == Argument(value=place)


def test_a_local_place_is_absolute_since_the_driver_has_another_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = steps(planned(train(), pipeline(step("one", places={"data": "train.csv"}))))
    assert found["one"].artifacts["data"].value == str(tmp_path / "train.csv")


def test_a_repeated_artifact_has_several_places() -> None:
    job = custom_job(inputs=(artifact("data", repeated=True),))
    value = {"value": '{"location": {"bucket": "b", "key": "1"}}', "metadata": OSS}
    items = [{"name": "data_0", "value": value}, {"name": "data_1", "value": "/x"}]
    found = steps(planned(job, pipeline(step("one", places={"data": items}))))
    assert found["one"].artifacts["data"].value == ["oss://b/1", "/x"]


def test_a_table_may_be_passed_on_but_no_job_of_this_machine_reads_it() -> None:
    table = '{"location": {"project": "p", "table": "t", "partition": "ds=1"}}'
    job = custom_job(inputs=(artifact("data", TABLE),))
    assert "artifact `data` is odps://p/tables/t/ds=1 in MaxCompute" in refusal(
        job, pipeline(step("one", places={"data": table}))
    )
    entry = pipeline(
        step("one"),
        inputs=(artifact("table", TABLE),),
        outputs=(artifact("same", TABLE, **{"from": "{{inputs.artifacts.table}}"}),),
    )
    assert planned(job, entry, artifacts={"table": table}).plan.artifacts == {"table": "odps://p/tables/t/ds=1"}


def test_a_container_that_does_not_look_at_a_table_may_be_given_it() -> None:
    table = '{"location": {"project": "p", "table": "t"}}'
    entry = pipeline(step("one", guid="box", places={"data": table}))
    given = (artifact("data", TABLE),)
    assert steps(planned(container("echo", inputs=given), entry))["one"].artifacts["data"].value == "odps://p/tables/t"
    assert "in MaxCompute" in refusal(container("echo", "{{inputs.artifacts.data}}", inputs=given), entry)


def test_values_have_the_types_that_are_declared_and_ranges_of_numbers() -> None:
    job = custom_job(
        inputs=(
            parameter("a", "long", value="7"),
            parameter("b", "Double", value=0.1, feasible={"range": "(0, 1]"}),
            parameter("c", "Int", value=1, feasible={"range": "None"}),
            parameter("d", "dict", value=""),
        )
    )
    declared = {it.name: it for it in only_body(planned(job)).parameters}
    assert (declared["a"].type, declared["d"].type, declared["d"].required) == ("Int", "Map", False)
    assert (declared["b"].feasible, declared["c"].feasible) == ("(0, 1]", None)
    assert "it must be in (0, 1]" in refusal(job, pipeline(step("one", given={"b": 2})))


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (pipeline(step("one", given={"n": "abc"})), "step `one`: parameter `n` is 'abc'; it must be a whole number"),
        (pipeline(step("one", given={"m": 1})), "step `one`: it has no input parameter `m`"),
        (pipeline(step("one", "two")), "step `one`: it depends on `two`"),
        (pipeline(step("one", "two"), step("two", "one")), "wait for each other in a circle"),
        (pipeline(step("one", guid="gone")), "step `one`: its component is not in the manifest"),
        (pipeline(step("one", when="1 ~ 2")), "step `one`: "),
        (pipeline(step("one", places={"data": "{nothing}"})), "step `one`: artifact `data` must be a path"),
        (pipeline(step("one", retries=-1)), "step `one`: `spec.pipelines[0].spec.retries`"),
        (pipeline(step("one", given={"n": "{{inputs.x}}"})), "step `one`: {{inputs.x}} is no reference"),
        (pipeline(), "the pipeline has no steps"),
    ],
)
def test_what_is_wrong_names_the_step(entry: Doc, sentence: str) -> None:
    assert sentence in refusal(train(), entry)


def test_an_error_within_a_pipeline_names_the_whole_path() -> None:
    inner = pipeline(step("train", guid="gone"), guid="inner")
    assert refusal(inner, pipeline(step("nested", guid="inner"))).startswith("step `nested/train`: its component")


def test_a_missing_required_value_is_found_before_the_run() -> None:
    job = custom_job(inputs=(parameter("n", "Int"),))
    assert "step `one`: parameter `n` has no value" in refusal(job, pipeline(step("one")))


@pytest.mark.parametrize(
    ("component", "sentence"),
    [
        (container("run", volumes=[{"name": "v"}]), "has `volumes`"),
        (container("run", sideCarContainers=[{}]), "has `sideCarContainers`"),
        (container(), "has no command"),
        (container("run", outputs=(artifact("m", path="/work/out"),)), "writes an artifact to /work/out"),
        (container("run", outputs=(artifact("m", path="/ml/output/../m"),)), "writes an artifact to /ml/output/../m"),
        (
            container("run", outputs=(parameter("o", path="/tmp/o"),)),
            "writes the output parameter `o` to /tmp/o. Let it write below /pai/outputs/ or /ml/output/.",
        ),
        (
            custom_job(outputs=(parameter("o", path="/pai/outputs/o"),)),
            "writes the output parameter `o` to /pai/outputs/o. Let it write below /ml/output/.",
        ),
        (custom_job(type="TFJob", entry_point="None"), "neither an entry point nor a command"),
        (custom_job(source="/gone.tar.gz"), "the packed code /gone.tar.gz cannot be read"),
        (custom_job(inputs=(parameter("x", "Thing"),)), "parameter `x` has the type 'Thing'"),
        ({"apiVersion": "core/v1", "metadata": {"name": "x"}, "spec": {}}, "neither a container nor steps"),
        ({"apiVersion": "core/v9", "metadata": {"name": "x"}, "spec": {}}, "only core/v1 is known"),
        ({"metadata": {"name": "x"}, "spec": []}, "the manifest is damaged"),
    ],
)
def test_what_cannot_run_here_is_refused(component: Doc, sentence: str) -> None:
    assert sentence in refusal(component)


def test_values_in_shell_text_are_noted() -> None:
    box = container("bash", "-c", "echo {{inputs.parameters.x}}", inputs=(parameter("x", value=""),))
    assert any("puts values into shell text" in note for note in planned(box).notes)
    plain = container("echo", "{{inputs.parameters.x}}", inputs=(parameter("x", value=""),))
    assert planned(plain).notes == ()


def test_a_pipeline_that_is_within_itself_ends_with_a_sentence() -> None:
    entry = pipeline(step("again"))
    entry["spec"]["pipelines"][0]["metadata"] = {
        "name": "again",
        "identifier": "pipe",
        "provider": "1",
        "version": "v1",
    }
    assert "pipelines are within each other" in refusal(entry)


@pytest.mark.parametrize("backend", ["pai", "nowhere"])
def test_a_place_that_is_not_this_machine_is_refused(backend: str) -> None:
    with pytest.raises(SpecError, match=f"`backend` is '{backend}'"):
        RunPlace(backend)


def test_a_step_that_can_never_run_is_a_note_of_run_and_drawing_here_and_at_pai() -> None:
    accuracy = out("train", "test-accuracy")
    entry = pipeline(
        step("train"),
        step("poor", "train", when=f"{accuracy} <= 0.9"),
        step("good", "train", when=f"{accuracy} > 0.9"),
        step("report", "poor", "good"),
    )
    documents = [train(), entry]
    drawn = outline(documents, name="n").notes
    assert ["step `report` can never run" in note for note in drawn] == [True]
    assert planned(*documents).plan.notes == planned(*documents).notes == drawn
    assert {*drawn} <= {*notes_for_pai(documents)}
