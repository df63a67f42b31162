"""The pods of a job, e.g. `dlc129f212o89d-worker-0`; they exist once the job runs."""

import time
from uuid import NAMESPACE_URL, uuid5

from pai_jupyter import contract
from pai_jupyter.emulator.calls.context import EmulatorContext
from pai_jupyter.emulator.dlc.lifecycle import KIND
from pai_jupyter.emulator.dlc.validation import ROLES
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields
from pai_jupyter.emulator.protocol.times import written
from pai_jupyter.emulator.state.faults import FaultName, late_by
from pai_jupyter.events import ReplicaChanged, Status

_STATUSES = {
    "Running": "Running",
    "Stopping": "Running",
    "Succeeded": "Succeeded",
    "Failed": "Failed",
    "Stopped": "Failed",
}
_OWN_STATUSES = {
    Status.RUNNING: "Running",
    Status.SUCCEEDED: "Succeeded",
    Status.FAILED: "Failed",
    Status.STOPPED: "Failed",  # by a signal, as the pods of a stopped job
}


def pods_of(world: EmulatorContext, record: Fields) -> list[Fields]:
    """List the pods of a job."""
    job = world.runner.job(str(record["JobId"]))
    known = {} if job is None else job.state.replicas
    return [
        {**_pod(record, replica.role, replica.name), **_own(known.get(replica.name))}
        for replica in _replicas(world, record)
    ]


def replica_of(world: EmulatorContext, record: Fields, pod: str, uid: str = "") -> str:
    """Return the replica of a pod.

    Raises:
        ApiRefusal: there is no such pod, or not yet.
    """
    job_id = str(record["JobId"])
    name = pod.removeprefix(f"{job_id}-")
    known = [replica.name for replica in _replicas(world, record)]
    if name == pod or name not in known or uid not in ("", _uid(pod)):
        raise ApiRefusal(404, "PodNotFound", f"job {job_id} has no pod {pod[:200]!r}")
    return name


def _pod(record: Fields, role: str, name: str) -> Fields:
    pod = f"{record['JobId']}-{name}"
    spelt = {known.lower(): known for known in ROLES.get(str(record["JobType"]), ())}
    return {
        "PodId": pod,
        "PodUid": _uid(pod),
        "Type": spelt.get(role, role),
        "Status": _STATUSES[str(record["Status"])],
        "SubStatus": "Normal",
        "Ip": "127.0.0.1",
        "NodeName": "emulator",
        "GmtCreateTime": record["GmtCreateTime"],
        "GmtStartTime": record.get("GmtRunningTime") or "",
        "GmtFinishTime": record.get("GmtFinishTime") or "",
    }


def _own(last: ReplicaChanged | None) -> Fields:
    """Return the fields of a pod that its replica's process tells; else it stands as its job does."""
    if last is None:
        return {}
    own: Fields = {"Status": _OWN_STATUSES[last.status], "HistoryPods": [{"PodId": ""} for _ in range(last.attempt)]}
    return {**own, "GmtFinishTime": written(last.time)} if last.status.is_terminal else own


def _replicas(world: EmulatorContext, record: Fields) -> list[contract.Replica]:
    job = world.runner.job(str(record["JobId"]))
    if job is None or str(record["Status"]) not in _STATUSES:
        return []
    late, began = late_by(record, FaultName.LATE_INSTANCES), job.state.entered.get("running")
    if late is not None and record["Status"] not in KIND.terminal and (began is None or time.time() < began + late):
        return []
    return [*contract.replicas(job.spec)]


def _uid(pod: str) -> str:
    return str(uuid5(NAMESPACE_URL, pod))
