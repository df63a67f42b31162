"""What a job's processes use while it runs: measured by the supervisor, told by whoever follows, recorded exactly once."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from pai_jupyter.backends.process import changes
from pai_jupyter.backends.process.supervisor import usage
from pai_jupyter.backends.process.supervisor.gpus import MIB, Answer, NvmlReader, query, read_answer
from pai_jupyter.backends.process.supervisor.usage import measure, pause_after
from pai_jupyter.events import Event, LogChunk, Notice, Status, StatusChanged, StoredEvent, Usage
from pai_jupyter.events.usage import UsageSum
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.support.local_jobs import LocalJobs, until
from tests.support.patience import DEADLINE, SOON
from tests.support.started import until as wait_until

# holds 80 MB and one core until the file `enough` is there
BUSY = """\
import os, pathlib, sys, time
block = b"x" * 80_000_000
print("ready", flush=True)
while not os.path.exists("enough"):
    sum(range(10_000))
"""


@pytest.fixture
async def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalJobs]:
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


def samples(events: list[Event], replica: str = "master-0") -> list[Usage]:
    return [e for e in events if isinstance(e, Usage) and e.replica == replica and e.cpu is not None]


async def sampled(jobs: LocalJobs, ref: JobRef, count: int = 1, replica: str = "master-0") -> None:
    """Wait until the supervisor has measured so often, then have the job end."""
    path = jobs.folder_of(ref) / "run" / f"{replica}.samples"
    await until(lambda: path.exists() and path.read_bytes().count(b"\n") >= count)
    (jobs.folder_of(ref) / "ml" / "usercode" / "enough").touch()


# --- in real jobs ------------------------------------------------------------------------------------------------


def busy_ones(seen: list[Event]) -> list[Usage]:
    """The samples of a program that has begun: on a busy machine the first one may be of the shell that starts it."""
    return [sample for sample in samples(seen) if (sample.memory or 0) > 80e6]


async def measured(jobs: LocalJobs, ref: JobRef, count: int) -> list[Event]:
    """The events of a job with such a program, which ends after `count` samples."""
    seen: list[Event] = []
    async with asyncio.timeout(DEADLINE):
        async for event in jobs.backend.follow(ref, {}):
            seen.append(event)
            if len(busy_ones(seen)) == count:
                (jobs.folder_of(ref) / "ml" / "usercode" / "enough").touch()
    return seen


async def test_cores_and_memory_are_told_while_the_job_runs(jobs: LocalJobs) -> None:
    seen = await measured(jobs, await jobs.start(BUSY), 2)
    first, second = busy_ones(seen)[:2]
    assert first.cpu is not None
    assert 0.05 < first.cpu < 1.5
    assert first.memory is not None
    assert 80e6 < first.memory < 250e6
    assert 0 < (first.cores or 0) <= len(os.sched_getaffinity(0))
    assert first.memory < (first.memory_limit or 0) <= psutil.virtual_memory().total
    assert 1.5 < second.time - first.time < SOON
    assert abs(second.time - time.time()) < 60
    assert isinstance(seen[-1], StatusChanged)
    assert seen.index(first) < len(seen) - 2  # not only at its end


async def test_what_the_children_of_a_command_use_is_counted(jobs: LocalJobs) -> None:
    parent = "import subprocess, sys\nsubprocess.run([sys.executable, 'busy.py'])\n"
    ref = await jobs.start(parent, files={"busy.py": BUSY.encode()})
    assert busy_ones(await measured(jobs, ref, 1))


async def test_each_replica_is_measured_by_itself(jobs: LocalJobs) -> None:
    script = BUSY.replace("80_000_000", "80_000_000 if os.environ['RANK'] == '1' else b''")
    ref = await jobs.start(script, instance_count=2)
    await jobs.printed(ref, "ready", "worker-0")
    told = jobs.folder_of(ref) / "run" / "worker-0.samples"
    before = told.read_bytes().count(b"\n") if told.exists() else 0
    await sampled(jobs, ref, before + 1, "worker-0")
    events = (await jobs.finish(ref)).events
    master, worker = samples(events)[0], samples(events, "worker-0")[-1]
    assert master.memory is not None
    assert worker.memory is not None
    assert worker.memory - master.memory > 60e6


async def test_a_short_job_is_not_measured(jobs: LocalJobs) -> None:
    ended = await jobs.run(command="true")
    assert samples(ended.events) == []
    assert not list((ended.folder / "run").glob("*.samples"))


async def test_the_samples_of_a_job_that_nobody_followed_are_all_there_and_the_same_each_time(jobs: LocalJobs) -> None:
    ref = await jobs.start(BUSY)
    await sampled(jobs, ref, 2)
    await until(lambda: (jobs.folder_of(ref) / "run" / "exit.json").exists())
    events = (await jobs.finish(ref)).events
    assert len(samples(events)) == 2
    assert samples(events) == samples((await jobs.finish(ref)).events)
    last = [event for event in events if not isinstance(event, Notice)][-2]
    assert isinstance(last, Usage)
    assert last.peak_memory is not None


async def test_a_job_whose_usage_cannot_be_noted_runs_all_the_same(jobs: LocalJobs) -> None:
    ref = await jobs.start("import time\ntime.sleep(1)\nprint('done')\n")
    (jobs.folder_of(ref) / "run" / "master-0.samples").mkdir()
    ended = await jobs.finish(ref)
    assert (ended.end.status, ended.log()) == (Status.SUCCEEDED, "done\n")
    assert samples(ended.events) == []


WRITES = """\
import os, subprocess, sys, time
for at in range(5):  # by children that have ended when somebody looks
    subprocess.run([sys.executable, "-c", "import os; f = open('f%d', 'wb'); f.write(os.urandom(10 << 20)); f.flush(); os.fsync(f)" % at])
