"""The replicas of a job and the variables about each other, by job type (PAI: Create custom components; KubeDL).

    TFJob            TF_CONFIG, only with more than one replica: a single worker trains alone
    PyTorchJob       RANK (0 is the master), WORLD_SIZE (machines), MASTER_ADDR, MASTER_PORT; also with one machine; on machines
                     of ours LOCAL_RANK and LOCAL_WORLD_SIZE, too: one process a machine
    XGBoostJob       the first four, and with more than one machine WORKER_ADDRS (in RANK order, without the master), WORKER_PORT
    TaskRoles        the variables of OpenPAI: `task_roles`
    ElasticBatchJob  ELASTICBATCH_CONFIG; on PAI PAI_SHARDS_WORKERS, too; on machines of ours PAI_SHARDS_DONE

Where open-source KubeDL differs, PAI's documents decide: the evaluator is inside `cluster`, TF_CONFIG has no `environment`,
the master gets its own address for MASTER_ADDR (not localhost), an XGBoost worker's RANK is its index + 1.
A single replica for which no type was asked gets none of them: code that finds RANK without LOCAL_RANK believes in a launcher.
Roles may be in upper or lower case; a `Replica` has them in lower case.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from pai_jupyter.contract.roles import ROLES, check_roles
from pai_jupyter.spec import OF_THE_SERVICE, JobSpec, JobType, Json, Role

PORTS: dict[JobType, int] = {
    "TFJob": 2222,
    "PyTorchJob": 23456,
    "XGBoostJob": 9999,
    "ElasticBatchJob": 23456,
    "TaskRoles": 23456,
}

TOPOLOGY_VARIABLES = frozenset(  # the variables that PAI may set about replicas
    (
        *("TF_CONFIG", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
        *("WORKER_ADDRS", "WORKER_PORT", "ELASTICBATCH_CONFIG"),
    )
)

OUR_TOPOLOGY_VARIABLES = {"LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
"""What PAI does not set: set by our local backends, for one process a machine."""

SHARDS_WORKERS = "PAI_SHARDS_WORKERS"
"""The number of workers among which `pai_shards` divides the shards beforehand: set on PAI, where they share no locks."""

SHARDS_DONE = "PAI_SHARDS_DONE"
"""A file that all replicas of an ElasticBatchJob share: `pai_shards` creates it when all shards are done, which ends the job.

Set by backends of this machine that look for it, and for `.left` and `.refused` beside it. On PAI the launcher sets it to a file of
the worker's own, which means that its own part is done."""

_LABEL = 63  # the longest label of a host name (RFC 1035)


@dataclass(frozen=True, kw_only=True)
class Replica:
    """One machine of a job; `role` is in lower case."""

    role: str
    index: int

    @property
    def name(self) -> str:
        """`worker-0`: the name in logs, events and positions."""
        return f"{self.role.lower()}-{self.index}"


def replicas(spec: JobSpec) -> tuple[Replica, ...]:
    """Return all replicas of the job in the order of RANK.

    ElasticBatchJob has workers only: the service runs the AIMaster, and nothing of the user's runs in it.

    Raises:
        SpecError: the type cannot have these roles (`check_roles`).
    """
    if spec.roles:
        check_roles(spec.roles, spec.effective_job_type)
        counts = Counter({role.name.lower(): role.instance_count for role in spec.roles})
    elif spec.effective_job_type in ("PyTorchJob", "XGBoostJob"):
        counts = Counter(master=1, worker=spec.instance_count - 1)
    else:
        counts = Counter(worker=spec.instance_count)
    if spec.effective_job_type == "TaskRoles":  # in the order in which they are given
        names = [role.name.lower() for role in spec.roles] or ["worker"]
        return tuple(Replica(role=name, index=index) for name in names for index in range(counts[name]))
    known = [role for role in ROLES[spec.effective_job_type] if role != OF_THE_SERVICE]
    return tuple(Replica(role=role, index=index) for role in known for index in range(counts[role]))


def role_of(spec: JobSpec, replica: Replica) -> Role | None:
    """Return the spec of the replica's role; None if the spec has no such role."""
    return next((role for role in spec.roles if role.name.lower() == replica.role), None)


