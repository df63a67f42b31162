"""Many jobs at once on the process backend: those that find no free slot wait in line, whoever dies meanwhile."""

import asyncio
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pai_jupyter.backends.local import parallel
from pai_jupyter.backends.local.slots.pool import Pool
from pai_jupyter.backends.process.supervisor import files
from pai_jupyter.config import settings
from pai_jupyter.events import Event, Status, StatusChanged
from pai_jupyter.jobs import attach, list_jobs
from pai_jupyter.spec import JobRef
from tests.support.emulators import Emulator, emulator
from tests.support.local_jobs import LocalJobs, is_alive, until
from tests.support.paths import ROOT
from tests.support.patience import DEADLINE
from tests.support.victims import until as wait_until

HELD = """
import pathlib, time
pathlib.Path("{gate}", "{name}").touch()
while not pathlib.Path("{gate}", "open").exists():
    time.sleep(0.01)
"""


class HeldJobs(LocalJobs):
    """Jobs that say that they run by a file in the gate, and end when it is opened, or a file `open` for one of them."""

    gate: Path

    async def hold(self, name: str) -> JobRef:
        return await self.start(HELD.format(gate=self.gate, name=name))

    def running(self) -> set[str]:
        return {path.name for path in self.gate.iterdir()} - {"open"}

    def open(self) -> None:
        (self.gate / "open").touch()


