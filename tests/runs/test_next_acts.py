"""Random runs, done in any order by drivers that die at any entry: they end right, and no work is done twice."""

import random
import re
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.runs.fold import RunFold, fold
from pai_jupyter.runs.journal import OutputsRead, TryBegun
from pai_jupyter.runs.level import check_graph
from pai_jupyter.runs.next_acts import next_acts
from pai_jupyter.runs.plan import Argument, Graph, Loop, Plan, Step
from pai_jupyter.runs.state import StepStatus
from tests.support.run_plans import Simulation, output, plan_of, step

OUTCOMES = ["ok"] * 8 + ["fail", "lost", "wrong", "stop"]


def random_graph(rng: random.Random, size: int, depth: int = 0) -> tuple[Step, ...]:
    steps: list[Step] = []
    for number in range(size):
        before = [one.name for one in steps if not isinstance(one.body, Graph) and one.loop is None]
        depends = rng.sample([one.name for one in steps], min(len(steps), rng.choice([0, 1, 1, 2])))
        condition = f"{output(rng.choice(before))} > {rng.randint(0, 9)}" if before and rng.random() < 0.3 else None
        loop = None
        if rng.random() < 0.25:
            loop = Loop(end=Argument(value=rng.randint(0, 5)), parallelism=rng.randint(1, 3))
        inside = (
            Graph(steps=random_graph(rng, rng.randint(1, 3), depth + 1)) if depth < 2 and rng.random() < 0.2 else None
        )
        retries = 0 if inside else rng.choice([0, 0, 1, 2])
        steps.append(step(f"s{number}", *depends, job=inside, condition=condition, loop=loop, retries=retries))
    return tuple(steps)


def random_run(rng: random.Random) -> Simulation:
    plan = plan_of(*random_graph(rng, rng.randint(1, 8)), fail_fast=rng.random() < 0.3)
    check_graph(plan)
    wanted: dict[tuple[str, int], str] = {}
    values = {f"s{number}": rng.randint(0, 9) for number in range(8)}
    is_calm = rng.random() < 0.4
    return Simulation(
        plan,
        wanted=lambda path, number: "ok" if is_calm else wanted.setdefault((path, number), rng.choice(OUTCOMES)),
        values=dict(values),
    )


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_a_run_ends_right_whenever_its_driver_dies(seed: int) -> None:
    rng = random.Random(seed)
    run = random_run(rng)
    stop_at = rng.randint(1, 40) if rng.random() < 0.2 else None
    for number, _ in enumerate(run.wander(rng)):
        if number == stop_at:
            run.stop()
        if rng.random() < 0.2:
            assert run.refolded().state() == run.run.state()
            assert next_acts(run.refolded()) == next_acts(run.run)
    assert run.refolded().state() == run.run.state() == fold(run.plan, run.entries, run.jobs)
    check_end(run)


def check_end(run: Simulation) -> None:
    state = run.run.state()
    statuses = run.statuses()
    assert state.status.is_terminal
    assert not set(statuses.values()) & {"waiting", "running"}
    done: set[str] = set()
    for entry in run.entries:
        if isinstance(entry, TryBegun):
            assert entry.step not in done, "a step that has succeeded starts again"
        elif isinstance(entry, OutputsRead):
            done.add(entry.step)
    limits = limits_of(run.plan.graph)
    for path, count in Counter(path for path, job_id in run.started if not run.jobs[job_id].is_lost).items():
        assert count <= limits[re.sub(r"\[\d+\]", "", path)], "more tries than retries allow"
    top = {one.name: one for one in state.steps}
    for one in state.steps:
        if one.status == "succeeded":
            assert {top[name].status for name in one.depends} <= {"succeeded"}
    if state.status == "succeeded":
        assert set(statuses.values()) <= {"succeeded", "skipped"}
    if "failed" in {one.status for one in state.steps} and not run.run.is_stopping:
        assert state.status == "failed"


