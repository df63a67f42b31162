"""Jobs of PAI, against the incumbent `alipai` at the same emulator: attaching, ending, submitting again, following many.

The emulator runs real jobs and counts what it is asked. Its directory is in memory where there is such a place: how fast
a service's disk is, is the service's affair.
"""

import asyncio
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.backends.pai import pace
from pai_jupyter.backends.pai.job import PaiJob, Site
from pai_jupyter.cloud.client import Client, paistudio
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import Job, attach, close_runtime, draft, follow_log, place_of, runtime, submit
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.alipai import PYTHON
from tests.bench.counted import counts
from tests.bench.harness import Row, at_most, below, seconds
from tests.bench.homes import bench_home
from tests.bench.peers import Peer, alipai
from tests.emulators import KEY, REGION, SECRET, TERMINAL, WORKSPACE, Emulator, emulator
from tests.pai_jobs import session_at

LINES, FILES, JOBS = 2_000, 200, 200
RUNS = 3
WINDOW = 20.0  # seconds for which following is watched
DEADLINE = 60.0  # seconds
MEMORY = Path("/dev/shm")
IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
# It waits for a file, prints, and says when it had nothing left to do.
SCRIPT = """import os, sys, time
print("begun", flush=True)
gate = os.environ["GATE"]
while not os.path.exists(gate):
    time.sleep(0.002)
print("\\n".join(f"a line of a log as a training job prints {number:04}" for number in range(int(sys.argv[1]))))
with open(gate + ".end", "w") as file:
    file.write(str(time.time()))
"""


def rows() -> Iterator[Row]:
    if not PYTHON.exists():
        print(f"no {PYTHON}: `make bench` makes it; jobs of PAI are not compared")  # noqa: T201
        return
    with _setting() as setting:
        yield from _attaching(setting)
        yield from _ending(setting)
        yield from _submitting_again(setting)
        yield from _following_many(setting)


@dataclass(kw_only=True)
class Setting:
    """An emulator, our session there and the peer's, and a directory for whatever is needed."""

    emulator: Emulator
    peer: Peer
    folder: Path
    tree: Path
    _gates: int = field(default=0, init=False)

    def counted(self, action: Callable[[], object]) -> tuple[float, Counter[str]]:
        """How long `action` takes, and what the emulator is asked meanwhile."""
        before = counts(self.emulator.address)
        took = seconds(action)
        return took, counts(self.emulator.address) - before

    def start(self, lines: int) -> "Gated":
        """A job of ours that runs and waits to be let on; then it prints so many lines."""
        self._gates += 1
        gate = self.folder / f"gate-{self._gates}"
        spec = JobSpec(
            name="bench",
            command=f"python train.py {lines}",
            source_dir=str(self.folder / "code"),
            image_uri=IMAGE,
            instance_type="ecs.c6.large",
            environments={"GATE": str(gate)},
        )
        return Gated(job=submit(spec, backend="pai"), gate=gate)

    def ask(self, call: Callable[[Client], Awaitable[object]]) -> None:
        self.emulator.ask(call)


@dataclass(frozen=True, kw_only=True)
class Gated:
    """A job that waits for its gate."""

    job: Job
    gate: Path

    @property
    def ended(self) -> float:
        """When its script had nothing left to do."""
        return float(self.gate.with_name(self.gate.name + ".end").read_text())


@contextmanager
def _setting() -> Iterator[Setting]:
    services = MEMORY if MEMORY.is_dir() else None
    with (
        bench_home(),
        tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch,
        tempfile.TemporaryDirectory(prefix="pai-bench-", dir=services, ignore_cleanup_errors=True) as data,
        emulator(Path(data) / "data", module="tests.bench.counted") as running,
        session_at(running.address, Path(os.environ["PAI_JUPYTER_HOME"]), key=(KEY, SECRET), values={}),
    ):
        folder = Path(scratch)
        (folder / "code").mkdir()
        (folder / "code" / "train.py").write_text(SCRIPT)
        tree = _make_tree(folder / "tree")
        with alipai(running, folder, tree) as peer:
            peer.ask("submit", IMAGE)  # it has found its session, and sends the tree the first time
            try:
                yield Setting(emulator=running, peer=peer, folder=folder, tree=tree)
            finally:
                close_runtime()


def _make_tree(root: Path) -> Path:
    """What a project may have: 200 files of 4 KB."""
    for number in range(FILES):
        path = root / f"d{number % 20:02}" / f"f{number:03}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value_{number} = {number}\n" * 200)
        os.utime(path, (time.time() - 3600,) * 2)
    return root


# --- attaching to a job that has ended -------------------------------------------------------------------------------


