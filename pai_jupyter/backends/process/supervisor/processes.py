"""Which processes belong to a job, and who a process is. Linux reads /proc; elsewhere process groups must do.

A process belongs to a job when its environment has the job's marker, when it is in the session of one of the job's
commands, when the job's supervisor has adopted it, or when it descends from such a process: so `setsid`, double forks and
a cleared environment are found, one at a time and together.
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
    """When process `pid` began, in the system's own ticks: tells it from a later one with its number.

    None: it has ended (a zombie has). Empty: it lives, and the system has no /proc to say since when.

    Raises:
        OSError: this process may open no more files, so that nothing can be told.
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
    """Identify the boot and the PID namespace in which this process's PIDs are valid.

    Empty: the system does not say, and has but one.
    """
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read(36) + " " + os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


class Process:
    """A process as it was when we looked."""

    def __init__(self, birth: str, parent: int) -> None:
        self.birth = birth
        self.parent = parent


def adopt_orphans() -> None:
    """Have this process become the parent of every descendant that loses its own, in the place of process 1.

    Call it before anything is started. Linux alone can do so.
    """
    try:
        import ctypes  # 3 ms: only for jobs without a PID namespace

        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):  # such a child is then found as long as it has the marker
        pass


def bury_adopted(spared: set[int]) -> None:
    """Let go of the children of this process that have ended, but for those who are waited for elsewhere."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            children = {int(pid) for pid in file.read().split()}
    except OSError:  # a kernel without this list: they go with this process
        return
    for pid in children - spared:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass


def living(
    job_id: str, sessions: set[int], known: dict[int, Process], adopter: int | None = None
) -> dict[int, Process]:
    """Find the job's living processes, parents before children.

    `sessions` are those that its commands lead, or are about to. `known` are processes found before: one that only its
    parent gave away is still ours when that parent has ended. `adopter` has no child that is not the job's.
    """
    if not HAS_PROC:
        return {pid: Process("", 0) for pid in sessions if _group_lives(pid)}
    marker = f"{MARKER}={job_id}\0".encode(errors="surrogateescape")
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
    """Signal the processes; those that have ended meanwhile, or that we may not touch, are passed over."""
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
        return file.read().rpartition(b")")[2].split()  # the name may hold spaces and brackets


def _stat(pid: int) -> list[bytes] | None:
    """Return the stat fields of a process, or None if it has ended."""
    fields = stat_fields(pid)
    return None if fields is None or fields[0] in _ENDED else fields


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
