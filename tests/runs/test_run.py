"""Runs from start to end: order, conditions, loops, failures, retries, stop; what is written down, and what is deleted."""

import os
import stat
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError, RunFailed, RunStopped, SpecError
from pai_jupyter.jobs import Job
from pai_jupyter.runs import Run, RunWatcher, attach_run, delete_run, list_runs, start_run
from pai_jupyter.runs.driving import is_driven
from pai_jupyter.runs.plan import Argument, DeclaredParameter, Graph, Loop, Plan
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.store import JobStore
from pai_jupyter.store.lock import try_lock
from tests.support.patience import DEADLINE
from tests.support.run_jobs import counts, marked, starts
from tests.support.run_plans import output, plan_of, step, template
from tests.support.run_steps import statuses, steps_of
from tests.support.started import until


def is_undriven(run: Run) -> bool:
    return not is_driven(open_run_folder(run.id))


@pytest.mark.parametrize("backend", ["instant", "process"])
def test_the_branch_runs_whose_condition_is_met(marks: Path, backend: str) -> None:
    run = start_run(
        plan_of(
            step("one", job=marked(marks, "one", "value", backend=backend), value="0.95"),
            step("two", job=marked(marks, "two", backend=backend), condition=f"{output('one')} <= 0.9"),
            step("three", job=marked(marks, "three", backend=backend), condition=f"{output('one')} > 0.9"),
            accuracy=output("one"),
        )
    )
    state = run.wait(DEADLINE)
    assert statuses(run) == {"one": "succeeded", "three": "succeeded", "two": "skipped"}
    assert counts(marks) == {"one": 1, "three": 1}
    assert state.parameters == run.outputs.parameters == {"accuracy": "0.95"}
    assert [(job.folder.record.run, job.folder.record.step) for job in run.jobs] == [(run.id, "one"), (run.id, "three")]


def test_loops_and_nested_pipelines(marks: Path) -> None:
    inner = Graph(
        steps=(step("deep", job=marked(marks, "deep", "item", "value"), item="{{inputs.parameters.x}}"),),
        parameters=marked(marks, "", "x").parameters,
        output_parameters={"out": template(output("deep"))},
    )
    loop = Loop(items=Argument(value=["a", "b", "c"]), parallelism=2)
    run = start_run(
        plan_of(
            step("each", job=marked(marks, "each", "item", "value"), loop=loop, item="{{item}}", value="{{item}}"),
            step("nested", "each", job=inner, x=output("each")),
        )
    )
    run.wait(DEADLINE)
    assert counts(marks) == {"eacha": 1, "eachb": 1, "eachc": 1, "deep--a---b---c--": 1}
    assert steps_of(run)["each"].parameters == {"out": ["a", "b", "c"]}
    assert statuses(run)["nested/deep"] == "succeeded"


def test_a_failure_skips_what_depends_on_it_and_nothing_else(marks: Path) -> None:
    run = start_run(
        plan_of(
            step("bad", job=marked(marks, "bad", fail=9)),
            step("behind", "bad", job=marked(marks, "behind")),
            step("other", job=marked(marks, "other")),
            step("refused", job=marked(marks, "refused", refuse="there is no such image.")),
        )
    )
    with pytest.raises(RunFailed, match=r"step `bad` failed \(1 other failed too\): the job ended with exit code 3"):
        run.wait(DEADLINE)
    assert statuses(run) == {"bad": "failed", "behind": "skipped", "other": "succeeded", "refused": "failed"}
    assert steps_of(run)["refused"].reason == "there is no such image."
    assert counts(marks) == {"bad": 1, "other": 1}


def test_a_failed_step_is_tried_again(marks: Path) -> None:
    run = start_run(plan_of(step("late", job=marked(marks, "late", fail=2), retries=2)))
    run.wait(DEADLINE)
    assert [one.status for one in steps_of(run)["late"].tries] == ["failed", "failed", "succeeded"]


def test_fail_fast_stops_what_runs(marks: Path) -> None:
    plan = plan_of(
        step("long", job=marked(marks, "long", wait=str(marks / "never"))),
        step("bad", job=marked(marks, "bad", fail=1, wait=str(marks / "go"))),
        fail_fast=True,
    )
    run = start_run(plan)
    until(lambda: counts(marks).get("long"))
    (marks / "go").touch()
    with pytest.raises(RunFailed):
        run.wait(DEADLINE)
    assert statuses(run) == {"bad": "failed", "long": "stopped"}


@pytest.mark.parametrize("backend", ["instant", "process"])
def test_a_run_is_stopped(marks: Path, backend: str) -> None:
    long = marked(marks, "long", wait=str(marks / "never"), backend=backend)
    run = start_run(plan_of(step("long", job=long), step("behind", "long", job=marked(marks, "behind"))))
    until(lambda: counts(marks).get("long"))
    run.stop()
    with pytest.raises(RunStopped):
        run.wait(DEADLINE)
    assert statuses(run) == {"behind": "stopped", "long": "stopped"}
    assert [job.status for job in run.jobs] == ["stopped"]


def test_remote_jobs_at_the_same_time_are_limited(marks: Path) -> None:
    gate = str(marks / "go")
    steps = [step(f"s{number}", job=marked(marks, f"s{number}", wait=gate)) for number in range(8)]
    plan = plan_of(*steps)
    run = start_run(Plan(name=plan.name, graph=plan.graph, parallel={"remote": 3}))
    until(lambda: len(counts(marks)) == 3)
    until(lambda: sum(one.status == "running" for one in run.state.steps) >= 3)
    assert len(counts(marks)) == 3
    (marks / "go").touch()
    run.wait(DEADLINE)
    assert counts(marks) == {f"s{number}": 1 for number in range(8)}


