"""The replicas of a job and the variables about each other, by job type (PAI: Create custom components; KubeDL).

    TFJob            TF_CONFIG, only with more than one replica: a single worker trains alone
    PyTorchJob       RANK (0 is the master), WORLD_SIZE (machines), MASTER_ADDR, MASTER_PORT; also with one machine
    XGBoostJob       the same four, and with more than one machine WORKER_ADDRS (in RANK order, without the master), WORKER_PORT
    ElasticBatchJob  ELASTICBATCH_CONFIG on the workers

Where open-source KubeDL differs, PAI's documents decide: the evaluator is inside `cluster`, TF_CONFIG has no `environment`,
the master gets its own address for MASTER_ADDR (not localhost), an XGBoost worker's RANK is its index + 1.
Roles may be in upper or lower case; a `Replica` has them in lower case.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, JobType, Json, Role

ROLES: dict[JobType, tuple[str, ...]] = {  # the order of replicas, and so of RANK
    "TFJob": ("chief", "master", "ps", "worker", "evaluator"),  # master is chief's older name
    "PyTorchJob": ("master", "worker"),
    "XGBoostJob": ("master", "worker"),
    "ElasticBatchJob": ("aimaster", "worker"),
}
PORTS: dict[JobType, int] = {"TFJob": 2222, "PyTorchJob": 23456, "XGBoostJob": 9999, "ElasticBatchJob": 23456}

TOPOLOGY_VARIABLES = frozenset(  # the variables that `topology` may set
    (
        *("TF_CONFIG", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
        *("WORKER_ADDRS", "WORKER_PORT", "ELASTICBATCH_CONFIG"),
    )
)

_CHIEFS = ("chief", "master")
_DECIDING: dict[JobType, tuple[str, ...]] = {  # roles whose replicas may decide the job's result
    "TFJob": (*_CHIEFS, "worker"),
    "PyTorchJob": ("master",),
    "XGBoostJob": ("master",),
    "ElasticBatchJob": ("worker",),
}
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

    Without `roles`, ElasticBatchJob has workers only: the service runs its AIMaster.

    Raises:
        SpecError: `roles` has a role that the type lacks, a role twice, or not exactly one master.
    """
    if spec.roles:
        counts = _counts(spec)
    elif spec.job_type in ("PyTorchJob", "XGBoostJob"):
        counts = {"master": 1, "worker": spec.instance_count - 1}
    else:
        counts = {"worker": spec.instance_count}
    known = ROLES[spec.job_type]
    return tuple(Replica(role=role, index=index) for role in known for index in range(counts.get(role, 0)))


def _counts(spec: JobSpec) -> dict[str, int]:
    counts: dict[str, int] = {}
    for role in spec.roles:
        name = role.name.lower()
        if name not in ROLES[spec.job_type] or name in counts:
            problem = "twice" if name in counts else f"which {spec.job_type} does not have"
            raise SpecError(
                f"`roles` has {role.name!r} {problem}; use each of {', '.join(ROLES[spec.job_type])} at most once.",
                field="roles",
            )
        counts[name] = role.instance_count
    if spec.job_type in ("PyTorchJob", "XGBoostJob") and counts.get("master") != 1:
        raise SpecError(
            f"{spec.job_type} needs exactly one master, `roles` has {counts.get('master', 0)}. Add Role(name='master').",
            field="roles",
        )
    return counts


def role_of(spec: JobSpec, replica: Replica) -> Role | None:
    """Return the spec of the replica's role; None if the spec has no such role."""
    return next((role for role in spec.roles if role.name.lower() == replica.role), None)


def decides(spec: JobSpec, replica: Replica) -> bool:
    """Return whether the job's success depends on this replica (KubeDL's default success policies).

    The job succeeds when all deciding replicas have succeeded; it fails when any replica fails.
    TFJob: the chief; where there is none, worker 0 is the chief. PyTorchJob: all. XGBoostJob: the master.
    ElasticBatchJob: all workers. In a job with none of these all replicas decide.
    """
    has_none = bool(spec.roles) and not any(role.name.lower() in _DECIDING[spec.job_type] for role in spec.roles)
    return has_none or _is_deciding(spec, replica)


def _is_deciding(spec: JobSpec, replica: Replica) -> bool:
    match spec.job_type:
        case "TFJob":
            has_chief = any(role.name.lower() in _CHIEFS for role in spec.roles)
            return replica.role in _CHIEFS if has_chief else replica == Replica(role="worker", index=0)
        case "PyTorchJob":
            return True
        case "XGBoostJob":
            return replica.role == "master"
        case "ElasticBatchJob":
            return replica.role == "worker"
        case _:
            assert_never(spec.job_type)


def undivided(spec: JobSpec) -> list[str]:
    """Return a warning if the workers of an ElasticBatchJob would all process the same data, else []."""
    workers = sum(replica.role == "worker" for replica in replicas(spec))
    if spec.job_type != "ElasticBatchJob" or workers < 2:
        return []
    return [
        f"the data of an ElasticBatchJob are not divided yet: each of the {workers} workers runs the whole command over all "
        "the data. Let the script take its part by the index in ELASTICBATCH_CONFIG, or use one worker."
    ]


def host_name(spec: JobSpec, replica: Replica) -> str:
    """Return `<job>-<role>-<index>` as a valid host name label: stable for one job, different for different jobs.

    Invalid characters become `-`; a name that changed so gets a digest of the original.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", spec.name.lower()).strip("-")
    room = _LABEL - len(replica.name) - 1
    if plain != spec.name or len(plain) > room:
        digest = hashlib.sha256(spec.name.encode(errors="surrogatepass")).hexdigest()[:8]
        plain = "-".join(filter(None, (plain[: room - 9].rstrip("-"), digest)))
    return f"{plain}-{replica.name}"


def topology(
    spec: JobSpec, replica: Replica, *, host: Callable[[Replica], str], port: Callable[[Replica], int]
) -> dict[str, str]:
    """Return the variables that tell this replica about the others."""
    match spec.job_type:
        case "TFJob":
            return _tensorflow(spec, replica, host=host, port=port)
        case "PyTorchJob":
            return _ranks(spec, replica, host=host, port=port)
        case "XGBoostJob":
            return {**_ranks(spec, replica, host=host, port=port), **_workers(spec, host=host, port=port)}
        case "ElasticBatchJob":
            return _elastic_batch(replica)
        case _:
            assert_never(spec.job_type)


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
    if replica.role != "worker":
        return {}
    task: Json = {"type": replica.role, "index": replica.index}
    return {"ELASTICBATCH_CONFIG": _compact({"task": task, "environment": "cloud"})}


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
