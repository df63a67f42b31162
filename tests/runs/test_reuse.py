"""What a rerun takes over from its run, and a cached step from any: only what is unchanged."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.errors import RunFailed, SpecError
from pai_jupyter.runs import Run, start_run
from pai_jupyter.runs.plan import Argument, DeclaredParameter, Graph, Plan, Step
from pai_jupyter.runs.run_folder import open_run_folder
from tests.support.patience import DEADLINE
from tests.support.run_jobs import counts, marked
from tests.support.run_plans import output, plan_of, step
from tests.support.run_steps import statuses, steps_of


def with_inputs(plan: Plan, **values: str) -> Plan:
    declared = tuple(DeclaredParameter(name=name) for name in values)
    return replace(plan, graph=replace(plan.graph, parameters=declared), parameters=values)


def three(marks: Path) -> Plan:
    """`first` has the input `rate`, `second` its result, and `other` nothing of both."""
    return with_inputs(
        plan_of(
            step("first", job=marked(marks, "first", "value"), value="{{inputs.parameters.rate}}"),
            step("second", job=marked(marks, "second", "value"), value=output("first")),
            step("other", job=marked(marks, "other")),
        ),
        rate="1",
    )


def taken(run: Run) -> set[str]:
    return {path for path, one in steps_of(run).items() if one.taken_from}


def test_a_rerun_takes_over_what_is_unchanged(marks: Path) -> None:
    run = start_run(three(marks))
    run.wait(DEADLINE)
    again = run.rerun(rate="2")
    again.wait(DEADLINE)
    assert taken(again) == {"other"}
    assert counts(marks) == {"first": 2, "second": 2, "other": 1}
    assert steps_of(again)["second"].parameters == {"out": "2"}
    assert again.plan.parameters == {"rate": "2"}
    assert open_run_folder(again.id).record.earlier == run.id
    third = again.rerun()
    third.wait(DEADLINE)
    assert taken(third) == {"first", "second", "other"}
    assert steps_of(third)["other"].taken_from == run.id
    assert third.jobs == []


def test_a_rerun_from_a_step_runs_it_and_what_depends_on_it(marks: Path) -> None:
    run = start_run(three(marks))
    run.wait(DEADLINE)
    again = run.rerun(from_step="first")
    again.wait(DEADLINE)
    assert taken(again) == {"other"}
    last = again.rerun(from_step="second")
    last.wait(DEADLINE)
    assert taken(last) == {"first", "other"}


def test_a_rerun_of_a_failed_run_does_the_rest(marks: Path) -> None:
    plan = plan_of(
        step("good", job=marked(marks, "good")),
        step("bad", "good", job=marked(marks, "bad", fail=1)),
        step("end", "bad"),
    )
    plan = replace(plan, graph=Graph(steps=(*plan.graph.steps[:2], step("end", "bad", job=marked(marks, "end")))))
    run = start_run(plan)
    with pytest.raises(RunFailed):
        run.wait(DEADLINE)
    again = run.rerun()
    again.wait(DEADLINE)
    assert counts(marks) == {"good": 1, "bad": 2, "end": 1}
    assert statuses(again) == {"good": "succeeded", "bad": "succeeded", "end": "succeeded"}


@pytest.mark.parametrize(("given", "said"), [({"from_step": "x"}, "no step `x`"), ({"y": 1}, "no input `y`")])
def test_a_rerun_of_what_is_not_there(marks: Path, given: dict[str, str], said: str) -> None:
    run = start_run(plan_of(step("only", job=marked(marks, "only"))))
    run.wait(DEADLINE)
    with pytest.raises(SpecError, match=said):
        run.rerun(**given)  # type: ignore[arg-type]  # from_step, or a value


def on_data(marks: Path, data: Path) -> Plan:
    body = marked(marks, "only", is_giving_model=True)
    return plan_of(Step(name="only", body=body, artifacts={"data": Argument(value=str(data))}))


def test_a_changed_input_file_is_noticed(marks: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text("1")
    run = start_run(on_data(marks, data))
    run.wait(DEADLINE)
    same = run.rerun()
    same.wait(DEADLINE)
    assert taken(same) == {"only"}
    (data / "a.csv").write_text("12")
    changed = same.rerun()
    changed.wait(DEADLINE)
    assert taken(changed) == set()
    assert "has changed since run" in changed.state.notes[0]


def test_a_changed_input_file_of_the_same_size_and_time_is_noticed(marks: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.npz").write_text("1")
    run = start_run(on_data(marks, data))
    run.wait(DEADLINE)
    times = (data / "a.npz").stat()
    (tmp_path / "new").write_text("2")
    os.utime(tmp_path / "new", ns=(times.st_atime_ns, times.st_mtime_ns))
    (tmp_path / "new").replace(data / "a.npz")
    replaced = run.rerun()
    replaced.wait(DEADLINE)
    assert taken(replaced) == set()
    (data / "a.npz").write_text("3")
    os.utime(data / "a.npz", ns=(times.st_atime_ns, times.st_mtime_ns))
    written = replaced.rerun()
    written.wait(DEADLINE)
    assert taken(written) == set()


def test_what_waits_for_a_step_that_ran_again_runs_again_and_what_waits_for_that(marks: Path) -> None:
    inner = Graph(steps=(step("in", job=marked(marks, "in")),))
    plan = with_inputs(
        plan_of(
            step("first", job=marked(marks, "first", "value"), value="{{inputs.parameters.rate}}"),
            step("nested", "first", job=inner),
            step("last", "nested", job=marked(marks, "last")),
            step("other", job=marked(marks, "other")),
            step("free", "other", job=marked(marks, "free")),
        ),
        rate="1",
    )
    run = start_run(plan)
    run.wait(DEADLINE)
    again = run.rerun(rate="2")
    again.wait(DEADLINE)
    assert taken(again) == {"other", "free"}
    assert "step `nested/in` runs again: it waits for step `first`, which has run again." in again.state.notes
    same = again.rerun()
    same.wait(DEADLINE)
    assert taken(same) == {"first", "nested/in", "last", "other", "free"}


def test_a_result_whose_output_is_gone_is_none(marks: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("1")
    run = start_run(on_data(marks, tmp_path / "data"))
    run.wait(DEADLINE)
    Path(str(steps_of(run)["only"].artifacts["model"])).unlink()
    again = run.rerun()
    again.wait(DEADLINE)
    assert taken(again) == set()
    assert "is gone" in again.state.notes[0]


def test_a_result_whose_output_cannot_be_looked_for_is_none(marks: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("1")
    plan = on_data(marks, tmp_path / "data")
    plan = plan_of(replace(plan.graph.steps[0], cache=True))
    start_run(plan).wait(DEADLINE)
    (kept,) = (home / "cache" / "steps").glob("*.json")
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"artifacts": {"model": f"/{'x' * 5000}"}}))
    again = start_run(plan)
    again.wait(DEADLINE)
    assert taken(again) == set()
    assert "is gone" in again.state.notes[0]


def test_a_cached_step_takes_the_result_of_another_run(marks: Path) -> None:
    def plan(value: str, *, cache: bool) -> Plan:
        one = step("only", job=marked(marks, "only", "value"), value=value)
        return plan_of(replace(one, cache=cache))

    first = start_run(plan("1", cache=False))
    first.wait(DEADLINE)
    for value, cache, is_taken in (("1", True, True), ("2", True, False), ("2", True, True), ("1", False, False)):
        run = start_run(plan(value, cache=cache))
        run.wait(DEADLINE)
        assert (taken(run) == {"only"}) is is_taken
        assert steps_of(run)["only"].parameters == {"out": value}
