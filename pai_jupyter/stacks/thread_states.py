"""Which threads wait, in a process that has a PID namespace of its own, as those of containers and of bubblewrap.

`py-spy` knows a thread by its number there, which means nothing here, so it takes all threads for active. Here they are found by
both numbers. For the moment of a dump the system says whether a thread sleeps; for a recording, which threads used no processor.
"""

import os
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")  # clock ticks per second
_BUSY = 0.02  # part of a time in which a thread must have used a processor


def waiting_threads(pid: int) -> dict[int, bool]:
    """Return, by their numbers in the process's own namespace, whether threads wait; {} if it has none, or has ended."""
    return {own: _stat(pid, tid)[:1] != [b"R"] for own, tid in _threads(pid).items()}


class ThreadClock:
    """The processor time of the threads of a process from now on; of one without a namespace of its own, nothing."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._threads = _threads(pid)
        self._began = {own: self._ticks(tid) for own, tid in self._threads.items()}

    @property
    def has_namespace(self) -> bool:
        return bool(self._threads)

    def idle(self, seconds: float) -> set[int]:
        """Return the threads, by their own numbers, that have used next to no processor in these seconds."""
        least = seconds * _BUSY * _TICK
        ends = {own: self._ticks(tid) for own, tid in self._threads.items()}
        return {own for own, ticks in ends.items() if ticks is not None and ticks - (self._began[own] or 0) < least}

    def _ticks(self, tid: int) -> int | None:
        fields = _stat(self._pid, tid)
        return int(fields[11]) + int(fields[12]) if len(fields) > 12 else None


def _threads(pid: int) -> dict[int, int]:
    """Return the numbers of threads here by those in their own namespace; {} if these are the same."""
    found: dict[int, int] = {}
    try:
        tids = [int(path.name) for path in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return {}
    for tid in tids:
        numbers = _numbers(pid, tid)
        if len(numbers) > 1:
            found[numbers[-1]] = tid
    return found


def _numbers(pid: int, tid: int) -> list[int]:
    """Return the numbers of a thread, from this namespace to its own."""
    try:
        status = Path(f"/proc/{pid}/task/{tid}/status").read_text(errors="replace")
    except OSError:
        return []
    line = next((line for line in status.splitlines() if line.startswith("NSpid:")), "")
    return [int(word) for word in line.split()[1:]]


def _stat(pid: int, tid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/task/{tid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
