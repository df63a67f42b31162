"""Steps behind two branches that exclude each other are known before a run; what may run is never said to be one."""

import pytest

from pai_jupyter.runs.exclusive import never_run
from pai_jupyter.runs.level import compile_level
from pai_jupyter.runs.plan import Argument, Graph, Loop
from tests.support.run_plans import Simulation, output, plan_of, step

OUT, OTHER = output("train"), output("first")


def notes(one: str, other: str) -> list[str]:
    plan = plan_of(
        step("first"),
        step("train"),
        step("poor", condition=one.replace("x", OUT).replace("y", OTHER)),
        step("good", condition=other.replace("x", OUT).replace("y", OTHER)),
        step("report", "poor", "good"),
        step("sent", "report"),
    )
    return list(never_run(compile_level(plan.graph)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x <= 0.9", "x > 0.9"),
        ("0.9 >= x", "x > 0.9"),
        ("x < 3", "x == 3"),
        ("x == a", "x == b"),
        ("x == 1", "x != 1"),
        ("x < y", "y <= x"),
        ("x < 1 or x > 2", "x > 1.2 and x < 1.8"),
        ("not (x > 1)", "x >= 2"),
        ("x > 1 and y == a", "x > 2 and y == 'b'"),
    ],
)
def test_a_step_behind_branches_that_exclude_each_other_is_named(one: str, other: str) -> None:
    (said,) = notes(one, other)
    assert said.startswith("step `report` can never run: it waits for `poor` and `good`, whose conditions exclude")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x <= 0.9", "x >= 0.9"),
        ("x < 2", "x > 1"),
        ("x > 1", "y < 1"),
        ("x != a", "x != b"),
        ("x == 1", "x == 1.0"),
        ("x == True", "x == true"),
        ("x < 1 or y > 2", "x > 1"),
        ("x <= y", "y <= x"),
    ],
)
def test_nothing_is_said_of_branches_that_may_both_run(one: str, other: str) -> None:
    assert notes(one, other) == []


def test_a_step_whose_own_condition_excludes_what_it_waits_for() -> None:
    plan = plan_of(step("train"), step("poor", condition=f"{OUT} < 1"), step("end", "poor", condition=f"{OUT} > 2"))
    assert "its condition and that of `poor`" in next(never_run(compile_level(plan.graph)))


def test_items_of_a_loop_are_skipped_one_by_one_and_nested_pipelines_are_looked_into() -> None:
    loop = Loop(items=Argument(value=[1, 2]))
    own = plan_of(
        step("a", condition="{{item}} > 1", loop=loop),
        step("b", condition="{{item}} <= 1", loop=loop),
        step("c", "a", "b"),
    )
    assert list(never_run(compile_level(own.graph))) == []
    branches = (step("train"), step("low", condition=f"{OUT} < 1"), step("high", condition=f"{OUT} >= 1"))
    inner = Graph(steps=(*branches, step("end", "low", "high")))
    (said,) = never_run(compile_level(plan_of(step("outer", job=inner)).graph))
    assert "`outer/end` can never run: it waits for `outer/low` and `outer/high`" in said


def test_the_way_that_is_named_joins_the_branches() -> None:
    branches = (step("train"), step("low", condition=f"{OUT} < 1"), step("high", condition=f"{OUT} >= 1"))
    plan = plan_of(step("either", job=Graph(steps=branches)), step("end", "either"))
    assert list(never_run(compile_level(plan.graph))) == []
    run = Simulation(plan, values={"either/train": "2"})
    run.finish()
    assert (run.statuses()["either/low"], run.statuses()["end"]) == ("skipped", "succeeded")
