"""Find the processes of each replica of a running job.

The supervisor's children are the replicas' commands and what it adopted of them; all else descends from these. A command is its
replica's whose variables it has: replicas differ in them, as in RANK.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.process import report
from pai_jupyter.backends.process.supervisor.processes import HAS_PROC, Process, living
from pai_jupyter.errors import BackendError


def replica_processes(folder: Path) -> dict[str, list[int]]:
    """Return the PIDs of each replica's living processes, parents first; {} if the job is over.

    Raises:
        BackendError: they cannot be seen from here.
        NotFoundError: no job was started in this folder.
    """
    supervisor = report.read_supervisor(folder)
    if not report.is_supervised(folder):
        return {}
    if not report.is_here(supervisor):
        raise BackendError(
            f"the processes of job {folder.name} cannot be seen from here: it runs in another container, or on another machine "
            "with the same files."
        )
    if not HAS_PROC:
        raise BackendError("the processes of a job are found on Linux only: this system has no /proc.")
    pid = supervisor["pid"]
    found = living(folder.name, set(), {}, adopter=pid)
    found.pop(pid, None)
    return _by_replica(folder, found)


def _by_replica(folder: Path, found: Mapping[int, Process]) -> dict[str, list[int]]:
    names = report.read_replicas(folder)
    variables = _telling(report.read_variables(folder))
    owners: dict[int, str] = {}
    for pid, process in found.items():  # parents first
        owners[pid] = owners.get(process.parent) or (_owner(pid, variables) if len(names) > 1 else "") or names[0]
    return {name: [pid for pid, owner in owners.items() if owner == name] for name in names}


def _telling(variables: Mapping[str, Mapping[str, str]]) -> dict[str, set[bytes]]:
    """Return, for each replica, the variables that tell it from others, as a process has them."""
    pairs = {
        replica: {f"{name}={value}".encode(errors="surrogateescape") for name, value in own.items()}
        for replica, own in variables.items()
    }
    common = set.intersection(*pairs.values()) if pairs else set()
    return {replica: own - common for replica, own in pairs.items()}


def _owner(pid: int, variables: Mapping[str, set[bytes]]) -> str:
    """Return the replica whose variables the process has; "" if it has none's."""
    given: set[bytes] = set()
    with suppress(OSError):
        given = set(Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"))
    return next((replica for replica, own in variables.items() if own and own <= given), "")
