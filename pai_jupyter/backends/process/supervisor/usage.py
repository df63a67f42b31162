"""Sample the resource usage of each replica's processes, one line per sample in run/<replica>.samples.

    <time> <cores in use since the sample before> <bytes> <GPU load, 0..1> <GPU bytes>        `-` if unknown
        <bytes read from disk> <bytes written> <cores, bytes, GPU bytes that it may use>      (older versions: without these)

It reads /proc itself: the supervisor runs without packages, to start fast. The system counts the network only for the whole
machine, so it is left out. A replica's processes are those in its command's session and their descendants. Imported at the first
sample, so it does not delay a start.
Rule 1: sampling never affects the job. It only reads, does not wait, and an error ends only the sampling.
Rule 2: samples are frequent at first and rarer later, so that a job of a week has some 20,000 lines.
Rule 3: sample times only increase, even if the machine's clock is changed.
"""

import os
import time

from .gpus import open_gpus
from .logs import Appender
from .processes import HAS_PROC, stat_fields

SHORTEST, LONGEST = 2.0, 30.0  # seconds between two samples
TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from .job import GpuOrder

_TICK = os.sysconf("SC_CLK_TCK")  # clock ticks per second of CPU time
_PAGE = os.sysconf("SC_PAGE_SIZE")
_NEVER = float("inf")
# of the container that we run in, by the control groups of both versions
_CPU_LIMITS = (
    ("/sys/fs/cgroup/cpu.max", ""),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)
_MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def pause_after(elapsed: float) -> float:
    """Return the seconds to the next sample of a job that has run for `elapsed` seconds: 2, more after 5 minutes."""
    return min(max(SHORTEST, elapsed / 150), LONGEST)


class Sampler:
    """Samples the commands with the process ids `leaders` (by replica)."""

    def __init__(self, folder: str, leaders: "dict[str, int]", began: float, *, gpus: "GpuOrder | None") -> None:
        """Create the sampler; `began` is the start on the monotonic clock; `gpus` is None for a job without."""
        self._folder = folder
        self._leaders = leaders
        self._began = self._last = began
        self._offset = time.time() - time.monotonic()
        self._ticks = dict.fromkeys(leaders, 0)
        self._files: dict[str, Appender] = {}
        self._disk = dict.fromkeys(leaders, (0, 0))  # of all attempts
        self._earlier = dict(self._disk)  # of those before the present one
        self._limits = (usable_cores(), memory_limit()) if HAS_PROC else (0.0, 0)
        self._gpus = open_gpus(gpus) if gpus is not None else None

    def sample(self) -> float:
        """Take a sample; return the seconds to the next one."""
        try:
            return self._sample() if HAS_PROC else _NEVER
        except (OSError, ValueError, IndexError):
            return _NEVER

    def follow(self, name: str, pid: int) -> None:
        """Continue with the process of the replica's next attempt."""
        self._leaders[name] = pid
        self._ticks[name] = 0
        self._earlier[name] = self._disk[name]

    @property
    def helper(self) -> int:
        """The PID of the running GPU query; 0 = none."""
        return self._gpus.pid if self._gpus else 0

    def close(self) -> None:
        if self._gpus is not None:
            self._gpus.close()

    def _sample(self) -> float:
        now = time.monotonic()
        load, memory, gpu_limit = self._gpus.exchange() if self._gpus else (None, None, None)
        used = measure(set(self._leaders.values()))
        for name, pid in self._leaders.items():
            ticks, pages, read, written = used[pid]
            if pages:
                cores = max(0, ticks - self._ticks[name]) / _TICK / (now - self._last)
                self._count(name, read, written)
                more = (load, memory, *self._disk[name], *self._limits, gpu_limit)
                self._note(name, f"{now + self._offset:.3f}", f"{cores:.3f}", pages * _PAGE, *more)
            self._ticks[name] = ticks
        self._last = now
        return pause_after(now - self._began)

    def _count(self, name: str, read: int, written: int) -> None:
        """Add what the present attempt has read and written; it never goes back, though processes end uncounted."""
        (before_read, before_written), (most_read, most_written) = self._earlier[name], self._disk[name]
        self._disk[name] = max(before_read + read, most_read), max(before_written + written, most_written)

    def _note(self, name: str, *fields: "str | float | None") -> None:
        if name not in self._files:
            self._files[name] = Appender(os.path.join(self._folder, "run", name + ".samples"))
        text = " ".join("-" if field is None else str(field) for field in fields)
        self._files[name].append(text.encode() + b"\n")


def measure(leaders: "set[int]") -> "dict[int, tuple[int, int, int, int]]":
    """Return CPU ticks, resident pages, and bytes from and to disk, of each leader's processes.

    All but the pages are with those of ended children.
    """
    everything = {pid: fields for pid in _pids() if (fields := stat_fields(pid))}
    used = dict.fromkeys(leaders, (0, 0, 0, 0))
    for pid, fields in everything.items():
        leader = _leader_of(pid, everything, leaders)
        if leader:
            own = (sum(map(int, fields[11:15])), int(fields[21]), *_disk_bytes(pid))
            ticks, pages, read, written = (before + more for before, more in zip(used[leader], own))  # noqa: B905  quicker
            used[leader] = ticks, pages, read, written
    return used


def _disk_bytes(pid: int) -> "tuple[int, int]":
    """Return what the process and its ended children have read from disk and written to it; 0 where that is forbidden."""
    try:
        with open(f"/proc/{pid}/io", "rb") as file:
            lines = dict(line.split(b": ") for line in file.read().splitlines())
        written = int(lines[b"write_bytes"]) - int(lines[b"cancelled_write_bytes"])
        return int(lines[b"read_bytes"]), max(0, written)
    except (OSError, ValueError, KeyError):
        return 0, 0


def usable_cores() -> float:
    """Return the cores that this process and its children may use: of the machine, as far as its container may."""
    cores = float(len(os.sched_getaffinity(0)))
    for quota_file, period_file in _CPU_LIMITS:
        words = _words(quota_file) + (_words(period_file) if period_file else [])
        if len(words) > 1 and words[0].isdigit() and words[1].isdigit() and int(words[1]):
            cores = min(cores, int(words[0]) / int(words[1]))
    return round(cores, 2)


def memory_limit() -> int:
    """Return the bytes that this process and its children may use: of the machine, as far as its container may."""
    limits = [os.sysconf("SC_PHYS_PAGES") * _PAGE]
    limits += [int(words[0]) for file in _MEMORY_LIMITS if (words := _words(file)) and words[0].isdigit()]
    return min(limits)


def _words(file: str) -> "list[str]":
    try:
        with open(file) as opened:
            return opened.read(200).split()
    except OSError:
        return []


def _pids() -> "list[int]":
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _leader_of(pid: int, everything: "dict[int, list[bytes]]", leaders: "set[int]") -> int:
    """Return the leader in whose session the process is, or from which it descends; 0 if there is none."""
    for _ in everything:  # bounded: PIDs reused during the scan can form a cycle
        if pid in leaders or pid not in everything:
            break
        session, parent = int(everything[pid][3]), int(everything[pid][1])
        pid = session if session in leaders else parent
    return pid if pid in leaders else 0
