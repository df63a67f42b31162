"""%pai_stack over real jobs, looked at by the real py-spy: where a job is, and where it spends its time."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pai_jupyter.errors import JobNotReady, SpecError
from pai_jupyter.jobs import Job, submit
from pai_jupyter.spec import JobSpec
from pai_jupyter.stacks import py_spy
from tests.support.shells import Shell
from tests.support.started import until

pytestmark = pytest.mark.skipif(
    py_spy.find_py_spy() is None, reason="py-spy is missing: pip install 'pai_jupyter[stack]'"
)

CHILD = """
import time
def load_next():
    print("loading", flush=True)
    time.sleep(600)
load_next()
"""
CELL = """%%pai_train where --run --no-wait --backend process --as job --env API_TOKEN=hunter2hunter2
import subprocess, sys, threading, time
secret = "s3cr3t" * 9
def burn(token):
    while True:
        sum(range(1000))
def rest():
    time.sleep(600)
child = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE); child.stdout.readline()
threading.Thread(target=rest, name="pin \\x1b[2Jmemory", daemon=True).start()
print("ready", flush=True)
burn(secret)
""".replace("CHILD", repr(CHILD))

RESTING = r"thread pin +memory \(idle\)\n(?:.*\n)*?.*in rest\n"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell with a job that burns in line 7 of its cell, with a thread and a child that sleep."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("notebook"))
        patch.setenv("PAI_JUPYTER_HOME", str(tmp_path_factory.mktemp("home")))
        with Shell() as shell:
            shown = shell.run(CELL)
            assert shown.error is None, shown.text
            job: Job = shell.user_ns["job"]
            until(lambda: any(line.text == "ready" for line in job.logs()))
            yield shell
            job.stop()


@pytest.fixture(autouse=True)
def same_home(shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home of the job's shell, in place of one for each test."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(shell.user_ns["job"].folder.path.parents[1]))


def test_all_threads_and_children_are_told_with_lines_of_the_cell(shell: Shell) -> None:
    until(lambda: re.search(RESTING, shell.run("%pai_stack where").text) is not None)  # it has just been started
    shown = shell.run("%pai_stack where")
    assert shown.error is None, shown.text
    lines = shown.text.splitlines()
    at = next(n for n, line in enumerate(lines) if "MainThread (active" in line and "cell line 12" in lines[n + 1])
    assert re.fullmatch(r" +cell line 12, in <module>", lines[at + 1])
    assert re.fullmatch(r" +cell line [56], in burn", lines[at + 2])
    assert "cell line 8, in rest" in shown.text
    assert re.search(RESTING, shown.text)
    assert "load_next" in shown.text
    assert shown.text.count("process ") == 2


def test_no_value_and_no_command_line_is_told(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "stacks.json"
    shown = shell.run(f"%pai_stack where -o {file}").text + shell.run("%pai_stack where").text + file.read_text()
    assert "s3cr3t" not in shown
    assert "hunter2" not in shown
    assert "import time" not in shown
    assert "\x1b" not in shown
    names = [thread["name"] for process in json.loads(file.read_text()) for thread in process["threads"]]
    assert "MainThread" in names


def test_a_recording_tells_the_hottest_path_and_is_drawn(shell: Shell, tmp_path: Path) -> None:
    shown = shell.run("%pai_stack where --seconds 1")
    assert shown.error is None, shown.text
    assert re.search(r"samples in 1 seconds", shown.text)
    burning = re.search(r"([\d.]+)%  +cell line [56], in burn", shown.text)
    assert burning is not None
    assert float(burning[1]) > 20
    assert "in rest" not in shown.text  # it waits
    assert "load_next" not in shown.text
    file = tmp_path / "flame.svg"
    assert "written to" in shell.run(f"%pai_stack where --seconds 1 -o {file}").text
    drawn = file.read_text()
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert "in burn" in drawn
    assert "<script" not in drawn


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("where --seconds 0", "from 1 to 60"),
        ("where --seconds 61", "from 1 to 60"),
        ("where -o x.txt", "must end in .svg or .json"),
        ("where -o x.svg", "Add --seconds 10"),
        ("where --replica worker-7", "has no replica 'worker-7'"),
        ("where -o /nowhere/x.json", "cannot be written"),
        ("gone --seconds 60 -o /nowhere/x.svg", "cannot be written: No such file or directory"),
        ("gone --seconds 60 -o taken.svg", "cannot be written: Is a directory"),
    ],
)
def test_bad_options_are_refused_with_what_to_type(shell: Shell, line: str, words: str) -> None:
    Path("taken.svg").mkdir(exist_ok=True)
    shown = shell.run(f"%pai_stack {line}")
    assert isinstance(shown.error, SpecError)
    assert words in str(shown.error)


def test_a_job_that_has_ended_has_no_stacks(shell: Shell) -> None:
    shell.run("%%pai_train over --run --wait --backend process\nprint(1)")
    shown = shell.run("%pai_stack over")
    assert isinstance(shown.error, SpecError)
    assert "has ended (succeeded)" in str(shown.error)


def test_a_job_that_waits_has_none_yet(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_PROCESS_MAX_PARALLEL", "1")
    shell.run("%%pai_train later --run --no-wait --backend process --as later\nprint(1)")
    shown = shell.run("%pai_stack later")
    shell.user_ns["later"].stop()
    assert isinstance(shown.error, JobNotReady)


def test_a_job_that_is_no_python_says_so(shell: Shell) -> None:
    job = submit(JobSpec(name="sh", command="echo up; exec sleep 600"), backend="process")
    until(lambda: any(line.text == "up" for line in job.logs()))
    shown = shell.run("%pai_stack sh")
    job.stop()
    assert "runs no Python process now" in shown.text


def test_replicas_are_told_apart(shell: Shell) -> None:
    code = "import os, time\nprint('up', flush=True)\ndef wait():\n    time.sleep(600)\nwait()\n"
    shell.run(f"%%pai_train two --run --no-wait --backend process --as two --instance-count 2\n{code}")
    job: Job = shell.user_ns["two"]
    until(lambda: sum(line.text == "up" for line in job.logs()) == 2)
    both, one = shell.run("%pai_stack two").text, shell.run("%pai_stack two --replica worker-0").text
    job.stop()
    assert re.findall(r"^(\S+) · process", both, re.MULTILINE) == ["master-0", "worker-0"]
    pid = re.search(r"worker-0 · process (\d+)", both)
    assert pid is not None
    assert f"process {pid[1]}" in one
    assert one.count("process ") == 1
    assert "cell line 5, in wait" in one
