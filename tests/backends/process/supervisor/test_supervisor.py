"""The supervisor's own files: exact logs, an index that the store can read, and patience with a full disk."""

import asyncio
import errno
import json
import os
import random
import resource
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest

from pai_jupyter.backends.process.supervisor.files import note_disk, preparation_reason, write_exit
from pai_jupyter.backends.process.supervisor.logs import Appender, LineIndex, LogWriter
from pai_jupyter.backends.process.supervisor.processes import birth, living
from pai_jupyter.events import Event, Notice, Status
from pai_jupyter.package import build
from pai_jupyter.spec import JobRef
from pai_jupyter.store import JobStore, LogFile
from pai_jupyter.store.index import RECORD_SIZE, Indexer
from tests.support.local_jobs import LocalJobs, until
from tests.support.needs import lacking
from tests.support.patience import SOON

# --- the index ---------------------------------------------------------------------------------------------------


def pieces(seed: int) -> list[tuple[bytes, float]]:
    """A log in blocks as they may come: short and long lines, cut anywhere, some of them late."""
    dice = random.Random(seed)
    text = b"".join(b"x" * dice.choice([0, 1, 80, 5_000, 200_000]) + b"\n" for _ in range(60))
    now, blocks = 1.0e9, []
    while text:
        size = dice.choice([1, 2, 1_000, 70_000, 1_000_000])
        blocks.append((text[:size], now))
        text, now = text[size:], now + dice.choice([0.0, 0.2, 3.0])
    return blocks


@pytest.mark.parametrize("seed", range(20))
def test_the_index_is_the_one_that_the_store_would_write(seed: int) -> None:
    ours, theirs = LineIndex(), Indexer()
    for block, now in pieces(seed):
        assert ours.records(block, len(block), now) == b"".join(record.pack() for record in theirs.feed(block, now))


def test_a_log_can_be_read_in_windows_by_its_index(tmp_path: Path) -> None:
    writer = LogWriter(str(tmp_path / "master-0"))
    text = b"".join(b"line %d\n" % number for number in range(50_000))
    for start in range(0, len(text), 30_000):
        block = text[start : start + 30_000]
        assert writer.take(block, len(block), time.time())
    assert (tmp_path / "master-0.idx").stat().st_size > 3 * RECORD_SIZE
    [line] = LogFile(tmp_path / "master-0.log").lines(40_000, 40_001)
    assert line.text == "line 40000"


def test_logs_are_the_users_own_affair(tmp_path: Path) -> None:
    LogWriter(str(tmp_path / "master-0"))
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o600, 0o600]


# --- a full disk -------------------------------------------------------------------------------------------------


def test_what_finds_no_room_is_kept() -> None:
    full = Appender("/dev/full")
    assert not full.append(b"first ")
    assert not full.append(b"second")
    assert bytes(full._pending) == b"first second"


IN_A_SMALL_HOME = """
import asyncio, os, pathlib, sys
from pai_jupyter.backends.process import ProcessBackend
from pai_jupyter.events import LogChunk, Notice, StatusChanged
from pai_jupyter.package import build
from pai_jupyter.spec import JobSpec

async def main(home, work):
    script = b"import sys\\nfor i in range(200_000): print('line', i)\\n"
    package = build(None, to=work / "package.tar.gz", files={"train.py": script})
    (home / "ballast").write_bytes(b"x" * 3_000_000)
    backend, size = ProcessBackend(home), 0
    ref = await backend.submit(JobSpec(name="a", command="python train.py"), package, job_id="job-0")
    async for event in backend.follow(ref, {}):
        match event:
            case LogChunk():
                size += len(event.data)
            case Notice():
                print(event.level, size > 0)
                (home / "ballast").unlink(missing_ok=True)
            case StatusChanged():
                print(event.status)
    expected = b"".join(b"line %d\\n" % i for i in range(200_000))
    log = (home / "jobs" / "job-0" / "logs" / "master-0.log").read_bytes()
    print(size == len(expected), log == expected)

asyncio.run(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
"""


