"""Find the processes of a job and identify processes. On Linux by /proc, elsewhere by process groups.

A process belongs to a job if its environment has the job's marker, if it is in the session of one of the job's commands, if the
job's supervisor has adopted it, or if it descends from such a process. So `setsid`, double forks, a cleared environment and
their combinations are found.
"""

import errno
import os

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable

MARKER = "PAI_JUPYTER_JOB_ID"
HAS_PROC = os.path.exists("/proc/self/stat")
_SET_CHILD_SUBREAPER = 36  # of prctl(2)
_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_ENDED = (b"Z", b"X")


def birth(pid: int) -> str | None:
    """Return the start time of process `pid` in clock ticks, which tells it from a later process with its PID.

    None: it has ended (also as a zombie). "": it lives, but the system has no /proc.

    Raises:
        OSError: this process has reached its limit of open files.
    """
    if not HAS_PROC:
        try:
            os.kill(pid, 0)
        except OSError:
            return None
        return ""
    try:
        fields = _read_stat(pid)
    except OSError as exc:
        if exc.errno in _SHORT:
            raise
        return None
    return None if fields[0] in _ENDED else fields[19].decode()


def space() -> str:
    """Return an id of the boot and PID namespace in which this process's PIDs are valid.

    "": the system has only one and does not report it.
    """
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read(36) + " " + os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


class Process:
    """A process at the time of the scan."""

    def __init__(self, birth: str, parent: int) -> None:
        self.birth = birth
        self.parent = parent


def adopt_orphans() -> None:
    """Make this process, instead of process 1, the parent of orphaned descendants (subreaper).

    Call it before starting anything. Linux only.
    """
    try:
        import ctypes  # 3 ms: imported only for jobs without a PID namespace

        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):  # without it, such a child is found only by its marker
        pass


def bury_adopted(spared: set[int]) -> None:
    """Reap ended children of this process, except `spared` ones."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            children = {int(pid) for pid in file.read().split()}
    except OSError:  # a kernel without this list: they are reaped when this process ends
        return
    for pid in children - spared:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass


def living(
    job_id: str | None, sessions: set[int], known: dict[int, Process], adopter: int | None = None
) -> dict[int, Process]:
    """Find the job's living processes, parents before children.

    `sessions` are those of its commands; without `job_id`, only what belongs to these is found. `known` are processes found
    before: one that was found through its parent stays ours after the parent has ended. All children of `adopter` are the
    job's.
    """
    if not HAS_PROC:
        return {pid: Process("", 0) for pid in sessions if _group_lives(pid)}
    marker = None if job_id is None else f"{MARKER}={job_id}\0".encode(errors="surrogateescape")
    everything: dict[int, Process] = {}
    found = set()
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        stat = _stat(pid)
        if stat is None:
            continue
        process = everything[pid] = Process(stat[19].decode(), int(stat[1]))
        is_known = pid in known and known[pid].birth == process.birth
        if is_known or process.parent == adopter or sessions & {pid, int(stat[3])} or _is_marked(pid, marker):
            found.add(pid)
    descendants = found
    while descendants:
        descendants = {pid for pid, process in everything.items() if process.parent in descendants} - found
        found |= descendants
    eldest_first = sorted(found - {os.getpid(), 1}, key=lambda pid: (int(everything[pid].birth), pid))
    return {pid: everything[pid] for pid in eldest_first}


def send(signal_number: int, pids: "Iterable[int]") -> None:
    """Signal the processes; skip those that have ended or that we may not signal."""
    for pid in pids:
        try:
            (os.kill if HAS_PROC else os.killpg)(pid, signal_number)
        except OSError:
            pass


def stat_fields(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/<pid>/stat after the name, also for zombies; None if it is gone."""
    try:
        return _read_stat(pid)
    except OSError:
        return None


def _read_stat(pid: int) -> list[bytes]:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()  # the name may have spaces and parentheses


def _stat(pid: int) -> list[bytes] | None:
    """Return the stat fields of a process, or None if it has ended."""
    fields = stat_fields(pid)
    return None if fields is None or fields[0] in _ENDED else fields


def _is_marked(pid: int, marker: bytes | None) -> bool:
    if marker is None:
        return False
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
