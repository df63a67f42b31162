"""Stacks of processes: what a dump is read as, how it is told, and why a process cannot be looked at."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pai_jupyter.cell import CellLines, LineMap
from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.stacks import Recording, ScriptLines, check_py_spy, dump, flame_of, flame_text, py_spy, stacks_text
from pai_jupyter.stacks.flames import MOST_NODES
from pai_jupyter.stacks.frames import INNERMOST, OUTERMOST, ProcessStacks, stacks_of
from pai_jupyter.stacks.python_processes import is_python
from tests.support.patience import SOON
from tests.support.started import until

CELL = ScriptLines(
    "train.py", is_cell=True, origins=LineMap(before=4, parts=(CellLines(at=2, count=2, cell=7, line=1),))
)
FILE = ScriptLines("src/main.py", is_cell=False, origins=None)


@pytest.mark.parametrize(
    ("lines", "file", "line", "place"),
    [
        (CELL, "/ml/usercode/train.py", 6, "cell line 2"),
        (CELL, "/home/me/jobs/j1/ml/usercode/train.py", 3, "cell [7], line 2"),
        (FILE, "/ml/usercode/src/main.py", 6, "src/main.py line 6"),
        (CELL, "/ml/usercode/models/net.py", 6, "models/net.py line 6"),
        (CELL, "/opt/py/lib/python3.11/site-packages/torch/nn/linear.py", 125, "torch/nn/linear.py line 125"),
        (CELL, "/usr/lib/python3.13/threading.py", 9, "threading.py line 9"),
        (CELL, "/a/b/c/d/e.py", 1, "c/d/e.py line 1"),
        (CELL, "<frozen runpy>", 88, "<frozen runpy> line 88"),
    ],
)
def test_lines_are_told_as_the_user_knows_them(lines: ScriptLines, file: str, line: int, place: str) -> None:
    assert lines.frame("f", file, line).place == place


def dumped(*frames: tuple[str, str, int], **more: object) -> dict[str, object]:
    """A thread as py-spy dumps it, the innermost first."""
    listed = [{"name": name, "filename": file, "line": line} for name, file, line in frames]
    return {"thread_name": "MainThread", "active": True, "owns_gil": False, "frames": listed, **more}


def test_a_thread_reads_like_a_traceback() -> None:
    thread = dumped(("wait", "/usr/lib/python3.11/threading.py", 9), ("<module>", "/ml/usercode/train.py", 5))
    idle = dumped(("run", "x.py", 1), active=False, owns_gil=True, thread_name="pin")
    text = stacks_text([stacks_of("worker-0", 12, [thread, idle], CELL)])
    assert text.splitlines() == [
        "process 12",
        "  thread MainThread (active)",
        "    cell line 1, in <module>",
        "    threading.py line 9, in wait",
        "  thread pin (idle, holds the GIL)",
        "    x.py line 1, in run",
    ]


def test_replicas_are_named_where_there_are_several() -> None:
    text = stacks_text([ProcessStacks(replica="a-0", pid=1, trouble="why"), ProcessStacks(replica="a-1", pid=2)])
    assert text.splitlines() == ["a-0 · process 1", "  why", "a-1 · process 2"]


def test_a_deep_stack_keeps_its_ends_and_says_what_is_missing() -> None:
    count = 1_000
    frames = [(f"f{at}", "x.py", at) for at in reversed(range(count))]
    stacks = stacks_of("m-0", 1, [dumped(*frames)], CELL)
    (thread,) = stacks.threads
    assert [frame.function for frame in thread.frames[:OUTERMOST]] == [f"f{at}" for at in range(OUTERMOST)]
    assert thread.frames[-1].function == f"f{count - 1}"
    assert thread.left_out == count - OUTERMOST - INNERMOST
    assert f"{thread.left_out} frames are left out" in stacks_text([stacks])


def test_names_of_a_job_command_no_terminal() -> None:
    thread = dumped(("\x1b]0;x\x07a\x9b31mb\nc", "/ml/\u202euse\rr.py", 1), thread_name="\x1b[2J")
    text = stacks_text([stacks_of("m-0", 1, [thread], CELL)])
    assert not set(text) & set("\x1b\x07\x9b\r\u202e")
    assert len(text.splitlines()) == 3


@pytest.mark.parametrize("value", [None, 3, "x", {}, [None, 3], [{"frames": 3}], [{"frames": [{"line": "x"}]}]])
def test_a_damaged_dump_gives_what_can_be_read(value: object) -> None:
    assert stacks_of("m-0", 1, value, CELL).pid == 1


# --- recordings --------------------------------------------------------------------------------------------------

RECORDED = """\
<module> (/ml/usercode/train.py:5);fit (/ml/usercode/train.py:6) 60
<module> (/ml/usercode/train.py:5);fit (/ml/usercode/train.py:6);dot (/x/site-packages/numpy/core.py:9) 30
<module> (/ml/usercode/train.py:5) 10
nonsense
; 5x
"""


def test_samples_become_a_tree_with_the_hottest_paths_first() -> None:
    flame = flame_of({12: RECORDED, 13: "idle (a.py:1) 25\n"}, 10, CELL)
    assert [(depth, node.samples, node.own) for depth, node in flame.walk()] == [
        (0, 100, 0),
        (1, 100, 10),
        (2, 90, 60),
        (3, 30, 30),
        (0, 25, 0),
        (1, 25, 25),
    ]
    assert flame_text(flame).splitlines() == [
        "125 samples in 10 seconds",
        " 80.0%  process 12",
        " 80.0%  cell line 1, in <module>",
        " 72.0%  cell line 2, in fit",
        " 24.0%  numpy/core.py line 9, in dot",
        " 20.0%  process 13",
        " 20.0%  a.py line 1, in idle",
    ]


def test_a_recording_of_sleepers_says_so() -> None:
    assert "No thread was active" in flame_text(flame_of({12: ""}, 10, CELL))


def test_a_tree_of_any_size_is_cut_to_its_largest_nodes() -> None:
    text = "".join(f"f (a.py:1);g{at} (a.py:{at}) {1 + at % 7}\n" for at in range(3 * MOST_NODES))
    flame = flame_of({1: text}, 10, CELL)
    nodes = [node for _, node in flame.walk()]
    assert len(nodes) <= MOST_NODES
    assert sum(node.own for node in nodes) == flame.root.samples  # what was cut counts for who called it


# --- py-spy ------------------------------------------------------------------------------------------------------


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"], stdout=-1
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        yield child
        child.kill()


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """A `py-spy` of the test's own."""
    return tmp_path / "py-spy"


