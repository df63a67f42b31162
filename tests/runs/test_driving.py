"""The process that drives a run: it outlives its starter, is started again, waits for secrets, and for room on the disk."""

import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.errors import LimitExceededError, PaiJupyterError, RunFailed, RunStopped
from pai_jupyter.runs import Run, RunWatcher, attach_run, start_run
from pai_jupyter.runs import run_log as run_log_module
from pai_jupyter.runs.driving import is_driven
from pai_jupyter.runs.journal import Noted
from pai_jupyter.runs.journal_file import Journal, read_journal
from pai_jupyter.runs.plan import Plan
from pai_jupyter.runs.run_folder import open_run_folder
from pai_jupyter.runs.run_log import RunLog
from tests.support.drivers import drivers_of
from tests.support.patience import DEADLINE
from tests.support.run_jobs import counts, marked
from tests.support.run_plans import plan_of, step
from tests.support.started import until

SECRET = "RUN_TOKEN"
VALUE = "token-5f2a9c81"


def held(marks: Path, *, secret: str = "") -> Plan:
    return plan_of(step("only", job=marked(marks, "only", wait=str(marks / "go"), secret=secret)))


def needs_secret(marks: Path) -> Plan:
    return replace(held(marks, secret=SECRET), secrets=(SECRET,))


def kill_driver(home: Path) -> None:
    (pid,) = drivers_of(home)
    os.kill(pid, signal.SIGKILL)


def test_the_driver_is_nobodys_child(marks: Path, home: Path) -> None:
    run = start_run(held(marks))
    (pid,) = drivers_of(home)
    assert os.getsid(pid) != os.getsid(0)
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    (marks / "go").touch()
    run.wait(DEADLINE)


def test_one_process_drives(marks: Path, home: Path) -> None:
    run = start_run(held(marks))
    attach_run(run.id)
    RunWatcher(run.id).poll()
    assert len(drivers_of(home)) == 1
    (marks / "go").touch()
    run.wait(DEADLINE)
    until(lambda: not drivers_of(home))


@pytest.mark.parametrize("way", ["wait", "attach", "watch", "stop"])
def test_whoever_looks_starts_the_driver_again(marks: Path, home: Path, way: str) -> None:
    run = start_run(held(marks))
    until(lambda: counts(marks).get("only"))
    kill_driver(home)
    until(lambda: not is_driven(open_run_folder(run.id)))
    again = Run(open_run_folder(run.id))
    watcher = RunWatcher(run.id)
    if way == "attach":
        attach_run(run.id)
    elif way == "watch":
        until(lambda: watcher.poll() is None and drivers_of(home))
    elif way == "stop":
        again.stop()
        with pytest.raises(RunStopped):
            again.wait(DEADLINE)
        return
    (marks / "go").touch()
    again.wait(DEADLINE)
    assert counts(marks) == {"only": 1}


