"""Damaged folders of runs: each damage is told with the file, the reason and what to type next, and nothing starts twice."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.jobs import close_runtime
from pai_jupyter.runs import Run, attach_run, delete_run, list_runs, start_run
from pai_jupyter.runs.driving import is_driven
from pai_jupyter.runs.run_folder import RunFolder, create_run_folder, open_run_folder
from pai_jupyter.view.chinese import in_chinese
from tests.support.drivers import drivers_of
from tests.support.patience import DEADLINE
from tests.support.run_jobs import counts, marked
from tests.support.run_plans import plan_of, step
from tests.support.started import until

Damage = Callable[[Path], object]


def newer(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 2}))


def without_lines(path: Path) -> None:
    path.write_bytes(b"")


def with_garbage_inside(path: Path) -> None:
    first, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, b"\x00\xff{garbage\n", *others]))


def with_a_wrong_field(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b'{"kind": "stop_asked", "time": "now"}\n')


def as_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.fixture
def left(marks: Path, home: Path) -> Run:
    """A run whose one step runs, and whose driver was killed."""
    run = start_run(plan_of(step("only", job=marked(marks, "only", wait=str(marks / "go")))))
    until(lambda: counts(marks).get("only"))
    kill_driver(run, home)
    return run


def kill_driver(run: Run, home: Path) -> None:
    (pid,) = drivers_of(home)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not is_driven(open_run_folder(run.id)))


@pytest.mark.parametrize(
    ("name", "damage", "why"),
    [
        ("run.json", Path.unlink, "it is missing"),
        ("run.json", lambda path: path.write_text("{"), "it is no JSON"),
        ("run.json", lambda path: path.write_bytes(path.read_bytes()[:-20]), "it is no JSON"),
        ("run.json", lambda path: path.write_text("[]"), "`run` is a list; it must be an object"),
        ("run.json", newer, "`schema` is that of a newer pai_jupyter; type: %pip install --upgrade pai_jupyter"),
        ("journal.jsonl", with_garbage_inside, "line 2 is no JSON"),
        (
            "journal.jsonl",
            with_a_wrong_field,
            "line 2: `entry.time` is text of 3 characters; it must be a time in seconds since 1970",
        ),
        ("journal.jsonl", Path.unlink, "which step `only` has started, is not in it"),
        ("journal.jsonl", without_lines, "which step `only` has started, is not in it"),
    ],
)
def test_a_damaged_run_says_so_starts_nothing_and_goes_on_when_it_is_mended(
    left: Run, marks: Path, home: Path, name: str, damage: Damage, why: str
) -> None:
    path = left.folder / name
    whole = path.read_bytes()
    damage(path)
    with pytest.raises(PaiJupyterError) as caught:
        attach_run(left.id)
    said = str(caught.value)
    assert f"'{path}' is damaged: " in said
    assert f"{why}. Put it back as it was, or delete the record of the run" in said
    assert said.endswith(f"%pai_runs {left.id} --delete")
    assert "已损坏" in in_chinese(said)
    (row,) = list_runs()
    assert (row.status == "unknown") is (row.reason == said)
    until(lambda: drivers_of(home) == [])
    path.write_bytes(whole)
    (marks / "go").touch()
    attach_run(left.id).wait(DEADLINE)
    assert counts(marks) == {"only": 1}


@pytest.mark.parametrize("name", ["run.json", "journal.jsonl"])
def test_what_was_put_in_the_place_of_a_file_is_named_and_deleted_with_the_run(
    left: Run, marks: Path, name: str
) -> None:
    as_directory(left.folder / name)
    with pytest.raises(PaiJupyterError, match=rf"{name}' is not read: .* Remove what was put there\."):
        attach_run(left.id)
    (marks / "go").touch()
    close_runtime()
    if name == "run.json":
        delete_run(left.id)
        assert list((left.folder.parent).iterdir()) == []
    assert counts(marks) == {"only": 1}


def test_a_torn_last_line_is_done_again_and_the_step_is_not(left: Run, marks: Path) -> None:
    with (left.folder / "journal.jsonl").open("ab") as file:
        file.write(b'{"kind": "outputs_read", "step": "only", "job_id"')
    (marks / "go").touch()
    assert attach_run(left.id).wait(DEADLINE).status == "succeeded"
    assert counts(marks) == {"only": 1}


def test_a_run_that_may_not_be_read_is_listed_with_the_reason(left: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lstat", "open", "stat"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), str(left.folder)))
    (row,) = list_runs()
    assert (row.id, row.status) == (left.id, "unknown")
    assert row.reason.endswith(
        "Permission denied. Check its permissions, or set PAI_JUPYTER_HOME to a folder of yours."
    )
    with pytest.raises(PaiJupyterError, match="Permission denied"):
        attach_run(left.id)


def refusing(call: Callable[..., object], folder: str) -> Callable[..., object]:
    def refused(path: object, *args: object, **kwargs: object) -> object:
        if not isinstance(path, int) and os.fspath(path).startswith(f"{folder}/"):  # type: ignore[call-overload]  # a path, as it is no descriptor
            raise PermissionError(13, os.strerror(13), path)
        return call(path, *args, **kwargs)

    return refused


def test_a_lock_whose_holder_died_keeps_nobody_from_driving(left: Run, marks: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from pai_jupyter.store.lock import try_lock; "
        "held = try_lock(Path(sys.argv[1])); print(held is not None, flush=True); time.sleep(1000)"
    )
    words = [sys.executable, "-c", code, str(left.folder / "drive.lock")]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert is_driven(open_run_folder(left.id))
        holder.kill()
    (marks / "go").touch()
    attach_run(left.id).wait(DEADLINE)
    assert counts(marks) == {"only": 1}


def test_a_driver_without_room_for_its_journal_waits_and_does_nothing_twice(marks: Path, home: Path) -> None:
    gate = marks / "go"
    large = "x" * 20_000  # larger than all other files
    only = step("only", job=marked(marks, "only", "value", wait=str(gate)), value=large)
    run = start_run(plan_of(only, step("next", "only", job=marked(marks, "next"))))
    until(lambda: counts(marks).get("only"))
    (pid,) = drivers_of(home)
    size = (run.folder / "journal.jsonl").stat().st_size
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))
    gate.touch()
    until(lambda: b"there is no room left for" in (run.folder / "driver.err").read_bytes())
    assert counts(marks) == {"only": 1}
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))
    run.wait(DEADLINE)
    assert counts(marks) == {"only": 1, "next": 1}


def test_what_a_killed_process_leaves_of_a_run_is_removed(marks: Path, home: Path) -> None:
    runs = home / "runs"
    for name in (".deleted-r1abc", ".new-r2abc", ".new-r3abc"):
        (runs / name / "packages").mkdir(parents=True)
    os.utime(runs / ".new-r2abc", (0, 0))
    plan = plan_of(step("only", job=marked(marks, "only")))
    folder = create_run_folder(plan, home=home, now=1.0, random=1, packages={})
    assert sorted(path.name for path in runs.iterdir()) == [".new-r3abc", folder.id]


def test_deleting_a_run_leaves_nothing(left: Run, marks: Path) -> None:
    (marks / "go").touch()
    attach_run(left.id).wait(DEADLINE)
    until(lambda: not is_driven(RunFolder(left.folder)))
    delete_run(left.id)
    assert list(left.folder.parent.iterdir()) == []
    with pytest.raises(NotFoundError, match=r"Type %pai_runs to see them\."):
        attach_run(left.id)


@pytest.mark.parametrize("name", ["job.json", "state.json"])
def test_a_job_whose_record_is_damaged_is_named_and_waited_for(left: Run, marks: Path, home: Path, name: str) -> None:
    [job] = (home / "jobs").iterdir()
    whole = (job / name).read_bytes() if (job / name).is_file() else b""
    (job / name).write_bytes(b"{garbage")
    run = attach_run(left.id)
    until(lambda: f"'{job / name}' is damaged: " in json.dumps(run.state.to_json()))
    if whole:
        (job / name).write_bytes(whole)
    else:  # of a job whose submission was not recorded yet
        (job / name).unlink()
    (marks / "go").touch()
    run.wait(DEADLINE)
    assert counts(marks) == {"only": 1}