def write(fake: Path, body: str) -> str:
    fake.write_text(f"#!/bin/sh\n{body}\n")
    fake.chmod(0o755)
    return str(fake)


REFUSES = 'echo "Error: Permission Denied: Try running again with elevated permissions" >&2; exit 1'


@pytest.mark.parametrize(
    ("scope", "euid", "words"),
    [
        ("1", None, "sudo sysctl kernel.yama.ptrace_scope=0"),
        ("3", None, "until it is restarted"),
        ("0", 54321, "another user's"),
    ],
)
def test_a_refusal_says_how_it_is_allowed(
    child: "subprocess.Popen[bytes]",
    fake: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scope: str,
    euid: int | None,
    words: str,
) -> None:
    (tmp_path / "scope").write_text(scope)
    monkeypatch.setattr(py_spy, "_YAMA", tmp_path / "scope")
    owner = Path(f"/proc/{child.pid}").stat().st_uid
    ours = euid or owner or 1000
    monkeypatch.setattr(os, "geteuid", lambda: ours)
    monkeypatch.setattr(os, "stat", lambda path: os.stat_result((0,) * 4 + (owner if euid else ours,) + (0,) * 5))
    with pytest.raises(BackendError, match=words):
        dump(child.pid, write(fake, REFUSES))


def test_a_container_without_the_right_is_told_what_to_add(
    child: "subprocess.Popen[bytes]", fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(py_spy, "_YAMA", tmp_path / "none")
    monkeypatch.setattr(py_spy, "_has_ptrace", lambda: False)
    with pytest.raises(BackendError, match="--cap-add SYS_PTRACE"):
        dump(child.pid, write(fake, REFUSES))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("echo 'Error: Failed to find python version from target process' >&2; exit 1", "install --upgrade py-spy"),
        ("echo '[{'", "cannot be read"),
        ("exec sleep 600", "has not answered"),
        (None, "cannot be started"),
    ],
)
def test_what_goes_wrong_is_one_sentence(
    child: "subprocess.Popen[bytes]", fake: Path, monkeypatch: pytest.MonkeyPatch, body: str | None, words: str
) -> None:
    monkeypatch.setattr(py_spy, "DUMP_SECONDS", 0.3)
    with pytest.raises(BackendError, match=words):
        dump(child.pid, write(fake, body) if body else str(fake))


def test_a_process_that_has_ended_is_no_error(child: "subprocess.Popen[bytes]", fake: Path) -> None:
    child.kill()
    child.wait()
    assert dump(child.pid, write(fake, "echo 'Error: No such process' >&2; exit 1")) is None


def test_a_missing_py_spy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(py_spy, "find_py_spy", lambda: None)
    with pytest.raises(SpecError, match=r"%pip install 'pai_jupyter\[stack\]'"):
        check_py_spy()


def test_python_is_told_from_other_programs(child: "subprocess.Popen[bytes]") -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        until(lambda: str(Path(f"/proc/{other.pid}/exe").readlink()).endswith(("sleep", "coreutils")))
        assert (is_python(child.pid), is_python(other.pid), is_python(2**22 + 1)) == (True, False, False)
        other.kill()


def test_a_recording_that_is_closed_leaves_no_process(
    child: "subprocess.Popen[bytes]", fake: Path, tmp_path: Path
) -> None:
    program = write(fake, f"echo $$ >{tmp_path}/pid; exec sleep 600")
    recording = Recording([child.pid], 60, program)
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
    begun = time.monotonic()
    recording.close()
    assert time.monotonic() - begun < SOON
    until(lambda: not Path(f"/proc/{int((tmp_path / 'pid').read_text())}").exists())


def test_a_recording_ends_with_the_process_that_started_it(
    child: "subprocess.Popen[bytes]", fake: Path, tmp_path: Path
) -> None:
    program = write(fake, f"echo $$ >{tmp_path}/pid; exec sleep 600")
    code = f"from pai_jupyter.stacks import Recording\nkept = Recording([{child.pid}], 60, {program!r})\nimport time; time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code]) as owner:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
        owner.kill()
    until(lambda: not Path(f"/proc/{int((tmp_path / 'pid').read_text())}").exists())
