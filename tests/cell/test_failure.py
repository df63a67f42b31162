"""Which exception ended a job, at which line of the cell, and what is said about it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pai_jupyter.cell import ExceptionFound, explain, find_exception


def run(script: str, folder: Path, *, name: str = "train.py", arguments: tuple[str, ...] = ()) -> list[str]:
    """The log of a real Python that runs `script` as the job does."""
    code = folder / "usercode"
    code.mkdir()
    (code / name).write_text(script, encoding="utf-8")
    command = [sys.executable, str(code / name), *arguments]
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, cwd=code, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60
    )
    return done.stdout.decode().splitlines()


CHAINED = """\
def parse(text):
    try:
        return int(text)
    except ValueError as exc:
        raise RuntimeError("no number") from exc
parse("x")
"""
HANDLING = """\
try:
    {}["a"]
except KeyError:
    [][1]
"""
POOL = """\
from concurrent.futures import ProcessPoolExecutor
def work(n):
    raise ValueError("bad row %d" % n)
if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        list(pool.map(work, [3]))
"""
SUBPROCESS = """\
import subprocess, sys
if len(sys.argv) > 1:
    raise KeyError("worker")
subprocess.run([sys.executable, __file__, "worker"])
print("the worker died")
sys.exit(3)
"""
GROUP = """\
def fail(text):
    raise ValueError(text)
errors = []
for text in ("one", "two"):
    try:
        fail(text)
    except ValueError as exc:
        errors.append(exc)
raise ExceptionGroup("several", errors)
"""
RECURSION = """\
def f(n):
    return f(n + 1)
f(0)
"""
IGNORED = """\
class Loud:
    def __del__(self):
        raise OSError("too late")
loud = Loud()
raise ValueError("the cause")
"""
LIBRARY = """\
import json

json.loads("{")
"""
THREAD = """\
import threading
def work():
    raise ValueError("in a thread")
thread = threading.Thread(target=work)
thread.start(); thread.join()
print("epoch 1 done")
"""
CUSTOM = """\
def f():
    class Odd(Exception): pass
    raise Odd("训练: 50%")
