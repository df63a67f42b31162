"""How the replicas of a job stand, from the service's instances and the end marks of their logs. Pure.

Rule 1: a replica's end is told once its end mark was read, or with the job's end: only the mark has the exit code.
Rule 2: after one failure, and after the job's success, the service ends the other replicas by signals: those were stopped, they
    did not fail. TERM is its own signal; another one may be the failure, e.g. for want of memory. While the job runs, a replica
    that TERM ended, or any signal after another one's success, is not told of: it may be either.
Rule 3: a job of one replica has no events: its status says all.
"""

from collections.abc import Iterator, Mapping

from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.backends.pai.services.status_map import Fields
from pai_jupyter.events import ReplicaChanged, Status

SIGNALLED = 128  # higher exit codes mean that a signal ended the command
_TERMINATED = 143  # by TERM

# The statuses of a pod that say more than that it waits; others of DLC and of the training service are of no news.
POD_STATUS = {
    "Running": Status.RUNNING,
    "Succeeded": Status.SUCCEEDED,
    "Succeed": Status.SUCCEEDED,
    "Failed": Status.FAILED,
    "Stopped": Status.STOPPED,
    "Terminated": Status.STOPPED,
}


def replica_events(
    fields: Fields, instances: Mapping[str, Fields], codes: Mapping[str, int], *, now: float
) -> Iterator[ReplicaChanged]:
    """Yield how each replica stands; `instances` and the exit `codes` are by replica, `fields` are the job's.

    `now` is the time of what the service does not date.
    """
    job = status_map.status_of(fields)
    if len(instances) < 2 or job is None:
        return
    for replica, instance in instances.items():
        if not job.is_terminal and doubt(codes.get(replica)) > (0 if 0 in codes.values() else 1):
            continue
        status = _status(str(instance.get("Status")), job, codes.get(replica))
        if status is Status.FAILED and _was_stopped(job, codes.get(replica), codes):
            status = Status.STOPPED
        if status is not None:
            attempts = instance.get("HistoryPods")
            yield ReplicaChanged(
                replica=replica,
                status=status,
                time=_time(fields, instance, status, now),
                exit_code=codes.get(replica),
                attempt=len(attempts) if isinstance(attempts, list) else 0,
            )


def doubt(code: int | None) -> int:
    """Return how doubtful it is that a replica with this exit code failed by itself: 0 = it did, 2 = it was rather ended."""
    return 0 if code is None or code <= SIGNALLED else 2 if code == _TERMINATED else 1


def _status(pod: str, job: Status, code: int | None) -> Status | None:
    """Return the replica's status; None if it has not begun, or its end is not known well enough yet."""
    if code is not None:
        return Status.FAILED if code else Status.SUCCEEDED
    word = POD_STATUS.get(pod)
    if not job.is_terminal:
        return Status.RUNNING if word is Status.RUNNING and job is Status.RUNNING else None
    if word is None or word is Status.RUNNING:
        return Status.SUCCEEDED if job is Status.SUCCEEDED else Status.STOPPED
    return word


def _was_stopped(job: Status, code: int | None, codes: Mapping[str, int]) -> bool:
    own = 2 if code is None else doubt(code)
    has_failed = any(other and doubt(other) < own for other in codes.values())
    return job is Status.STOPPED or (own > 0 and (job is Status.SUCCEEDED or has_failed))


def _time(fields: Fields, instance: Fields, status: Status, now: float) -> float:
    if status is Status.RUNNING:
        return status_map.read_time(instance.get("GmtStartTime")) or status_map.began(fields, Status.RUNNING) or now
    return status_map.read_time(instance.get("GmtFinishTime")) or status_map.ended(fields) or now
