"""Which processes belong to a job, and who a process is. Linux reads /proc; elsewhere process groups must do.

A process belongs to a job when its environment has the job's marker, when it is in the session of one of the job's
commands, or when it descends from such a process: `setsid`, double forks and a cleared environment are found so,
one at a time and mostly together.
"""

import os

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable

MARKER = "PAI_JUPYTER_JOB_ID"
HAS_PROC = os.path.exists("/proc/self/stat")


def birth(pid: int) -> str | None:
    """When process `pid` began, in the system's own ticks: tells it from a later one with its number.

    None: it has ended (a zombie has). Empty: it lives, and the system has no /proc to say since when.
    """
    if not HAS_PROC:
        try:
            os.kill(pid, 0)
        except OSError:
            return None
        return ""
    stat = _stat(pid)
    return None if stat is None else stat[19].decode()


def living(job_id: str, sessions: set[int], known: dict[int, str]) -> dict[int, str]:
    """The processes of the job that have not ended, with their births.

    `sessions` are those that its commands lead. `known` are processes found before: one that only its parent gave away
    is no orphan for us when that parent ends first.
    """
    if not HAS_PROC:
        return {pid: "" for pid in sessions if _group_lives(pid)}
    marker = f"{MARKER}={job_id}\0".encode(errors="surrogateescape")
    parents: dict[int, int] = {}
    births: dict[int, str] = {}
    found = set()
    for name in os.listdir("/proc"):
        stat = _stat(int(name)) if name.isdigit() else None
        if stat is None:
            continue
        pid = int(name)
        parents[pid], births[pid] = int(stat[1]), stat[19].decode()
        if known.get(pid) == births[pid] or int(stat[3]) in sessions or _is_marked(pid, marker):
            found.add(pid)
    descendants = found
    while descendants:
        descendants = {pid for pid, parent in parents.items() if parent in descendants} - found
        found |= descendants
    return {pid: births[pid] for pid in found - {os.getpid(), 1}}


def send(signal_number: int, pids: "Iterable[int]") -> None:
    """Signal the processes; those that have ended meanwhile, or that we may not touch, are passed over."""
    for pid in pids:
        try:
            (os.kill if HAS_PROC else os.killpg)(pid, signal_number)
        except OSError:
            pass


def _stat(pid: int) -> list[bytes] | None:
    """The fields of /proc/<pid>/stat behind the name: state, parent, group, session, ..."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()  # the name may hold spaces and brackets
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else fields


def _is_marked(pid: int, marker: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return marker in b"\0" + file.read()
    except OSError:
        return False


def _group_lives(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except OSError:
        return False
    return True
