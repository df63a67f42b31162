"""Sample the resource usage of each replica's processes, one line per sample in run/<replica>.samples.

    <time> <cores in use since the sample before> <bytes> <GPU load, 0..1> <GPU bytes>        `-` if unknown

A replica's processes are those in its command's session and their descendants. Imported at the first sample, so it does not
delay a start.
Rule 1: sampling never affects the job. It only reads, does not wait, and an error ends only the sampling.
Rule 2: samples are frequent at first and rarer later, so that a job of a week has some 20,000 lines.
Rule 3: sample times only increase, even if the machine's clock is changed.
"""

import os
import time

from .gpus import GpuQuery
from .logs import Appender
from .processes import HAS_PROC, stat_fields

SHORTEST, LONGEST = 2.0, 30.0  # seconds between two samples
_TICK = os.sysconf("SC_CLK_TCK")  # clock ticks per second of CPU time
_PAGE = os.sysconf("SC_PAGE_SIZE")
_NEVER = float("inf")


def pause_after(elapsed: float) -> float:
    """Return the seconds to the next sample of a job that has run for `elapsed` seconds: 2, more after 5 minutes."""
    return min(max(SHORTEST, elapsed / 150), LONGEST)


class Sampler:
    """Samples the commands with the process ids `leaders` (by replica)."""

    def __init__(self, folder: str, leaders: "dict[str, int]", began: float, *, gpus: bool) -> None:
        """Create the sampler; `began` is the start on the monotonic clock."""
        self._folder = folder
        self._leaders = leaders
        self._began = self._last = began
        self._offset = time.time() - time.monotonic()
        self._ticks = dict.fromkeys(leaders, 0)
        self._files: dict[str, Appender] = {}
        self._gpus = GpuQuery() if gpus else None

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

    @property
    def helper(self) -> int:
        """The PID of the running GPU query; 0 = none."""
        return self._gpus.pid if self._gpus else 0

    def close(self) -> None:
        if self._gpus is not None:
            self._gpus.close()

    def _sample(self) -> float:
        now = time.monotonic()
        load, memory = self._gpus.exchange() if self._gpus else (None, None)
        used = measure(set(self._leaders.values()))
        for name, pid in self._leaders.items():
            ticks, pages = used[pid]
            if pages:
                cores = max(0, ticks - self._ticks[name]) / _TICK / (now - self._last)
                self._note(name, f"{now + self._offset:.3f}", f"{cores:.3f}", pages * _PAGE, load, memory)
            self._ticks[name] = ticks
        self._last = now
        return pause_after(now - self._began)

    def _note(self, name: str, *fields: "str | float | None") -> None:
        if name not in self._files:
            self._files[name] = Appender(os.path.join(self._folder, "run", name + ".samples"))
        text = " ".join("-" if field is None else str(field) for field in fields)
        self._files[name].append(text.encode() + b"\n")


def measure(leaders: "set[int]") -> "dict[int, tuple[int, int]]":
    """Return CPU ticks (with those of ended children) and resident pages of each leader's processes."""
    everything = {pid: fields for pid in _pids() if (fields := stat_fields(pid))}
    used = dict.fromkeys(leaders, (0, 0))
    for pid, fields in everything.items():
        leader = _leader_of(pid, everything, leaders)
        if leader:
            ticks, pages = used[leader]
            used[leader] = ticks + sum(map(int, fields[11:15])), pages + int(fields[21])
    return used


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
