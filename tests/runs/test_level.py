"""What is wrong with a plan is said before anything runs, in one sentence that names the step."""

from dataclasses import replace

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.level import check_graph, compile_level
from pai_jupyter.runs.plan import Argument, DeclaredArtifact, DeclaredParameter, Graph, JobBody, Loop, Plan, Step
from tests.support.run_plans import body, of_seed, output, plan_of, step, template

TYPED = JobBody(
    builder="tests:builder",
    data={},
    title="typed",
    digest="0",
    parameters=(
        DeclaredParameter(name="n", type="Int", required=True),
        DeclaredParameter(name="lr", type="Double", default=0.1, feasible="(0, 1]"),
    ),
    artifacts=(DeclaredArtifact(name="one"), DeclaredArtifact(name="many", repeated=True, required=True)),
    output_parameters=(DeclaredParameter(name="out"),),
    output_artifacts=(DeclaredArtifact(name="model"),),
)
ONE = Argument(value=1)
MANY = {"many": Argument(value=["/a"])}


def typed(n: Argument | None = ONE, **others: Argument) -> Step:
    return Step(
        name="s",
        body=TYPED,
        parameters={"n": n} if n else {},
        artifacts=MANY | {name: it for name, it in others.items() if name in ("one", "many")},
    )


def test_a_good_plan_has_nothing_wrong() -> None:
    check_graph(of_seed())
    check_graph(plan_of(typed()))


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ((), "the pipeline has no steps"),
        ((step("a"), step("a")), "two steps of the name `a`"),
        ((step("a/b"),), "a step of the name 'a/b'"),
        ((step(""),), "a step of the name ''"),
        ((step("a[0]"),), "a step of the name"),
        ((step("a", "b"),), "step `a`: it depends on `b`, but there is no such step"),
        ((step("a", "c"), step("b", "a"), step("c", "b")), "in a circle: `a` → `b` → `c` → `a`"),
        ((step("a", "a"),), "in a circle: `a` → `a`"),
        ((step("a", v=output("a")),), "in a circle: `a` → `a`"),
        ((step("a", v=output("b")),), "there is no step `b` beside it"),
        ((step("b"), step("a", v=output("b", "acc"))), "step `b` has no such output. There is: `out`."),
        ((step("a", v="{{inputs.parameters.x}}"),), "the pipeline has no such input. It has none."),
        ((step("a", v="{{inputs.x}}"),), "is no reference"),
        ((step("a", v="{{item}}"),), "there is no loop"),
        ((step("a", condition="{{item}} > 1"),), "there is no loop"),
        ((step("a", condition="{{inputs.parameters.x}} > 1"),), "no such input"),
        ((step("a", condition="1 >"),), "step `a`: the condition '1 >' is wrong at its end"),
        ((step("a", loop=Loop()),), "its loop needs either items or an end"),
        ((step("a", loop=Loop(items=Argument(value=[]), end=Argument(value=1))),), "its loop needs either"),
        ((step("a", loop=Loop(end=Argument(value=1), parallelism=0)),), "a parallelism of at least 1"),
        ((step("a", loop=Loop(items=Argument(value=5))),), "the loop's list of items is '5'; it must be a list"),
        ((step("a", loop=Loop(end=Argument(value="many"))),), "the loop's end is 'many'; it must be a whole number"),
        ((step("a", loop=Loop(end=Argument(value=10_001))),), "the loop has more than 10000 items"),
        ((step("a", loop=Loop(items=template("{{item}}"))),), "cannot be made of {{item}}"),
        ((step("a", job=body("x"), y=1),), "it has no input parameter `y`. There is: `x`."),
        ((step("a", job=Graph(steps=(step("b"),)), retries=1),), "Give `retries` to its steps"),
        (
            (replace(step("a", job=Graph(steps=(step("b"),)), retries=1), cache=True),),
            "Give `retries` and `cache` to its",
        ),
        ((step("a", job=Graph(steps=())),), "pipeline `a` has no steps"),
        ((step("a", job=Graph(steps=(step("b", "c"),))),), "step `a/b`: it depends on `c`"),
        ((typed(n=None),), "step `s`: parameter `n` has no value"),
        ((typed(n=Argument(value="abc")),), "parameter `n` is 'abc'; it must be a whole number"),
        ((typed(n=Argument(value="{{item}}")),), "it must be a whole number"),
        ((typed(one=Argument(value=["/a"])),), "artifact `one` is one place, but a list is given"),
        ((typed(many=Argument(value=[])),), "artifact `many` must be a path"),
        ((typed(many=Argument(value=None)),), "artifact `many` has no value"),
        ((step("p"), typed(one=template(output("p")))), "an artifact is given {{pipelines.p.outputs.parameters.out}}"),
    ],
)
def test_what_is_wrong_is_said(steps: tuple[Step, ...], sentence: str) -> None:
    with pytest.raises(SpecError) as caught:
        check_graph(plan_of(*steps))
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")


def test_outputs_refer_to_what_is_there() -> None:
    with pytest.raises(SpecError, match=r"output `got`.*no step `b`"):
        check_graph(plan_of(step("a"), got=output("b")))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"lr": 2}, r"parameter `lr` is 2; it must be in \(0, 1\]"),
        ({"rate": 1}, "the pipeline has no input `rate`. Its inputs: `lr`"),
    ],
)
def test_the_inputs_of_the_run_are_checked(parameters: dict[str, float], sentence: str) -> None:
    graph = Graph(steps=(step("a"),), parameters=TYPED.parameters[1:])
    check_graph(Plan(name="p", graph=graph))
    with pytest.raises(SpecError, match=sentence):
        check_graph(Plan(name="p", graph=graph, parameters=dict(parameters)))


def test_steps_wait_for_what_they_refer_to() -> None:
    level = compile_level(
        plan_of(
            step("last", "x", v=f"{output('a')} {output('b')}", condition=f"{output('c')} == 1"),
            step("each", loop=Loop(items=template(output("a")))),
            *(step(name) for name in "abcx"),
        ).graph
    )
    assert level.depends["last"] == ("x", "a", "b", "c")
    assert level.depends["each"] == ("a",)
    names = list(level.steps)
    assert all(names.index(name) > names.index(other) for name in names for other in level.depends[name])


def test_conditions_know_which_references_are_texts() -> None:
    inner = Graph(steps=(step("a"),), output_parameters={"out": template(output("a"))})
    steps = (
        step("text"),
        step("number", job=body(type_name="Double")),
        step("inner", job=inner),
        step("loop", loop=Loop(items=Argument(value=[1]))),
        step("b", condition=" and ".join(f"{output(name)} == 1" for name in ("text", "number", "inner", "loop"))),
        step("c", condition="{{inputs.parameters.version}} == {{inputs.parameters.n}}"),
    )
    parameters = (DeclaredParameter(name="version"), DeclaredParameter(name="n", type="Int"))
    conditions = compile_level(Graph(steps=steps, parameters=parameters)).conditions
    assert conditions["b"].texts == {output(name).strip("{}") for name in ("text", "inner")}
    assert conditions["c"].texts == {"inputs.parameters.version"}


def test_numbered_places_of_a_repeated_artifact_are_known() -> None:
    plan = plan_of(step("p"), typed(one=template("{{pipelines.p.outputs.artifacts.model_0}}")))
    check_graph(plan)
