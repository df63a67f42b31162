"""Runs over REST: listed, shown, stopped, run again and deleted; those of services can only be shown and stopped."""

import os
import signal
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, SpecError, UnavailableError
from pai_jupyter.runs import Run, attach_run, listing, start_run
from pai_jupyter.runs.driving import is_driven
from pai_jupyter.runs.plan import DeclaredArtifact, DeclaredParameter, Graph, Plan
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.runs.state import RunState
from pai_jupyter.server import runs
from pai_jupyter.store import MASKED
from pai_jupyter.wire.run_view import actions
from pai_jupyter.wire.schema.run import RunAgain, RunInputsAnswer, RunNews, RunsAnswer
from tests.runs.conftest import marks
from tests.support.declared import assert_declared
from tests.support.drivers import drivers_of
from tests.support.patience import DEADLINE
from tests.support.run_jobs import counts, marked
from tests.support.run_plans import plan_of, step
from tests.support.server import Server
from tests.support.started import until
from tests.support.watched_runs import HeldRuns, shown

__all__ = ["marks"]  # a fixture


def finished(marks: Path) -> Run:
    run = start_run(plan_of(step("one", job=marked(marks, "one")), step("two", "one", job=marked(marks, "two"))))
    run.wait(DEADLINE)
    return run


def test_a_run_is_listed_shown_run_again_and_deleted(marks: Path) -> None:
    run = finished(marks)
    listed = runs.runs()
    assert_declared(RunsAnswer, listed)
    assert [(row["id"], row["status"], row["counts"], row["is_here"]) for row in listed["runs"]] == [
        (run.id, "succeeded", {"succeeded": 2}, True)
    ]
    told = runs.run(run.id)
    assert_declared(RunNews, told)
    assert [(each["path"], each["status"]) for each in told["steps"]] == [("one", "succeeded"), ("two", "succeeded")]
    assert [len(picture["edges"]) for picture in told["pictures"]] == [1]
    again = actions.rerun(run.id, {"from_step": "two", "parameters": None})
    attach_run(again["run"]).wait(DEADLINE)
    assert counts(marks) == {"one": 1, "two": 2}
    assert {each["path"]: each.get("taken_from") for each in runs.run(again["run"])["steps"]} == {
        "one": run.id,
        "two": None,
    }
    assert runs.delete(run.id) == {}
    assert [row["id"] for row in runs.runs()["runs"]] == [again["run"]]


def test_a_list_counts_as_the_view_does(marks: Path) -> None:
    inner = Graph(steps=(step("two", job=marked(marks, "two")),))
    run = start_run(plan_of(step("one", job=marked(marks, "one", refuse="no")), step("whole", "one", job=inner)))
    with pytest.raises(PaiJupyterError):
        run.wait(DEADLINE)
    (row,) = runs.runs()["runs"]
    assert row["counts"] == runs.run(run.id)["run"]["counts"] == {"failed": 1, "skipped": 1}


def test_a_list_starts_the_driver_of_a_run_that_nobody_drives(
    marks: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run(plan_of(step("one", job=marked(marks, "one", wait=str(marks / "go")))))
    until(lambda: counts(marks).get("one"))
    (pid,) = drivers_of(home)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not is_driven(open_run_folder(run.id)))
    runs.runs()
    assert drivers_of(home) == [], "whoever has started a run starts its driver, with secrets that others lack"
    monkeypatch.setattr(listing, "_NEW", 0.0)
    runs.runs()
    assert len(drivers_of(home)) == 1
    (marks / "go").touch()
    until(lambda: runs.runs()["runs"][0]["status"] == "succeeded")
    assert counts(marks) == {"one": 1}


def test_a_run_is_stopped(marks: Path) -> None:
    run = start_run(plan_of(step("one", job=marked(marks, "one", wait=str(marks / "never")))))
    with pytest.raises(PaiJupyterError, match="cannot be deleted"):
        runs.delete(run.id)
    assert actions.stop(run.id) == {}
    with pytest.raises(PaiJupyterError):
        run.wait(DEADLINE)
    assert runs.run(run.id)["run"]["status"] == "stopped"


@pytest.mark.parametrize(
    "values", [{"self": 1}, {"environment": {"PATH": "/tmp"}}, {"from_step": "x"}, [1], {"none": 1}]
)
def test_values_of_a_rerun_are_those_of_its_inputs(marks: Path, values: object) -> None:
    with pytest.raises(SpecError):
        actions.rerun(finished(marks).id, {"parameters": values})
    assert counts(marks) == {"one": 1, "two": 1}