print("ready", flush=True)
while not os.path.exists("enough"):
    time.sleep(0.01)
"""


async def test_what_a_job_and_its_children_write_is_counted_while_it_runs_and_at_its_end(jobs: LocalJobs) -> None:
    ref = await jobs.start(WRITES)
    await jobs.printed(ref, "ready")
    path = jobs.folder_of(ref) / "run" / "master-0.samples"
    before = path.read_bytes().count(b"\n") if path.exists() else 0
    await sampled(jobs, ref, before + 2)  # the first one may come too soon to say how fast it goes
    events = (await jobs.finish(ref)).events
    last, end = samples(events)[-1], [event for event in events if isinstance(event, Usage)][-1]
    for told in (last.written, end.written):
        assert told is not None
        assert 50e6 < told < 60e6
    summed = UsageSum()
    values = [value for event in events for name, value in summed.take(as_stored(event)) if name == "disk_written"]
    assert max(values) > 1e6  # bytes per second
    assert 50e6 < summed.totals()["written"] < 60e6


def as_stored(event: Event) -> StoredEvent | None:
    return None if isinstance(event, LogChunk) else event


def test_a_line_of_an_older_supervisor_is_read(tmp_path: Path) -> None:
    (told,) = changes._sample("w-0", "100.5 0.5 1000 - -")
    assert told == Usage(replica="w-0", time=100.5, cpu=0.5, memory=1000)
    (told,) = changes._sample("w-0", "100.5 0.5 1000 - - 7 8 1.5 2000 -")
    assert (told.read, told.written, told.cores, told.memory_limit) == (7, 8, 1.5, 2000)
    assert [*changes._sample("w-0", "100.5 0.5 1000 - - 7")] == []


@pytest.mark.parametrize(
    ("files", "cores", "memory"),
    [
        ({}, 8, None),
        ({"cpu.max": "150000 100000", "memory.max": "1073741824"}, 1.5, 2**30),
        ({"cpu.max": "max 100000", "memory.max": "max"}, 8, None),
        ({"cpu.max": "", "memory.max": ""}, 8, None),
        ({"quota": "-1", "period": "100000", "limit": "9223372036854771712"}, 8, None),
        ({"quota": "50000", "period": "100000", "limit": "4096"}, 0.5, 4096),
    ],
)
def test_limits_of_a_container_by_both_versions_of_control_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], cores: float, memory: int | None
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    place = [str(tmp_path / name) for name in ("cpu.max", "quota", "period", "memory.max", "limit")]
    monkeypatch.setattr(usage, "_CPU_LIMITS", ((place[0], ""), (place[1], place[2])))
    monkeypatch.setattr(usage, "_MEMORY_LIMITS", (place[3], place[4]))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    assert (usage.usable_cores(), usage.memory_limit()) == (cores, memory or psutil.virtual_memory().total)


# --- GPUs --------------------------------------------------------------------------------------------------------


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place in PATH for an `nvidia-smi` of the test's own."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path / "bin" / "nvidia-smi"


def write(tool: Path, body: str) -> None:
    tool.write_text(f"#!/bin/sh\n{body}\n")
    tool.chmod(0o755)


async def test_gpus_are_told_in_a_job_that_asks_for_them(jobs: LocalJobs, tool: Path) -> None:
    write(tool, 'case "$*" in *query-gpu*csv*) echo "50, 1000"; echo "100, 24";; esac')
    ref = await jobs.start(BUSY, instance_type="local_gpu")
    await sampled(jobs, ref, 2)
    second = samples((await jobs.finish(ref)).events)[1]
    assert (second.gpu, second.gpu_memory) == (0.75, 1024 * MIB)


async def test_gpus_are_not_asked_for_a_job_without(jobs: LocalJobs, tool: Path, tmp_path: Path) -> None:
    write(tool, f"touch {tmp_path}/asked")
    ref = await jobs.start(BUSY)
    await sampled(jobs, ref)
    assert samples((await jobs.finish(ref)).events)[0].gpu is None
    assert not (tmp_path / "asked").exists()


FAKE_NVML = """\
import os, sys, time
place = os.path.dirname(os.path.abspath(__file__))
class NVMLError(Exception): pass
class Of:
    def __init__(self, **values): self.__dict__.update(values)
