"""What containers use while somebody follows them: as the engine measures it, or left out where it does not."""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.docker import DockerBackend
from pai_jupyter.backends.docker.containers import ContainerState
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.usage import UsageSampler, ask_gpus, disk_of, memory_of, network_of
from pai_jupyter.events import Event, StatusChanged, Usage
from pai_jupyter.spec import JobSpec, Role
from pai_jupyter.store import JobStore
from tests.support.docker_jobs import DEADLINE, Jobs, log_has

BUSY = """\
import os, time
block = b"x" * 80_000_000
print("ready", flush=True)
while not os.path.exists("enough"):
    sum(range(10_000))
"""


def measured(events: list[Event], replica: str = "master-0") -> list[Usage]:
    return [e for e in events if isinstance(e, Usage) and e.replica == replica and e.cpu is not None]


@pytest.mark.docker
async def test_cores_and_memory_are_told_while_the_job_runs(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(replace(spec, instance_count=2), {"train.py": BUSY})
    code = JobStore().path(ref.job_id) / "ml" / "usercode"
    seen: list[Event] = []
    async with asyncio.timeout(DEADLINE):
        async for event in jobs.backend.follow(ref, {}):
            seen.append(event)
            if len(measured(seen)) >= 2 and len(measured(seen, "worker-0")) >= 2:
                (code / "enough").touch()
    for replica in ("master-0", "worker-0"):
        first, second = measured(seen, replica)[:2]
        assert first.cpu is not None
        assert 0.02 < first.cpu < 2.5
        assert second.memory is not None
        assert 80e6 < second.memory < 250e6
        assert second.time > first.time + 1.5
        assert abs(second.time - time.time()) < 60
        assert (second.gpu, second.gpu_memory) == (None, None)
    assert isinstance(seen[-1], StatusChanged)


WRITES = """\
import os, socket, time
with open("big", "wb") as file:
    file.write(os.urandom(50 << 20))
    file.flush()
    os.fsync(file)
for _ in range(100):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x" * 10_000, ("172.17.0.1", 9))
print("ready", flush=True)
while not os.path.exists("enough"):
    time.sleep(0.01)
"""


@pytest.mark.docker
async def test_disk_network_and_limits_are_the_containers_own(jobs: Jobs, spec: JobSpec) -> None:
    limited = replace(spec, options={"docker.memory": "512m", "docker.cpus": "1.5"})
    ref = await jobs.start(limited, {"train.py": WRITES})
    await log_has(ref, "ready")
    code = JobStore().path(ref.job_id) / "ml" / "usercode"
    seen: list[Usage] = []
    async with asyncio.timeout(DEADLINE):
        async for event in jobs.backend.follow(ref, {}):
            seen += measured([event])
            if len(seen) >= 2:
                (code / "enough").touch()
    last = seen[-1]
    assert (last.cores, last.memory_limit) == (1.5, 512 << 20)
    assert 1e6 < (last.sent or 0) < 2e6
    assert last.received is not None
    if last.written is not None:  # the engine's machine may count no blocks
        assert 50e6 < last.written < 70e6


# --- what an engine may answer -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stats", "memory"),
    [
        ({}, None),
        ({"memory_stats": {}}, None),
        ({"memory_stats": None}, None),
        ({"memory_stats": {"usage": 100}}, 100),
        ({"memory_stats": {"usage": 100, "stats": {"inactive_file": 30}}}, 70),
        ({"memory_stats": {"usage": 100, "stats": {"total_inactive_file": 40, "inactive_file": 1}}}, 60),
        ({"memory_stats": {"usage": 10, "stats": {"inactive_file": 30}}}, 0),
    ],
)
def test_memory_is_what_docker_stats_calls_so(stats: Mapping[str, Any], memory: int | None) -> None:
    assert memory_of(stats) == memory


@pytest.mark.parametrize(
    ("stats", "found"),
    [
        ({}, {}),
        ({"blkio_stats": None}, {}),
        ({"blkio_stats": {"io_service_bytes_recursive": None}}, {}),
        (
            {
                "blkio_stats": {
                    "io_service_bytes_recursive": [
                        {"op": "Read", "value": 1},
                        {"op": "write", "value": 2},
                        {"op": "write", "value": 3},
                        {"op": "Total", "value": 6},
                    ]
                }
            },
            {"read": 1, "written": 5},
        ),
    ],
)
def test_bytes_of_disks_are_summed(stats: Mapping[str, Any], found: dict[str, int]) -> None:
    assert disk_of(stats) == found


def test_bytes_of_networks_are_summed_and_those_of_the_machine_are_nobodys() -> None:
    network = {"rx_bytes": 10, "tx_bytes": 1}
    assert network_of({"networks": {"eth0": network, "eth1": network}}) == {"received": 20, "sent": 2}
    assert network_of({"networks": {}}) == network_of({}) == {}


