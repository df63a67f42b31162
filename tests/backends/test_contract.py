"""The contract of `pai_jupyter.backends`, held against every backend: one suite for the fake, process, Docker, PAI and
a third party's, and for the steps of PAIFlow's runs, which that service starts.

A backend that cannot lose its connection is not spared: the fake one also runs losing every third answer. PAI is the
emulator, or an account (tests/support/live.py); its service tells logs as lines of text: cursors count those, and the log is what
they say.
"""

import asyncio
import itertools
import json
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.backends import Backend, get_backend
from pai_jupyter.backends.flow import FlowBackend
from pai_jupyter.backends.openpai.backend import OpenPaiBackend
from pai_jupyter.backends.openpai.prologue import MOST_CODE
from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.backends.process import ProcessBackend
from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import Event, LogChunk, Notice, Position, Status, StatusChanged
from pai_jupyter.events.lines import decode_line
from pai_jupyter.spec import JobRef, JobSpec, Role
from pai_jupyter.store import JobRecord, JobStore
from tests.fakes.backend import FakeBackend
from tests.support.farm import installed_farm
from tests.support.flow_jobs import StartedSteps
from tests.support.live import Cloud, cloud
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.pai_jobs import rehearsal, rehearsed
from tests.support.patience import DEADLINE, SOON
from tests.support.programs import FORTY, Program, lines

__all__ = ["cloud", "rehearsal", "rehearsed"]  # fixtures

[REPLICA] = (replica.name for replica in contract.replicas(JobSpec(name="a", command="true")))  # of a job with one

CHILD = """
import asyncio, json, sys
from pai_jupyter.backends import get_backend
from pai_jupyter.events import LogChunk
from pai_jupyter.spec import JobRef

async def main(name, job, data, copy):
    ref = JobRef(backend=name, job_id=job, data=json.loads(data))
    with open(copy, "wb", buffering=0) as file:
        async for event in get_backend(name).follow(ref, {}):
            if isinstance(event, LogChunk):
                file.write(event.data)

asyncio.run(main(*sys.argv[1:]))
"""


@dataclass
class Jobs:
    """Starts programs on one backend, each as a job of its own."""

    backend: Backend
    folder: Path
    image: str | None = None
    cloud: Cloud | None = None
    counts_lines: bool = False  # its service tells logs as lines of text
    cluster: LabCluster | None = None
    run: str = field(default_factory=lambda: secrets.token_hex(4))
    refs: list[JobRef] = field(default_factory=list)

    @property
    def deadline(self) -> float:
        return self.cloud.deadline if self.cloud is not None else DEADLINE

    @property
    def is_live(self) -> bool:
        """Whether these jobs are at a real service."""
        return self.cloud is not None and self.cloud.is_live

    @property
    def gate(self) -> Path:
        """The input of held jobs; they go on when it is open."""
        gate = self.folder / "gate"
        gate.mkdir(exist_ok=True)
        return gate

    def open_gate(self) -> None:
        (self.gate / "open").touch()

    async def start(
        self, program: Program, *, held: bool = False, job_id: str | None = None, roles: tuple[Role, ...] = ()
    ) -> JobRef:
        spec = replace(
            self.plain, name="训练 a", command="python train.py", roles=roles, job_type="TFJob" if roles else None
        )
        spec = self.hold(spec) if held else spec
        job_id = f"{job_id or len(self.refs)}-{self.run}"  # a service keeps the jobs of other tests
        if not JobStore().path(job_id).exists():
            JobStore().create(JobRecord(id=job_id, spec=spec, backend=self.backend.info.name, created=0.0))
        await self.fits(program)
        place = self.folder / f"{job_id}-{len(self.refs)}.tar.gz"
        package = await asyncio.to_thread(program.pack, place, is_small=self.cluster is not None)
        self.refs.append(await self.backend.submit(spec, package, job_id=job_id))
        return self.refs[-1]

    async def fits(self, program: Program) -> None:
        """Skip the test if its code is more than the backend takes."""
        if self.cluster is not None and self.cluster.version == "v1.x":
            packed = await asyncio.to_thread(program.pack, self.folder / "probe.tar.gz", is_small=True)
            if packed.path.stat().st_size > MOST_CODE:
                pytest.skip("a cluster without HDFS takes 60 kB of code")

    def hold(self, spec: JobSpec) -> JobSpec:
        """The job, waiting in its middle: until the gate is open, or for a while where nobody can open one from here."""
        if self.cluster is not None:  # its tasks read no inputs from here
            return replace(spec, environments={"PROBE_GATE": str(self.gate)})
        if self.cloud is None:
            return replace(spec, inputs={"gate": str(self.gate)})
        if self.cloud.is_live:
            return replace(spec, environments={"PROBE_SECONDS": str(self.cloud.hold)})
        return replace(spec, environments={"PROBE_GATE": str(self.gate)})  # inputs are copies, made before it begins

    @property
    def plain(self) -> JobSpec:
        """A job that the backend can run."""
        given: dict[str, Any] = (
            {**self.cloud.spec} if self.cloud is not None else {"image_uri": self.image}
        )  # Any: fields
        if self.cluster is not None:
            place = str(self.cluster.emulator.data / "storages" / "nfs")
            given["options"] = {"openpai.storage": "nfs", "openpai.storage_at": place}
        if machines := self.backend.info.instances():
            given = {"instance_type": machines[0], **given}
        return JobSpec(name="a", command="true", **given)

    def count(self, data: bytes) -> int:
        """What a cursor counts in this piece of log."""
        return data.count(b"\n") if self.counts_lines else len(data)

    def told(self, output: bytes) -> bytes:
        """What a log says of this output: the bytes, or the lines that they show."""
        if self.cluster is not None and self.cluster.version == "v0.14":  # YARN shows a log as the text of a page
            return output.decode(errors="replace").encode()
        if not self.counts_lines:
            return output
        *whole, rest = output.split(b"\n")
        return "".join([*(f"{decode_line(line)}\n" for line in whole), decode_line(rest)]).encode()

    async def follow(self, ref: JobRef, after: Position | None = None) -> list[Event]:
        async with asyncio.timeout(self.deadline):
            return [event async for event in self.backend.follow(ref, after or {})]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(self.deadline):
            while not condition():  # noqa: ASYNC110  other processes set no event
                await asyncio.sleep(0.01)