def test_a_job_that_is_deleted_is_a_failed_try(marks: Path) -> None:
    run = start_run(plan_of(step("gone", job=marked(marks, "gone", wait=str(marks / "go")), retries=1)))
    until(lambda: counts(marks).get("gone"))
    until(lambda: any(job.status == "running" for job in run.jobs))
    JobStore().remove(starts(marks)["gone"][0])
    until(lambda: counts(marks)["gone"] == 2)
    (marks / "go").touch()
    run.wait(DEADLINE)
    assert "was deleted" in str(steps_of(run)["gone"].tries[0].reason)


def test_a_service_that_does_not_answer_is_waited_for(marks: Path) -> None:
    down = Path(os.environ["INSTANT_DOWN"])
    down.touch()
    run = start_run(plan_of(step("only", job=marked(marks, "only"))))
    until(lambda: run.state.notes)
    assert "does not answer" in run.state.notes[0]
    down.unlink()
    run.wait(DEADLINE)
    assert len(steps_of(run)["only"].tries) == 1


def test_files_are_private_and_what_is_written_first_is_whole(marks: Path, tmp_path: Path) -> None:
    archive = tmp_path / "code.tar.gz"
    archive.write_bytes(b"code")
    run = start_run(
        plan_of(step("only", job=marked(marks, "only"))), packages={"only.tar.gz": archive}, notebook="a.ipynb"
    )
    run.wait(DEADLINE)
    assert (run.folder / "packages" / "only.tar.gz").read_bytes() == b"code"
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [run.folder, *run.folder.rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert attach_run(run.id[:9]).plan == run.plan


def test_runs_are_listed_and_deleted(marks: Path) -> None:
    only = Graph(steps=(step("only", job=marked(marks, "only")),), parameters=(DeclaredParameter(name="n"),))
    first = start_run(Plan(name="plan", graph=only, parameters={"n": "1"}), notebook="a.ipynb")
    first.wait(DEADLINE)
    second = start_run(plan_of(step("only", job=marked(marks, "held", wait=str(marks / "go")))))
    until(lambda: counts(marks).get("held"))
    (first.folder.parent / "r-damaged").mkdir()
    (first.folder.parent / "r-damaged" / "run.json").write_text("{")
    rows = {row.id: row for row in list_runs()}
    assert rows[first.id].inputs == first.state.inputs == {"n": "1"}
    assert (rows[first.id].status, rows[first.id].counts, rows[first.id].notebook) == (
        "succeeded",
        {"succeeded": 1},
        "a.ipynb",
    )
    until(lambda: [row.counts for row in list_runs() if row.id == second.id] == [{"running": 1}])
    assert rows["r-damaged"].status == "unknown"
    with pytest.raises(PaiJupyterError, match="has not ended"):
        delete_run(second.id)
    until(lambda: is_undriven(first))
    delete_run(first.id)
    assert not first.folder.exists()
    assert JobStore().ids()[-1:] == starts(marks)["only"]
    with pytest.raises(NotFoundError):
        attach_run(first.id)
    (marks / "go").touch()
    second.wait(DEADLINE)


def test_a_run_whose_folder_is_deleted_is_not_driven_any_more(marks: Path, home: Path) -> None:
    run = start_run(plan_of(step("only", job=marked(marks, "only", wait=str(marks / "go")))))
    until(lambda: counts(marks).get("only"))
    watcher = RunWatcher(run.id)
    watcher.poll()
    folder = open_run_folder(run.id)
    run.folder.rename(run.folder.with_name("elsewhere"))
    until(lambda: not _is_driven_at(folder.path.with_name("elsewhere")))
    with pytest.raises(NotFoundError):
        watcher.poll()


def _is_driven_at(path: Path) -> bool:
    lock = try_lock(path / "drive.lock")
    if lock is None:
        return True
    with lock:
        return False


def test_a_wrong_plan_is_no_run(marks: Path) -> None:
    with pytest.raises(SpecError, match="no such step"):
        start_run(plan_of(step("only", "missing", job=marked(marks, "only"))))
    assert list_runs() == []


def test_a_watcher_tells_what_has_changed(marks: Path) -> None:
    run = start_run(plan_of(step("only", job=marked(marks, "only", wait=str(marks / "go")))))
    watcher = RunWatcher(run.id)
    assert watcher.poll() is not None
    until(lambda: [job for job in run.jobs if job.status == "running"])
    until(lambda: watcher.poll() is None)
    (marks / "go").touch()
    until(lambda: (state := watcher.poll()) is not None and state.status == "succeeded")
    assert watcher.poll() is None


def test_job_handles_are_those_of_jobs(marks: Path) -> None:
    run = start_run(plan_of(step("only", job=marked(marks, "only"))))
    run.wait(DEADLINE)
    (job,) = run.jobs
    assert isinstance(job, Job)
    assert job.id == steps_of(run)["only"].job_id


def test_a_name_is_that_of_its_newest_run(marks: Path) -> None:
    runs = [start_run(plan_of(step("only", job=marked(marks, "only")))) for _ in range(2)]
    for run in runs:
        run.wait(DEADLINE)
    newest = max(run.id for run in runs)
    assert attach_run(runs[0].plan.name).id == newest
    assert attach_run(runs[0].id).id == runs[0].id
    with pytest.raises(NotFoundError, match="there is no run 'nothing'"):
        attach_run("nothing")
