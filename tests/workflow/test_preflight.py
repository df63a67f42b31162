"""Values that do not fit are found before anything is uploaded or started, here and for runs at PAIFlow."""

from typing import Any

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.workflow import CustomJobComponent, LoopItem, Pipeline, PipelineArtifact, PipelineParameter
from pai_jupyter.workflow.local_run import plan_here
from pai_jupyter.workflow.preflight import check_values
from tests.support.workflows import container

P = PipelineParameter


def narrow(**more: Any) -> Any:  # Any: arguments of `container`
    rate = P("lr", typ=float, default=0.5, feasible={"range": "(0, 1]"})
    mode = P("mode", default="fast", feasible={"enum": ["fast", "exact"]})
    return container(inputs=[rate, mode, P("text", default="")], **more)


def given(name: str, typ: str = "String", **more: Any) -> Pipeline:  # Any: more inputs of the step
    """A pipeline whose input goes to an input of its second step, which has an output of the first one, too."""
    first = container(outputs=[P("text")]).as_step(name="first")
    inputs = {name: P("value", typ=typ), "text": first.outputs["text"], **more}
    return Pipeline(steps=[first, narrow().as_step(name="second", inputs=inputs)])


WRONG = [
    (given("lr", "Double"), {"value": 5.0}, "step `second`: parameter `lr` is 5.0; it must be in (0, 1]."),
    (
        given("mode"),
        {"value": "slow"},
        "step `second`: parameter `mode` is 'slow'; it must be one of: 'fast', 'exact'.",
    ),
    (
        given("mode"),
        {},
        "parameter `value` has no value. Give it one: arguments={'value': VALUE}, or in a magic's line -p value=VALUE",
    ),
    (
        Pipeline(steps=[narrow().as_loop_step("each", [0.5, 3], inputs={"lr": LoopItem()})]),
        {},
        "step `each`: parameter `lr` is 3; it must be in (0, 1].",
    ),
    (narrow(), {"mode": "slow"}, "parameter `mode` is 'slow'; it must be one of: 'fast', 'exact'."),
]


@pytest.mark.parametrize(("component", "values", "sentence"), WRONG)
@pytest.mark.usefixtures("workplace")
def test_a_value_that_does_not_fit_is_named_before_anything_is_started(
    component: Any, values: dict[str, Json], sentence: str
) -> None:
    with pytest.raises(SpecError) as here:
        plan_here(component, "demo", backend="process", arguments=values)
    assert sentence in str(here.value)
    with pytest.raises(SpecError) as there:
        check_values(component.documents(), values, {})
    assert sentence in str(there.value)


def test_values_that_fit_pass_and_what_only_other_steps_give_is_not_asked() -> None:
    check_values(given("lr", "Double").documents(), {"value": 1}, {})
    check_values(given("mode").documents(), {"value": "exact"}, {})


def test_a_step_of_a_component_that_is_only_named_is_checked_where_its_manifest_is_known() -> None:
    component = given("lr", "Double")
    *_, second, entry = component.documents()
    without = [it for it in component.documents() if it is not second]
    names = {"identifier": "narrow", "provider": "1", "version": "v1"}
    entry["spec"]["pipelines"][1]["metadata"] = {"name": "second", **names}  # type: ignore[index,call-overload]  # JSON
    known = {**second, "metadata": {**second["metadata"], **names}}  # type: ignore[dict-item]  # JSON
    check_values([*without[:-1], entry], {"value": 5.0}, {})
    with pytest.raises(SpecError, match=r"`lr` is 5\.0"):
        check_values([*without[:-1], entry], {"value": 5.0}, {}, registered=[known])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"data": "oss://bucket/key/"},
            "input 'data': the address of the bucket is unknown. Set its region (%pai_config",
        ),
        ({"output_path": "oss://bucket/key/"}, "'oss://bucket/key/' needs a session with OSS. Type %pai_config wizard"),
    ],
)
@pytest.mark.usefixtures("workplace")
def test_a_missing_region_is_said_before_anything_starts_even_if_other_values_are_not_known(
    given: dict[str, str], sentence: str
) -> None:
    first = container(outputs=[P("text")]).as_step(name="first")
    job = CustomJobComponent(command="true", inputs=[P("text"), PipelineArtifact("data")])
    second = job.as_step(name="second", inputs=dict[str, object](given, text=first.outputs["text"]))
    with pytest.raises(SpecError) as caught:
        plan_here(Pipeline(steps=[second]), "demo", backend="process")
    assert sentence in str(caught.value)