def nvmlInit():
    open(os.path.join(place, "asked"), "a").write("%d\\n" % os.getpid())
    if os.path.exists(os.path.join(place, "hangs")): time.sleep(600)
    if os.path.exists(os.path.join(place, "broken")): raise NVMLError("driver not loaded")
def nvmlDeviceGetCount(): return 3
def nvmlDeviceGetHandleByIndex(number): return number
def nvmlDeviceGetHandleByUUID(name): return int(name[-1])
def nvmlDeviceGetUtilizationRates(handle):
    if handle == 2: raise NVMLError("not supported")
    return Of(gpu=(40, 80)[handle])
def nvmlDeviceGetMemoryInfo(handle): return Of(used=(handle + 1) << 30, total=8 << 30)
"""
GIB = 1024**3


@pytest.fixture
def nvml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of an NVML library with three GPUs, of which the last tells no load."""
    folder = tmp_path / "nvml"
    folder.mkdir()
    (folder / "pynvml.py").write_text(FAKE_NVML)
    monkeypatch.syspath_prepend(str(folder))
    return folder


async def test_nvml_is_asked_by_one_process_for_the_whole_job(jobs: LocalJobs, nvml: Path, tool: Path) -> None:
    write(tool, "echo 1, 1, 1")
    ref = await jobs.start(BUSY, instance_type="local_gpu")
    await sampled(jobs, ref, 2)
    second = samples((await jobs.finish(ref)).events)[1]
    assert (second.gpu, second.gpu_memory, second.gpu_memory_limit) == (0.6, 6 * GIB, 24 * GIB)
    (pid,) = (nvml / "asked").read_text().split()
    await until(lambda: not Path(f"/proc/{pid}").exists())


