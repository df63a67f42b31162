"""Which steps a rerun runs in any case, and with which values."""

from dataclasses import replace

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import Argument, DeclaredParameter, Graph, Loop
from pai_jupyter.runs.rerunning import plan_again, steps_behind
from pai_jupyter.runs.reuse import is_anew
from tests.support.run_plans import plan_of, step

INNER = Graph(steps=(step("a"), step("b", "a"), step("c")))
PLAN = plan_of(step("first"), step("nested", "first", job=INNER), step("last", "nested"), step("other"))


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("first", {"first", "nested", "last"}),
        ("nested", {"nested", "last"}),
        ("nested/a", {"nested/a", "nested/b", "last"}),
        ("other", {"other"}),
    ],
)
def test_a_step_and_all_that_depends_on_it(path: str, found: set[str]) -> None:
    assert set(steps_behind(PLAN, path)) == found


@pytest.mark.parametrize("path", ["none", "nested/none", "first/a"])
def test_a_step_that_is_not_there(path: str) -> None:
    with pytest.raises(SpecError):
        steps_behind(PLAN, path)


def test_what_is_in_a_step_that_runs_again_runs_again() -> None:
    anew = ("nested", "loop")
    assert is_anew("nested/a", anew)
    assert is_anew("loop[2]", anew)
    assert not is_anew("nested-more", anew)


def test_one_item_of_a_loop_runs_again() -> None:
    loop = Loop(items=Argument(value=[1, 2, 3]))
    plan = plan_of(step("each", job=INNER, loop=loop), step("last", "each"), step("other"))
    assert set(steps_behind(plan, "each[1]")) == {"each[1]", "last"}
    assert set(steps_behind(plan, "each[1]/a")) == {"each[1]/a", "each[1]/b", "last"}
    with pytest.raises(SpecError, match=r"no step `other\[0\]`"):
        steps_behind(plan, "other[0]")
    assert is_anew("each[1]/b", ("each[1]",))
    assert not is_anew("each[2]/b", ("each[1]",))
    assert is_anew("each[1]/in[2]", ("each/in",))


def test_values_replace_those_of_the_inputs() -> None:
    graph = replace(PLAN.graph, parameters=(DeclaredParameter(name="rate"),))
    again = plan_again(replace(PLAN, graph=graph, parameters={"rate": 1}), {"rate": 2})
    assert again.parameters == {"rate": 2}
