"""A plan survives its JSON; a damaged one gives a sentence that names the field."""

import copy
import json
import random
from typing import Any

import pytest

from pai_jupyter.runs.plan import Argument, DeclaredArtifact, DeclaredParameter, Graph, JobBody, Loop, Plan, Step
from pai_jupyter.runs.plan_json import MAX_GRAPHS, plan_from_json, plan_to_json
from pai_jupyter.typed_json import FieldError
from tests.runs.test_next_acts import random_graph
from tests.support.run_plans import of_seed, plan_of, step


def full_plan() -> Plan:
    job = JobBody(
        builder="pai_jupyter.workflow:builder",
        data={"text": "训练", "empty": "", "zero": 0, "no": False, "nothing": None, "list": []},
        title="train",
        digest="sha256:0",
        parameters=(
            DeclaredParameter(name="n", type="Int", default=0, feasible="[0, 10]", choices=(0, 5)),
            DeclaredParameter(name="text", default=""),
            DeclaredParameter(name="flag", type="Bool", default=False, required=True),
        ),
        artifacts=(DeclaredArtifact(name="data", required=True, repeated=True, kind="DataSet OSS"),),
        output_parameters=(DeclaredParameter(name="accuracy", type="Double"),),
        output_artifacts=(DeclaredArtifact(name="model"),),
    )
    one = Step(
        name="a",
        body=job,
        parameters={"n": Argument(value=0), "text": Argument(value=None), "flag": Argument(value=False)},
        artifacts={"data": Argument(value=["{{inputs.artifacts.x}}"], is_template=True)},
        retries=2,
        cache=True,
    )
    inner = Graph(
        steps=(one,),
        title="inner",
        artifacts=(DeclaredArtifact(name="x"),),
        output_artifacts={"m": Argument(value="{{pipelines.a.outputs.artifacts.model}}", is_template=True)},
    )
    loop = Loop(start=Argument(value=0), end=Argument(value="{{inputs.parameters.k}}", is_template=True), parallelism=3)
    two = Step(name="b", body=inner, depends=("c",), condition="{{item}} > 1", loop=loop)
    three = Step(name="c", body=job, loop=Loop(items=Argument(value=[])))
    graph = Graph(
        steps=(two, three),
        title="outer",
        parameters=(DeclaredParameter(name="k", type="Int"),),
        output_parameters={"p": Argument(value="x")},
    )
    return Plan(
        name="run",
        graph=graph,
        parameters={"k": 0},
        artifacts={"x": "oss://b/k"},
        fail_fast=True,
        parallel={"local": 2},
        secrets=("TOKEN",),
        notes=("a note",),
    )


@pytest.mark.parametrize("plan", [full_plan(), of_seed()])
def test_a_plan_survives_its_json(plan: Plan) -> None:
    written = json.loads(json.dumps(plan_to_json(plan)))
    assert plan_from_json(written) == plan


def test_random_plans_survive_their_json() -> None:
    for seed in range(30):
        plan = plan_of(*random_graph(random.Random(seed), 6))
        assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == plan


def test_unknown_fields_of_a_newer_version_are_ignored() -> None:
    written: Any = plan_to_json(of_seed())
    written["graph"]["steps"][0]["colour"] = "red"
    assert plan_from_json(written) == of_seed()


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (("name",), 3, "plan.name"),
        (("graph", "steps"), {}, "plan.graph.steps"),
        (("graph", "steps", 0, "name"), "a\nb", r"plan.graph.steps\[0\].name"),
        (("graph", "steps", 0, "retries"), -1, "retries"),
        (("graph", "steps", 1, "loop", "parallelism"), 0, "parallelism"),
        (("graph", "steps", 1, "job", "parameters", 0, "type"), "date", "type"),
        (("graph", "steps", 1, "job"), {}, "job.builder"),
        (("graph", "steps", 1, "job", "data"), [], "data"),
        (("graph", "parameters", 0), None, r"parameters\[0\]"),
        (("graph", "output_parameters", "p"), {}, "p"),
        (("parallel", "local"), "two", "parallel.local"),
        (("fail_fast",), 1, "fail_fast"),
    ],
)
def test_a_damaged_plan_gives_a_sentence(place: tuple[Any, ...], value: Any, field: str) -> None:  # Any: parsed JSON
    written: Any = copy.deepcopy(plan_to_json(full_plan()))
    inside = written
    for name in place[:-1]:
        inside = inside[name]
    inside[place[-1]] = value
    with pytest.raises(FieldError, match=field):
        plan_from_json(written)


def test_a_plan_that_is_nested_too_deep_gives_a_sentence() -> None:
    graph = Graph(steps=(step("a"),))
    for _ in range(MAX_GRAPHS):
        graph = Graph(steps=(step("p", job=graph),))
    with pytest.raises(FieldError, match="pipelines within each other"):
        plan_from_json(plan_to_json(Plan(name="deep", graph=graph)))
    value: Any = 1
    for _ in range(60):
        value = [value]
    with pytest.raises(FieldError, match="nested more than"):
        plan_from_json(plan_to_json(Plan(name="deep", graph=Graph(steps=(step("a"),)), parameters={"x": value})))
