"""What the end of one replica means for its job, and the job's success for a replica that still runs. Pure.

    TFJob            the chief decides, where there is none worker 0; then ps and evaluator end, workers have 30 s to end by themselves
    PyTorchJob       all replicas decide
    XGBoostJob       the master decides; the workers run to their own end, and how they end changes nothing any more
    TaskRoles        a role decides whose failures or successes are as many as it says: `task_roles.completions`
    ElasticBatchJob  all workers decide, or `pai_shards` in one of them, which knows that nothing is left to do: then the others
                     have 1 s to end by themselves; a worker that fails before is started again, 3 times at most

A job none of whose replicas has a deciding role waits for all of them. Until a job has succeeded, a replica that fails (and is
not started again) fails the job, whichever it is. TFJob, PyTorchJob and XGBoostJob start no replica again: nothing on this
machine preempts them, and a broken script would loop.

Source: KubeDL's success policies (controllers/*/status.go), AIMaster's `--max-num-of-job-restart` for the 3.
"""

from dataclasses import dataclass
from typing import assert_never

from pai_jupyter.contract.topology import Replica
from pai_jupyter.spec import JobSpec

_CHIEFS = ("chief", "master")  # master is chief's older name
_WORKERS_MAY_LAST = 30.0  # seconds
_MAY_END = 1.0  # seconds; a worker that hangs has no more
_RESTARTS = 3


@dataclass(frozen=True, kw_only=True)
class ReplicaPolicy:
    """The rules for one replica.

    Attributes:
        decides: the job succeeds when all replicas that decide have succeeded.
        lasts: seconds that the replica may run on after that, 0 to end it at once, None for as long as it likes.
        restarts: how often it is started again after a failure.
    """

    decides: bool
    lasts: float | None = 0.0
    restarts: int = 0


def policy(spec: JobSpec, replica: Replica) -> ReplicaPolicy:
    """Return the rules for one of the job's `replicas`."""
    match spec.effective_job_type:
        case "TFJob":
            return _tensorflow(spec, replica)
        case "PyTorchJob" | "TaskRoles":
            return ReplicaPolicy(decides=True)
        case "XGBoostJob":
            return ReplicaPolicy(decides=replica.role == "master", lasts=None)
        case "ElasticBatchJob":
            return ReplicaPolicy(decides=True, lasts=_MAY_END, restarts=_RESTARTS)
        case _:
            assert_never(spec.effective_job_type)


def _tensorflow(spec: JobSpec, replica: Replica) -> ReplicaPolicy:
    roles = {role.name.lower() for role in spec.roles}
    lasts = _WORKERS_MAY_LAST if replica.role == "worker" else 0.0
    if roles.intersection(_CHIEFS):
        return ReplicaPolicy(decides=replica.role in _CHIEFS, lasts=lasts)
    if roles and "worker" not in roles:  # parameter servers alone, say
        return ReplicaPolicy(decides=True)
    return ReplicaPolicy(decides=replica == Replica(role="worker", index=0), lasts=lasts)