def limits_of(graph: Graph, path: str = "") -> dict[str, int]:
    """The most tries of each step, by path without the numbers of items."""
    found = {f"{path}{one.name}": one.retries + 1 for one in graph.steps}
    for one in graph.steps:
        found |= limits_of(one.body, f"{path}{one.name}/") if isinstance(one.body, Graph) else {}
    return found


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_a_view_that_reads_now_and_then_in_any_order_sees_the_same_in_the_end(seed: int) -> None:
    rng = random.Random(seed)
    run = random_run(rng)
    view, known = RunFold(run.plan), 0

    def look() -> None:
        nonlocal known
        entries, known = run.entries[known:], len(run.entries)
        reads: list[Callable[[], object]] = [partial(view.update_job, *pair) for pair in run.jobs.items()]
        reads.append(lambda: [*map(view.apply, entries)])
        rng.shuffle(reads)
        for read in reads:
            read()
        assert {one.status for one in view.state().steps} <= set(StepStatus)  # drawn, as views do

    for _ in run.wander(rng):
        if rng.random() < 0.2:
            look()
    look()
    assert view.state() == run.run.state()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 9))
def test_of_complementary_conditions_exactly_one_is_met(seed: int, bound: int) -> None:
    rng = random.Random(seed)
    test = f"{output('a')} <= {bound}"
    conditions = {"low": test, "high": f"not ({test})", "above": f"{output('a')} > {bound}"}
    plan = plan_of(step("a"), *(step(name, condition=text) for name, text in conditions.items()))
    run = Simulation(plan, values={"a": rng.randint(0, 9)})
    for _ in run.wander(rng, deaths=0.3):
        pass
    statuses = run.statuses()
    assert {statuses["low"], statuses["high"]} == {"succeeded", "skipped"}
    assert statuses["high"] == statuses["above"]


def test_a_loop_never_has_more_items_at_a_time_than_it_may() -> None:
    rng = random.Random(7)
    loop = Loop(end=Argument(value=40), parallelism=3)
    run = Simulation(
        plan_of(step("each", loop=loop, retries=1)), wanted=lambda path, number: rng.choice(["ok", "fail"])
    )
    most = 0
    for _ in run.wander(rng):
        most = max(
            most, len({*run.run.progress.acts, *(node.path for node in run.run.progress.live.values())} - {"each"})
        )
        assert most <= 3
    assert most == 3
    assert len({path for path, _ in run.started}) == 40


def test_acts_come_in_the_order_of_steps() -> None:
    run = Simulation(plan_of(*(step(f"s{number}") for number in range(30)), step("last", "s29")))
    names = [f"s{number}" for number in range(30)]
    assert list(run.run.progress.acts) == names
    for act in run.acts()[:10]:
        run.do(act)
    assert [path for path, _ in run.started] == names[:10]


def test_there_is_nothing_to_do_before_a_job_ends_and_after_the_run() -> None:
    run = Simulation(plan_of(step("a")))
    run.do(run.acts()[0])
    assert run.acts() == []
    run.finish()
    assert run.acts() == []


def test_a_run_with_wrong_inputs_fails_with_the_sentence() -> None:
    graph = Graph(steps=(step("a"),), parameters=step("x", p="").body.parameters[:1])
    plan = Plan(name="plan", graph=Graph(steps=graph.steps, parameters=graph.parameters), parameters={"p": 1})
    assert Simulation(plan).run.progress.problem is None
    wrong = Plan(
        name="plan", graph=Graph(steps=graph.steps, artifacts=graph.steps[0].body.artifacts), artifacts={"data": []}
    )
    run = Simulation(wrong)
    run.finish()
    assert run.run.state().status == "failed"
    assert run.run.state().reason == "artifact `data` is one place, but a list is given. Give it a path."


@pytest.mark.parametrize("items", [10_000])
def test_a_loop_of_ten_thousand_items_runs(items: int) -> None:
    run = Simulation(plan_of(step("each", loop=Loop(end=Argument(value=items), parallelism=50)), got=output("each")))
    run.finish()
    state = run.run.state()
    assert state.status == "succeeded"
    assert len(state.steps[0].children) == items
    assert len(state.parameters["got"]) == items  # type: ignore[arg-type]  # a list