def _attaching(setting: Setting) -> Iterator[Row]:
    def ours() -> tuple[float, Counter[str]]:
        gated = setting.start(LINES)
        close_runtime()  # nobody follows it while it prints
        gated.gate.touch()
        _until_ended(setting, gated.job)
        measured = setting.counted(lambda: _attach(gated.job.id))
        assert sum(1 for _ in gated.job.logs()) == LINES + 1
        return measured

    took, asked = sorted((ours() for _ in range(RUNS)), key=lambda each: each[0])[RUNS // 2]
    ended = next(iter(JobStore().folders()))
    peer_took, peer_asked = setting.counted(lambda: setting.peer.ask("wait", _service_id(Job(ended))))
    yield at_most(f"attach to a finished job of {LINES:,} lines / alipai", took, peer_took, 1 / 15)
    yield below("  requests of that", asked["requests"], peer_asked["requests"], 5)


def _attach(job_id: str) -> None:
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        job = attach(job_id)
        follow_log(job, print)
        job.wait()


def _until_ended(setting: Setting, job: Job) -> None:
    async def wait(client: Client) -> None:
        await setting.emulator.until(client, _service_id(job), *TERMINAL)

    setting.ask(wait)


def _service_id(job: Job) -> str:
    ref = job.folder.read().ref
    assert ref is not None
    return str(ref.data["id"])


# --- from a job's end until it is known ------------------------------------------------------------------------------


def _ending(setting: Setting) -> Iterator[Row]:
    """Both wait for the same job; while the peer still does, ours waits for more."""
    first = setting.start(0)
    setting.peer.begin("wait", _service_id(first.job))
    late = [_wait_for(first), *(_wait_for(setting.start(0)) for _ in range(4))]
    peer_late = setting.peer.answer()["at"] - first.ended
    yield below("a job's end until the cell knows, the slowest of 5", max(late), peer_late, 2, "s")


def _wait_for(gated: Gated) -> float:
    """Seconds from the job's end until `wait` returns."""
    _until(lambda: gated.job.folder.log("master-0").count() > 0)
    threading.Timer(2.0, gated.gate.touch).start()
    gated.job.wait(DEADLINE)
    return time.time() - gated.ended


# --- the same code again ---------------------------------------------------------------------------------------------


def _submitting_again(setting: Setting) -> Iterator[Row]:
    spec = JobSpec(
        name="again", command="true", source_dir=str(setting.tree), image_uri=IMAGE, instance_type="ecs.c6.large"
    )

    def ours() -> None:
        with draft(spec, place_of(spec, backend="pai")) as ready:
            ready.submit()

    first = seconds(ours)
    took, asked = setting.counted(ours)
    peer_took, peer_asked = setting.counted(lambda: setting.peer.ask("submit", IMAGE))
    yield at_most(f"submit {FILES} files again (first: {first:.2f} s) / alipai", took, peer_took, 0.5)
    yield below("  objects sent to OSS by that", asked["uploads"], peer_asked["uploads"], 0)
    yield below("  bytes sent to OSS by that", asked["bytes"], peer_asked["bytes"], 0)


# --- many jobs at once -----------------------------------------------------------------------------------------------


def _following_many(setting: Setting) -> Iterator[Row]:
    """200 of ours; of the peer's one, times 200: it follows by a thread each, and has five."""
    ids = _start_many(setting)
    setting.peer.begin("wait", ids[0])
    before = counts(setting.emulator.address)
    time.sleep(WINDOW)
    peer = counts(setting.emulator.address) - before
    setting.emulator.ask(lambda client: client.call(paistudio.STOP_TRAINING_JOB, path={"training_job_id": ids[0]}))
    peer_cpu = setting.peer.answer()
    print(peer, peer_cpu)
    for number, service_id in enumerate(ids):
        _record(setting, f"many-{number:03}", service_id)
    for phase in ("first minute", "settled"):
        following = [attach(f"many-{number:03}") for number in range(1, JOBS)]
        time.sleep(3)
        busy = time.process_time()
        before = counts(setting.emulator.address)
        time.sleep(WINDOW)
        print(phase, counts(setting.emulator.address) - before, time.process_time() - busy)
        break
    return
    yield


def _start_many(setting: Setting) -> list[str]:
    """The service's ids of as many jobs, which run."""

    async def start(client: Client) -> list[str]:
        ids = await asyncio.gather(*(setting.emulator.create(client, "sleep 600") for _ in range(JOBS)))
        for each in ids:
            await setting.emulator.until(client, each, "Running")
        return list(ids)

    return setting.emulator.ask(start)


def _record(setting: Setting, job_id: str, service_id: str) -> None:
    """Note a job of the service as ours, as if we had submitted it."""
    spec = JobSpec(name=job_id, command="sleep 600", image_uri=IMAGE, instance_type="ecs.c6.large")
    folder = JobStore().create(JobRecord(id=job_id, spec=spec, backend="pai", created=time.time()))
    site = Site(region=REGION, workspace=WORKSPACE, address=setting.emulator.address)
    ref = PaiJob(job_id=job_id, kind="training", id=service_id, site=site).ref
    folder.start(ref, JobState().apply(StatusChanged(status=Status.QUEUED, time=time.time())))


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