f()
"""


@pytest.mark.parametrize(
    ("script", "type_", "message", "line"),
    [
        ("\n\nraise ValueError('bad')", "ValueError", "bad", 3),
        ("x = 1\nraise ValueError('first\\n  second\\nthird')", "ValueError", "first\n  second\nthird", 2),
        ("def f():\n    raise KeyError\nf()", "KeyError", "", 2),
        ("assert 1 == 2", "AssertionError", "", 1),
        ("assert 1 == 2, '\\nnot equal'", "AssertionError", "not equal", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "", 1),
        ("import no_such_module", "ModuleNotFoundError", "No module named 'no_such_module'", 1),
        ("import struct\nstruct.pack('i', 'x')", "struct.error", "required argument is not an integer", 2),
        ("x = (1,\ny = 2", "SyntaxError", "'(' was never closed", 1),
        ("if 1:\nx = 1", "IndentationError", "expected an indented block after 'if' statement on line 1", 2),
        ("exec('x = = 1')", "SyntaxError", "invalid syntax", 1),
        (CHAINED, "RuntimeError", "no number", 5),
        (HANDLING, "IndexError", "list index out of range", 4),
        (POOL, "ValueError", "bad row 3", 3),
        (SUBPROCESS, "KeyError", "'worker'\nthe worker died", 3),
        (GROUP, "ValueError", "two", 2),
        (RECURSION, "RecursionError", "maximum recursion depth exceeded", 2),
        (IGNORED, "ValueError", "the cause", 5),
        (LIBRARY, "json.decoder.JSONDecodeError", None, 3),
        (THREAD, "ValueError", "in a thread\nepoch 1 done", 3),
        (CUSTOM, "f.<locals>.Odd", "训练: 50%", 3),
        ("raise ExceptionGroup('g', [ValueError('a')])", "ExceptionGroup", "g (1 sub-exception)", 1),
    ],
)
def test_the_exception_of_a_real_run(script: str, type_: str, message: str | None, line: int, tmp_path: Path) -> None:
    found = find_exception(run(script, tmp_path))
    assert found is not None
    assert (found.type, found.line) == (type_, line)
    assert message is None or found.message == message


@pytest.mark.parametrize(
    "script",
    [
        "print('all is well')",
        "import sys; sys.exit('no data')",
        "import traceback; traceback.print_stack(); print('done')",
        "print('ValueError: only a word')",
        "import os; os._exit(3)",
    ],
)
def test_a_log_without_an_exception(script: str, tmp_path: Path) -> None:
    assert find_exception(run(script, tmp_path)) is None


def test_another_script_name_is_looked_for(tmp_path: Path) -> None:
    lines = run("\nraise ValueError('bad')", tmp_path, name="main 训练.py")
    assert find_exception(lines, "main 训练.py") == ExceptionFound(type="ValueError", message="bad", line=2)
    assert find_exception(lines) == ExceptionFound(type="ValueError", message="bad")


def traceback(line: int, raised: str, *, file: str = "/ml/usercode/train.py", prefix: str = "") -> list[str]:
    lines = ["Traceback (most recent call last):", f'  File "{file}", line {line}, in <module>', "    main()", raised]
    return [prefix + text for text in lines]


def test_a_traceback_whose_beginning_is_lost() -> None:
    assert str(find_exception(traceback(12, "ValueError: bad")[1:])) == "ValueError: bad (cell line 12)"


def test_colours_are_no_part_of_it() -> None:
    lines = [
        f"\x1b[35m{text}\x1b[0m" if text[:1] != " " else f"  \x1b[1m{text.lstrip()}" for text in traceback(3, "E: x")
    ]
    lines[1] = '  File \x1b[35m"/ml/usercode/train.py"\x1b[0m, line \x1b[35m3\x1b[0m, in \x1b[35m<module>\x1b[0m'
    assert find_exception(lines) == ExceptionFound(type="E", message="x", line=3)


def test_ranks_that_write_at_the_same_time_are_kept_apart() -> None:
    first = traceback(3, "ValueError: a", prefix="[rank0]: ")
    second = traceback(9, "KeyError: 'b'", prefix="[rank1]: ")
    mixed = [line for pair in zip(first, second, strict=True) for line in pair]
    assert find_exception(mixed) == ExceptionFound(type="KeyError", message="'b'", line=9)


def test_the_launchers_own_traceback_does_not_hide_the_scripts() -> None:
    launcher = traceback(7, "torch.distributed.elastic.ChildFailedError: ", file="/lib/torch/run.py")
    assert str(find_exception(traceback(4, "ValueError: bad") + launcher)) == "ValueError: bad (cell line 4)"


def test_a_failure_outside_of_the_script_has_no_line() -> None:
    found = find_exception(traceback(7, "OSError: x", file="/lib/site-packages/a/train.py"))
    assert found == ExceptionFound(type="OSError", message="x")


def test_a_data_loaders_worker_is_found_in_the_message() -> None:
    lines = [
        *traceback(20, "RuntimeError: Caught ValueError in DataLoader worker process 0."),
        "Original Traceback (most recent call last):",
        '  File "/ml/usercode/train.py", line 8, in __getitem__',
        "    raise ValueError('row')",
        "ValueError: row",
        "",
    ]
    assert str(find_exception(lines)) == "ValueError: row (cell line 8)"


def test_the_message_ends_where_the_next_lines_are_not_its_own() -> None:
    lines = [*traceback(1, "ValueError: a"), "  detail", "", "Training ended."]
    assert find_exception(lines) == ExceptionFound(type="ValueError", message="a\n  detail", line=1)
    assert str(find_exception([*traceback(1, "KeyError"), "epoch 1 done"])) == "KeyError (cell line 1)"
    endless = find_exception([*traceback(1, "ValueError: a"), *["more"] * 1000])
    assert endless is not None
    assert endless.message.count("\n") < 30


@pytest.mark.parametrize("file", ["train.py", "./train.py", "/x/ml/usercode/train.py", "/ml/code/train.py"])
def test_the_script_is_known_by_its_place(file: str) -> None:
    found = find_exception(traceback(5, "E", file=file))
    assert found is not None
    assert found.line == 5


# Explanations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "cause", "hint"),
    [
        (137, "out of memory", "docker.memory"),
        (-9, "out of memory", "docker.memory"),
        (139, "SIGSEGV", "PYTHONFAULTHANDLER"),
        (-11, "SIGSEGV", "PYTHONFAULTHANDLER"),
        (135, "SIGBUS", "num_workers=0"),
        (143, "SIGTERM", ""),
        (130, "SIGINT", ""),
        (134, "SIGABRT", ""),
        (132, "SIGILL", "version"),
        (129, "SIGHUP", ""),
        (126, "exit code 126", "--command"),
        (127, "exit code 127", "--command"),
        (3, "exit code 3", ""),
        (255, "exit code 255", ""),
        (None, "unknown reason", ""),
    ],
)
def test_exit_codes_are_explained(code: int | None, cause: str, hint: str) -> None:
    said = explain(None, exit_code=code)
    assert cause in said.cause
    assert hint in said.hint
    assert bool(said.hint) == bool(hint)


def test_a_signal_says_more_than_an_exception_before_it() -> None:
    earlier = ExceptionFound(type="ValueError", message="handled", line=3)
    assert "SIGKILL" in explain(earlier, signal=signal.SIGKILL).cause


@pytest.mark.parametrize(
    ("type_", "message", "hint"),
    [
        ("ModuleNotFoundError", "No module named 'xgboost'", "`%pip install xgboost`"),
        ("ModuleNotFoundError", "No module named 'sklearn.ensemble'", "`%pip install scikit-learn`"),
        ("ModuleNotFoundError", "No module named 'cv2'", "`%pip install opencv-python"),
        ("ModuleNotFoundError", "No module named 'PIL'", "`%pip install pillow`"),
        ("ModuleNotFoundError", "No module named 'yaml'", "`%pip install pyyaml`"),
        ("ModuleNotFoundError", "No module named 'my_helpers'", "--include my_helpers.py"),
        ("ImportError", "libGL.so.1: cannot open shared object file", "opencv-python-headless"),
        ("ImportError", "cannot import name 'x' from 'y'", "PACKAGE==VERSION"),
        ("NameError", "name 'df' is not defined", "define `df` in the cell"),
        ("KeyError", "'PAI_INPUT_TRAIN'", "-i NAME=PATH"),
        ("KeyError", "'PAI_OUTPUT_EXTRA'", "-o NAME=PATH"),
        ("KeyError", "'PAI_HPS_LR'", "-p NAME=VALUE"),
        ("KeyError", "'target'", ""),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'a.csv'", "-i NAME=PATH"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: '/ml/x'", "PAI_* variables"),
        ("IsADirectoryError", "[Errno 21] Is a directory: '/ml/input/data/train'", "join the file's name"),
        (
            "IsADirectoryError",
            "[Errno 21] Is a directory: '/ml/output/model/shards/parts/0.3f2a9c01b7de'",
            "write it to `shard.path`",
        ),
        ("PermissionError", "[Errno 13] Permission denied: '/ml/input/x'", "PAI_OUTPUT_MODEL"),
        ("OSError", "[Errno 30] Read-only file system: 'x'", "PAI_OUTPUT_MODEL"),
        ("OSError", "[Errno 28] No space left on device", "disk is full"),
        ("EOFError", "EOF when reading a line", "input()"),
        ("MemoryError", "", "docker.memory"),
        ("torch.cuda.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2 GiB", "smaller batches"),
        ("RuntimeError", "No CUDA GPUs are available", "local_gpu"),
        ("RuntimeError", "DataLoader worker (pid 7) is killed by signal: Killed. ", "docker.memory"),
        ("ValueError", "bad", ""),
        ("ValueError", "{0} {braces}", ""),
    ],
)
def test_exceptions_have_a_hint_where_one_is_right(type_: str, message: str, hint: str) -> None:
    said = explain(ExceptionFound(type=type_, message=message, line=4), exit_code=1)
    assert said.cause.startswith(type_)
    assert said.cause.endswith("(cell line 4)")
    assert hint in said.hint
    assert bool(said.hint) == bool(hint)


def test_the_cause_is_one_line_of_a_long_message() -> None:
    assert explain(ExceptionFound(type="E", message="one\ntwo", line=2)).cause == "E: one (cell line 2)"


ARGPARSE = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, required=True)\n"
ARGPARSE += "p.add_argument('--opt', choices=['a', 'b'])\np.parse_args()\n"


@pytest.mark.parametrize(
    ("arguments", "cause", "hint"),
    [
        (("--lr", "1", "--epochs", "3"), "train.py: unrecognized arguments: --epochs 3", "parse_known_args()"),
        (("--lr", "1", "--opt", "c"), "train.py: argument --opt: invalid choice: 'c'", "-p NAME=VALUE"),
        (("--lr", "fast"), "train.py: argument --lr: invalid float value: 'fast'", "-p NAME=VALUE"),
        ((), "train.py: the following arguments are required: --lr", "-p NAME=VALUE"),
    ],
)
def test_argparse_says_the_cause_itself(arguments: tuple[str, ...], cause: str, hint: str, tmp_path: Path) -> None:
    lines = run(ARGPARSE, tmp_path, arguments=arguments)
    said = explain(find_exception(lines), exit_code=2, lines=lines)
    assert said.cause.startswith(cause)
    assert hint in said.hint


@pytest.mark.parametrize(
    ("command", "code", "cause"),
    [
        ("no-such-program --x", 127, "the command `no-such-program` was not found"),
        ("python3 no-such-script.py", 2, "is not among the files of the job"),
    ],
)
def test_the_shells_last_words_are_the_cause(command: str, code: int, cause: str) -> None:
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code
    assert cause in explain(None, exit_code=code, lines=done.stderr.splitlines()).cause


def test_a_script_that_may_not_be_executed(tmp_path: Path) -> None:
    (tmp_path / "go.sh").write_text("true", encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", "./go.sh"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    said = explain(None, exit_code=done.returncode, lines=done.stderr.splitlines())
    assert (said.cause, said.hint) == ("`./go.sh` may not be executed", "Call its program: --command 'sh ./go.sh'")


def test_a_handled_exception_is_not_blamed_for_wrong_options() -> None:
    lines = [*traceback(3, "ValueError: handled"), "", "train.py: error: unrecognized arguments: --x"]
    assert "--x" in explain(find_exception(lines), exit_code=2, lines=lines).cause


def test_a_line_without_end_is_explained_at_once() -> None:
    line = "ValueError: " + "DataLoader worker " * 60_000
    begin = time.thread_time()
    found = find_exception(
        ["Traceback (most recent call last):", '  File "train.py", line 3, in <module>', line], "train.py"
    )
    explain(found, exit_code=1, lines=[line])
    assert time.thread_time() - begin < 10
