"""Jobs of PAI, against the incumbent `alipai` at the same emulator: attaching, ending, submitting again, following many."""

import asyncio
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from pai_jupyter.backends.pai.following import poll_schedule
from pai_jupyter.backends.pai.services.job import PaiJob
from pai_jupyter.cloud.client import Client, paistudio
from pai_jupyter.cloud.session import Site
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import Job, attach, close_runtime, follow_log, submit
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobRecord, JobStore
from tests.bench.harness import Row, at_most, below, interleaved, seconds
from tests.bench.services import Services, services
from tests.support.alipai import PYTHON
from tests.support.emulators import REGION, TERMINAL, WORKSPACE

LINES, FILES, JOBS = 2_000, 200, 200
RUNS = 3
DEADLINE = 60.0  # seconds
IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
# It waits for a file, prints, and notes when it had nothing left to do.
SCRIPT = """import os, sys, time
print("begun", flush=True)
gate = os.environ["GATE"]
while not os.path.exists(gate):
    time.sleep(0.002)
print("\\n".join(f"a line of a log as a training job prints {number:04}" for number in range(int(sys.argv[1]))))
with open(gate + ".end", "w") as file:
    file.write(str(time.time()))
"""
PEER_WATCHED = 15.0  # seconds


def rows() -> Iterator[Row]:
    if not PYTHON.exists():
        print(f"no {PYTHON}: `make bench` makes it; jobs of PAI are not compared")  # noqa: T201
        return
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as scratch:
        tree = _make_tree(Path(scratch))
        with services("tests.bench.counted", tree) as there:
            there.peer.ask("submit", IMAGE)  # from now on it has found its session, and has sent the tree once
            yield from _attaching(there)
            yield from _ending(there)
            yield from _submitting_again(there)
        with services("tests.bench.quiet", tree) as there:
            yield from _following_many(there)


def _make_tree(root: Path) -> Path:
    """What a project may have: 200 files of 4 KB."""
    for number in range(FILES):
        path = root / f"d{number % 20:02}" / f"f{number:03}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value_{number:03} = {number:03}\n" * 240)
        os.utime(path, (time.time() - 3600,) * 2)
    return root


# --- jobs that wait to be let on -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Gated:
    """A job that has begun and waits for its gate."""

    job: Job
    gate: Path

    @property
    def ended(self) -> float:
        """When its script had nothing left to do."""
        return float(self.gate.with_name(f"{self.gate.name}.end").read_text())


def _start(there: Services, lines: int) -> Gated:
    """A job of ours; once it is let on it prints so many lines."""
    gate = there.folder / f"gate-{time.time_ns()}"
    code = there.folder / "code"
    code.mkdir(exist_ok=True)
    (code / "train.py").write_text(SCRIPT)
    job = submit(_spec(f"python train.py {lines}", code, {"GATE": str(gate)}), backend="pai")
    _until(lambda: job.folder.log("master-0").count() > 0)
    return Gated(job=job, gate=gate)


def _spec(command: str, source_dir: Path | None = None, environments: Mapping[str, str] | None = None) -> JobSpec:
    return JobSpec(
        name="bench",
        command=command,
        source_dir=str(source_dir) if source_dir else None,
        environments=environments or {},
        image_uri=IMAGE,
        instance_type="ecs.c6.large",
    )


def _service_id(job: Job) -> str:
    ref = job.folder.read().ref
    assert ref is not None
    return str(ref.data["id"])


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- attaching to a job that has ended -------------------------------------------------------------------------------