async def test_a_job_waits_for_a_full_disk_and_loses_nothing(tmp_path: Path) -> None:
    """200,000 lines, 2.3 MB, into a home of 4 MB that holds 3 MB of something else until the notice comes."""
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    size = ["--size", "4500000", "--tmpfs", str(tmp_path / "home")]
    small = [shutil.which("bwrap") or "bwrap", "--dev-bind", "/", "/", *size, "--"]
    if subprocess.run([*small, "true"], capture_output=True, check=False).returncode:  # noqa: ASYNC221  milliseconds
        lacking("bubblewrap", "bwrap cannot mount a small disk here")
    words = [*small, sys.executable, "-c", IN_A_SMALL_HOME, str(tmp_path / "home"), str(tmp_path / "work")]
    run = await asyncio.create_subprocess_exec(
        *words, env={**os.environ, "PAI_JUPYTER_ML": "plain"}, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await asyncio.wait_for(run.communicate(), 60)
    assert output.decode().split("\n")[:-1] == [
        "running",
        "warning True",
        "info True",
        "succeeded",
        "True True",
    ]


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG])
def test_what_the_disk_does_not_take_is_written_when_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(error, os.strerror(error))

    file = Appender(str(tmp_path / "log"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", refuse)
        assert not file.append(b"first ")
        assert file.trouble == error
    assert file.append(b"second")
    assert (file.trouble, (tmp_path / "log").read_bytes()) == (0, b"first second")


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EFBIG])
def test_how_a_job_ended_is_written_when_the_disk_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    (tmp_path / "run").mkdir()
    replace, refusals = os.replace, [OSError(error, os.strerror(error))] * 2

    def refuse_twice(source: str, target: str) -> None:
        if refusals:
            raise refusals.pop()
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse_twice)
    write_exit(str(tmp_path), {"status": "failed"})
    assert json.loads((tmp_path / "run" / "exit.json").read_text()) == {"status": "failed"}


def test_how_a_job_ended_is_written_where_the_job_has_made_directories(tmp_path: Path) -> None:
    for name in ("exit.json/a", "exit.json.tmp/a"):
        (tmp_path / "run" / name).mkdir(parents=True)
    write_exit(str(tmp_path), {"status": "failed"})
    assert json.loads((tmp_path / "run" / "exit.json").read_text()) == {"status": "failed"}


def test_the_supervisor_writes_through_no_link_and_waits_for_no_pipe(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "outside").write_text("kept")
    for make in (os.mkfifo, partial(os.symlink, tmp_path / "outside"), os.mkdir):
        for name in ("master-0.samples", "disk_full", "preparation_failed"):
            make(tmp_path / "run" / name)
        with pytest.raises(OSError, match="master-0"):
            Appender(str(tmp_path / "run" / "master-0.samples"))
        note_disk(str(tmp_path), errno.EIO)
        assert preparation_reason(str(tmp_path)) == "its preparation failed"
        shutil.rmtree(tmp_path / "run")
        (tmp_path / "run").mkdir()
    assert (tmp_path / "outside").read_text() == "kept"


async def test_a_job_that_puts_a_pipe_in_the_place_of_its_samples_is_held_to_its_time(tmp_path: Path) -> None:
    jobs = LocalJobs(tmp_path)
    run = JobStore().path(jobs.next_id) / "run"
    ref = await jobs.start(
        f"import os, time\nos.mkfifo({str(run / 'master-0.samples')!r})\ntime.sleep(600)\n", max_run_time=2
    )
    await until((run / "exit.json").exists)  # nobody follows: who does would open the pipe's other end
    assert (await jobs.finish(ref)).end.reason == "Time limit reached (2 s)"


def test_nobody_waits_for_a_folder_that_is_gone(tmp_path: Path) -> None:
    write_exit(str(tmp_path / "gone"), {"status": "failed"})
    assert not (tmp_path / "gone").exists()


UNDER_A_LIMIT = """
import asyncio, pathlib, resource, sys
from pai_jupyter.backends.process import ProcessBackend
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec

package = Package(path=pathlib.Path(sys.argv[1]), digest="", files=())
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
spec = JobSpec(name="a", command="python train.py")
asyncio.run(ProcessBackend().submit(spec, package, job_id=sys.argv[2]))
"""


