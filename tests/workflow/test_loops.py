"""Loops over components: what one gives is a list, each value in the place of its item, and goes on as one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import CustomJob
from pai_jupyter.errors import SpecError
from pai_jupyter.runs import Run
from pai_jupyter.workflow import (
    ArtifactMetadataUtils,
    CustomJobComponent,
    LoopItem,
    Pipeline,
    PipelineArtifact,
    PipelineParameter,
    PipelineStep,
    check_documents,
)
from tests.support.manifests import container, out, parameter, pipeline, step
from tests.support.workflows import container as component

P, A = PipelineParameter, PipelineArtifact
RAW = ArtifactMetadataUtils.raw()
WRITE = """
import json, os, pathlib
def give(name, value):
    (pathlib.Path(os.environ["PAI_OUTPUT_OUTPUT_PARAMETERS"]) / name).write_text(json.dumps(value))
"""
TRAIN = "give('accuracy', 1 - float(os.environ['PAI_HPS_LR']))"
PICK = "accs = json.loads(os.environ['PAI_HPS_ACCS']); give('best', accs.index(max(it for it in accs if it)))"


def job(
    folder: Path, code: str, parameters: dict[str, Any], **outputs: Any
) -> CustomJobComponent:  # Any: values, types
    """A custom job of this code, which gives outputs of these types."""
    folder.mkdir(parents=True)
    (folder / "job.py").write_text(WRITE + code)
    made = CustomJob(entry_point="job.py", source_code=folder, parameters=parameters)
    found: CustomJobComponent = made.as_component(outputs=[P(name, typ=typ) for name, typ in outputs.items()])
    return found


def train(folder: Path) -> CustomJobComponent:
    return job(folder / "train", TRAIN, {"lr": 0.1}, accuracy=float)


def sweep(component: CustomJobComponent, items: object = (0.4, 0.2)) -> PipelineStep:
    return component.as_loop_step("sweep", items, inputs={"lr": LoopItem()})


def here(*steps: PipelineStep) -> Run:
    run: Run = Pipeline(steps=list(steps)).local_run("demo", backend="process")
    return run


def given(run: Run) -> dict[str, Any]:  # Any: values of JSON
    return {it.name: dict(it.parameters) for it in run.state.steps}


def refusal(make: Callable[[], object]) -> str:
    with pytest.raises(SpecError) as caught:
        make()
    return str(caught.value)


# --- what a loop gives ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("workplace")
def test_a_step_picks_the_best_of_a_sweep(tmp_path: Path) -> None:
    each = sweep(train(tmp_path))
    pick = job(tmp_path / "pick", PICK, {"accs": []}, best=int)
    run = here(pick.as_step("pick", inputs={"accs": each.outputs["accuracy"]}))
    assert given(run) == {"sweep": {"accuracy": [0.6, 0.8]}, "pick": {"best": 1}}


@pytest.mark.usefixtures("workplace")
def test_what_a_loop_gives_is_looped_over_and_written_into_text(tmp_path: Path) -> None:
    found = sweep(train(tmp_path)).outputs["accuracy"]
    again = train(tmp_path / "more").as_loop_step("again", found, inputs={"lr": LoopItem()})
    text = job(tmp_path / "text", "give('text', os.environ['PAI_HPS_X'])", {"x": ""}, text=str)
    run = here(again, text.as_step("text", inputs={"x": found}))
    assert [round(it, 6) for it in given(run)["again"]["accuracy"]] == [0.4, 0.2]
    assert given(run)["text"] == {"text": '"[0.6,0.8]"'}


@pytest.mark.usefixtures("workplace")
def test_an_item_whose_step_was_skipped_keeps_its_place(tmp_path: Path) -> None:
    one = train(tmp_path)
    lr = P("lr", typ=float)
    first = one.as_step("first", inputs={"lr": lr})
    second = one.as_condition_step("second", first.outputs["accuracy"] > 0.7, inputs={"lr": 0.05})
    inner = Pipeline(steps=[second], outputs={"acc": first.outputs["accuracy"], "acc2": second.outputs["accuracy"]})
    each = inner.as_loop_step("each", [0.6, 0.2], inputs={"lr": LoopItem()})
    pick = job(tmp_path / "pick", PICK, {"accs": []}, best=int)
    run = here(pick.as_step("pick", inputs={"accs": each.outputs["acc2"]}))
    assert given(run) == {"each": {"acc": [0.4, 0.8], "acc2": [None, 0.95]}, "pick": {"best": 1}}


def test_an_output_of_a_pipeline_that_a_loop_gives_is_a_list_for_the_next(tmp_path: Path) -> None:
    inner = Pipeline(steps=[each := sweep(train(tmp_path))], outputs={"all": each.outputs["accuracy"]})
    found = inner.as_step("inner").outputs["all"]
    assert found.typ == "Array"
    assert "is of type Double" in refusal(lambda: train(tmp_path / "more").as_step("x", inputs={"lr": found}))


# --- what does not fit is refused before anything runs -------------------------------------------------------------


def test_a_number_is_not_given_the_list_of_a_loop(tmp_path: Path) -> None:
    found = sweep(train(tmp_path)).outputs["accuracy"]
    said = refusal(lambda: component(inputs=[P("accs", typ=float)]).as_step("m", inputs={"accs": found}))
    assert "`accuracy` of a loop, a list with the value of each item" in said
    assert "PipelineParameter('accs', typ=list)" in said


def test_a_condition_does_not_order_the_list_of_a_loop(tmp_path: Path) -> None:
    one = train(tmp_path)
    found = sweep(one).outputs["accuracy"]
    said = refusal(lambda: Pipeline(steps=[one.as_condition_step("c", found > 0.5)]))
    assert "step `c`: its condition compares `accuracy` of type Array with `>`" in said


def test_one_place_is_not_given_the_places_of_a_loop() -> None:
    each = component(inputs=[P("x")], outputs=[A("model", metadata=RAW)]).as_loop_step(
        "l", ["a", "b"], inputs={"x": LoopItem()}
    )
    one = component(inputs=[A("model", metadata=RAW)])
    several = component(inputs=[A("models", metadata=RAW, repeated=True)])
    said = refusal(lambda: one.as_step("m", inputs={"model": each.outputs["model"]}))
    assert "Give it one of them: model[0], or declare several: PipelineArtifact('model', repeated=True)." in said
    steps = [
        several.as_step("all", inputs={"models": each.outputs["model"]}),
        one.as_step("second", inputs={"model": each.outputs["model"][1]}),
    ]
    Pipeline(steps=steps)
    written: list[Any] = [it.to_dict()["spec"] for it in (each, *steps)]  # Any: JSON
    assert [it["arguments"]["artifacts"] for it in written] == [
        [],
        [{"name": "models", "value": [{"name": "models_0", "from": out("l", "model", "artifacts")}]}],
        [{"name": "model", "from": out("l", "model_1", "artifacts")}],
    ]


@pytest.mark.parametrize(
    ("declared", "given", "more", "said"),
    [
        (parameter("x", "Double"), out("l", "o"), {}, "of a loop, a list"),
        (parameter("x", "Double"), "1", {"when": f"{out('l', 'o')} < 3"}, "of type Array with `<`"),
        (parameter("x", "Array"), out("l", "o"), {}, ""),
        (parameter("x"), out("l", "o"), {}, ""),
    ],
)
def test_manifests_are_checked_alike(declared: Any, given: str, more: Any, said: str) -> None:  # Any: JSON
    loop = container("true", guid="each", outputs=(parameter("o", "Double"),))
    use = container("true", guid="use", inputs=(declared,))
    entry = pipeline(step("l", guid="each", withItems=[1]), step("m", "l", guid="use", given={"x": given}, **more))
    if said:
        assert said in refusal(lambda: check_documents([loop, use, entry]))
    else:
        check_documents([loop, use, entry])


# --- items -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("workplace")
def test_outputs_of_steps_are_among_the_items(tmp_path: Path) -> None:
    one = train(tmp_path)
    first = one.as_step("first", inputs={"lr": 0.25})
    run = here(sweep(one, [first.outputs["accuracy"], 0.5]))
    assert given(run) == {"first": {"accuracy": 0.75}, "sweep": {"accuracy": [0.25, 0.5]}}


def test_paths_are_among_the_items_and_none_is_not() -> None:
    one = component(inputs=[P("x")])
    assert one.as_loop_step("l", [Path("a"), Path("b")]).items.to_dict() == {"withItems": ["a", "b"]}
    assert "is None" in refusal(lambda: one.as_loop_step("l", [None, 1], inputs={"x": LoopItem()}))