def _attaching(there: Services) -> Iterator[Row]:
    ours = sorted((_attached(there) for _ in range(RUNS)), key=lambda each: each[0])
    took, asked, job = ours[RUNS // 2]
    peer_took, peer_asked = there.counted(lambda: there.peer.ask("wait", _service_id(job)))
    yield at_most(f"attach to an ended job of {LINES:,} lines / alipai", took, peer_took, 0.066)
    yield below("  requests of that", asked["requests"], peer_asked["requests"], 5)


def _attached(there: Services) -> tuple[float, Counter[str], Job]:
    """Seconds and requests of attaching to a job that has printed and ended while nobody followed it."""
    gated = _start(there, LINES)
    close_runtime()
    gated.gate.touch()

    async def wait(client: Client) -> None:
        await there.emulator.until(client, _service_id(gated.job), *TERMINAL)

    there.emulator.ask(wait)
    took, asked = there.counted(lambda: _attach(gated.job.id))
    assert sum(1 for _ in gated.job.logs()) == LINES + 1
    return took, asked, gated.job


def _attach(job_id: str) -> None:
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        job = attach(job_id)
        follow_log(job, print)
        job.wait()


# --- from a job's end until it is known ------------------------------------------------------------------------------


def _ending(there: Services) -> Iterator[Row]:
    """Both wait for the same job; while the peer still does, ours waits for more."""
    first = _start(there, 0)
    there.peer.begin("wait", _service_id(first.job))
    late = [_known_after(first), *(_known_after(_start(there, 0)) for _ in range(4))]
    peer_late = there.peer.answer()["at"] - first.ended
    yield below("a job's end until the cell knows, slowest of 5", max(late), peer_late, 2, "s")


def _known_after(gated: Gated) -> float:
    """Seconds from the job's end until `wait` returns."""
    threading.Timer(1.0, gated.gate.touch).start()
    gated.job.wait(DEADLINE)
    return time.time() - gated.ended


# --- the same code again ---------------------------------------------------------------------------------------------


def _submitting_again(there: Services) -> Iterator[Row]:
    def ours() -> None:
        submit(_spec("true", there.tree), backend="pai")

    ours()
    took, peer_took = interleaved(lambda: seconds(ours), lambda: there.peer.ask("submit", IMAGE)["took"], runs=RUNS)
    _, asked = there.counted(ours)
    _, peer_asked = there.counted(lambda: there.peer.ask("submit", IMAGE))
    yield at_most(f"submit a source_dir of {FILES} files again / alipai", took, peer_took, 0.5)
    yield below("  objects sent to OSS by that", asked["uploads"], peer_asked["uploads"], 0)
    yield below("  bytes sent to OSS by that", asked["bytes"], peer_asked["bytes"], 0)


# --- many jobs at once -----------------------------------------------------------------------------------------------


def _following_many(there: Services) -> Iterator[Row]:
    """200 of ours, against one of the peer's times 200: it has a thread for each, and no more than five."""
    ids = _start_many(there)
    for number, service_id in enumerate(ids):
        _record(there, f"many-{number:03}", service_id)
    peer_rate = _peer_rate(there, ids[0])
    with _settled(), _following():
        time.sleep(poll_schedule.LONGEST / 4)  # the first round is over by then, and there is one in each half minute
        later = _measured(there, poll_schedule.LONGEST)
    ended = there.peer.answer()
    peer_load = JOBS * ended["cpu"] / ended["took"]
    with _following():
        first = _measured(there, 60.0)
    for when, (rate, load), goal in (("first minute", first, 0.5), ("later", later, 0.1)):
        yield at_most(f"{JOBS} jobs followed, {when} / alipai, 1 x {JOBS}", rate, peer_rate, goal, "/min")
        yield at_most("  CPU of that", load, peer_load, 1, "cores")


def _start_many(there: Services) -> list[str]:
    """The service's ids of as many jobs, which run."""

    async def start(client: Client) -> list[str]:
        ids = await asyncio.gather(*(there.emulator.create(client) for _ in range(JOBS)))
        for each in ids:
            await there.emulator.until(client, each, "Running")
        return list(ids)

    return there.emulator.ask(start)


def _record(there: Services, job_id: str, service_id: str) -> None:
    """Note a job of the service as ours, as if we had submitted it."""
    folder = JobStore().create(JobRecord(id=job_id, spec=_spec("true"), backend="pai", created=time.time()))
    site = Site(region=REGION, workspace=WORKSPACE, address=there.emulator.address)
    ref = PaiJob(job_id=job_id, kind="training", id=service_id, site=site).ref
    folder.start(ref, JobState().apply(StatusChanged(status=Status.QUEUED, time=time.time())))


def _peer_rate(there: Services, service_id: str) -> float:
    """Requests a minute that as many jobs would be to the peer. It has not said yet that it has ended."""
    there.peer.begin("wait", service_id)
    before = there.counts()["requests"]
    time.sleep(PEER_WATCHED)
    asked = there.counts()["requests"] - before
    there.emulator.ask(lambda client: client.call(paistudio.STOP_TRAINING_JOB, path={"training_job_id": service_id}))
    return JOBS * asked * 60 / PEER_WATCHED


def _settled() -> AbstractContextManager[object]:
    """From the start, the pauses to which they grow by themselves within two minutes."""
    return mock.patch.multiple(poll_schedule, FIRST_LOOK=0.0, GROWTH=poll_schedule.LONGEST / poll_schedule.SHORTEST)


@contextmanager
def _following() -> Iterator[None]:
    """All jobs but the one that the peer has, followed by nobody who looks."""
    close_runtime()
    for number in range(1, JOBS):
        attach(f"many-{number:03}")
    yield
    close_runtime()


def _measured(there: Services, seconds_: float) -> tuple[float, float]:
    """Requests a minute, and cores in use."""
    before, busy = there.counts()["requests"], time.process_time()
    time.sleep(seconds_)
    busy = time.process_time() - busy
    return (there.counts()["requests"] - before) * 60 / seconds_, busy / seconds_
