"""Where replicas on this machine are: addresses and ports, and which of both they share."""

import ipaddress
from typing import Any

import pytest

from pai_jupyter import contract
from pai_jupyter.backends.local import addresses
from pai_jupyter.contract import Replica
from pai_jupyter.spec import JobSpec, JobType


@pytest.fixture
def one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system like macOS, where only 127.0.0.1 is this machine's."""
    monkeypatch.setattr(addresses, "has_whole_loopback", lambda: False)


def workers(count: int) -> list[Replica]:
    return [Replica(role="worker", index=index) for index in range(count)]


# --- which address -----------------------------------------------------------------------------------------------


def test_each_replica_has_an_address_of_its_own_that_stays() -> None:
    found = addresses.hosts("job-1", workers(1000))
    assert len(set(found.values())) == 1000
    assert all(ipaddress.IPv4Address(host).is_loopback for host in found.values())
    assert not any(host.startswith("127.0.") or host.rpartition(".")[2] in ("0", "255") for host in found.values())
    assert addresses.hosts("job-1", workers(1000)) == found


@pytest.mark.parametrize("first", [0, addresses._BLOCKS - 1, 2**32 - 1])
def test_addresses_stay_within_those_of_this_machine(first: int) -> None:
    found = [ipaddress.IPv4Address(addresses._address(first, number)) for number in range(600)]
    assert all(ipaddress.IPv4Address("127.1.0.1") <= each <= ipaddress.IPv4Address("127.254.255.254") for each in found)
    assert len(set(found)) == 600


def test_jobs_side_by_side_rarely_share_an_address() -> None:
    of_jobs = [addresses.hosts(f"job-{number}", workers(4)) for number in range(50)]
    assert len({host for each in of_jobs for host in each.values()}) > 190


def test_a_lone_replica_is_at_the_usual_address() -> None:
    assert addresses.hosts("job-1", workers(1)) == {workers(1)[0]: "127.0.0.1"}


def test_a_system_is_asked_whether_all_of_127_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert addresses.has_whole_loopback.__wrapped__()
    monkeypatch.setattr(addresses, "_PROBE", "192.0.2.1")  # an address of nobody, as 127.254.254.254 is on macOS
    assert not addresses.has_whole_loopback.__wrapped__()


# --- which port --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "ports"), [("XGBoostJob", 1), ("PyTorchJob", 1), ("TFJob", 3), ("TaskRoles", 3)])
def test_replicas_share_one_port_unless_theirs_may_listen_everywhere(kind: JobType, ports: int) -> None:
    spec = JobSpec(name="a", command="true", job_type=kind, instance_count=3)
    found = addresses.ports(spec, addresses.hosts("job-1", contract.replicas(spec)))
    assert len(set(found.values())) == ports


def test_without_ipv6_a_port_is_found_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = addresses._bound

    def refuse(family: int, address: str) -> Any:  # Any: a socket
        if ":" in address:
            raise OSError("Address family not supported by protocol")
        return bound(family, address)  # type: ignore[arg-type]  # the test's own name for it

    monkeypatch.setattr(addresses, "_bound", refuse)
    assert len(set(addresses._free_ports(3))) == 3


@pytest.mark.usefixtures("one_address")
@pytest.mark.parametrize("kind", ["PyTorchJob", "TFJob", "ElasticBatchJob", "TaskRoles"])
def test_with_one_address_each_replica_has_a_port_of_its_own(kind: JobType) -> None:
    spec = JobSpec(name="a", command="true", job_type=kind, instance_count=3)
    found = addresses.hosts("job-1", contract.replicas(spec))
    assert set(found.values()) == {"127.0.0.1"}
    assert len(set(addresses.ports(spec, found).values())) == 3