def undivided(spec: JobSpec) -> list[str]:
    """Return a warning about an ElasticBatchJob whose workers would all process the same data, else [].

    It is one whose code does not import `pai_shards`, which the caller knows.
    """
    if spec.effective_job_type != "ElasticBatchJob" or (workers := len(replicas(spec))) < 2:
        return []
    return [
        f"the data are not divided: each of the {workers} workers runs the whole command over all of them. Divide them by "
        "`for shard in pai_shards.shards(size=..., shard_size=...)` in the script, or use one worker."
    ]


def host_name(spec: JobSpec, replica: Replica) -> str:
    """Return `<job>-<role>-<index>` as a valid host name label: stable for one job, different for different jobs.

    Invalid characters become `-`; a name that changed so gets a digest of the original.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", spec.name.lower()).strip("-")
    if spec.effective_job_type == "TaskRoles" and re.search(r"[^a-z0-9-]", replica.name):  # a role of any name
        digest = hashlib.sha256(replica.role.encode()).hexdigest()[:8]
        role = re.sub(r"[^a-z0-9]+", "-", replica.role).strip("-")[:20]
        replica = Replica(role="-".join(filter(None, (role, digest))), index=replica.index)
    room = _LABEL - len(replica.name) - 1
    if plain != spec.name or len(plain) > room:
        digest = hashlib.sha256(spec.name.encode(errors="surrogatepass")).hexdigest()[:8]
        plain = "-".join(filter(None, (plain[: room - 9].rstrip("-"), digest)))
    return f"{plain}-{replica.name}"


def topology(
    spec: JobSpec,
    replica: Replica,
    *,
    host: Callable[[Replica], str],
    port: Callable[[Replica], int],
    by_service: bool = False,
) -> dict[str, str]:
    """Return the variables that tell this replica about the others; {} for a single one of no asked-for type.

    `by_service`: those that PAI sets, which knows a type for every job.
    """
    if by_service:
        every = topology(replace(spec, job_type=spec.effective_job_type), replica, host=host, port=port)
        return {name: value for name, value in every.items() if name in TOPOLOGY_VARIABLES}
    if spec.job_type is None and not spec.roles and spec.instance_count == 1:
        return {}
    match spec.effective_job_type:
        case "TFJob":
            return _tensorflow(spec, replica, host=host, port=port)
        case "PyTorchJob":
            return {**_ranks(spec, replica, host=host, port=port), **OUR_TOPOLOGY_VARIABLES}
        case "XGBoostJob":
            return {**_ranks(spec, replica, host=host, port=port), **_workers(spec, host=host, port=port)}
        case "ElasticBatchJob":
            return _elastic_batch(replica)
        case "TaskRoles":
            return {}  # `task_roles` has them: a task has several ports
        case _:
            assert_never(spec.effective_job_type)


def _tensorflow(
    spec: JobSpec, replica: Replica, *, host: Callable[[Replica], str], port: Callable[[Replica], int]
) -> dict[str, str]:
    every = replicas(spec)
    if len(every) == 1:
        return {}
    cluster: dict[str, list[Json]] = {}
    for other in every:
        cluster.setdefault(other.role, []).append(f"{host(other)}:{port(other)}")
    task: Json = {"type": replica.role, "index": replica.index}
    return {"TF_CONFIG": _compact({"cluster": {**cluster}, "task": task})}


def _ranks(
    spec: JobSpec, replica: Replica, *, host: Callable[[Replica], str], port: Callable[[Replica], int]
) -> dict[str, str]:
    every = replicas(spec)
    return {
        "RANK": str(every.index(replica)),
        "WORLD_SIZE": str(len(every)),
        "MASTER_ADDR": host(every[0]),
        "MASTER_PORT": str(port(every[0])),
    }


def _workers(spec: JobSpec, *, host: Callable[[Replica], str], port: Callable[[Replica], int]) -> dict[str, str]:
    workers = replicas(spec)[1:]
    if not workers:
        return {}
    return {"WORKER_ADDRS": ",".join(map(host, workers)), "WORKER_PORT": str(port(workers[0]))}


def _elastic_batch(replica: Replica) -> dict[str, str]:
    task: Json = {"type": replica.role, "index": replica.index}
    return {"ELASTICBATCH_CONFIG": _compact({"task": task, "environment": "cloud"})}


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
