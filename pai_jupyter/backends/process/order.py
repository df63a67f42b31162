"""Build the supervisor's order from the spec: commands and variables of every replica. Pure except for ports and GPUs."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends.local import SHARDS_DONE, LocalTree, addresses, input_files, wants_gpus
from pai_jupyter.backends.local.gpus import VISIBLE
from pai_jupyter.backends.process.isolation import Isolation, enclose, has_own_processes
from pai_jupyter.backends.process.requirements import Environment
from pai_jupyter.backends.process.supervisor.job import (
    GpuOrder,
    JobOrder,
    Preparation,
    ReplicaOrder,
    RoleRule,
    SlotRequest,
)
from pai_jupyter.backends.process.supervisor.processes import MARKER
from pai_jupyter.contract import Replica
from pai_jupyter.spec import JobSpec

_GPUS = "NVIDIA_VISIBLE_DEVICES"
_ELSEWHERE = frozenset({"PWD", "OLDPWD", MARKER})  # describe the kernel, not the job


def base_environment(
    spec: JobSpec, inherited: Mapping[str, str], passed: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Merge the variables for all processes of the job: inherited, then `passed`, then the user's own.

    The supervisor gets them on start and passes them on, so they are in no file: the user's may be secrets.
    """
    kept = {n: value for n, value in inherited.items() if n not in _ELSEWHERE}
    own = {
        name: value for name, value in spec.environments.items() if name != _GPUS
    }  # contract/README.md, the last row
    return {**kept, **(passed or {}), **own}


def make_order(
    spec: JobSpec,
    tree: LocalTree,
    *,
    job_id: str,
    isolation: Isolation,
    environment: Environment | None,
    inherited: Mapping[str, str],
    grace: float,
    slot: SlotRequest | None = None,
    gpus: Sequence[str] = (),
    has_own_gpus: bool = False,
) -> JobOrder:
    """Build the order for the supervisor of `job_id`; `inherited` is its environment, `grace` in seconds.

    `gpus`: names of those that its replicas may use; `has_own_gpus`: it has them for itself, and must not see others.
    """
    replicas = contract.replicas(spec)
    paths = isolation.paths or contract.Paths(root=str(tree.root))
    hosts = addresses.hosts(job_id, replicas)
    ports = addresses.ports(spec, hosts)
    own = _python(environment, inherited.get("PATH", os.defpath))

    def one(replica: Replica) -> ReplicaOrder:
        policy = contract.policy(spec, replica)
        variables = contract.environment(
            spec,
            replica,
            paths=paths,
            input_files=input_files(tree.inputs),
            host=hosts.__getitem__,
            port=lambda replica: ports[replica][0],
            task_ports=ports.__getitem__,
            shards_done=paths.root.rstrip("/") + f"/{SHARDS_DONE}",
            gpus=len(gpus) if wants_gpus(spec, replica) else 0,
        )
        if has_own_gpus and wants_gpus(spec, replica):
            variables |= dict.fromkeys((_GPUS, VISIBLE), ",".join(gpus))
        return ReplicaOrder(
            name=replica.name,
            argv=enclose(isolation, tree, contract.command(spec, replica).argv),
            environment={
                **own,
                **{name: value for name, value in variables.items() if inherited.get(name) != value},
                MARKER: job_id,
            },
            decides=policy.decides,
            lasts=policy.lasts,
            restarts=policy.restarts,
        )

    build = (
        Preparation(argv=list(environment.build), environment={"PYTHONUNBUFFERED": "1", MARKER: job_id})
        if environment
        else None
    )
    return JobOrder(
        id=job_id,
        cwd=str(tree.root / "usercode"),
        replicas=[one(replica) for replica in replicas],
        preparation=None if environment and environment.is_built else build,
        limit=spec.max_run_time,
        grace=grace,
        gpus=any(wants_gpus(spec, replica) for replica in replicas),
        gpu_order=GpuOrder(devices=list(gpus) if has_own_gpus else [], nvml=_nvml_directory()),
        wrapped=isolation is not Isolation.PLAIN,
        closed=has_own_processes(isolation),
        slot=slot,
        completions=[
            RoleRule(replicas=list(each.replicas), failures=each.failures, successes=each.successes)
            for each in contract.completions(spec)
        ],
        all_done=str(tree.root / SHARDS_DONE) if spec.effective_job_type == "ElasticBatchJob" else None,
    )


def _nvml_directory() -> str:
    """Return the directory with `nvidia-ml-py`, which the supervisor cannot find by itself; "" if it is not installed."""
    found = find_spec("pynvml")
    return str(Path(found.origin).parent) if found is not None and found.origin else ""


def _python(environment: Environment | None, path: str) -> dict[str, str]:
    """Return the variables that make `python` that of the job's environment, else the kernel's."""
    folders = [*([environment.programs] if environment else []), Path(sys.executable).parent, path]
    return {"PATH": ":".join(map(str, folders)), **(environment.variables if environment else {})}
