"""A run is folded from plan, journal and jobs: what is skipped, tried again, stopped, and what it comes to."""

from dataclasses import replace

import pytest

from pai_jupyter.runs.acts import StartTry
from pai_jupyter.runs.fold import RunFold, fold
from pai_jupyter.runs.job_standing import TryFacts
from pai_jupyter.runs.journal import Blocked, Noted, OutputsRead, ResultTaken, TryBegun, TryDropped, TryRefused
from pai_jupyter.runs.next_acts import next_acts
from pai_jupyter.runs.plan import Argument, DeclaredParameter, Graph, Loop
from tests.support.run_plans import Simulation, body, of_seed, output, plan_of, step, template


@pytest.mark.parametrize(
    ("accuracy", "chosen"),
    [
        ("0.85", 2),
        ("0.9", 2),
        ("0.90", 2),
        ("9e-1", 2),
        (" 0.9111\n", 3),
        ("1", 3),
        ("10", 3),
        (0.9, 2),
        (1, 3),
    ],
)
def test_exactly_one_of_two_complementary_conditions_is_met(accuracy: str | float, chosen: int) -> None:
    run = Simulation(of_seed(), values={"train-step-1": accuracy})
    run.finish()
    other = 5 - chosen
    assert run.statuses() == {
        "train-step-1": "succeeded",
        f"train-step-{chosen}": "succeeded",
        f"train-step-{other}": "skipped",
    }
    assert [path for path, _ in run.started] == ["train-step-1", f"train-step-{chosen}"]
    assert run.run.state().status == "succeeded"


@pytest.mark.parametrize("value", ["", "nan", "high", "1 or 1==1", "$(touch x)", "__import__('os')", "1e999"])
def test_a_value_that_has_no_order_fails_both_branches_and_nothing_runs(value: str) -> None:
    run = Simulation(of_seed(), values={"train-step-1": value})
    run.finish()
    assert run.statuses() == {"train-step-1": "succeeded", "train-step-2": "failed", "train-step-3": "failed"}
    assert [path for path, _ in run.started] == ["train-step-1"]
    state = run.run.state()
    assert state.status == "failed"
    assert "cannot be decided" in str(state.reason)


def test_a_failed_step_skips_what_depends_on_it_and_other_branches_finish() -> None:
    plan = plan_of(step("a"), step("b", "a"), step("c", "b"), step("x"), step("y", "x"))
    run = Simulation(plan, wanted=lambda path, number: "fail" if path == "a" else "ok")
    run.finish()
    assert run.statuses() == {"a": "failed", "b": "skipped", "c": "skipped", "x": "succeeded", "y": "succeeded"}
    state = run.run.state()
    assert (state.status, state.reason) == ("failed", "step `a` failed: exit code 1")
    assert {each.name: each.reason for each in state.steps if each.status == "skipped"} == {
        "b": "step `a` failed",
        "c": "step `b` was skipped",
    }


def test_fail_fast_stops_what_runs_and_starts_nothing_more() -> None:
    plan = plan_of(step("a"), step("b"), step("c", "b"), fail_fast=True)
    run = Simulation(plan, wanted=lambda path, number: "fail" if path == "a" else "ok")
    for act in run.acts():
        run.do(act)
    run.end_job("j0")
    run.finish()
    assert run.statuses() == {"a": "failed", "b": "stopped", "c": "stopped"}
    assert run.run.state().status == "failed"


def test_a_stopped_run_stops_its_jobs_and_starts_no_other() -> None:
    run = Simulation(plan_of(step("a"), step("b", "a"), step("c")))
    run.do(run.acts()[0])
    run.stop()
    run.finish()
    assert run.statuses() == {"a": "stopped", "b": "stopped", "c": "stopped"}
    assert len(run.started) == 1
    assert run.run.state().status == "stopped"


def test_a_job_that_has_succeeded_when_the_run_is_stopped_still_counts() -> None:
    run = Simulation(plan_of(step("a"), step("b", "a")))
    run.do(run.acts()[0])
    run.end_job("j0")
    run.stop()
    run.finish()
    assert run.statuses() == {"a": "succeeded", "b": "stopped"}


def test_a_step_is_tried_again_as_often_as_it_may() -> None:
    run = Simulation(plan_of(step("a", retries=2)), wanted=lambda path, number: "fail" if number < 3 else "ok")
    run.finish()
    assert [each.status for each in run.run.state().steps[0].tries] == ["failed", "failed", "succeeded"]
    assert run.run.state().status == "succeeded"


def test_a_step_fails_when_its_retries_are_spent() -> None:
    run = Simulation(plan_of(step("a", retries=1)), wanted=lambda path, number: "fail")
    run.finish()
    assert len(run.started) == 2
    assert run.statuses() == {"a": "failed"}


def test_a_wrong_output_is_a_failed_try() -> None:
    run = Simulation(plan_of(step("a", retries=1)), wanted=lambda path, number: "wrong" if number == 1 else "ok")
    run.finish()
    tries = run.run.state().steps[0].tries
    assert [each.reason for each in tries] == ["output `out` is missing", None]
    assert run.statuses() == {"a": "succeeded"}