def with_inputs(marks: Path) -> Run:
    """A run that has ended, of a pipeline with inputs, and a pipeline in it."""
    inner = Graph(steps=(step("a", job=marked(marks, "a")), step("b", "a", job=marked(marks, "b"))))
    graph = Graph(
        steps=(
            step("whole", job=inner),
            step("last", "whole", job=marked(marks, "last", "lr"), lr="{{inputs.parameters.lr}}"),
        ),
        parameters=(
            DeclaredParameter(name="lr", type="Double", default=0.1, feasible="(0, 1]"),
            DeclaredParameter(name="mode", default="fast", choices=("fast", "slow")),
            DeclaredParameter(name="token"),
        ),
        artifacts=(DeclaredArtifact(name="data", repeated=True),),
    )
    plan = Plan(name="inputs", graph=graph, parameters={"lr": 0.5, "token": "t-1"}, artifacts={"data": ["/a", "/b"]})
    run = start_run(plan)
    run.wait(DEADLINE)
    return run


def test_the_inputs_of_a_run_are_told_with_their_values_and_secrets_are_not(marks: Path) -> None:
    told = actions.inputs(with_inputs(marks).id)
    assert_declared(RunInputsAnswer, told)
    assert told["steps"] == ["whole", "whole/a", "whole/b", "last"]
    rows = {row["name"]: row for row in told["inputs"]}
    assert {name: (row["type"], row["value"]) for name, row in rows.items()} == {
        "lr": ("Double", "0.5"),
        "mode": ("String", "fast"),
        "token": ("String", MASKED),
        "data": ("", "/a\n/b"),
    }
    assert (rows["lr"]["range"], rows["mode"]["choices"]) == ("(0, 1]", ["fast", "slow"])
    assert (rows["data"]["is_list"], rows["token"]["is_fixed"], rows["lr"]["is_fixed"]) == (True, True, False)


def test_a_run_is_run_again_with_what_was_typed(marks: Path) -> None:
    run = with_inputs(marks)
    answer = actions.rerun(run.id, {"from_step": "whole/b", "parameters": {"lr": "0.25", "data": "/c\n\n/d\n"}})
    assert_declared(RunAgain, answer)
    again = attach_run(answer["run"])
    again.wait(DEADLINE)
    assert (again.plan.parameters, again.plan.artifacts) == (
        {"lr": "0.25", "token": "t-1"},
        {"data": ["/c", "/d"]},
    )
    assert counts(marks) == {"a": 1, "b": 2, "last": 2}


def test_wrong_values_are_told_by_input_and_nothing_starts(marks: Path) -> None:
    run = with_inputs(marks)
    answer = actions.rerun(run.id, {"parameters": {"lr": "7", "mode": "none", "data": "/a"}})
    assert (answer["run"], [it["name"] for it in answer["problems"]]) == ("", ["lr", "mode"])
    assert "(0, 1]" in answer["problems"][0]["text"]
    assert len(runs.runs()["runs"]) == 1
    assert actions.rerun(run.id, {"parameters": {"lr": ""}})["problems"] == [], "nothing typed is the default"


@pytest.mark.parametrize("act", [runs.run, actions.stop, runs.delete, lambda run: actions.rerun(run, {})])
def test_a_run_is_named_by_its_whole_id(marks: Path, act: object) -> None:
    run = finished(marks)
    for name in (run.id[:-1], "", "..", f"../runs/{run.id}", f"{run.id}/journal.jsonl"):
        with pytest.raises(NotFoundError, match="there is no run"):
            act(name)  # type: ignore[operator]  # a function
    assert runs.run(run.id)["run"]["id"] == run.id


def test_runs_of_services_are_shown_and_stopped_and_nothing_else(home: Path) -> None:
    held = HeldRuns(RunState(id="held-1", name="theirs", created=5.0))
    with shown(held):
        assert runs.runs()["runs"] == []
        (row,) = runs.runs(remote=True)["runs"]
        assert (row["id"], row["is_here"], row["url"]) == ("held-1", False, "https://console/held-1")
        assert runs.run("held-1")["run"]["is_here"] is False
        assert actions.stop("held-1") == {}
        assert held.stopped == ["held-1"]
        for act in (runs.delete, lambda run: actions.rerun(run, {})):
            with pytest.raises(PaiJupyterError, match="not on this machine"):
                act("held-1")


def test_a_service_that_does_not_answer_is_a_note(home: Path) -> None:
    held = HeldRuns()
    held.trouble = UnavailableError("PAIFlow does not answer.")
    with shown(held):
        told = runs.runs(remote=True)
        assert (told["runs"], told["notes"]) == ([], ["PAIFlow does not answer."])


def test_over_http(server: Server) -> None:
    assert server.ask("runs").json() == {"runs": [], "notes": []}
    missing = server.ask("runs/r-no-such-run")
    assert (missing.status, missing.json()["type"]) == (404, "NotFoundError")
    assert server.ask("runs/r-no-such-run/stop", method="POST").status == 404
    assert server.ask("runs", headers={}).status == 403