@dataclass
class Steps(Jobs):
    """Starts programs as steps of PAIFlow's runs; the backend only shows them."""

    steps: StartedSteps = field(default_factory=lambda: StartedSteps(Path()))

    async def start(
        self, program: Program, *, held: bool = False, job_id: str | None = None, roles: tuple[Role, ...] = ()
    ) -> JobRef:
        return await self.steps.start(program, gate=self.gate if held else None)

    def told(self, output: bytes) -> bytes:
        """Also, nobody tells whether the last line had an end."""
        told = super().told(output)
        return told if told.endswith(b"\n") or not told else told + b"\n"


OF_STEPS = (  # not about starting or stopping single jobs; a run takes seconds, so not every value of a parameter
    *("every_byte_then", "resumes_without_loss", "same_place[steps-7]", "written[steps-garbage]", "come_quickly"),
    *("cancelling_a_follower", "killed_follower", "jobs[steps-3", "byte_for_byte", "never_submitted"),
)


@pytest.fixture(
    params=[
        *("fake", "fake-lossy", "process", "process-plain", "farm"),
        pytest.param("pai", marks=pytest.mark.live),
        pytest.param("docker", marks=pytest.mark.docker),
        "steps",
        "openpai-v0.14",
        "openpai-v1.x",
    ]
)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Backend:
    match request.param:
        case "fake":
            return FakeBackend()
        case "fake-lossy":
            return FakeBackend(page=100, lossy=3)
        case "process-plain":
            monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
            return ProcessBackend()
        case "process":
            return ProcessBackend()
        case "farm":
            request.getfixturevalue("farm")
            return get_backend("farm")
        case "pai":
            pai: Backend = request.getfixturevalue("pai_backend")
            return pai
        case "docker":
            docker: Backend = request.getfixturevalue("docker_backend")
            return docker
        case "openpai-v0.14" | "openpai-v1.x":
            openpai: Backend = request.getfixturevalue("openpai_backend")
            return openpai
        case "steps":
            if not any(words in request.node.name for words in OF_STEPS):
                pytest.skip("PAIFlow starts and stops its steps, and a run takes seconds")
            steps: Backend = request.getfixturevalue("flow_backend")
            return steps
        case name:
            pytest.fail(f"{name!r} has no case in this fixture: say here how its backend is made")


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Path]:
    """The backend of a third party, installed beside ours."""
    with installed_farm(tmp_path / "third party") as home:
        yield home


@pytest.fixture
async def pai_backend(cloud: Cloud) -> AsyncIterator[PaiBackend]:
    backend = PaiBackend()
    yield backend
    await backend.aclose()


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], LabCluster]]:
    """The emulated cluster of each generation, for all tests of the module."""
    with ExitStack() as stack:

        @cache
        def cluster(version: str) -> LabCluster:
            found = stack.enter_context(lab_cluster(tmp_path_factory.mktemp("cluster") / "data", version))
            found.version = version
            return found

        yield cluster


