"""Conditions as Python expressions: what they become, and what cannot be one."""

from collections.abc import Callable

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.condition import parse_condition
from pai_jupyter.workflow import Pipeline, PipelineParameter, PipelineStep
from tests.support.workflows import container

P = PipelineParameter
ACC = "{{pipelines.s.outputs.parameters.acc}}"
LOSS = "{{pipelines.s.outputs.parameters.loss}}"


@pytest.fixture
def step() -> PipelineStep:
    return container(outputs=[P("acc", typ=float), P("loss", typ=float)]).as_step(name="s")


Expression = Callable[[P, P], object]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (lambda a, b: a <= 0.90, f"{ACC} <= 0.9"),
        (lambda a, b: 0.9 < a, f"{ACC} > 0.9"),  # noqa: SIM300  that is the case
        (lambda a, b: a == b, f"{ACC} == {LOSS}"),
        (lambda a, b: a == P("limit"), f"{ACC} == {{{{inputs.parameters.limit}}}}"),
        (lambda a, b: a == "yes", f"{ACC} == yes"),
        (lambda a, b: a == "a or b", f"{ACC} == 'a or b'"),
        (lambda a, b: a != "it's", f"{ACC} != 'it\\'s'"),
        (lambda a, b: a == "and", f"{ACC} == 'and'"),
        (lambda a, b: a == "", f"{ACC} == ''"),
        (lambda a, b: a == "{{item}}", f"{ACC} == '{{{{item}}}}'"),
        (lambda a, b: a == True, f"{ACC} == True"),  # noqa: E712  a condition
        (lambda a, b: (a > 0.5) & (b < 2), f"{ACC} > 0.5 and {LOSS} < 2"),
        (lambda a, b: (a > 0.5) | (b < 2) & (b > 1), f"{ACC} > 0.5 or ({LOSS} < 2 and {LOSS} > 1)"),
        (lambda a, b: ~(a > 0.5), f"not ({ACC} > 0.5)"),
        (lambda a, b: ~((a > 1) | (b > 1)) & (a < 3), f"(not ({ACC} > 1 or {LOSS} > 1)) and {ACC} < 3"),
    ],
)
def test_an_expression_becomes_a_condition(expression: Expression, text: str, step: PipelineStep) -> None:
    condition = expression(step.outputs["acc"], step.outputs["loss"])
    spec = container().as_condition_step("next", condition).to_dict()["spec"]  # type: ignore[arg-type]  # it is one
    assert isinstance(spec, dict)
    assert spec["when"] == text
    assert spec["dependencies"] == ["s"]
    parse_condition(text)


def test_text_that_looks_like_more_stays_text(step: PipelineStep) -> None:
    for hostile in (
        "1 or 1==1",
        "$(touch x)",
        "__import__('os')",
        "') or ('1' == '1",
        "\\",
        "a\nb",
        "{{pipelines.x.outputs.parameters.y}}",
    ):
        condition = parse_condition((step.outputs["acc"] == hostile).to_expr())
        assert not condition.has_logic
        assert [it.name for it in condition.references] == ["acc"]
        assert condition.decide({"pipelines.s.outputs.parameters.acc": hostile})[0] is (hostile.strip() == hostile)


@pytest.mark.parametrize(
    "expression",
    [
        lambda a, b: a > 1 and b > 1,
        lambda a, b: a > 1 or b > 1,
        lambda a, b: not a > 1,
        lambda a, b: not a,
        lambda a, b: a and b,
        lambda a, b: 0.1 < a < 0.9,
        lambda a, b: a in ("x", "y"),
        lambda a, b: "x" in a,
        lambda a, b: 1 if a == b else 2,
    ],
)
def test_what_python_would_decide_names_the_operator_to_use(expression: Expression, step: PipelineStep) -> None:
    with pytest.raises(SpecError, match=r"Write & for `and`, \| for `or`, ~ for `not`"):
        expression(step.outputs["acc"], step.outputs["loss"])


@pytest.mark.parametrize(
    "expression",
    [
        lambda a, b: a > None,
        lambda a, b: a > float("nan"),
        lambda a, b: a > [1],
        lambda a, b: (a > 1) & True,
        lambda a, b: (a > 1) | "x",
    ],
)
def test_operands_are_numbers_text_and_parameters(expression: Expression, step: PipelineStep) -> None:
    with pytest.raises(SpecError):
        expression(step.outputs["acc"], step.outputs["loss"])


@pytest.mark.parametrize("condition", [True, 1, None, "1 ==", "a ~ b", "1 == (touch x)", "a == 'open"])
def test_what_is_no_condition_is_refused_at_once(condition: object) -> None:
    with pytest.raises(SpecError):
        container().as_condition_step("c", condition)  # type: ignore[arg-type]  # that is what is tested


def test_a_condition_of_text_is_passed_on_and_waits_for_what_it_names(step: PipelineStep) -> None:
    text = f"{ACC} > 0.5 and {LOSS} < 1"
    last = container().as_condition_step("last", text)
    pipelines = Pipeline(steps=[last, step]).to_dict()[-1]["spec"]["pipelines"]
    assert [it["metadata"]["name"] for it in pipelines] == ["s", "last"]
    assert pipelines[1]["spec"]["when"] == text
    assert pipelines[1]["spec"]["dependencies"] == ["s"]


def test_a_condition_of_text_that_names_nobody_is_refused() -> None:
    with pytest.raises(SpecError, match="there is no step `s` beside it"):
        Pipeline(steps=[container().as_condition_step("last", f"{ACC} > 0.5")])
    with pytest.raises(SpecError, match="no such output"):
        Pipeline(steps=[container().as_step(name="s"), container().as_condition_step("last", f"{ACC} > 0.5")])