@pytest.fixture
async def jobs(tmp_path: Path, gate: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[HeldJobs]:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    jobs = HeldJobs(tmp_path)
    jobs.gate = gate
    yield jobs
    await jobs.end()


@pytest.fixture
def one_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_PROCESS_MAX_PARALLEL", "1")


def statuses(events: list[Event]) -> list[Status]:
    return [event.status for event in events if isinstance(event, StatusChanged)]


async def place(jobs: LocalJobs, ref: JobRef, words: str) -> None:
    """Wait until the job says that it is `words` in line."""
    async with asyncio.timeout(60):
        while words not in (await jobs.backend.status(ref)).reason:  # noqa: ASYNC110  other processes set no event
            await asyncio.sleep(0.01)


# --- in line -----------------------------------------------------------------------------------------------------


async def test_jobs_beyond_the_limit_wait_with_their_place_and_run_in_order(jobs: HeldJobs, one_at_once: None) -> None:
    refs = [await jobs.hold(name) for name in "abc"]
    await until(lambda: jobs.running() == {"a"})
    await place(jobs, refs[1], "number 1 in line (process.max_parallel = 1)")
    await place(jobs, refs[2], "number 2 in line (process.max_parallel = 1)")
    assert (await jobs.backend.status(refs[2])).status is Status.QUEUED
    jobs.open()
    ended = await asyncio.gather(*map(jobs.finish, refs))
    assert [one.end.status for one in ended] == [Status.SUCCEEDED] * 3
    began = [
        next(e.time for e in one.events if isinstance(e, StatusChanged) and e.status is Status.RUNNING) for one in ended
    ]
    assert began == sorted(began)
    assert began[1] >= ended[0].end.time - 0.1  # the clock of a file is a tick behind


@pytest.fixture
def one_core() -> Iterator[None]:
    """This machine has one core, as far as this process and those that it starts are told."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


async def test_the_limit_is_the_number_of_cores_where_nobody_has_set_one(
    jobs: HeldJobs, one_core: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAI_JUPYTER_PROCESS_MAX_PARALLEL")
    refs = [await jobs.hold(name) for name in "ab"]
    await until(lambda: jobs.running() == {"a"})
    await place(jobs, refs[1], "number 1 in line (process.max_parallel = 1)")
    jobs.open()
    assert (await jobs.finish(refs[1])).end.status is Status.SUCCEEDED


def test_the_jobs_of_an_emulator_are_its_clouds_and_take_no_slots(tmp_path: Path, gate: Path, one_core: None) -> None:
    async def run_two(running: Emulator) -> None:
        async with running.client() as client:
            command = "touch {gate}/{name}; until [ -e {gate}/open ]; do sleep 0.05; done"
            ids = [await running.create(client, command.format(gate=gate, name=name)) for name in "ab"]
            await until(lambda: {"a", "b"} <= {path.name for path in gate.iterdir()})
            (gate / "open").touch()
            assert [(await running.ended(client, job_id))["Status"] for job_id in ids] == ["Succeed"] * 2

    with emulator(tmp_path / "data") as running:
        asyncio.run(run_two(running))


async def test_replicas_are_one_job_together_however_many_they_are(jobs: HeldJobs, one_at_once: None) -> None:
    first = await jobs.start("print('here')", instance_count=3)
    second = await jobs.hold("second")
    jobs.open()
    assert [(await jobs.finish(ref)).end.status for ref in (first, second)] == [Status.SUCCEEDED] * 2


async def test_waiting_is_no_part_of_the_time_limit(jobs: HeldJobs, one_at_once: None) -> None:
    first = await jobs.hold("first")
    second = await jobs.start(command="echo in time", max_run_time=3)
    await until(lambda: jobs.running() == {"first"})
    submitted = time.monotonic()
    await until(lambda: time.monotonic() - submitted > 3.2)  # the limit of the one that waits has passed
    jobs.open()
    assert (await jobs.finish(first)).end.status is Status.SUCCEEDED
    ended = await jobs.finish(second)
    assert ended.end.status is Status.SUCCEEDED
    assert statuses(ended.events)[-2:] == [Status.RUNNING, Status.SUCCEEDED]


async def test_a_job_that_waits_is_stopped_without_having_run(jobs: HeldJobs, one_at_once: None) -> None:
    refs = [await jobs.hold(name) for name in "abc"]
    await jobs.backend.stop(refs[1])
    stopped = await jobs.finish(refs[1])
    assert stopped.end.status is Status.STOPPED
    assert Status.RUNNING not in statuses(stopped.events)
    await place(jobs, refs[2], "number 1 in line")
    jobs.open()
    assert (await jobs.finish(refs[2])).end.status is Status.SUCCEEDED
    assert jobs.running() == {"a", "c"}


async def test_a_job_whose_folder_is_deleted_leaves_the_line(jobs: HeldJobs, one_at_once: None) -> None:
    refs = [await jobs.hold(name) for name in "abc"]
    supervisor = json.loads((jobs.folder_of(refs[1]) / "run" / "supervisor.json").read_bytes())["pid"]
    shutil.rmtree(jobs.folder_of(refs[1]))
    await until(lambda: not is_alive(supervisor))
    await place(jobs, refs[2], "number 1 in line")
    jobs.open()
    assert (await jobs.finish(refs[2])).end.status is Status.SUCCEEDED


async def test_a_job_inside_a_job_takes_no_slot(
    jobs: HeldJobs, one_at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the outer one, which waits for the inner one, would never end."""
    outer = await jobs.start("import os\nprint(os.environ['PAI_JUPYTER_JOB_ID'])")
    held = await jobs.hold("held")
    monkeypatch.setenv("PAI_JUPYTER_JOB_ID", (await jobs.finish(outer)).log().strip())
    assert (await jobs.run("print('inner')")).log() == "inner\n"
    monkeypatch.delenv("PAI_JUPYTER_JOB_ID")
    jobs.open()
    assert (await jobs.finish(held)).end.status is Status.SUCCEEDED


async def test_a_new_limit_counts_for_those_that_wait(jobs: HeldJobs, one_at_once: None, home: Path) -> None:
    refs = [await jobs.hold(name) for name in "abc"]
    await until(lambda: jobs.running() == {"a"})
    settings().set("process.max_parallel", "3")
    try:
        parallel.restate_limits(home)
        await until(lambda: jobs.running() == {"a", "b", "c"})
    finally:
        settings().set("process.max_parallel", "")
    jobs.open()
    assert (await jobs.finish(refs[2])).end.status is Status.SUCCEEDED


# --- whoever dies ------------------------------------------------------------------------------------------------


async def test_a_killed_supervisor_gives_back_its_slot_and_its_place(jobs: HeldJobs, one_at_once: None) -> None:
    refs = [await jobs.hold(name) for name in "abc"]
    await until(lambda: jobs.running() == {"a"})
    for ref in refs[:2]:  # the one that runs, and the first in line
        os.kill(json.loads((jobs.folder_of(ref) / "run" / "supervisor.json").read_bytes())["pid"], signal.SIGKILL)
    await until(lambda: jobs.running() == {"a", "c"})
    lost = (await jobs.finish(refs[1])).end
    assert (lost.status, lost.reason) == (
        Status.FAILED,
        "its supervisor was killed while it waited for a free slot, so nothing of it has run",
    )
    jobs.open()
    assert (await jobs.finish(refs[2])).end.status is Status.SUCCEEDED


def test_a_job_whose_turn_comes_on_a_full_disk_waits_for_room_or_for_its_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir()
    tries = []
    real = os.open

    def full(path: str, flags: int, mode: int = 0o777) -> int:
        tries.append(path)
        if len(tries) < 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", full)
    assert not files.note_beginning(str(tmp_path), lambda: len(tries) == 1)
    assert files.note_beginning(str(tmp_path), lambda: False)
    assert (tmp_path / "run" / "began").exists()


KERNEL = """
import os, sys, time
from pai_jupyter.jobs import submit
from pai_jupyter.spec import JobSpec
for name in sys.argv[1:]:
    job = submit(JobSpec(name=name, command=f"touch $PAI_INPUT_GATE/{name}; until [ -e $PAI_INPUT_GATE/open ]; do sleep 0.05; done",
                         inputs={"gate": os.environ["GATE"]}), backend="process")
    print(job.id, flush=True)
time.sleep(600)
"""


def kernel(gate: Path, *names: str) -> "tuple[subprocess.Popen[str], list[str]]":
    """A process that submits a job of each name and follows it, and the ids of those."""
    process = subprocess.Popen(
        [sys.executable, "-c", KERNEL, *names],
        cwd=ROOT,
        env={**os.environ, "GATE": str(gate)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, [process.stdout.readline().strip() for _ in names]


async def test_a_kernel_that_is_killed_while_its_jobs_wait_changes_nothing(
    gate: Path, one_at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two kernels share the line; the one whose job waits is killed, and another process sees it run to its end."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    first, [a] = kernel(gate, "a")
    second, [b, c] = kernel(gate, "b", "c")
    with first, second:
        try:
            await until(lambda: (gate / "a").exists())
            await until(lambda: "number 2 in line" in attach(c).state.reason)
            await until(lambda: "number 1 in line" in attach(b).state.reason)
        finally:
            second.kill()
        assert [job.status for job in map(attach, (b, c))] == [Status.QUEUED] * 2
        assert {job.id for job in list_jobs(status="queued")} == {b, c}
        assert not (gate / "b").exists()
        (gate / "open").touch()
        assert [attach(job).wait(60).status for job in (a, b, c)] == [Status.SUCCEEDED] * 3
        first.kill()


# --- the pool ----------------------------------------------------------------------------------------------------


async def test_where_files_cannot_be_locked_every_job_runs_at_once(
    jobs: HeldJobs, one_at_once: None, home: Path
) -> None:
    (home / "slots").write_text("no directory can be made here")
    refs = [await jobs.hold(name) for name in "ab"]
    await until(lambda: jobs.running() == {"a", "b"})
    jobs.open()
    assert (await jobs.finish(refs[1])).end.status is Status.SUCCEEDED


def test_nobody_overtakes_one_that_waits(tmp_path: Path) -> None:
    first, second, third = (Pool(str(tmp_path), name, 1) for name in "abc")
    assert first.take()
    assert not second.take()
    second.queue()
    first.release()
    assert not third.take()  # there is a free slot, and it is not his
    assert second.take()
    second.release()
    assert third.take()


def test_the_order_is_that_of_coming_whatever_the_clock_says(tmp_path: Path) -> None:
    pools = [Pool(str(tmp_path), name, 1) for name in "zyx"]
    for pool in pools:
        pool.queue()
    assert [pool.place() for pool in pools] == [1, 2, 3]
    pools[0].release()
    assert [pool.place() for pool in pools[1:]] == [1, 2]


def test_each_waits_for_its_own_limit(tmp_path: Path) -> None:
    assert Pool(str(tmp_path), "a", 1).limit == 1
    running = Pool(str(tmp_path), "a", 4)
    assert running.take()
    modest, eager = Pool(str(tmp_path), "b", 1), Pool(str(tmp_path), "c", 2)
    assert not modest.take()
    assert eager.take()


def test_a_forked_child_of_the_holder_holds_nothing(tmp_path: Path) -> None:
    """A kernel's DataLoader workers may outlive it by hours. One closes its copy when it first runs: it says so."""
    code = f"""
import os, sys, time
from pai_jupyter.backends.local.slots.pool import Pool
assert Pool({str(tmp_path)!r}, "a", 1).take()
child = os.fork()
if not child:
    print(os.getpid(), flush=True)
    time.sleep(600)
os._exit(0)
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    try:
        process.wait(DEADLINE)
        assert is_alive(child)
        assert Pool(str(tmp_path), "b", 1).take()
    finally:
        os.kill(child, signal.SIGKILL)
        process.stdout.close()


WORKER = """
import os, sys, time
from pai_jupyter.backends.local.slots.pool import Pool, wait_in_line
folder, name, count = sys.argv[1:]
log = os.open(folder + "/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for number in range(int(count)):
    pool = Pool(folder, f"{name}-{number}", 3)
    if not pool.take():
        pool.queue()
        assert wait_in_line(pool, lambda: False, lambda *_: None, lambda seconds: time.sleep(seconds / 20))
    os.write(log, b"+")
    time.sleep(0.002)
    os.write(log, b"-")
    pool.release()
"""


def test_never_more_jobs_have_a_slot_than_the_limit_whoever_is_killed(tmp_path: Path) -> None:
    """Eight processes take slots as fast as they can; one is killed on the way, and stands for a job that ended so."""
    words = [sys.executable, "-c", WORKER, str(tmp_path)]
    workers = [subprocess.Popen([*words, f"w{number}", "25"], cwd=ROOT) for number in range(7)]
    with subprocess.Popen([*words, "victim", "100000"], cwd=ROOT) as victim:
        wait_until(lambda: (tmp_path / "log").exists() and (tmp_path / "log").stat().st_size > 40)
        victim.kill()
    assert [worker.wait(DEADLINE) for worker in workers] == [0] * 7
    running, most = 0, 0
    for act in (tmp_path / "log").read_text():
        running += 1 if act == "+" else -1
        most = max(most, running)
    assert most <= 3 + 1  # the killed one may have written its + and not its -
    assert [path.name for path in (tmp_path / "running").iterdir() if not path.name.startswith("victim")] == []