@pytest.fixture
def cluster(clusters: Callable[[str], LabCluster], request: pytest.FixtureRequest) -> LabCluster:
    """The cluster of the test's generation, known in its home."""
    found = clusters(request.node.callspec.params["backend"].removeprefix("openpai-"))
    found.know()
    return found


@pytest.fixture
async def openpai_backend(cluster: LabCluster) -> AsyncIterator[OpenPaiBackend]:
    backend = OpenPaiBackend()
    yield backend
    await backend.aclose()


@pytest.fixture
async def flow_backend(cloud: Cloud) -> AsyncIterator[FlowBackend]:
    backend = FlowBackend()
    yield backend
    await backend.aclose()


@pytest.fixture
async def jobs(backend: Backend, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Jobs]:
    info = backend.info
    image = request.getfixturevalue("test_image") if info.takes_images and info.is_local else None
    cloud = request.getfixturevalue("cloud") if info.takes_cloud_keys else None
    if isinstance(backend, FlowBackend):
        steps = Steps(backend, tmp_path, cloud=cloud, counts_lines=True, steps=StartedSteps(tmp_path))
        yield steps
        await steps.steps.end()
        return
    cluster = request.getfixturevalue("cluster") if isinstance(backend, OpenPaiBackend) else None
    if cluster is not None:
        image = "python:3.11"
    jobs = Jobs(backend, tmp_path, image, cloud, counts_lines=cloud is not None, cluster=cluster)
    yield jobs
    for ref in jobs.refs:
        await backend.stop(ref)


def log(events: list[Event]) -> bytes:
    return b"".join(event.data for event in events if isinstance(event, LogChunk))


def position(events: list[Event]) -> Position:
    return {event.replica: event.cursor for event in events if isinstance(event, LogChunk)}


def end(events: list[Event]) -> tuple[Status, int | None]:
    last = events[-1]
    assert isinstance(last, StatusChanged)
    return last.status, last.exit_code


async def follow_until(stream: AsyncIterator[Event], size: int) -> list[Event]:
    """The events up to the one that brings the log to `size` bytes."""
    events: list[Event] = []
    async for event in stream:
        events.append(event)
        if len(log(events)) >= size:
            break
    return events


# --- roles -------------------------------------------------------------------------------------------------------


async def test_every_replica_of_every_role_runs_or_the_roles_are_refused(jobs: Jobs) -> None:
    roles = (Role(name="chief"), Role(name="worker", instance_count=2))
    if said_against(jobs.backend, replace(jobs.plain, job_type="TFJob", roles=roles)):
        assert jobs.backend.info.name in ("fake", "farm", "openpai")  # those of one machine, and of no such roles
        return
    events = await jobs.follow(await jobs.start(Program(before=b"trained\n"), roles=roles))
    assert end(events)[0] is Status.SUCCEEDED
    logs = {
        name: log([e for e in events if isinstance(e, LogChunk) and e.replica == name]) for name in position(events)
    }
    assert {name: text.count(b"trained\n") for name, text in logs.items()} == {
        "chief-0": 1,
        "worker-0": 1,
        "worker-1": 1,
    }


@pytest.mark.parametrize(
    ("roles", "said"),
    [((Role(name="boss"),), "TFJob has no role 'boss'"), ((Role(name="ps"), Role(name="PS")), "is given twice")],
)
async def test_roles_that_the_type_does_not_have_are_refused(jobs: Jobs, roles: tuple[Role, ...], said: str) -> None:
    problems = said_against(jobs.backend, replace(jobs.plain, job_type="TFJob", roles=roles))
    assert any(said in problem for problem in problems) or jobs.backend.info.name in ("fake", "farm")


# --- suffix, finite, deterministic -------------------------------------------------------------------------------


async def test_follow_yields_every_byte_then_the_terminal_status_and_ends(jobs: Jobs) -> None:
    events = await jobs.follow(await jobs.start(FORTY))
    assert log(events) == FORTY.log
    assert end(events) == (Status.SUCCEEDED, 0)
    assert [e.status for e in events if isinstance(e, StatusChanged) and e.status.is_terminal] == [Status.SUCCEEDED]


async def test_follow_of_a_job_that_has_ended_yields_the_same(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY)
    first = await jobs.follow(ref)
    again = await jobs.follow(ref)
    assert (log(again), end(again)) == (log(first), end(first))


