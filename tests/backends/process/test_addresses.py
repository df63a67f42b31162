"""Where the replicas of a job are: each at an address of its own, at which it listens and the others reach it."""

import ipaddress
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.local import addresses
from pai_jupyter.events import Status
from pai_jupyter.spec import JobSpec, JobType, Role
from tests.support import job_types
from tests.support.job_types import JobTypeCase
from tests.support.local_jobs import LocalJobs


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[LocalJobs]:
    jobs = LocalJobs(tmp_path)
    yield jobs
    await jobs.end()


@pytest.fixture
def one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system like macOS, where only 127.0.0.1 is this machine's."""
    monkeypatch.setattr(addresses, "has_whole_loopback", lambda: False)


@pytest.mark.usefixtures("one_address")
@pytest.mark.parametrize("kind", ["PyTorchJob", "TFJob", "ElasticBatchJob"])
def test_with_one_address_replicas_that_can_have_ports_of_their_own_are_welcome(jobs: LocalJobs, kind: JobType) -> None:
    spec = JobSpec(name="a", command="true", job_type=kind, instance_count=3)
    assert [said for said in jobs.backend.check(spec) if not said.startswith("note: ")] == []


@pytest.mark.usefixtures("one_address")
@pytest.mark.parametrize(
    "given", [{"instance_count": 3}, {"roles": (Role(name="Master"), Role(name="Worker", instance_count=2))}]
)
def test_with_one_address_workers_that_share_a_port_are_refused(jobs: LocalJobs, given: dict[str, Any]) -> None:
    [said] = jobs.backend.check(JobSpec(name="a", command="true", job_type="XGBoostJob", **given))
    assert said.startswith("the workers of an XGBoostJob listen at one port (WORKER_PORT)")
    assert said.endswith("Use --backend docker.")


@pytest.mark.usefixtures("one_address")
def test_with_one_address_a_master_alone_is_welcome(jobs: LocalJobs) -> None:
    assert jobs.backend.check(JobSpec(name="a", command="true", job_type="XGBoostJob")) == []


# --- real jobs ---------------------------------------------------------------------------------------------------

WAYS = [
    *(("bwrap", case) for case in job_types.CASES),
    *(("proot", case) for case in job_types.CASES if str(case) == "XGBoostJob-4"),
    *(("plain", case) for case in job_types.CASES if not isinstance(case.given, int)),
]


@pytest.mark.parametrize(("way", "case"), WAYS, ids=str)
async def test_each_replica_is_told_of_the_others_listens_at_its_address_and_reaches_them(
    jobs: LocalJobs, monkeypatch: pytest.MonkeyPatch, way: str, case: JobTypeCase
) -> None:
    monkeypatch.setenv("PAI_JUPYTER_ML", way)
    ended = await jobs.run(job_types.MEETING.read_text(), **case.fields)
    logs = {name: ended.log(name) for name in case.each}
    assert ended.end.status is Status.SUCCEEDED, logs
    hosts, ports = job_types.told_places(case, logs)
    job_types.check(case, logs, hosts=hosts, ports=ports)
    assert len(set(hosts.values())) == len(case.at)
    assert all(ipaddress.IPv4Address(host).is_loopback for host in hosts.values())
    assert len(set(ports.values())) == (len(case.at) if case.job_type == "TFJob" else min(1, len(case.at)))