async def under_a_limit(jobs: LocalJobs, lines: int) -> JobRef:
    """Start a job that prints more than its supervisor may write into a file; returns when that waits."""
    script = f"for i in range({lines}): print('line', i)\n"
    package = build(None, to=jobs.folder / "package.tar.gz", files={"train.py": script.encode()})
    words = [sys.executable, "-c", UNDER_A_LIMIT, str(package.path), jobs.name]
    run = await asyncio.create_subprocess_exec(*words)
    assert await asyncio.wait_for(run.wait(), 60) == 0
    jobs.refs.append(JobRef(backend="process", job_id=jobs.name))
    await until((jobs.folder_of(jobs.refs[0]) / "run" / "disk_full").exists)
    return jobs.refs[0]


async def test_a_log_that_may_not_grow_is_waited_for_like_a_full_disk(tmp_path: Path) -> None:
    jobs = LocalJobs(tmp_path)
    ref = await under_a_limit(jobs, 100_000)
    following = asyncio.create_task(jobs.finish(ref))
    supervisor = json.loads((jobs.folder_of(ref) / "run" / "supervisor.json").read_text())["pid"]
    resource.prlimit(supervisor, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ended = await following
    assert ended.end.status is Status.SUCCEEDED
    assert ended.log() == "".join(f"line {i}\n" for i in range(100_000))


async def test_a_job_can_be_stopped_although_its_log_may_not_grow(tmp_path: Path) -> None:
    jobs = LocalJobs(tmp_path)
    jobs.backend.grace = 1.0
    ref = await under_a_limit(jobs, 10_000_000)
    async with aclosing(jobs.backend.follow(ref, {})) as events:
        notices = [event async for event in take_until_notice(events)]
    assert "File too large" in notices[-1].text
    await jobs.backend.stop(ref)
    assert (await jobs.finish(ref)).end.status is Status.STOPPED


async def take_until_notice(events: AsyncIterator[Event]) -> AsyncIterator[Notice]:
    async for event in events:
        if isinstance(event, Notice):
            yield event
            return


# --- who is who --------------------------------------------------------------------------------------------------


def test_a_process_is_known_by_its_birth() -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        assert birth(process.pid) == birth(process.pid)
        assert birth(process.pid) != birth(os.getpid())
        process.kill()
    assert birth(process.pid) is None


def test_a_zombie_has_ended() -> None:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert birth(process.pid) is None
    process.wait()


@pytest.mark.parametrize("value", ["job-1", "训练"])
def test_a_marked_process_is_found_and_its_neighbours_are_not(value: str) -> None:
    value += secrets.token_hex(8)

    def nap(mark: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(["sleep", "600"], env={**os.environ, "PAI_JUPYTER_JOB_ID": mark})

    with nap(value) as ours, nap(value + "1") as other:
        assert set(living(value, set(), {})) == {ours.pid}
        ours.kill()
        other.kill()


def test_parents_come_before_their_children() -> None:
    mark = secrets.token_hex(8)  # other runs of the tests have processes here, too
    # Twenty programs, each the parent of the next: a set of that many numbers has no order to speak of.
    code = "import subprocess, sys; n = int(sys.argv[1]); print(n, flush=True); subprocess.run(" + (
        "[sys.executable, '-S', '-E', '-c', sys.argv[2], str(n - 1), sys.argv[2]] if n else ['sleep', '600'])"
    )
    command = [sys.executable, "-S", "-E", "-c", code, "20", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PAI_JUPYTER_JOB_ID": mark}) as top:
        assert top.stdout is not None
        for _ in range(21):
            top.stdout.readline()
        found = living(mark, set(), {})
        for pid in found:
            os.kill(pid, signal.SIGKILL)
    assert len(found) >= 21
    assert next(iter(found)) == top.pid
    assert all(process.parent == before for before, process in zip(found, [*found.values()][1:], strict=False))


async def test_the_throughput_of_a_job_is_that_of_its_pipe(tmp_path: Path) -> None:
    """A hundred megabytes through the supervisor in seconds: nothing is done by the line."""
    jobs = LocalJobs(tmp_path)
    started = time.monotonic()
    ended = await jobs.run(command="yes 'a line of output as programs print them' | head -c 100000000")
    assert len(ended.log()) == 100_000_000
    assert time.monotonic() - started < SOON
