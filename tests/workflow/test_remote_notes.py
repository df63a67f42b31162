"""What a run at PAIFlow may do otherwise than one on this machine is said before it starts."""

from collections.abc import Callable
from typing import Any

import pytest

from pai_jupyter.view.chinese import in_chinese
from pai_jupyter.workflow import CustomJobComponent, Pipeline, PipelineParameter
from pai_jupyter.workflow.container_component import ContainerComponent
from pai_jupyter.workflow.documents import Document
from pai_jupyter.workflow.remote_notes import notes_for_pai
from tests.support.workflows import IMAGE

P = PipelineParameter
CONFIG: dict[str, object] = {"job_config": {}}


def custom(**more: object) -> CustomJobComponent:
    given = {"image_uri": IMAGE, "entry_point": "train.py", "parameters": {"verbose": True, "lr": 0.1}, **more}
    return CustomJobComponent(**given)  # type: ignore[arg-type]  # values of different types


def box(flag: P) -> ContainerComponent:
    return ContainerComponent(image_uri=IMAGE, command=["echo", flag], inputs=[flag])


def of_steps(component: CustomJobComponent | ContainerComponent, *names: str) -> list[str]:
    inputs = CONFIG if isinstance(component, CustomJobComponent) else {}
    return notes_for_pai(Pipeline([component.as_step(name, inputs) for name in names]).documents())


@pytest.mark.parametrize(
    ("component", "sentence"),
    [
        (custom(), "step `a`, `b`: PAI passes `verbose` as one word of text, e.g. `--name True`"),
        (custom(parameters={"layers": [1, 2]}), "step `a`, `b`: PAI passes `layers` as one word of text"),
        (
            custom(parameters={}, requirements=["numpy", "pandas"]),
            "step `a`, `b`: PAI installs no requirements for a custom job, and it has: numpy, pandas.",
        ),
        (box(P("flag", typ=bool, default=True)), "whether PAIFlow writes `true` or `True` for the Bool `flag`"),
        (
            box(P("mode", default="fast", feasible={"enum": ["fast", "exact"]})),
            "step `a`, `b`: PAIFlow has no `enum`, which `mode` declares.",
        ),
    ],
)
def test_what_pai_does_otherwise_is_a_note_of_the_steps(
    component: CustomJobComponent | ContainerComponent, sentence: str
) -> None:
    (note,) = of_steps(component, "a", "b")
    assert sentence in note
    assert "步骤 `a`, `b`：" in in_chinese(note)


@pytest.mark.parametrize(
    ("typ", "value", "has_note"), [(str, "1.1", True), (str, 7, True), (str, "best", False), (float, 1.1, False)]
)
def test_a_text_that_is_compared_with_a_number_is_a_note(typ: type, value: object, has_note: bool) -> None:
    source, after = (ContainerComponent(IMAGE, ["true"], outputs=it) for it in ([P("version", typ=typ)], []))

    def notes_of(condition: Callable[[Any], Any]) -> list[str]:  # Any: outputs, which make conditions
        version = source.as_step("first").outputs["version"]
        return notes_for_pai(Pipeline([after.as_condition_step("then", condition(version))]).documents())

    notes = notes_of(lambda version: version == value)
    assert ["step `then`: `version` is declared as text" in note for note in notes] == [True] * has_note
    assert all("步骤 `then`：`version` 声明为文本" in in_chinese(note) for note in notes)
    assert notes_of(lambda version: version > 1) == []


def test_a_component_alone_is_named_itself() -> None:
    (note,) = notes_for_pai(custom().documents())
    assert note.startswith("component `tmp-")
    assert in_chinese(note).startswith("组件 `tmp-")


@pytest.mark.parametrize(
    "component",
    [
        custom(parameters={"lr": 0.1, "name": "x"}),
        custom(entry_point="train.sh"),
        ContainerComponent(image_uri=IMAGE, command="true", inputs=[P("flag", typ=bool, default=True)]),
        box(P("lr", typ=float, default=0.5, feasible={"range": "(0, 1]"})),
    ],
)
def test_what_is_alike_has_no_note(component: CustomJobComponent | ContainerComponent) -> None:
    assert of_steps(component, "a") == []


def test_a_damaged_manifest_is_for_paiflow_to_refuse() -> None:
    odd: Document = {
        "spec": {"container": {"command": ["{{inputs.x}}"]}, "inputs": {"parameters": [3, {"type": "Bool"}]}}
    }
    assert notes_for_pai([odd, {"spec": {"pipelines": ["x", {"spec": None}]}}, {}]) == []