def test_a_job_that_is_lost_with_the_machine_spends_no_retry() -> None:
    run = Simulation(plan_of(step("a")), wanted=lambda path, number: "lost" if number < 4 else "ok")
    run.finish()
    assert run.statuses() == {"a": "succeeded"}
    assert len(run.run.state().steps[0].tries) == 1


def test_a_step_whose_jobs_are_always_lost_fails_in_the_end() -> None:
    run = Simulation(plan_of(step("a")), wanted=lambda path, number: "lost")
    run.finish()
    assert run.statuses() == {"a": "failed"}


def test_a_loop_gives_the_list_of_what_its_items_give() -> None:
    loop = Loop(items=Argument(value=["x", 3, True]), parallelism=2)
    plan = plan_of(
        step("each", loop=loop, job=body("value"), value="v-{{item}}"),
        step("all", of=output("each")),
        got=output("each"),
    )
    run = Simulation(plan)
    (expand,) = run.acts()
    run.do(expand)
    assert list(run.run.progress.acts) == ["each[0]", "each[1]"]
    run.finish()
    assert run.run.state().parameters == {"got": ["each[0]", "each[1]", "each[2]"]}
    assert [run.given[path]["value"] for path in ("each[0]", "each[1]", "each[2]")] == ["v-x", "v-3", "v-true"]
    assert run.given["all"] == {"of": '["each[0]","each[1]","each[2]"]'}


def test_a_loop_over_a_list_that_a_job_wrote_as_text() -> None:
    plan = plan_of(step("names"), step("each", loop=Loop(items=template(output("names"))), value="{{item}}"))
    run = Simulation(plan, values={"names": '["a", "b"]'})
    run.finish()
    assert [path for path, _ in run.started] == ["names", "each[0]", "each[1]"]


@pytest.mark.parametrize("value", ["", "7", '{"a": 1}', "[1, 2"])
def test_a_loop_over_what_is_no_list_fails(value: str) -> None:
    plan = plan_of(step("names"), step("each", loop=Loop(items=template(output("names"))), value="{{item}}"))
    run = Simulation(plan, values={"names": value})
    run.finish()
    assert run.statuses() == {"names": "succeeded", "each": "failed"}


def test_an_empty_loop_succeeds_with_empty_lists() -> None:
    run = Simulation(plan_of(step("each", loop=Loop(end=Argument(value=0)), value="{{item}}"), got=output("each")))
    run.finish()
    assert run.run.state().parameters == {"got": []}


def test_a_failed_item_fails_the_loop_after_the_others() -> None:
    plan = plan_of(step("each", loop=Loop(end=Argument(value=4), parallelism=1), value="{{item}}"), step("b", "each"))
    run = Simulation(plan, wanted=lambda path, number: "fail" if path == "each[1]" else "ok")
    run.finish()
    assert run.statuses()["each[3]"] == "succeeded"
    assert (run.statuses()["each"], run.statuses()["b"]) == ("failed", "skipped")
    assert run.run.state().reason == "step `each` failed: step `each[1]` failed: exit code 1"


def test_a_condition_with_the_item_is_each_items_own() -> None:
    plan = plan_of(
        step("each", condition="{{item}} > 1", loop=Loop(end=Argument(value=4)), value="{{item}}"), got=output("each")
    )
    run = Simulation(plan)
    run.finish()
    assert [path for path, _ in run.started] == ["each[2]", "each[3]"]
    assert run.run.state().parameters == {"got": [None, None, "each[2]", "each[3]"]}


def test_an_item_that_is_null_is_given_to_no_input() -> None:
    loop = Loop(items=Argument(value=[None, 1]))
    run = Simulation(plan_of(step("each", loop=loop, job=body("value"), value="{{item}}")))
    run.finish()
    assert [path for path, _ in run.started] == ["each[1]"]
    assert run.run.state().steps[0].children[0].reason == "{{item}} has no value: item 0 of the loop is null."


def test_pipelines_in_loops_in_pipelines() -> None:
    inner = Graph(
        title="inner",
        steps=(step("a", value="{{inputs.parameters.p}}"), step("b", "a", condition=f"{output('a')} != skip")),
        parameters=body("p").parameters,
        output_parameters={"a": template(output("a")), "b": template(output("b"))},
    )
    outer = Graph(
        steps=(step("each", job=inner, loop=Loop(items=Argument(value=["1", "2"])), p="{{item}}"),),
        output_parameters={"b": template(output("each", "b"))},
    )
    run = Simulation(plan_of(step("outer", job=outer), got=output("outer", "b")), values={"outer/each[0]/a": "skip"})
    run.finish()
    assert run.run.state().parameters == {"got": [None, "outer/each[1]/b"]}
    assert run.statuses() == {
        "outer": "succeeded",
        "outer/each": "succeeded",
        "outer/each[0]": "succeeded",
        "outer/each[1]": "succeeded",
        "outer/each[0]/a": "succeeded",
        "outer/each[0]/b": "skipped",
        "outer/each[1]/a": "succeeded",
        "outer/each[1]/b": "succeeded",
    }


