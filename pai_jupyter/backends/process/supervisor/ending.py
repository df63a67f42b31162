"""End processes: TERM to each of them, KILL to what is left after a grace period."""

import signal
import time

from .processes import Process, send

UNKILLABLE = 10.0  # seconds after KILL for processes stuck in a broken disk or device

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable


class Ending:
    """Ends the processes that `find` finds, step by step; `is_over` when none is left or KILL had no effect in time."""

    def __init__(
        self,
        find: "Callable[[], dict[int, Process]]",
        leaders: set[int],
        terminated: set[tuple[int, str]],
        *,
        grace: float,
        wrapped: bool,
        closed: bool,
    ) -> None:
        """Begin the grace period, in seconds; `leaders` are the commands' processes.

        `terminated`: processes that have got TERM, with their start times; an ending adds its own. `wrapped` and `closed`: as in `Stage`.
        """
        self.is_over = False
        self._find = find
        self._leaders = leaders
        self._terminated = terminated
        self._wrapped = wrapped
        self._closed = closed
        self._kill_at = time.monotonic() + grace

    @property
    def is_late(self) -> bool:
        """Whether the grace period is over."""
        return time.monotonic() > self._kill_at

    def step(self) -> bool:
        """Send TERM or KILL to remaining processes; return whether it is over."""
        if not self.is_over:
            alive = self._find()
            late = time.monotonic() - self._kill_at
            if late >= 0:
                send(signal.SIGKILL, alive)
            else:
                self._tell(alive)
            self.is_over = not alive or late > UNKILLABLE
        return self.is_over

    def _tell(self, alive: dict[int, Process]) -> None:
        """Send TERM to every process once, but not to processes that a signalled one starts to save its work.

        A command may start a process between the scan of /proc and the signal: the next scan finds it without a signalled
        ancestor. Parents are signalled first: a shell whose command dies of TERM before the shell gets it prints "Terminated"
        to the log.
        """
        spared = self._leaders if self._wrapped else set()
        firsts = {pid for pid, process in alive.items() if process.parent in self._leaders} if self._closed else set()
        fresh = [pid for pid in alive if pid not in spared | firsts and not self._is_terminated(pid, alive)]
        send(signal.SIGUSR1, firsts)  # at every scan: a process that has just started ignores it
        send(signal.SIGTERM, fresh)
        send(signal.SIGCONT, fresh)  # a stopped process would get TERM only when somebody continues it
        self._terminated.update((pid, alive[pid].birth) for pid in fresh)

    def _is_terminated(self, pid: int, alive: dict[int, Process]) -> bool:
        """Return whether the process or one of its ancestors has been sent TERM."""
        while pid in alive and (pid, alive[pid].birth) not in self._terminated:
            pid = alive[pid].parent
        return pid in alive