async def test_follow_resumes_without_loss(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY, held=True)
    async with aclosing(jobs.backend.follow(ref, {})) as stream:
        first = await follow_until(stream, len(FORTY.before))
    jobs.open_gate()
    rest = await jobs.follow(ref, position(first))
    assert log(first) + log(rest) == FORTY.log


@pytest.mark.parametrize("cursor", [0, 1, 7, len(FORTY.log) - 1, len(FORTY.log)])
async def test_a_position_always_means_the_same_place(jobs: Jobs, cursor: int) -> None:
    ref = await jobs.start(FORTY)
    assert log(await jobs.follow(ref)) == FORTY.log
    before = FORTY.log[: FORTY.log.rfind(b"\n", 0, cursor) + 1] if jobs.counts_lines else FORTY.log[:cursor]
    assert log(await jobs.follow(ref, {REPLICA: jobs.count(before)})) == FORTY.log[len(before) :]


async def test_cursors_name_the_place_behind_each_chunk(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY)
    events = await jobs.follow(ref)
    chunks = [event for event in events if isinstance(event, LogChunk)]
    sizes = itertools.accumulate(jobs.count(chunk.data) for chunk in chunks)
    assert [chunk.cursor for chunk in chunks] == list(sizes)


async def test_running_is_said_before_anything_ends(jobs: Jobs) -> None:
    events = await jobs.follow(await jobs.start(FORTY))
    statuses = [event.status for event in events if isinstance(event, StatusChanged)]
    assert statuses[-2:] == [Status.RUNNING, Status.SUCCEEDED]


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"\n",
        b"no newline at the end",
        b"\xff\xfe\x00binary\r\x1b[31m\xe8\xae" + bytes(range(256)),
        "训练 ✓\r\n".encode(),
        b"10 MB, one line " * 655_360,
    ],
    ids=["nothing", "newline", "no-newline", "garbage", "utf-8", "long-line"],
)
async def test_the_log_is_the_bytes_as_they_were_written(jobs: Jobs, output: bytes) -> None:
    if jobs.counts_lines and len(output) > 2**20:
        pytest.skip("the service tells beginning and end of a longer line")
    events = await jobs.follow(await jobs.start(Program(before=output)))
    assert log(events) == jobs.told(output)
    assert end(events) == (Status.SUCCEEDED, 0)


async def test_two_hundred_thousand_lines_come_quickly(jobs: Jobs) -> None:
    output = lines(0, 200_000)
    started = time.monotonic()
    events = await jobs.follow(await jobs.start(Program(before=output)))
    assert log(events) == output
    assert jobs.is_live or time.monotonic() - started < SOON


# --- followers come and go ---------------------------------------------------------------------------------------


async def test_two_followers_at_once_each_see_everything(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY, held=True)
    both = asyncio.gather(jobs.follow(ref), jobs.follow(ref))
    jobs.open_gate()
    assert [log(events) for events in await both] == [FORTY.log, FORTY.log]


async def test_cancelling_a_follower_leaves_the_job_alone(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY, held=True)
    seen = asyncio.Event()

    async def follow() -> None:
        async for event in jobs.backend.follow(ref, {}):
            if isinstance(event, LogChunk):
                seen.set()

    follower = asyncio.create_task(follow())
    await asyncio.wait_for(seen.wait(), jobs.deadline)
    follower.cancel()
    with pytest.raises(asyncio.CancelledError):
        await follower
    assert (await jobs.backend.status(ref)).status is Status.RUNNING
    jobs.open_gate()
    assert log(await jobs.follow(ref)) == FORTY.log


async def test_a_killed_follower_is_continued_by_the_next_one(jobs: Jobs) -> None:
    if isinstance(jobs.backend, FakeBackend):
        pytest.skip("its jobs live in one process")
    ref = await jobs.start(FORTY, held=True)
    copy = jobs.folder / "copy"
    data = json.dumps(ref.to_json()["data"])
    words = [sys.executable, "-c", CHILD, ref.backend, ref.job_id, data, str(copy)]
    with subprocess.Popen(words) as follower:  # noqa: ASYNC220  starting it takes no time
        try:
            await jobs.until(lambda: copy.exists() and copy.stat().st_size == len(FORTY.before))
        finally:
            follower.send_signal(signal.SIGKILL)
    jobs.open_gate()
    copied = copy.read_bytes()
    rest = await jobs.follow(ref, {REPLICA: jobs.count(copied)})
    assert copied + log(rest) == FORTY.log
    assert end(rest) == (Status.SUCCEEDED, 0)


