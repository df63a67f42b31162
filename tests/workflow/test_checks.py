"""What is refused before anything runs: each row of the validation of PAI's SDK, and those that it lets pass."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import CustomJob, JobConfig
from pai_jupyter.errors import SpecError
from pai_jupyter.workflow import (
    ArtifactMetadataUtils,
    ContainerComponent,
    CustomJobComponent,
    LoopItem,
    Pipeline,
    PipelineArtifact,
    PipelineParameter,
    PipelineVariable,
    check_documents,
)
from pai_jupyter.workflow.running import checked_arguments
from tests.support.workflows import container

P, A = PipelineParameter, PipelineArtifact
UTILS = ArtifactMetadataUtils


def refusal(make: Callable[[], object]) -> str:
    with pytest.raises(SpecError) as caught:
        make()
    return str(caught.value)


def op(**more: Any) -> ContainerComponent:  # Any: arguments of `container`
    given = {
        "inputs": [P("a", default="x"), P("n", typ=int, default=3, feasible={"range": "[1, 10)"})],
        "outputs": [P("o")],
    }
    return container(**{**given, **more})


def taking(variable: PipelineVariable) -> ContainerComponent:
    return container(inputs=[variable])


def pipeline_of(*names: str) -> Pipeline:
    one = op()
    return Pipeline(steps=[one.as_step(name=name) for name in names])


# --- steps -------------------------------------------------------------------------------------------------------


def test_a_pipeline_needs_steps() -> None:
    assert "needs at least one step" in refusal(lambda: Pipeline(steps=[]))
    assert "`steps` must be a list of steps" in refusal(lambda: Pipeline(steps=(op().as_step(),)))  # type: ignore[arg-type]
    assert "`steps` must be a list of steps" in refusal(lambda: Pipeline(steps=[op()]))  # type: ignore[list-item]


def test_steps_have_names_of_their_own() -> None:
    assert "two steps of the name `s`" in refusal(lambda: pipeline_of("s", "s"))
    names = [step.name for step in Pipeline(steps=[op().as_step(), op().as_step(), op().as_step(name="mine")]).steps]
    assert len({*names}) == 3
    assert names[-1] == "mine"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("x" * 31, "31 characters; there may be 30"),
        ("a b.c", "other characters than letters"),
        ("a/b", "other characters"),
        ("../../x", "other characters"),
        ("{{inputs.parameters.x}}", "other characters"),
        ("$(touch x)", "other characters"),
        ("训练", "other characters"),
        ("a\nb", "other characters"),
        ("-a", "other characters"),
        ("", "name of a step is text"),
        (3, "name of a step is text"),
    ],
)
def test_names_of_steps_fit_into_references_and_paths(name: Any, sentence: str) -> None:  # Any: what users give
    assert sentence in refusal(lambda: op().as_step(name=name))


def test_a_loaded_pipeline_has_no_hostile_names_either() -> None:
    documents = pipeline_of("fine").to_dict()
    documents[-1]["spec"]["pipelines"][0]["metadata"]["name"] = "$(touch x)"
    assert "other characters" in refusal(lambda: check_documents(documents))


def test_a_step_is_in_one_pipeline() -> None:
    step = op().as_step(name="a")
    Pipeline(steps=[step])
    assert "`a` is in a pipeline already" in refusal(lambda: Pipeline(steps=[step]))
    assert "`a` is in a pipeline already" in refusal(lambda: Pipeline(steps=[op().as_step(depends=[step])]))


def test_steps_that_wait_for_each_other_are_named() -> None:
    one, two = op().as_step(name="one"), op().as_step(name="two")
    one.after(two)
    two.after(one)
    assert "in a circle: `" in refusal(lambda: Pipeline(steps=[one]))


def test_what_is_reached_only_through_depends_or_a_condition_belongs_to_the_pipeline() -> None:
    first, second, other = op().as_step(name="first"), op().as_step(name="second"), op().as_step(name="other")
    second.after(first)
    last = op().as_condition_step("last", (second.outputs["o"] == "x") & (other.outputs["o"] != "y"))
    assert [step.name for step in Pipeline(steps=[last]).steps] == ["other", "first", "second", "last"]


def test_what_a_refused_pipeline_had_can_be_used_again() -> None:
    value = P("v", typ=int)
    step = taking(P("x", typ=int)).as_step(name="s", inputs={"x": value})
    lacking = taking(P("must")).as_step(name="t")
    assert "`must` has no value" in refusal(lambda: Pipeline(steps=[step, lacking]))
    pipeline = Pipeline(steps=[step])
    assert pipeline.inputs["v"].parent is pipeline


# --- inputs ------------------------------------------------------------------------------------------------------


def test_an_input_that_is_none_is_named_with_those_that_are() -> None:
    assert (
        refusal(lambda: op().as_step(name="s", inputs={"zzz": 1}))
        == "step `s` has no input 'zzz'. Its inputs: `a`, `n`."
    )


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (50, "parameter `n` is 50; it must be in [1, 10)"),
        ("abc", "parameter `n` is 'abc'; it must be a whole number (Int)"),
        (1.5, "must be a whole number"),
        (True, "must be a whole number"),
        (None, "is given None"),
        ({"x": 1}, "must be a whole number"),
        (object(), "no value of JSON"),
        (float("nan"), "must be a whole number"),
    ],
)
def test_values_are_of_the_type_and_in_the_range(value: object, sentence: str) -> None:
    assert sentence in refusal(lambda: op().as_step(name="s", inputs={"n": value}))


def test_text_that_is_a_number_becomes_one() -> None:
    spec = op().as_step(name="s", inputs={"n": "5"}).to_dict()["spec"]
    assert spec == {"arguments": {"parameters": [{"name": "n", "value": 5}], "artifacts": []}}


def test_an_input_without_a_value_is_missing() -> None:
    needs = taking(P("must", typ=int))
    assert "parameter `must` has no value" in refusal(lambda: Pipeline(steps=[needs.as_step(name="s")]))
    whole = taking(A("data", metadata=UTILS.oss_dataset(), required=True))
    assert "artifact `data` has no value" in refusal(lambda: Pipeline(steps=[whole.as_step(name="s")]))


def test_an_output_of_another_type_is_refused() -> None:
    source = container(outputs=[P("i", typ=int), P("t")]).as_step(name="t")
    sentence = refusal(lambda: taking(P("x")).as_step(name="s", inputs={"x": source.outputs["i"]}))
    assert "parameter `x` is of type String, and is given `i` of type Int" in sentence
    assert taking(P("x")).as_step(name="s", inputs={"x": source.outputs["t"]}).depends == [source]


def test_a_loaded_manifest_is_checked_for_types_too() -> None:
    source = container(outputs=[P("i", typ=int)]).as_step(name="t")
    step = taking(P("x", typ=int)).as_step(name="s", inputs={"x": source.outputs["i"]})
    documents = Pipeline(steps=[step]).to_dict()
    documents[1]["spec"]["inputs"]["parameters"][0]["type"] = "Map"
    assert "step `s`: parameter `x` is of type Map" in refusal(lambda: check_documents(documents))


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"metadata": UTILS.maxc_table().to_dict()},
            "step `s`: artifact `d` is DataSet MaxComputeTable, and is given `data`, DataSet OSS. Give it one of its kind.",
        ),
        (
            {"metadata": UTILS.oss_model().to_dict()},
            "step `s`: artifact `d` is Model OSS, and is given `data`, DataSet OSS. Give it one of its kind.",
        ),
        ({"metadata": UTILS.raw().to_dict()}, None),
        ({"metadata": {"type": "odd"}}, None),
        ({"repeated": True}, None),
    ],
)
def test_a_loaded_manifest_is_checked_for_kinds_of_artifacts_too(
    depth: int, changes: dict[str, Any], sentence: str | None
) -> None:
    one = container(outputs=[A("data", path="/ml/output/data")])
    source = one.as_step(name="t")
    if depth:
        source = Pipeline(steps=[source], outputs=[source.outputs["data"]]).as_step(name="t")
    step = taking(A("d")).as_step(name="s", inputs={"d": source.outputs["data"]})
    documents = Pipeline(steps=[step]).to_dict()
    (declared,) = [it for each in documents for it in each["spec"]["inputs"]["artifacts"] if it["name"] == "d"]
    declared |= changes
    text = json.dumps(documents)  # JSON is YAML
    if sentence is None:
        Pipeline.from_manifest(json.loads(text))
    else:
        assert sentence == refusal(lambda: Pipeline.from_manifest(json.loads(text)))


def test_one_place_is_not_given_several_in_a_loaded_manifest_either() -> None:
    source = container(outputs=[A("data", path="/ml/output/data", repeated=True)]).as_step(name="t")
    step = taking(A("d", repeated=True)).as_step(name="s", inputs={"d": source.outputs["data"][0:2]})
    documents = Pipeline(steps=[step]).to_dict()
    Pipeline.from_manifest(documents)
    (argument,) = documents[-1]["spec"]["pipelines"][1]["spec"]["arguments"]["artifacts"]
    documents[1]["spec"]["inputs"]["artifacts"][0]["repeated"] = False
    argument.pop("value")
    argument["from"] = "{{pipelines.t.outputs.artifacts.data}}"
    assert "`d` is one place, and `data` is several" in refusal(lambda: Pipeline.from_manifest(documents))
    argument["from"] = "{{pipelines.t.outputs.artifacts.data_0}}"
    Pipeline.from_manifest(documents)


def test_a_parameter_is_no_artifact_nor_the_other_way_round() -> None:
    source = container(outputs=[P("o"), A("data", metadata=UTILS.raw(), path="/ml/output/data")]).as_step(name="t")
    data = taking(A("d", metadata=UTILS.oss_dataset()))
    assert "is given the parameter `o`" in refusal(lambda: data.as_step(name="s", inputs={"d": source.outputs["o"]}))
    text = taking(P("x"))
    assert "is given the artifact `data`" in refusal(
        lambda: text.as_step(name="s", inputs={"x": source.outputs["data"]})
    )


def test_artifacts_are_of_one_kind() -> None:
    source = container(
        outputs=[A("t", metadata=UTILS.maxc_table()), A("any", metadata=UTILS.raw(), path="/ml/output/any")]
    )
    step = source.as_step(name="t")
    target = taking(A("d", metadata=UTILS.oss_dataset()))
    sentence = refusal(lambda: target.as_step(name="s", inputs={"d": step.outputs["t"]}))
    assert "`d` is DataSet OSS, and is given `t`, DataSet MaxComputeTable" in sentence
    target.as_step(name="s", inputs={"d": step.outputs["any"]})


@pytest.mark.parametrize("place", ["", 3, None, "ftp://x/y", "oss://", "odps://only", ["a", "b"]])
def test_a_place_is_a_path_or_an_address(place: object) -> None:
    target = taking(A("d", metadata=UTILS.oss_dataset()))
    sentence = refusal(lambda: target.as_step(name="s", inputs={"d": place}))
    assert sentence.startswith("step `s`: ")
    assert "`d`" in sentence or "is no address in OSS" in sentence


def test_repeated_artifacts_are_given_by_place() -> None:
    several = container(outputs=[A("parts", metadata=UTILS.oss_dataset(), repeated=True, path="/ml/output/parts")])
    step = several.as_step(name="split")
    one = taking(A("d", metadata=UTILS.oss_dataset()))
    assert "Give it one of them: parts[0]" in refusal(lambda: one.as_step(inputs={"d": step.outputs["parts"]}))
    use = one.as_step(name="use", inputs={"d": step.outputs["parts"][1]})
    documents = Pipeline(steps=[use]).to_dict()
    first, second = documents[-1]["spec"]["pipelines"]
    assert first["spec"]["arguments"]["artifacts"] == [{"name": "parts", "value": [None, None]}]
    assert second["spec"]["arguments"]["artifacts"] == [
        {"name": "d", "from": "{{pipelines.split.outputs.artifacts.parts_1}}"}
    ]
    assert "is one place" in refusal(lambda: use.inputs["d"][0])
    many = taking(A("all", metadata=UTILS.oss_dataset(), repeated=True))
    whole: Any = many.as_step(name="all", inputs={"all": ["oss://bucket.e.com/1", "odps://p/tables/t"]}).to_dict()[
        "spec"
    ]
    assert [it["name"] for it in whole["arguments"]["artifacts"][0]["value"]] == ["all_0", "all_1"]
    assert "empty list" in refusal(lambda: many.as_step(inputs={"all": []}))


# --- components and pipelines ------------------------------------------------------------------------------------


def test_names_are_there_once() -> None:
    assert "input `a` is there twice" in refusal(lambda: container(inputs=[P("a"), A("a")]))
    assert "output `a` is there twice" in refusal(lambda: container(outputs=[P("a"), P("a")]))
    assert container(inputs=[P("a")], outputs=[P("a")]).inputs["a"].name == "a"  # as in PAI's SDK
    assert "input `output_path` is there twice" in refusal(
        lambda: CustomJobComponent(entry_point="t.py", parameters={"output_path": "x"})
    )


def test_a_pipeline_has_no_input_and_output_of_one_name() -> None:
    value = P("o")
    step = container(inputs=[P("x")], outputs=[P("o")]).as_step(name="s", inputs={"x": value})
    sentence = refusal(lambda: Pipeline(steps=[step], outputs=[step.outputs["o"]]))
    assert sentence == "the pipeline has two inputs or outputs of the name `o`. Rename one of them."


def test_the_inputs_of_a_pipeline_are_those_that_are_used() -> None:
    px, py, unused = P("px"), P("py"), P("unused")

    def step() -> Any:  # Any: a step
        return container(inputs=[P("x"), P("y")]).as_step(name="s", inputs={"x": px, "y": py})

    assert "`inputs` lacks `py`" in refusal(lambda: Pipeline(steps=[step()], inputs=[px]))
    assert "`unused` is used by no step" in refusal(lambda: Pipeline(steps=[step()], inputs=[px, py, unused]))
    assert [it.name for it in Pipeline(steps=[step()], inputs=[py, px]).inputs] == ["py", "px"]


def test_outputs_are_those_of_steps() -> None:
    step = op().as_step(name="s")
    pipeline = Pipeline(steps=[step], outputs=[step.outputs["o"]])
    assert pipeline.outputs.to_dict()["parameters"] == [
        {"name": "o", "from": "{{pipelines.s.outputs.parameters.o}}", "type": "String"}
    ]
    assert "must be the output of a step" in refusal(lambda: Pipeline(steps=[op().as_step()], outputs=["o"]))  # type: ignore[list-item]
    two = [op().as_step(name="a"), op().as_step(name="b")]
    assert "two outputs have the name `o`" in refusal(
        lambda: Pipeline(steps=two, outputs=[it.outputs["o"] for it in two])
    )


def test_a_variable_of_a_component_is_not_that_of_a_step() -> None:
    component = op()
    user = taking(P("x")).as_step(name="s", inputs={"x": component.outputs["o"]})
    assert "Use that of a step" in refusal(lambda: Pipeline(steps=[user]))


def test_an_input_of_another_pipeline_is_named_as_that() -> None:
    start = P("start")
    Pipeline(steps=[taking(P("x")).as_step(name="s", inputs={"x": start})])
    again = taking(P("x")).as_step(name="t", inputs={"x": start})
    assert "`start` is an input of another pipeline or component. Make one for each" in refusal(
        lambda: Pipeline([again])
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [({"default_value": 1}, "default=VALUE"), ({"value": 1}, "default=VALUE"), ({"type": int}, "typ=TYPE")],
)
def test_a_wrong_keyword_of_a_parameter_is_answered_with_the_right_one(given: Any, said: str) -> None:
    with pytest.raises(SpecError, match=rf"^PipelineParameter has no argument `{next(iter(given))}`\. Write {said}"):
        PipelineParameter("lr", **given)


def test_parameters_have_a_known_type_and_range() -> None:
    assert "must be one of: Int, Double, String, Bool, Map, Array" in refusal(lambda: P("a", typ="date"))
    assert "is no range" in refusal(lambda: P("a", typ=int, feasible={"range": "0..1"}))
    assert "lower bound is above" in refusal(lambda: P("a", typ=int, feasible={"range": "[3, 1]"}))
    assert P("a", typ=int, feasible={"range": "[0, INF)"}).to_dict()["feasible"] == {"range": "[0, INF)"}
    assert "must be one of" in refusal(lambda: P("a", default="z", feasible={"enum": ["x", "y"]}))
    aliases = {
        "long": "Int",
        "integer": "Int",
        "float": "Double",
        "str": "String",
        "boolean": "Bool",
        "dict": "Map",
        "list": "Array",
    }
    assert {it: P("a", typ=it).typ for it in aliases} == aliases
    assert "has no value" in refusal(lambda: CustomJobComponent(entry_point="t.py", parameters={"a": None}))


def test_components_need_what_they_run() -> None:
    assert "needs an image" in refusal(lambda: ContainerComponent(image_uri="", command="x"))
    assert "needs a command" in refusal(lambda: ContainerComponent(image_uri="i", command=[]))
    assert "give either `entry_point` or `command`" in refusal(lambda: CustomJobComponent(image_uri="i"))
    assert "has a machine" in refusal(lambda: JobConfig.create())


def test_the_arguments_of_a_run_are_checked() -> None:
    component = container(inputs=[P("n", typ=int), A("d", metadata=UTILS.oss_dataset(), required=True)])
    assert "has no input `q`" in refusal(lambda: checked_arguments(component, {"q": 1}))
    assert "needs the artifact `d`" in refusal(lambda: checked_arguments(component, {"n": 1}))
    assert "needs the artifact `d`" in refusal(lambda: checked_arguments(component, None))
    assert "whole number" in refusal(lambda: checked_arguments(component, {"n": "x", "d": "oss://bucket.e.com/k"}))
    given = checked_arguments(component, {"n": "4", "d": "oss://bucket.e.com/k"})
    assert given == {"n": 4, "d": "oss://bucket.e.com/k"}


def test_a_variable_belongs_to_one_component() -> None:
    shared = P("x")
    container(inputs=[shared])
    assert "belongs to another component" in refusal(lambda: container(inputs=[shared]))


# --- loops -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("items", [3, "abc", None, {"a": 1}, P("n", typ=int), range(100_000)])
def test_a_loop_runs_over_a_list(items: object) -> None:
    assert "loop" in refusal(lambda: op().as_loop_step("l", items))


def test_a_range_with_a_step_is_a_list() -> None:
    spec = op().as_loop_step("l", range(0, 6, 2), inputs={"a": LoopItem()}).to_dict()["spec"]
    assert spec["withItems"] == [0, 2, 4]  # type: ignore[index,call-overload]  # PAI's SDK fails here


def test_the_item_of_a_loop_is_not_compared_in_python() -> None:
    assert "loop over the pipeline" in refusal(lambda: LoopItem() > 0.5)


def test_a_whole_number_goes_into_a_number_and_names_that_nobody_gave_are_not_said() -> None:
    count = container(outputs=[P("n", typ=int)]).as_step(name="count").outputs["n"]
    lr = P("lr", typ=float, feasible={"range": "(0, 1]"})
    step = taking(P("x", typ=float)).as_step(name="use", inputs={"x": count})
    assert step.assignments["x"].given is count
    pipeline = Pipeline(steps=[taking(P("x", typ=float)).as_step(inputs={"x": lr})])
    assert refusal(lambda: checked_arguments(pipeline, {"l": 1})).startswith("the pipeline has no input `l`.")
    assert "tmp-" not in refusal(lambda: checked_arguments(pipeline, {"lr": 3}))


def test_the_item_is_that_of_a_loop() -> None:
    assert "there is no loop" in refusal(lambda: Pipeline(steps=[op().as_step(name="s", inputs={"a": LoopItem()})]))
    assert "whole number from 1" in refusal(lambda: op().as_loop_step("l", [1], parallelism=0))
    assert "`retries` is -1" in refusal(lambda: op().as_step(retries=-1))


@pytest.mark.parametrize("name", ["o", "places", "places_0"])
def test_what_is_known_later_is_not_put_into_a_text_now(name: str) -> None:
    several = PipelineArtifact("places", repeated=True)
    first = container(outputs=[P("o"), several]).as_step(name="first")
    given = first.outputs["places"][0] if name == "places_0" else first.outputs[name]
    assert f"`{name}` is known only when the pipeline runs" in refusal(lambda: f"it is {given}")


def test_the_item_of_a_loop_may_be_in_a_text() -> None:
    step = op().as_loop_step("l", ["x"], inputs={"a": f"item {LoopItem()}"})
    assert step.to_dict()["spec"]["arguments"]["parameters"] == [{"name": "a", "value": "item {{item}}"}]  # type: ignore[index,call-overload]  # as it is written


def test_references_within_values_are_dependencies() -> None:
    first = op().as_step(name="first")
    step = taking(P("m", typ=dict)).as_step(name="s", inputs={"m": {"deep": [first.outputs["o"]]}})
    documents = Pipeline(steps=[step]).to_dict()
    spec = documents[-1]["spec"]["pipelines"][1]["spec"]
    assert spec["dependencies"] == ["first"]
    assert spec["arguments"]["parameters"][0]["value"] == {"deep": ["{{pipelines.first.outputs.parameters.o}}"]}


def test_a_job_has_to_be_one_of_paths_that_are_there(tmp_path: Path) -> None:
    assert "is not a directory" in refusal(
        lambda: CustomJob(entry_point="t.py", source_code=tmp_path / "x").as_component()
    )