def test_without_a_driver_nvidia_smi_takes_its_place(nvml: Path, tool: Path) -> None:
    (nvml / "broken").touch()
    write(tool, "echo 50, 1, 2")
    reader = NvmlReader({"devices": [], "nvml": str(nvml)})
    wait_until(lambda: reader.exchange() == (0.5, MIB, 2 * MIB))
    reader.close()


def test_a_driver_that_hangs_is_not_waited_for(nvml: Path) -> None:
    (nvml / "hangs").touch()
    reader = NvmlReader({"devices": [], "nvml": str(nvml)})
    wait_until(lambda: (nvml / "asked").exists() and (nvml / "asked").read_text() != "")
    assert [reader.exchange(), reader.exchange()] == [(None, None, None)] * 2
    pid = reader.pid
    reader.close()
    os.waitpid(pid, 0)


@pytest.mark.parametrize(
    ("names", "told"), [([], (0.6, 6)), (["1"], (0.8, 2)), (["GPU-0", "1"], (0.6, 3)), (["2"], (None, 3))]
)
def test_only_the_gpus_of_the_job_are_asked(nvml: Path, names: list[str], told: tuple[float | None, int]) -> None:
    reader = NvmlReader({"devices": names, "nvml": str(nvml)})
    found: Answer = None, None, None

    def is_told() -> bool:
        nonlocal found
        found = reader.exchange()
        return found[1] is not None

    wait_until(is_told)
    reader.close()
    load, memory, _ = found
    assert (load, memory) == (told[0], told[1] * GIB)
    assert query(names)[3:] == ((f"--id={','.join(names)}",) if names else ())


@pytest.mark.parametrize("body", ["exec sleep 600", "exit 9", "echo '[N/A], [Not Supported]'", "exec yes '?, ?'", None])
async def test_a_broken_tool_stops_neither_the_job_nor_the_measuring(
    jobs: LocalJobs, tool: Path, tmp_path: Path, body: str | None
) -> None:
    if body:
        write(tool, f"echo $$ >>{tmp_path}/pids; {body}")
    begun = time.monotonic()
    ref = await jobs.start(BUSY, instance_type="local_gpu")
    await sampled(jobs, ref, 2)
    ended = await jobs.finish(ref)
    assert ended.end.status is Status.SUCCEEDED
    assert [(s.gpu, s.gpu_memory) for s in samples(ended.events)[:2]] == [(None, None)] * 2
    assert time.monotonic() - begun < DEADLINE
    for pid in (tmp_path / "pids").read_text().split() if body else []:
        await until(lambda pid=pid: not Path(f"/proc/{pid}").exists())  # type: ignore[misc]  # mypy cannot infer it


@pytest.mark.parametrize(
    ("text", "load", "memory", "whole"),
    [
        ("", None, None, None),
        ("45, 1024\n", 0.45, 1024 * MIB, None),
        ("45, 1024, 4096\n", 0.45, 1024 * MIB, 4096 * MIB),
        ("0, 0, 1\n", 0.0, 0, MIB),
        ("100, 1, 8\n0, 2, 8\n", 0.5, 3 * MIB, 16 * MIB),
        ("[N/A], 512, [N/A]\n", None, 512 * MIB, None),
        ("30, [Not Supported], 9\n", 0.3, None, 9 * MIB),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", None, None, None),
        ("nan, nan, nan\ninf, inf, inf\n-5, -5, -5\n200, 1e300, 1e300\n", None, None, None),
        (",,,\n%\n训练, 训练\n", None, None, None),
    ],
)
def test_the_answer_of_nvidia_smi(text: str, load: float | None, memory: int | None, whole: int | None) -> None:
    assert read_answer(text) == (load, memory, whole)


# --- measuring ---------------------------------------------------------------------------------------------------