async def test_a_lost_connection_is_announced_at_most_once(jobs: Jobs) -> None:
    events = await jobs.follow(await jobs.start(FORTY))
    assert sum(isinstance(event, Notice) for event in events) <= 1
    assert log(events) == FORTY.log


# --- submit, status, stop, fetch ---------------------------------------------------------------------------------


async def test_the_same_job_id_twice_is_one_job(jobs: Jobs) -> None:
    first = await jobs.start(FORTY, held=True, job_id="twice")
    second = await jobs.start(FORTY, held=True, job_id="twice")
    jobs.open_gate()
    assert second == first
    assert log(await jobs.follow(second)) == FORTY.log


async def test_the_same_job_id_at_once_is_one_job(jobs: Jobs) -> None:
    first, second = await asyncio.gather(jobs.start(FORTY, job_id="twice"), jobs.start(FORTY, job_id="twice"))
    assert second == first
    assert log(await jobs.follow(second)) == FORTY.log


async def test_an_ended_job_does_not_run_again_under_its_id(jobs: Jobs) -> None:
    await jobs.follow(await jobs.start(FORTY, job_id="twice"))
    assert log(await jobs.follow(await jobs.start(FORTY, job_id="twice"))) == FORTY.log


@pytest.mark.parametrize(("code", "status"), [(0, Status.SUCCEEDED), (3, Status.FAILED), (255, Status.FAILED)])
async def test_the_exit_code_of_the_command_is_the_jobs(jobs: Jobs, code: int, status: Status) -> None:
    ref = await jobs.start(Program(before=b"x\n", exit_code=code))
    assert end(await jobs.follow(ref)) == (status, code)
    report = await jobs.backend.status(ref)
    assert (report.status, report.exit_code) == (status, code)


async def test_a_job_that_runs_says_so(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY, held=True)
    async with aclosing(jobs.backend.follow(ref, {})) as stream:
        await follow_until(stream, 1)
    assert (await jobs.backend.status(ref)).status is Status.RUNNING


async def test_a_stopped_job_ends_as_stopped_with_what_it_had_printed(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY, held=True)
    async with aclosing(jobs.backend.follow(ref, {})) as stream:
        first = await follow_until(stream, len(FORTY.before))
    await jobs.backend.stop(ref)
    await jobs.backend.stop(ref)
    rest = await jobs.follow(ref, position(first))
    assert log(first) + log(rest) == FORTY.before
    assert end(rest)[0] is Status.STOPPED
    assert (await jobs.backend.status(ref)).status is Status.STOPPED


async def test_stopping_an_ended_job_changes_nothing(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY)
    await jobs.follow(ref)
    await jobs.backend.stop(ref)
    assert (await jobs.backend.status(ref)).status is Status.SUCCEEDED


async def test_an_output_is_fetched_byte_for_byte(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY)
    await jobs.follow(ref)
    place = await jobs.backend.fetch(ref, "model", jobs.folder / "deep" / "模型 copy")
    assert (place / "model.bin").read_bytes() == FORTY.model


async def test_an_output_that_no_job_has_is_not_found(jobs: Jobs) -> None:
    ref = await jobs.start(FORTY)
    await jobs.follow(ref)
    with pytest.raises(NotFoundError, match="modle"):
        await jobs.backend.fetch(ref, "modle", jobs.folder / "copy")
    assert not (jobs.folder / "copy").exists()


async def test_a_job_that_was_never_submitted_is_not_found(jobs: Jobs) -> None:
    ref = JobRef(backend=jobs.backend.info.name, job_id="never", data={})
    with pytest.raises(NotFoundError):
        await jobs.backend.status(ref)
    with pytest.raises(NotFoundError):
        await jobs.backend.stop(ref)
    with pytest.raises(NotFoundError):
        await jobs.follow(ref)
    with pytest.raises(NotFoundError):
        await jobs.backend.fetch(ref, "model", jobs.folder / "copy")


async def test_what_a_backend_cannot_honour_it_says_in_sentences(jobs: Jobs) -> None:
    wrong = "local" if jobs.backend.info.instance_types else "ecs.gn6"
    problems = said_against(jobs.backend, replace(jobs.plain, instance_type=wrong))
    assert len(problems) == 1
    assert wrong in problems[0]


async def test_nothing_is_said_against_a_spec_that_can_run(jobs: Jobs) -> None:
    assert said_against(jobs.backend, jobs.plain) == []


def said_against(backend: Backend, spec: JobSpec) -> list[str]:
    return [sentence for sentence in backend.check(spec) if not sentence.startswith("note: ")]