class RecitingEngine:
    """An engine that recites answers, one a measuring; an exception is raised."""

    api_version = "1.43"

    def __init__(self, *answers: Any) -> None:
        self._answers = [*answers]

    def inspect_container(self, container: str) -> Any:
        return {"HostConfig": {"NanoCpus": 1_500_000_000}}

    def stats(self, container: str, *, stream: bool, one_shot: bool) -> Any:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def answer(second: int, cpu: float) -> dict[str, Any]:
    return {
        "read": f"2026-01-01T00:00:{second:02}Z",
        "cpu_stats": {"cpu_usage": {"total_usage": int(cpu * 1e9)}},
        "memory_stats": {"usage": 7},
    }


STARTED = 1_767_225_600.0  # 2026-01-01T00:00:00Z
RUNNING = {"w-0": ContainerState(is_made=True, started=STARTED)}
JOB = Deployment(job_id="j", engine="unix:///x", name="pai-j", images={"w-0": "i"}, deciding=("w-0",), outputs=())


def take_all(engine: Any, count: int, job: Deployment = JOB) -> list[Usage]:
    """What `count` samples give, each as soon as it is due."""
    samples, found = UsageSampler(), []
    samples.take(engine, job, RUNNING)
    for _ in range(count):
        samples._due = 0.0
        found += samples.take(engine, job, RUNNING)
    return found


def test_cores_are_counted_from_the_start_and_then_from_the_sample_before() -> None:
    engine = RecitingEngine(answer(2, 1.0), answer(4, 4.0), answer(8, 4.0))
    assert [(event.time - STARTED, event.cpu) for event in take_all(engine, 3)] == [(2, 0.5), (4, 1.5), (8, 0.0)]


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"read": "0001-01-01T00:00:00Z", "cpu_stats": {"cpu_usage": {"total_usage": 0}}},
        {"read": "2026-01-01T00:00:03Z", "cpu_stats": {}},
        {"read": "2026-01-01T00:00:03Z", "cpu_stats": None},
        {"read": "2026-01-01T00:00:02Z", "cpu_stats": {"cpu_usage": {"total_usage": 10**10}}},
        OSError("broken pipe"),
    ],
)
def test_what_cannot_be_measured_is_left_out(bad: Any) -> None:
    engine = RecitingEngine(answer(2, 1.0), bad, answer(4, 2.0))
    assert [(event.time - STARTED, event.cpu) for event in take_all(engine, 3)] == [(2, 0.5), (4, 0.5)]


def test_an_old_engine_that_would_make_us_wait_is_not_asked() -> None:
    engine = RecitingEngine()
    engine.api_version = "1.40"
    assert take_all(engine, 3) == []


def test_no_sample_is_due_before_something_runs_and_right_after_one() -> None:
    samples = UsageSampler()
    assert samples.pause() == float("inf")
    samples.take(RecitingEngine(), JOB, {"w-0": ContainerState(is_made=True)})
    assert samples.pause() == float("inf")
    samples.take(RecitingEngine(), JOB, RUNNING)
    assert 0 < samples.pause() <= 0.5


# --- GPUs --------------------------------------------------------------------------------------------------------


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "nvidia-smi"


def test_gpus_are_asked_for_jobs_that_want_them(tool: Path) -> None:
    tool.write_text("#!/bin/sh\necho '40, 10'\n")
    tool.chmod(0o755)
    (with_gpus,) = take_all(RecitingEngine(answer(2, 1.0)), 1, replace(JOB, gpus=True))
    (without,) = take_all(RecitingEngine(answer(2, 1.0)), 1)
    assert (with_gpus.gpu, with_gpus.gpu_memory) == (0.4, 10 << 20)
    assert (without.gpu, without.gpu_memory) == (None, None)


@pytest.mark.parametrize("body", ["exit 9", "echo nonsense", None])
def test_a_broken_tool_tells_nothing(tool: Path, body: str | None) -> None:
    if body:
        tool.write_text(f"#!/bin/sh\n{body}\n")
        tool.chmod(0o755)
    assert ask_gpus() == (None, None, None)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"instance_type": "local_gpu", "instance_count": 3}, 3),
        ({"roles": (Role(name="master"), Role(name="worker", instance_count=2, instance_type="local_gpu"))}, 2),
        ({"roles": (Role(name="master", instance_type="local_gpu"), Role(name="worker"))}, 1),
        ({"instance_count": 3}, 0),
    ],
)
def test_the_gpus_of_a_role_count_and_replicas_that_share_them_are_told_so(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, object], count: int
) -> None:
    for module in ("backend", "cards"):
        monkeypatch.setattr(f"pai_jupyter.backends.docker.{module}.count_cards", lambda: 4)
    spec = JobSpec(**{"name": "a", "command": "true", **given})  # type: ignore[arg-type]  # a table of fields
    said = [each for each in DockerBackend().check(spec) if "GPU" in each]
    assert [each.partition(" that ask")[0] for each in said] == [f"note: each of the {count} replicas"] * (count > 1)
    assert Deployment.plan(spec, "job-1", "unix:///nowhere").gpus == bool(count)
    seen = DockerBackend().variables(spec, Path())
    assert sum(variables == {"NVIDIA_VISIBLE_DEVICES": "0,1,2,3"} for variables in seen.values()) == count
