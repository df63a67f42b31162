"""Jobs with GPUs of their own, on a machine that has as many as a test says: nobody shares one, who finds none waits."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from docker.types import HostConfig

from pai_jupyter import contract
from pai_jupyter.backends.docker import cards
from pai_jupyter.backends.local.gpus import check_gpus, choose_gpus, gpu_folder, visible_gpus, with_few_gpus
from pai_jupyter.backends.local.parallel import INSIDE, slot_order
from pai_jupyter.backends.local.slots.line import Line, make_line
from pai_jupyter.backends.local.slots.pool import Pool
from pai_jupyter.events import Status
from pai_jupyter.spec import JobSpec, Json, Role
from tests.support.local_jobs import LocalJobs, until
from tests.support.patience import DEADLINE

ONE: dict[str, Json] = {"local.gpus": 1}
HELD = """
import os, pathlib, time
seen = (os.environ.get(name, "-") for name in ("NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"))
pathlib.Path("{gate}", "{name}").write_text(" ".join(seen))
while not pathlib.Path("{gate}", "{name}.open").exists():
    time.sleep(0.01)
"""


class GpuJobs(LocalJobs):
    """Jobs that say which GPUs they see by a file in the gate, and end when they are opened by name."""

    async def hold(self, name: str, **spec: Any) -> None:
        wanted: dict[str, Any] = {"instance_type": "local_gpu", "options": ONE, **spec}  # of a JobSpec
        await self.start(HELD.format(gate=self.folder / "gate", name=name), **wanted)

    def seen(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in (self.folder / "gate").iterdir() if path.suffix != ".open"}

    async def until_seen(self, *names: str) -> None:
        await until(lambda: {*names} == {*self.seen()} and all(self.seen().values()))

    def open(self, name: str) -> None:
        (self.folder / "gate" / f"{name}.open").touch()

    async def reason(self, number: int, words: str) -> None:
        """Wait until the job says that it is queued for this reason."""
        async with asyncio.timeout(DEADLINE):
            while words not in (found := await self.backend.status(self.refs[number])).reason:
                assert found.status is Status.QUEUED
                await asyncio.sleep(0.01)


@pytest.fixture
async def jobs(tmp_path: Path, gate: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GpuJobs]:
    """A machine with two GPUs."""
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr("pai_jupyter.backends.process.backend.count_gpus", lambda: 2)
    jobs = GpuJobs(tmp_path)
    yield jobs
    await jobs.end()


async def test_each_job_has_a_gpu_of_its_own_and_the_next_waits_for_one(jobs: GpuJobs) -> None:
    for name in "abc":
        await jobs.hold(name)
    await jobs.until_seen("a", "b")
    assert sorted(jobs.seen().values()) == ["0 0", "1 1"]
    await jobs.reason(2, "waiting for a GPU that another job of this machine has: number 1 in line")
    await jobs.hold("d", instance_type="local", options={})
    await jobs.until_seen("a", "b", "d")  # a job without GPUs waits for none
    jobs.open("a")
    jobs.open("b")
    await jobs.until_seen("a", "b", "c", "d")
    assert jobs.seen()["c"] in ("0 0", "1 1")
    assert jobs.seen()["d"] == "- -"


async def test_a_job_that_names_no_number_has_all_of_them_for_itself(jobs: GpuJobs) -> None:
    await jobs.hold("a", options={})
    await jobs.hold("b")
    await jobs.until_seen("a")
    assert jobs.seen()["a"] == "0,1 -"
    await jobs.reason(1, "waiting for a GPU")
    jobs.open("a")
    await jobs.until_seen("a", "b")


async def test_a_job_whose_user_chose_its_gpus_waits_for_none(jobs: GpuJobs) -> None:
    await jobs.hold("a", options={})
    await jobs.hold("b", environments={"CUDA_VISIBLE_DEVICES": "1"})
    await jobs.until_seen("a", "b")
    assert jobs.seen()["b"] == "0,1 1"


async def test_a_kernel_that_sees_one_gpu_gives_no_other(jobs: GpuJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    await jobs.hold("a", options={})
    await jobs.until_seen("a")
    assert jobs.seen() == {"a": "1 1"}


async def test_a_job_inside_a_job_sees_all(jobs: GpuJobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INSIDE, "outer")
    for name in "ab":
        await jobs.hold(name)
    await jobs.until_seen("a", "b")
    assert {*jobs.seen().values()} == {"0,1 -"}


async def test_a_stopped_job_waits_no_longer(jobs: GpuJobs) -> None:
    for name in "abc":
        await jobs.hold(name, options={})
    await jobs.until_seen("a")
    await jobs.backend.stop(jobs.refs[1])
    jobs.open("a")
    await jobs.until_seen("a", "c")


# --- the choice --------------------------------------------------------------------------------------------------------


def wanted(options: dict[str, Json] | None = None, **spec: object) -> JobSpec:
    return JobSpec(name="a", command="true", **{"instance_type": "local_gpu", **spec}, options=options or {})  # type: ignore[arg-type]  # fields of a spec


def test_gpus_are_given_in_turn_first_those_with_the_fewest_jobs(home: Path) -> None:
    names = ["0", "1", "2"]
    assert [choose_gpus(wanted(ONE), home, names) for _ in range(4)] == [["0"], ["1"], ["2"], ["0"]]
    order = slot_order(home, "process", ["1"])
    assert order is not None
    line = make_line(order, "j1")
    assert line.take()
    assert choose_gpus(wanted({"local.gpus": 2}), home, names) == ["0", "2"]
    line.release()
    assert not list((gpu_folder(home, "1") / "running").iterdir())
    assert choose_gpus(wanted(), home, names) == names
    assert choose_gpus(wanted(instance_type="local"), home, names) == []


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (None, ["0", "1"]),
        ("1", ["1"]),
        ("1,0", ["1", "0"]),
        ("GPU-8f, GPU-3a", ["GPU-8f", "GPU-3a"]),
        ("MIG-GPU-8f/1/0", ["MIG-GPU-8f/1/0"]),
        ("", []),
        ("-1", []),
        ("1,-1,0", ["1"]),
        ("0,,1", ["0"]),
        ("0,2,1", ["0"]),
        ("7", []),
        ("0,0", ["0"]),
        ("01", ["1"]),
        ("all", []),
        ("NoDevFiles", []),
        ("٣", []),
        ("0 1", []),
        ("/etc/passwd", []),
    ],
)
def test_the_gpus_that_a_process_may_use(given: str | None, names: list[str]) -> None:
    assert visible_gpus(2, {} if given is None else {"CUDA_VISIBLE_DEVICES": given}) == names


@pytest.mark.parametrize("number", [0, -1, "one", True, 1.5])
def test_a_number_that_is_none_is_refused(number: Json) -> None:
    (said,) = check_gpus(wanted({"local.gpus": number}), 2)
    assert said.endswith("it is a whole number from 1. Type --option local.gpus=1")


def test_more_than_there_are_is_refused_and_shared_ones_are_told() -> None:
    assert check_gpus(wanted({"local.gpus": 3}), 2) == [
        "`local.gpus` is 3, and this machine has 2. Type --option local.gpus=2"
    ]
    (said,) = check_gpus(wanted({"local.gpus": 2}, instance_count=3), 4)
    assert said.startswith("note: each of the 3 replicas that ask for GPUs sees all GPUs of the job (2).")
    assert check_gpus(wanted(ONE), 2) == []


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ({}, 1),
        ({"instance_count": 2}, 2),
        ({"instance_count": 9}, 4),
        ({"options": {"local.gpus": 3}}, 3),
        ({"instance_type": "local"}, None),
        ({"environments": {"CUDA_VISIBLE_DEVICES": "1"}}, None),
    ],
)
def test_jobs_side_by_side_have_a_gpu_for_each_replica_unless_they_say_otherwise(
    monkeypatch: pytest.MonkeyPatch, spec: dict[str, object], count: int | None
) -> None:
    monkeypatch.setattr("pai_jupyter.backends.local.gpus.count_gpus", lambda: 4)
    found = with_few_gpus(wanted(**spec))  # type: ignore[arg-type]  # fields of a spec
    assert found.options.get("local.gpus") == count


def test_a_line_that_has_its_gpus_waits_for_a_slot_without_giving_them_back(home: Path) -> None:
    def line(job: str, gpu: str) -> Pool | Line:
        return make_line({"folder": str(home / "slots"), "limit": 1, "gpus": [str(gpu_folder(home, gpu))]}, job)

    first, second, third = line("a", "0"), line("b", "1"), line("c", "1")
    assert first.take()
    for one in (second, third):
        assert not one.take()
        one.queue()
    assert (second.limit, third.limit) == (1, 0)
    first.release()
    assert not third.take()
    assert second.take()
    second.release()
    assert third.take()
    third.release()


# --- in containers -----------------------------------------------------------------------------------------------------


def test_a_container_is_made_with_the_jobs_own_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "count_cards", lambda: 4)
    spec = wanted({"local.gpus": 2}, roles=(Role(name="master", instance_type="local"), Role(name="worker")))
    own = cards.own_gpus(spec, tmp_path)
    assert cards.own_gpus(spec, tmp_path) == own == cards.read_own(tmp_path)  # chosen once
    asked = {replica.name: cards.gpus_of(spec, replica, own) for replica in contract.replicas(spec)}
    assert asked == {"master-0": None, "worker-0": own}
    made = HostConfig(version="1.43", device_requests=cards.requests(own, own))["DeviceRequests"]
    assert [(one["Count"], one["DeviceIDs"]) for one in made] == [(0, own)]


def test_a_container_without_gpus_of_its_own_sees_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cards, "count_cards", lambda: 2)
    monkeypatch.setenv(INSIDE, "outer")
    assert cards.own_gpus(wanted(ONE), tmp_path) == []
    (replica,) = contract.replicas(wanted(ONE))
    assert cards.gpus_of(wanted(ONE), replica, []) == ["0", "1"]
    assert cards.requests(["0", "1"], []) == [{"count": -1, "capabilities": [["gpu"]]}]
