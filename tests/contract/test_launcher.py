"""What runs around a command on PAI, run by a real sh in a tree that has no more than what the service gives."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pai_jupyter.contract import BESIDE, END_MARK, end_mark, launcher
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json

PRINT_WORDS = f"{sys.executable} -c 'import json, sys; print(json.dumps(sys.argv[1:]))' $PAI_USER_ARGS"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An /ml as the service makes it."""
    for name in ("usercode", "output/tensorboard"):
        (tmp_path / "ml" / name).mkdir(parents=True)
    return tmp_path / "ml"


def start(tree: Path, spec: JobSpec, **environ: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        ["sh", "-c", launcher(spec, job_id="j1")],
        cwd=tree / "usercode",
        env={
            "PATH": os.environ["PATH"],
            "PAI_WORKING_DIR": f"{tree}/usercode/",
            "PAI_OUTPUT_TENSORBOARD": f"{tree}/output/tensorboard/",
            "PAI_USER_ARGS": "as the service joined them",
            "PAI_HPS": "as the service wrote them",
            **environ,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(tree: Path, command: str, *, environ: dict[str, str] | None = None, **fields: object) -> list[str]:
    """The lines of the log without the mark, whose exit code must be 0."""
    spec = JobSpec(name="a", command=command, **fields)  # type: ignore[arg-type]  # fields of a spec
    with start(tree, spec, **(environ or {})) as process:
        lines = process.communicate()[0].split("\n")
    assert lines[-2:] == [end_mark("j1", 0), ""], lines
    return lines[:-2]


@pytest.mark.parametrize(
    "value", ["a  b", "it's", '"', "$HOME `id`", "*", "a\\b\\", "a\nb\n", "训练", "", "--x", "-1", "#; exit 3"]
)
def test_words_arrive_unchanged(tree: Path, value: str) -> None:
    words = json.loads("\n".join(run(tree, PRINT_WORDS, hyperparameters={"x": value, "y": 1})))
    assert words in ([f"--x={value}", "--y", "1"], ["--x", value, "--y", "1"])


def test_values_have_their_types_and_flags_are_flags(tree: Path) -> None:
    hyperparameters: dict[str, Json] = {"lr": 0.5, "amp": True, "n": [1, 2]}
    found = run(
        tree,
        'printf "%s\\n" "$PAI_HPS" "$PAI_USER_ARGS"',
        hyperparameters=hyperparameters,
        argument_styles={"amp": "flag"},
    )
    assert (json.loads(found[0]), found[1]) == (hyperparameters, "--lr 0.5 --amp --n [1, 2]")


def test_without_hyperparameters_the_services_variables_stay(tree: Path) -> None:
    assert run(tree, 'echo "$PAI_HPS"') == ["as the service wrote them"]


def test_links_and_variables_of_the_contract_are_there(tree: Path) -> None:
    found = run(tree, 'echo "$PAI_OUTPUT_LOGS $PYTHONUNBUFFERED"; pwd; test -z "$ml"')
    assert found == [f"{tree}/output/tensorboard/ 1", f"{tree}/usercode"]
    assert (tree / "code").readlink() == Path("usercode")
    assert (tree / "output" / "logs").readlink() == Path("tensorboard")


def test_what_is_there_already_is_left_alone(tree: Path) -> None:
    (tree / "output" / "logs").mkdir()
    (tree / "code").mkdir()
    assert run(tree, "echo $PYTHONUNBUFFERED", environ={"PYTHONUNBUFFERED": "x"}) == ["x"]
    assert (tree / "output" / "logs").is_dir()
    assert not (tree / "code").is_symlink()


@pytest.mark.parametrize(
    ("command", "code"), [("exit 3", 3), ("false", 1), ("kill -9 $$", 137), ("no-such-thing", 127)]
)
def test_the_last_line_is_the_exit_code_and_so_is_the_launchers(tree: Path, command: str, code: int) -> None:
    with start(tree, JobSpec(name="a", command=command)) as process:
        last = process.communicate()[0].splitlines()[-1]
    assert (last, process.returncode) == (end_mark("j1", code), code)


def test_the_mark_behind_a_line_without_an_end_is_found(tree: Path) -> None:
    with start(tree, JobSpec(name="a", command="printf 'no end'")) as process:
        log = process.communicate()[0].removesuffix("\n")
    mark = END_MARK.search(log)
    assert mark is not None
    assert (log[: mark.start()], mark["job"], mark["code"]) == ("no end", "j1", "0")


def test_a_term_reaches_the_command_and_the_mark_comes_all_the_same(tree: Path) -> None:
    command = 'trap "echo saved; exit 7" TERM; echo ready; while :; do sleep 0.05; done'
    with start(tree, JobSpec(name="a", command=command)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 20
        lines = process.communicate(timeout=deadline - time.monotonic())[0].splitlines()
    assert (lines, process.returncode) == (["saved", end_mark("j1", 7)], 7)


def test_a_command_that_dies_of_a_signal_leaves_no_words_of_the_shell(tree: Path) -> None:
    with start(tree, JobSpec(name="a", command="echo a; kill -TERM $$")) as process:
        lines = process.communicate()[0].splitlines()
    assert lines == ["a", end_mark("j1", 143)]


def test_an_interrupt_is_no_more_ignored_than_without_the_launcher(tree: Path) -> None:
    command = f"{sys.executable} -c 'import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)'"
    if subprocess.run(["env", "--default-signal", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine's env cannot undo it")
    assert run(tree, command) == ["False"]


# --- what lies beside the channels ------------------------------------------------------------------------------


@pytest.fixture
def mounted(tree: Path) -> Path:
    """The channel of ours, as it is mounted: with another channel and what an earlier job has left in it."""
    place = tree / "output" / BESIDE
    (place / "model").mkdir(parents=True)
    (place / "earlier.txt").write_text("earlier")
    (tree / "output" / "model").mkdir()
    return place


WRITE = (
    "cd $PAI_OUTPUT_TENSORBOARD/.. && echo 1 >'a b.txt' && echo 2 >.hidden && echo 3 >..three && mkdir -p 图/deep "
    "&& echo 4 >图/deep/x && echo m >model/m.bin && echo e >tensorboard/ev && ln -s model/m.bin best"
)


def test_what_lies_beside_the_channels_goes_into_the_one_of_ours(tree: Path, mounted: Path) -> None:
    assert run(tree, WRITE) == []
    assert {str(path.relative_to(mounted)) for path in mounted.rglob("*")} == {
        "model",
        "earlier.txt",
        "a b.txt",
        ".hidden",
        "..three",
        "图",
        "图/deep",
        "图/deep/x",
        "best",
    }
    assert (mounted / "a b.txt").read_text() == "1\n"


def test_a_link_to_a_file_of_the_outputs_is_saved_as_that_file(tree: Path, mounted: Path) -> None:
    assert run(tree, f"{WRITE}; mkdir run; echo 5 >run/step; ln -s step run/latest; ln -s $PWD/run/step last") == []
    for name, text in (("best", "m\n"), ("run/latest", "5\n"), ("last", "5\n")):
        assert not (mounted / name).is_symlink()
        assert (mounted / name).read_text() == text


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("ln -s /etc/hostname run/out", "run/out"),
        ("ln -s ../run run/loop", "run/loop"),
        ("ln -s gone dangling", "dangling"),
        ("mkfifo run/pipe", "run/pipe"),
        ("touch run/$(printf 'a\\377b') run/训练", "run/a?b"),
        ("mkdir $(printf '\\377'); touch $(printf '\\377/x')", "?"),
        ("touch run/训练; ln -s / \"$(printf 'run/x\ny')\"", "run/x y"),
    ],
)
def test_what_no_bucket_holds_is_named_and_the_rest_is_saved(
    tree: Path, mounted: Path, command: str, name: str
) -> None:
    with start(tree, JobSpec(name="a", command=f"cd ../output; mkdir run; echo 1 >run/file; {command}")) as process:
        lines = process.communicate()[0].splitlines()
    mark = END_MARK.search(lines[-1])
    assert mark is not None, lines
    assert (lines[:-1], mark["left"], mark["code"]) == ([], name, "0")
    assert (mounted / "run" / "file").read_text() == "1\n"
    assert not any(path.is_symlink() for path in mounted.rglob("*"))


def test_it_is_saved_of_a_job_that_fails_and_of_one_that_is_told_to_end(tree: Path, mounted: Path) -> None:
    with start(tree, JobSpec(name="a", command=f"{WRITE}; exit 3")) as process:
        assert process.communicate()[0].splitlines()[-1] == end_mark("j1", 3)
    (mounted / "a b.txt").unlink()
    with start(tree, JobSpec(name="a", command=f"{WRITE}; echo ready; exec sleep 600")) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "ready\n":
            pass
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert (mounted / "a b.txt").read_text() == "1\n"


def test_what_cannot_be_saved_is_named_in_the_end_mark(tree: Path) -> None:
    with start(tree, JobSpec(name="a", command="cd ../output; mkdir empty; touch 'a b' '训\n练' c; exit 3")) as process:
        last = process.communicate()[0].splitlines()[-1]
    mark = END_MARK.search(last)
    assert mark is not None
    assert (mark["job"], mark["code"], process.returncode) == ("j1", "3", 3)
    assert sorted(mark["left"].split(", ")) == ["a b", "c", "训 练"]


def test_of_much_that_cannot_be_saved_the_first_names_are_told(tree: Path) -> None:
    with start(tree, JobSpec(name="a", command="cd ../output; touch $(seq 100 150)")) as process:
        mark = END_MARK.search(process.communicate()[0].splitlines()[-1])
    assert mark is not None
    assert mark["left"] == "100, 101, 102, 103, 104 and 46 more"


def test_a_place_that_takes_nothing_more_is_said(tree: Path, mounted: Path) -> None:
    (mounted / "图").write_text("a file, where a directory is to go")
    with start(tree, JobSpec(name="a", command=WRITE)) as process:
        mark = END_MARK.search(process.communicate()[0].splitlines()[-1])
    assert mark is not None
    assert (mark["left"], mark["code"]) == ("图", "0")
    assert (mounted / "a b.txt").is_file()


def test_a_directory_that_another_replica_makes_at_that_moment_is_saved_all_the_same(
    tree: Path, mounted: Path, tmp_path: Path
) -> None:
    once, real = tmp_path / "once", shutil.which("cp")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cp").write_text(f'#!/bin/sh\nmkdir {once} 2>/dev/null && exit 1\nexec {real} "$@"\n')
    (tmp_path / "bin" / "cp").chmod(0o755)
    assert run(tree, WRITE, environ={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}) == []
    assert once.exists()
    assert (mounted / "图" / "deep" / "x").is_file()


def test_the_channel_of_ours_is_no_variable_of_the_job(tree: Path) -> None:
    assert run(tree, "env | grep -c BESIDE || true", environ={"PAI_OUTPUT_BESIDE_CHANNELS": "/x"}) == ["0"]


def test_a_channel_of_the_user_with_the_name_of_ours_is_left_alone(tree: Path, mounted: Path) -> None:
    command = 'echo "$PAI_OUTPUT_BESIDE_CHANNELS"; touch ../output/a'
    spec = JobSpec(name="a", command=command, outputs={BESIDE: "oss://b/x/"})
    with start(tree, spec, PAI_OUTPUT_BESIDE_CHANNELS="/x") as process:
        lines = process.communicate()[0].splitlines()
    mark = END_MARK.search(lines[-1])
    assert mark is not None
    assert (lines[0], mark["left"], (mounted / "a").exists()) == ("/x", "a", False)


def test_a_launcher_that_is_too_long_is_refused() -> None:
    with pytest.raises(SpecError, match="at most 131,071"):
        launcher(JobSpec(name="a", command="true " + "x" * 131_000), job_id="j1")
