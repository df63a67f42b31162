"""Give the replicas of a job addresses on this machine, at which they listen and reach each other.

    one replica     127.0.0.1
    several, Linux  each an address of its own in 127.0.0.0/8, derived from the job's id; the job has one port, which is free
                    at all of them, as on machines of their own
    elsewhere       the system has 127.0.0.1 alone: each a port of its own

Rule 1: all replicas of a TFJob and of TaskRoles have ports of their own everywhere: TensorFlow's servers listen at 0.0.0.0,
    whichever address TF_CONFIG gives them, and so do many of those that are written for OpenPAI, where the tasks of one machine
    share its addresses.
Rule 2: a port is free when the order is built, at every address of this machine: a master may listen at 0.0.0.0, too.
"""

import hashlib
import socket
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache

from pai_jupyter.contract import Replica, port_count
from pai_jupyter.spec import JobSpec

LOCALHOST = "127.0.0.1"
_PROBE = "127.254.254.254"
_PER_BLOCK = 254  # 127.a.b.1 to 127.a.b.254
_BLOCKS = 254 * 256  # 127.1.0 to 127.254.255: 127.0 has addresses of others, 127.255.255.255 is no host


@cache
def has_whole_loopback() -> bool:
    """Return whether all of 127.0.0.0/8 belongs to this machine; asked once per process."""
    with socket.socket() as probe:
        try:
            probe.bind((_PROBE, 0))
        except OSError:
            return False
    return True


def hosts(job_id: str, replicas: Sequence[Replica]) -> dict[Replica, str]:
    """Return the address of each replica: always the same for a job, rarely those of another."""
    if len(replicas) == 1 or not has_whole_loopback():
        return dict.fromkeys(replicas, LOCALHOST)
    first = int.from_bytes(hashlib.sha256(job_id.encode(errors="surrogatepass")).digest()[:4])
    return {replica: _address(first, number) for number, replica in enumerate(replicas)}


def _address(first: int, number: int) -> str:
    a, b = divmod((first + number // _PER_BLOCK) % _BLOCKS, 256)
    return f"127.{a + 1}.{b}.{number % _PER_BLOCK + 1}"


def ports(spec: JobSpec, addresses: Mapping[Replica, str]) -> dict[Replica, tuple[int, ...]]:
    """Return the free ports of each replica, of a task of TaskRoles several; one for all, if they can share it."""
    is_task = spec.effective_job_type == "TaskRoles"
    if len(set(addresses.values())) == len(addresses) and not is_task and spec.effective_job_type != "TFJob":
        return dict.fromkeys(addresses, tuple(_free_ports(1)))
    counts = {replica: port_count(spec, replica) if is_task else 1 for replica in addresses}
    left = iter(_free_ports(sum(counts.values())))
    return {replica: tuple(next(left) for _ in range(count)) for replica, count in counts.items()}


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:  # all are bound at once, so all differ
        return [stack.enter_context(_bound_everywhere()).getsockname()[1] for _ in range(count)]


def _bound_everywhere() -> socket.socket:
    """Bind a free port at all addresses at once, which fails for a port that is taken at any of them."""
    try:
        return _bound(socket.AF_INET6, "::")
    except OSError:  # a machine without IPv6
        return _bound(socket.AF_INET, "0.0.0.0")  # noqa: S104  it never listens


def _bound(family: socket.AddressFamily, address: str) -> socket.socket:
    bound = socket.socket(family)
    try:
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)  # IPv4, too
        bound.bind((address, 0))
    except OSError:
        bound.close()
        raise
    return bound