def test_whoever_starts_the_driver_again_starts_it_in_the_python_of_the_run(
    marks: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python, used = tmp_path / "python", tmp_path / "used"
    python.write_text(f'#!/bin/sh\ntouch {used}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(python))
        run = start_run(held(marks))
    for is_there in (True, False):
        until(lambda: counts(marks).get("only"))
        kill_driver(home)
        until(lambda: not is_driven(open_run_folder(run.id)))
        used.unlink(missing_ok=True)
        if not is_there:
            python.unlink()
        attach_run(run.id)
        assert used.exists() is is_there
    (marks / "go").touch()
    run.wait(DEADLINE)
    again = run.rerun()
    assert open_run_folder(again.id).record.python == str(python)
    again.wait(DEADLINE)


def test_a_secret_is_in_no_file(marks: Path) -> None:
    (marks / "go").touch()
    run = start_run(needs_secret(marks), environment={SECRET: VALUE})
    run.wait(DEADLINE)
    home = run.folder.parent.parent
    assert [path for path in home.rglob("*") if path.is_file() and VALUE.encode() in path.read_bytes()] == []


def test_a_run_without_its_secret_waits_until_somebody_has_it(
    marks: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run(needs_secret(marks))
    until(lambda: run.state.status == "blocked")
    assert SECRET in str(run.state.reason)
    with pytest.raises(PaiJupyterError, match=f"`{SECRET}`"):
        run.wait(DEADLINE)
    until(lambda: not drivers_of(home))
    watcher = RunWatcher(run.id)
    watcher.poll()
    assert drivers_of(home) == []
    monkeypatch.setenv(SECRET, VALUE)
    (marks / "go").touch()
    attach_run(run.id).wait(DEADLINE)
    assert run.state.status == "succeeded"


def test_a_driver_without_the_secret_gives_way_to_one_with_it(marks: Path, home: Path) -> None:
    plan = needs_secret(marks)
    plan = replace(
        plan, graph=replace(plan.graph, steps=(*plan.graph.steps, step("next", "only", job=marked(marks, "next"))))
    )
    run = start_run(plan, environment={SECRET: VALUE})
    until(lambda: counts(marks).get("only"))
    kill_driver(home)
    until(lambda: not is_driven(open_run_folder(run.id)))
    Run(open_run_folder(run.id)).keep_driven()
    until(lambda: run.state.status == "blocked")
    (marks / "go").touch()
    attach_run(run.id, environment={SECRET: VALUE}).wait(DEADLINE)
    assert counts(marks) == {"only": 1, "next": 1}


@pytest.mark.parametrize("way", ["submit", "collect"])
def test_a_run_whose_key_is_refused_waits_until_somebody_tries_with_another(
    marks: Path, home: Path, tmp_path: Path, way: str
) -> None:
    gate = tmp_path / "down" if way == "submit" else marks / "denied"
    gate.write_text("denied" if way == "submit" else "InvalidAccessKeyId")
    behind = step("next", "only", job=marked(marks, "next"))
    run = start_run(plan_of(step("only", job=marked(marks, "only", denied=str(marks / "denied"))), behind))
    with pytest.raises(PaiJupyterError, match=rf"step `only` .* refuses this key.* attach_run\(\"{run.id}\"\)"):
        run.wait(DEADLINE)
    assert run.state.status == "blocked"
    until(lambda: not drivers_of(home))
    RunWatcher(run.id).poll()  # who only looks has no other key
    assert drivers_of(home) == []
    gate.unlink()
    attach_run(run.id).wait(DEADLINE)
    assert counts(marks) == {"only": 1, "next": 1}


@pytest.mark.parametrize(
    ("way", "sentence"), [("submit", "it takes the permission `pai:CreateJob`."), ("collect", "refuses this key.")]
)
def test_a_step_for_which_a_permission_is_missing_fails_and_the_others_finish(
    marks: Path, tmp_path: Path, way: str, sentence: str
) -> None:
    gate = tmp_path / "down" if way == "submit" else marks / "denied"
    gate.write_text("forbidden" if way == "submit" else "AccessDenied")
    only = step("only", job=marked(marks, "only", denied=str(marks / "denied")))
    run = start_run(
        plan_of(
            only,
            step("next", "only", job=marked(marks, "next")),
            step("own", job=marked(marks, "own", backend="process")),
        )
    )
    with pytest.raises(RunFailed, match=re.escape(sentence)):
        run.wait(DEADLINE)
    assert {it.name: it.status.value for it in run.state.steps} == {
        "only": "failed",
        "next": "skipped",
        "own": "succeeded",
    }


def test_a_run_whose_key_is_refused_is_stopped(marks: Path, tmp_path: Path) -> None:
    (marks / "denied").touch()
    run = start_run(plan_of(step("only", job=marked(marks, "only", denied=str(marks / "denied")))))
    until(lambda: run.state.status == "blocked")
    run.stop()
    with pytest.raises((RunFailed, RunStopped)):
        run.wait(DEADLINE)


def test_a_blocked_run_is_stopped(marks: Path) -> None:
    run = start_run(needs_secret(marks))
    until(lambda: run.state.status == "blocked")
    run.stop()
    with pytest.raises(RunStopped):
        run.wait(DEADLINE)


def test_a_driver_that_cannot_begin_says_why(marks: Path) -> None:
    run = start_run(held(marks))
    run.stop()
    with pytest.raises(RunStopped):
        run.wait(DEADLINE)
    until(lambda: not is_driven(open_run_folder(run.id)))
    lines = (run.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run.folder / "journal.jsonl").write_bytes(b"nonsense\n" + b"".join(lines[:1]))
    with pytest.raises(PaiJupyterError, match="is damaged: line 1 is no JSON"):
        attach_run(run.id)


def test_the_journal_waits_for_room_on_the_disk(marks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (marks / "go").touch()
    run = start_run(held(marks))
    run.wait(DEADLINE)
    folder = open_run_folder(run.id)
    full = [True, True]
    append = Journal.append

    def failing(self: Journal, *entries: Noted) -> None:
        if full:
            full.pop()
            raise LimitExceededError("there is no room left.")
        append(self, *entries)

    monkeypatch.setattr(Journal, "append", failing)
    monkeypatch.setattr(run_log_module, "DISK_PAUSE", 0.01)
    with RunLog(folder) as log:
        log.write(Noted(text="room again", time=1.0))
    assert not full
    assert read_journal(folder.journal)[-1] == Noted(text="room again", time=1.0)