def begun(step: str, job_id: str) -> TryBegun:
    return TryBegun(step=step, job_id=job_id, parameters={}, artifacts={}, time=1.0)


FAILED = TryFacts(status="failed", reason="exit code 1")


def test_a_refused_step_fails_without_spending_retries() -> None:
    run = Simulation(plan_of(step("a", retries=5), step("b", "a")))
    run.do(run.acts()[0])
    run.write(TryRefused(step="a", job_id="j0", reason="there is no such image", time=9.0))
    run.finish()
    first = run.run.state().steps[0]
    assert (first.status, first.reason) == ("failed", "there is no such image")
    assert first.tries[0].reason == "there is no such image"
    assert run.statuses()["b"] == "skipped"


def test_a_result_of_an_earlier_run_is_taken_over() -> None:
    run = Simulation(plan_of(step("a"), step("b", v=output("a"))))
    run.write(ResultTaken(step="a", run_id="r0", job_id="j9", parameters={"out": "old"}, artifacts={}, time=2.0))
    run.finish()
    assert run.run.state().steps[0].taken_from == "r0"
    assert [path for path, _ in run.started] == ["b"]
    assert run.given["b"] == {"v": "old"}


def test_a_job_that_somebody_stopped_stops_what_depends_on_it() -> None:
    run = Simulation(plan_of(step("a", retries=3), step("b", "a")), wanted=lambda path, number: "stop")
    run.finish()
    assert run.statuses() == {"a": "stopped", "b": "stopped"}
    state = run.run.state()
    assert state.status == "stopped"
    assert state.steps[1].reason == "step `a` was stopped"


def test_wrong_values_fail_the_step_with_the_sentence() -> None:
    plan = plan_of(step("a"), step("b", job=body("n", type_name="Int"), n=output("a")))
    typed = DeclaredParameter(name="n", type="Int")
    target = replace(plan.graph.steps[1], body=replace(body("n"), parameters=(typed,)))
    plan = replace(plan, graph=replace(plan.graph, steps=(plan.graph.steps[0], target)))
    run = Simulation(plan, values={"a": "many"})
    run.finish()
    assert run.statuses() == {"a": "succeeded", "b": "failed"}
    assert run.run.state().steps[1].reason == "parameter `n` is 'many'; it must be a whole number (Int)."


def test_a_blocked_run_names_what_it_waits_for_until_it_does_not() -> None:
    run = RunFold(plan_of(step("a")))
    run.apply(Blocked(reason="TOKEN is missing", time=1.0))
    run.apply(Noted(text="a note", time=1.0))
    state = run.state()
    assert (state.status, state.reason, state.notes) == ("blocked", "TOKEN is missing", ("a note",))
    run.apply(Blocked(reason="", time=2.0))
    assert (run.state().status, run.state().reason) == ("running", None)


def test_a_run_that_has_ended_has_no_step_that_goes_on_although_its_jobs_are_gone() -> None:
    run = Simulation(plan_of(step("a"), step("b", "a"), step("c")), wanted=lambda path, number: "fail")
    run.finish()
    state = fold(run.plan, run.entries, {})
    assert {one.name: (one.status, one.reason) for one in state.steps} == {
        "a": ("failed", "the record of its job is gone"),
        "b": ("skipped", "step `a` failed"),
        "c": ("failed", "the record of its job is gone"),
    }
    assert state.reason == run.run.state().reason


def test_nothing_is_taken_in_after_the_end() -> None:
    run = Simulation(plan_of(step("a")))
    run.finish()
    before = run.run.state()
    run.run.apply(Noted(text="late", time=99.0))
    assert run.run.state() == before


def test_entries_about_steps_that_there_are_not_change_nothing() -> None:
    run = RunFold(plan_of(step("a")))
    before = run.state()
    for path in ("b", "a/b", "a[0]", "", "/"):
        run.apply(begun(path, f"j-{path}"))
    assert run.state() == before


def test_a_view_that_sees_a_failure_before_the_entries_that_the_driver_wrote_without_it() -> None:
    plan = plan_of(step("a"), step("b"), step("c", "b"), fail_fast=True)
    view = RunFold(plan)
    view.apply(begun("a", "j1"))
    view.update_job("j1", FAILED)
    assert [one.status for one in view.state().steps] == ["failed", "stopped", "stopped"]
    view.apply(begun("b", "j2"))
    assert [one.status for one in view.state().steps] == ["failed", "running", "waiting"]
    view.update_job("j2", TryFacts(status="succeeded"))
    view.apply(OutputsRead(step="b", job_id="j2", parameters={}, artifacts={}, time=3.0))
    assert [one.status for one in view.state().steps] == ["failed", "succeeded", "stopped"]


def test_a_try_that_is_dropped_after_its_job_was_seen_to_fail_was_none() -> None:
    run = RunFold(plan_of(step("a")))
    run.apply(begun("a", "j1"))
    run.update_job("j1", FAILED)
    run.apply(TryDropped(step="a", job_id="j1", time=2.0))
    assert run.state().steps[0].status == "waiting"
    assert [type(act) for act in next_acts(run)] == [StartTry]