def test_the_time_of_children_that_have_ended_stays_counted() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    script = f"import subprocess, sys, time\nsubprocess.run([sys.executable, '-c', {burn!r}])\nprint(flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        ticks, pages, _, _ = measure({child.pid})[child.pid]
        child.kill()
    assert ticks > 0.25 * os.sysconf("SC_CLK_TCK")  # the system counts whole ticks
    assert pages > 500


def test_a_process_that_was_left_by_its_parent_is_found_by_its_session() -> None:
    shell = "sh -c 'echo $$; exec sleep 60' & exec sleep 60"
    with subprocess.Popen(["sh", "-c", f"({shell}) & wait"], stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        with_orphan = measure({child.pid})[child.pid][1]
        os.killpg(child.pid, signal.SIGKILL)
    assert with_orphan > 0
    wait_until(lambda: measure({child.pid}) == {child.pid: (0, 0, 0, 0)})  # its orphans end a moment later


def test_numbers_that_are_given_anew_while_we_look_do_not_catch_us(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = {pid: [b"S", b"%d" % parent, b"1", b"1", *[b"0"] * 20] for pid, parent in ((11, 12), (12, 13), (13, 11))}
    monkeypatch.setattr(usage, "_pids", lambda: list(ring))
    monkeypatch.setattr(usage, "stat_fields", ring.get)
    assert measure({7}) == {7: (0, 0, 0, 0)}


def test_a_job_of_a_week_leaves_a_bounded_number_of_samples() -> None:
    elapsed, count = 0.5, 0
    while elapsed < 7 * 86_400:
        elapsed, count = elapsed + pause_after(elapsed), count + 1
    assert 15_000 < count < 25_000
    assert [pause_after(seconds) for seconds in (0, 60, 300, 600, 4_500, 1e6)] == [2, 2, 2, 4, 30, 30]


# --- reading and recording ---------------------------------------------------------------------------------------


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The folder of a job with one replica, as far as it matters here."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "supervisor.json").write_text('{"replicas": ["w-0"]}')
    return tmp_path


@pytest.mark.parametrize(
    "garbage",
    [
        "\n",
        "x\n",
        "1 2\n",
        "1 2 3 4 5 6\n",
        "- 1 2 - -\n",
        "nan 1 2 - -\n",
        "1 inf 2 - -\n",
        "1 1 1e999 - -\n",
        "训 练\n",
    ],
)
def test_a_line_of_garbage_is_passed_over(left: Path, garbage: str) -> None:
    (left / "run" / "w-0.samples").write_text(f"{garbage}7.5 0.5 100 - -\n")
    assert list(changes.UsageReader(left).read()) == [Usage(replica="w-0", time=7.5, cpu=0.5, memory=100)]


def test_a_line_that_is_not_finished_is_read_later(left: Path) -> None:
    reader, path = changes.UsageReader(left), left / "run" / "w-0.samples"
    assert list(reader.read()) == []
    path.write_text("1 0.5 100 0.25 7\n2 0.")
    assert list(reader.read()) == [Usage(replica="w-0", time=1, cpu=0.5, memory=100, gpu=0.25, gpu_memory=7)]
    path.write_text("1 0.5 100 0.25 7\n2 0.5 100 - -\n")
    assert [event.time for event in reader.read()] == [2]


def test_samples_that_are_told_again_are_recorded_once() -> None:
    record = JobRecord(id="j1", spec=JobSpec(name="a", command="true"), backend="process", created=1.0)
    folder = JobStore().create(record)
    told = [Usage(replica=name, time=float(at), cpu=0.5, memory=at) for at in (1, 2, 3, 4) for name in ("a-0", "b-0")]
    end = Usage(replica="a-0", time=9.0, cpu_time=3.0, peak_memory=9)
    for count in (3, 3, 8):  # each follower begins at the beginning again
        writer = folder.writer("indexed")
        for event in [*told[:count], *([end, end] if count == 8 else [])]:
            writer.record(event)
        writer.close()
    assert folder.events()[0] == [*told, end]
