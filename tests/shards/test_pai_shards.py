"""Workers that take shards from each other: every row once, however a worker dies, and the job goes on where it stopped."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy
import pytest

from pai_jupyter.shards import pai_shards
from tests.support.patience import DEADLINE

ROWS, SHARD = 2_000, 20
MODULE = Path(pai_shards.__file__)
WORKER = """
import os, sys, time
import pai_shards
for shard in pai_shards.shards(size=int(sys.argv[2]), shard_size=int(sys.argv[3]), to=sys.argv[1]):
    print("took", shard.number, flush=True)
    with open(shard.path, "w") as file:
        for row in range(shard.start, shard.stop):
            time.sleep(float(sys.argv[4]))
            file.write(f"{row}\\n")
    print("won" if shard.commit() else "lost", shard.number, flush=True)
print("end", flush=True)
"""


def ill(how: str) -> str:
    """The code of a worker that sends itself this signal in its first shard."""
    return WORKER.replace("    with open", f"    os.kill(os.getpid(), signal.{how})\n    with open").replace(
        "import os", "import os, signal"
    )


@contextmanager
def worker(
    to: Path, *, pause: float = 0.0, rows: int = ROWS, shard: int = SHARD, code: str = WORKER, **variables: str
) -> Iterator["subprocess.Popen[str]"]:
    """Run a worker that needs `pause` seconds a row."""
    words = [sys.executable, "-c", code, str(to), str(rows), str(shard), str(pause)]
    environment = {**os.environ, "PYTHONPATH": str(MODULE.parent), **variables}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip()


def ended(process: "subprocess.Popen[str]") -> list[str]:
    """The lines of a worker that ends well."""
    output, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0
    return output.splitlines()


def rows_of(to: Path) -> list[int]:
    return sorted(int(row) for path in (to / "done").iterdir() for row in path.read_text().split())


def test_every_row_comes_once_though_a_worker_is_slow_one_is_killed_and_one_hangs(tmp_path: Path) -> None:
    with ExitStack() as stack:
        killed, hung = (stack.enter_context(worker(tmp_path, code=ill(how))) for how in ("SIGKILL", "SIGSTOP"))
        for process in (killed, hung):
            assert line(process).startswith("took")
        slow = stack.enter_context(worker(tmp_path, pause=0.015))
        ended(stack.enter_context(worker(tmp_path, pause=0.001)))
        assert (tmp_path / "_SUCCESS").exists()
        assert rows_of(tmp_path) == list(range(ROWS))
        assert "end" in ended(slow)
        hung.send_signal(signal.SIGCONT)
        assert ended(hung)[0].startswith("lost")
    assert rows_of(tmp_path) == list(range(ROWS))


def test_a_hung_worker_is_told_that_it_lost(tmp_path: Path) -> None:
    with worker(tmp_path, code=ill("SIGSTOP")) as hung:
        taken = line(hung).removeprefix("took ")
        with worker(tmp_path) as other:
            assert f"won {taken}" in ended(other)
        hung.send_signal(signal.SIGCONT)
        lines = ended(hung)
        assert [lines[0], *lines[-2:]] == [f"lost {taken}", f"shard {ROWS // SHARD}/{ROWS // SHARD}", "end"]


def test_the_manifest_names_every_file_and_nothing_else_is_left(tmp_path: Path) -> None:
    with worker(tmp_path, rows=25, shard=10) as alone:
        ended(alone)
    manifest = json.loads((tmp_path / "_MANIFEST.json").read_text())
    assert (manifest["size"], manifest["shard_size"]) == (25, 10)
    assert [each["path"] for each in manifest["shards"]] == ["done/0", "done/1", "done/2"]
    assert [each["bytes"] for each in manifest["shards"]] == [20, 30, 15]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("_MANIFEST.json", "_PLAN.json", "_SUCCESS", "claims", "done", "parts")
    ]
    assert not [*(tmp_path / "claims").iterdir(), *(tmp_path / "parts").iterdir()]


def test_a_later_job_goes_on_where_the_last_one_stopped(tmp_path: Path) -> None:
    with worker(tmp_path, pause=0.001) as first:
        assert line(first).startswith("took")
        assert line(first).startswith("won")
    done = {path.name for path in (tmp_path / "done").iterdir()}
    with worker(tmp_path) as second:
        taken = {text.split()[1] for text in ended(second) if text.startswith("took")}
    assert done
    assert not taken & done
    assert rows_of(tmp_path) == list(range(ROWS))


def test_what_is_done_already_is_not_done_again(tmp_path: Path) -> None:
    for _ in range(2):
        with worker(tmp_path, rows=10, shard=5) as process:
            lines = ended(process)
    assert lines == [f"pai_shards: 2 of 2 shards were done already in '{tmp_path}'", "shard 2/2", "end"]


def test_a_result_that_was_changed_by_hand_is_still_done(tmp_path: Path) -> None:
    assert [shard.commit() for shard in pai_shards.shards(2, 1, to=tmp_path)] == [True, True]
    (tmp_path / "done" / "0").write_text("longer")
    assert [*pai_shards.shards(2, 1, to=tmp_path)] == []


@pytest.mark.parametrize(("size", "shard_size"), [(99, 10), (100, 11)])
def test_a_directory_of_other_sizes_is_refused(tmp_path: Path, size: int, shard_size: int) -> None:
    assert [shard.commit() for shard in pai_shards.shards(size=100, shard_size=10, to=tmp_path)] == [True] * 10
    with pytest.raises(ValueError, match=r"has the shards of .*'size': 100, 'shard_size': 10.*: give these sizes"):
        next(pai_shards.shards(size=size, shard_size=shard_size, to=tmp_path))


@pytest.mark.parametrize(
    ("size", "shard_size"),
    [(-1, 1), (1, 0), (2.5, 1), (5, 0.5), ("10", 1), (10, "2"), (True, 1), (None, 1), (numpy.float64(4), 2), (b"", 1)],
)
def test_what_is_no_size_is_refused_before_anything_is_made(tmp_path: Path, size: int, shard_size: int) -> None:
    wrong = f"size={size!r}, shard_size={shard_size!r}: they must be whole numbers of at least 0 and 1"
    with pytest.raises(ValueError, match=re.escape(wrong)):
        next(pai_shards.shards(size=size, shard_size=shard_size, to=tmp_path))
    assert not [*tmp_path.iterdir()]


def test_sizes_of_numpy_are_whole_numbers(tmp_path: Path) -> None:
    found = []
    sizes: Any = (numpy.uint8(250), numpy.int64(100))  # Any: no `int` to a type checker
    for shard in pai_shards.shards(*sizes, to=tmp_path):
        found.append((shard.start, shard.stop))
        shard.commit()
    assert sorted(found) == [(0, 100), (100, 200), (200, 250)]


@pytest.mark.parametrize("sizes", [(2.5, 1), (10, 5)])
def test_the_launcher_is_told_of_sizes_that_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int]
) -> None:
    assert [shard.commit() for shard in pai_shards.shards(3, 3, to=tmp_path / "to")] == [True]
    monkeypatch.setenv("PAI_SHARDS_DONE", str(tmp_path / "done"))
    with pytest.raises(ValueError, match="size") as raised:
        next(pai_shards.shards(*sizes, to=tmp_path / "to"))
    assert (tmp_path / "done.refused").read_text() == str(raised.value)


def test_a_worker_that_leaves_its_loop_says_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAI_SHARDS_DONE", str(tmp_path / "done"))
    for left in (4, 3):
        for shard in pai_shards.shards(10, 2, to=tmp_path / "to"):
            shard.commit()
            break
        said = f"pai_shards: {left} of 5 shards are not done at the end of this worker's loop"
        assert capsys.readouterr().out.splitlines()[-1] == said
    assert (tmp_path / "done.left").exists()
    assert not (tmp_path / "done").exists()
    assert not (tmp_path / "to" / "_SUCCESS").exists()


def test_a_loop_that_is_left_with_the_last_shard_has_done_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_SHARDS_DONE", str(tmp_path / "done"))
    for shard in pai_shards.shards(2, 2, to=tmp_path / "to"):
        shard.commit()
        break
    assert (tmp_path / "to" / "_SUCCESS").exists()
    assert (tmp_path / "done").exists()


def test_no_rows_are_done_at_once(tmp_path: Path) -> None:
    assert [*pai_shards.shards(size=0, shard_size=5, to=tmp_path)] == []
    assert (tmp_path / "_SUCCESS").exists()


def test_a_shard_that_is_not_committed_is_an_error_and_free_for_others(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"shard \d was not committed: end the loop's body with shard.commit\(\)"):
        for _ in pai_shards.shards(size=5, shard_size=1, to=tmp_path):
            pass
    assert len([shard.commit() for shard in pai_shards.shards(size=5, shard_size=1, to=tmp_path)]) == 5


def test_a_child_that_outlives_its_worker_does_not_keep_the_claim(tmp_path: Path) -> None:
    forking = "    child = os.fork() or time.sleep(60) or os._exit(0)\n    print(child, flush=True)\n"
    code = WORKER.replace("    with open", f"{forking}    with open")
    with worker(tmp_path, rows=1, shard=1, pause=60, code=code) as first:
        assert line(first) == "took 0"
        child = int(line(first))
        first.kill()
        first.wait()
        try:
            with worker(tmp_path, rows=1, shard=1) as second:
                assert "won 0" in ended(second)
        finally:
            os.kill(child, signal.SIGKILL)


def test_the_launcher_is_told_when_all_is_done(tmp_path: Path) -> None:
    done = tmp_path / "all done"
    with worker(tmp_path / "to", rows=2, shard=1, PAI_SHARDS_DONE=str(done)) as process:
        ended(process)
    assert done.exists()


def test_workers_without_locks_divide_the_shards_by_their_index(tmp_path: Path) -> None:
    taken = []
    for index in range(3):
        config = json.dumps({"task": {"type": "worker", "index": index}, "environment": "cloud"})
        with worker(tmp_path, rows=70, shard=10, PAI_SHARDS_WORKERS="3", ELASTICBATCH_CONFIG=config) as process:
            taken.append([int(text.split()[1]) for text in ended(process) if text.startswith("took")])
        assert (tmp_path / "_SUCCESS").exists() == (index == 2)
    assert taken == [[0, 3, 6], [1, 4], [2, 5]]
    assert rows_of(tmp_path) == list(range(70))


@pytest.mark.parametrize(("leaving", "is_told"), [("", True), ("    break\n", False)])
def test_a_worker_without_locks_tells_its_launcher_whether_its_own_part_is_done(
    tmp_path: Path, leaving: str, is_told: bool
) -> None:
    config = json.dumps({"task": {"type": "worker", "index": 0}, "environment": "cloud"})
    code = WORKER.replace('print("end"', f'{leaving}print("end"')
    with worker(
        tmp_path / "to",
        rows=70,
        shard=10,
        code=code,
        PAI_SHARDS_WORKERS="2",
        ELASTICBATCH_CONFIG=config,
        PAI_SHARDS_DONE=str(tmp_path / "done"),
    ) as process:
        ended(process)
    assert ((tmp_path / "done").exists(), (tmp_path / "done.left").exists()) == (is_told, True)


def test_a_plan_that_came_in_the_place_of_ours_is_refused_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without links, two workers that start at once both write theirs."""
    monkeypatch.setattr(pai_shards, "_IS_SPLIT", True)
    monkeypatch.setenv("PAI_SHARDS_WORKERS", "2")
    monkeypatch.setenv("ELASTICBATCH_CONFIG", '{"task": {"type": "worker", "index": 0}}')
    ours = pai_shards.shards(4, 1, to=tmp_path)
    next(ours).commit()
    (tmp_path / "_PLAN.json").write_text('{"size": 5, "shard_size": 1}')
    next(ours).commit()
    with pytest.raises(ValueError, match=r"has the shards of .*'size': 5"):
        next(ours)


def test_the_default_directory_is_in_the_output_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_OUTPUT_MODEL", f"{tmp_path}/")
    shard = next(pai_shards.shards(size=1, shard_size=1))
    assert shard.path.parent == tmp_path / "shards" / "parts"
