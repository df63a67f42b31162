"""Run commands in parallel until the outcome is decided, then end all remaining processes.

    running ──(a failure, the deciding ones done, a stop, the time limit)──► ending ──(no process is left)──► over

While ending, TERM was sent to every process of the job and output is still read; processes left after the grace period are
killed.
"""

import os
import select
import signal
import time

from .files import note_disk, stop_is_asked
from .logs import FAULTY
from .member import ReplicaProcess
from .processes import Process, bury_adopted, living, send

LEFTOVER_GRACE = 1.0  # seconds from TERM to KILL for processes left by an ended command
UNKILLABLE = 10.0  # seconds after KILL for processes stuck in a broken disk or device
DRAIN = 1.0  # seconds for a pipe still open in an unknown process
TICK = 1.0  # seconds between checks of the stop file
FIRST_SAMPLE = 0.5  # seconds to the first usage sample

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from .usage import Sampler


class Signals:
    """Makes SIGCHLD and SIGTERM waitable."""

    def __init__(self) -> None:
        self.stop_asked = False
        self.child_ended = False
        self.wakeup, write_end = os.pipe()
        for end in (self.wakeup, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, self._on_child)
        signal.signal(signal.SIGTERM, self._on_term)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def wait(self, pipes: list[int], seconds: float) -> None:
        """Sleep until a pipe has data, a signal comes, or `seconds` are over."""
        poll = select.poll()
        for pipe in (self.wakeup, *pipes):
            poll.register(pipe, select.POLLIN)
        poll.poll(max(0, seconds) * 1000)
        try:
            os.read(self.wakeup, 4096)
        except BlockingIOError:
            pass

    def _on_term(self, *_: object) -> None:
        self.stop_asked = True

    def _on_child(self, *_: object) -> None:
        self.child_ended = True


class Outcome:
    """The end of a stage or of the whole job; `replica` is the failed one, if any."""

    def __init__(self, status: str, exit_code: int | None = None, *, reason: str = "", replica: str = "") -> None:
        self.status = status
        self.exit_code = exit_code
        self.reason = reason
        self.replica = replica


class Stage:
    def __init__(
        self,
        folder: str,
        job_id: str,
        members: list[ReplicaProcess],
        signals: Signals,
        *,
        grace: float,
        limit: int | None,
        wrapped: bool,
        closed: bool,
        gpus: bool,
    ) -> None:
        """Store the commands; `grace` and `limit` are in seconds.

        `wrapped`: each command runs in a wrapper that must end after it. `closed`: the wrapper's child is process 1 of a PID
        namespace, which on USR1 waits for processes that got TERM.
        """
        self._folder = folder
        self._job_id = job_id
        self._members = members
        self._signals = signals
        self._grace = grace
        self._limit = limit
        self._wrapped = wrapped
        self._closed = closed
        self._gpus = gpus
        self._sampler: Sampler | None = None
        self._sample_at = 0.0
        self._helper = 0  # our own process, not the job's
        self._terminated: set[int] = set()  # processes that have got TERM
        self._known: dict[int, Process] = {}  # processes of the job seen so far
        self._outcome: Outcome | None = None
        self._began = self._kill_at = 0.0
        self._disk_pause = 0.0  # seconds to the next try; 0 = the disk accepts data

    def start(self, cwd: str) -> None:
        self._began = time.monotonic()
        self._sample_at = self._began + FIRST_SAMPLE
        for member in self._members:
            member.start(cwd)

    def watch(self) -> Outcome:
        """Read output until everything has ended; return the outcome."""
        while True:
            stuck = self._pump()
            for member in self._members:
                member.poll()
            self._bury()
            if self._outcome is None:
                self._measure()
                self._outcome = self._judge()
                if self._outcome is not None and self._sampler is not None:
                    self._sampler.close()
                busy = any(member.exit_code is None for member in self._members)
                self._kill_at = time.monotonic() + (self._grace if busy else LEFTOVER_GRACE)
            if self._outcome is not None and self._is_over():
                break
            pipes = [member.pipe for member in self._members if member.pipe >= 0 and member not in stuck]
            self._signals.wait(pipes, self._pause())
        self._drain()
        for member in self._members:
            member.reap()
        return self._outcome

    def _measure(self) -> None:
        """Take a usage sample if one is due."""
        if time.monotonic() < self._sample_at:
            return
        if self._sampler is None:
            from .usage import Sampler  # imported late: a start must not wait for it

            leaders = {member.name: member.pid for member in self._members if member.pid}
            self._sampler = Sampler(self._folder, leaders, self._began, gpus=self._gpus)
        self._sample_at = time.monotonic() + self._sampler.sample()
        self._helper = self._sampler.helper

    def _judge(self) -> Outcome | None:
        """Return the outcome as soon as it is decided, else None."""
        members = self._members
        for member in members:
            if member.exit_code:
                return Outcome("failed", member.exit_code, replica=member.name)
        if all(member.exit_code is not None for member in [m for m in members if m.decides] or members):
            return Outcome("succeeded", 0)
        if self._signals.stop_asked or stop_is_asked(self._folder):
            return Outcome("stopped")
        if self._limit is not None and time.monotonic() - self._began >= self._limit:
            return Outcome("failed", reason=f"Time limit reached ({self._limit} s)")
        return None

    def _is_over(self) -> bool:
        """Send TERM or KILL to remaining processes; return whether none is left or KILL had no effect in time."""
        alive = self._living()
        late = time.monotonic() - self._kill_at
        if late >= 0:
            send(signal.SIGKILL, alive)
        else:
            self._tell(alive)
        return not alive or late > UNKILLABLE

    def _tell(self, alive: dict[int, Process]) -> None:
        """Send TERM to every process once, but not to processes that a signalled one starts to save its work.

        A command may start a process between the scan of /proc and the signal: the next scan finds it without a signalled
        ancestor. Parents are signalled first: a shell whose command dies of TERM before the shell gets it prints "Terminated"
        to the log.
        """
        leaders = {member.pid for member in self._members}
        spared = leaders if self._wrapped else set()
        firsts = {pid for pid, process in alive.items() if process.parent in leaders} if self._closed else set()
        fresh = [pid for pid in alive if pid not in spared | firsts and not self._is_terminated(pid, alive)]
        send(signal.SIGUSR1, firsts)  # at every scan: a process that has just started ignores it
        send(signal.SIGTERM, fresh)
        self._terminated.update(fresh)

    def _is_terminated(self, pid: int, alive: dict[int, Process]) -> bool:
        """Return whether the process or one of its ancestors has been sent TERM."""
        while pid in alive and pid not in self._terminated:
            pid = alive[pid].parent
        return pid in alive

    def _living(self) -> dict[int, Process]:
        leaders = {member.pid for member in self._members if member.pid}
        found = living(self._job_id, leaders, self._known, adopter=os.getpid())
        found.pop(self._helper, None)
        self._known |= found
        return found

    def _bury(self) -> None:
        """Reap ended adopted processes: a job may start thousands."""
        if self._signals.child_ended:
            self._signals.child_ended = False
            bury_adopted({self._helper, *(member.pid for member in self._members)})

    def _pump(self) -> list[ReplicaProcess]:
        """Move output to the logs; return the processes whose log the disk does not accept."""
        stuck = [member for member in self._members if not member.pump()]
        if bool(stuck) != bool(self._disk_pause):
            note_disk(self._folder, stuck[0].log.trouble if stuck else 0)
        self._disk_pause = min(self._disk_pause * 2 or 0.1, 5.0) if stuck else 0.0
        return stuck

    def _is_given_up(self, stuck: list[ReplicaProcess]) -> bool:
        """Return whether to drop output blocked by a faulty disk: a stop was requested and the grace period is over."""
        is_stopped = self._signals.stop_asked or stop_is_asked(self._folder)
        is_faulty = any(member.log.trouble in FAULTY for member in stuck)
        return is_stopped and is_faulty and time.monotonic() > self._kill_at

    def _pause(self) -> float:
        pauses = [0.02] if self._outcome else [TICK, self._sample_at - time.monotonic()]
        if self._disk_pause:
            pauses.append(self._disk_pause)
        if self._limit is not None and self._outcome is None:
            pauses.append(self._began + self._limit - time.monotonic())
        return min(pauses)

    def _drain(self) -> None:
        """Read the rest of the pipes, waiting for the disk; a stopped job does not wait for a faulty disk."""
        deadline = time.monotonic() + DRAIN
        sizes: list[int] = []
        while any(member.pipe >= 0 for member in self._members):
            stuck = self._pump()
            before, sizes = sizes, [member.log.size for member in self._members]
            if not stuck and (before == sizes or time.monotonic() > deadline):
                break
            if stuck and self._is_given_up(stuck):
                break
            if stuck:
                self._signals.wait([], self._disk_pause)
        while (stuck := self._pump()) and not self._is_given_up(stuck):
            self._signals.wait([], self._disk_pause)
        for member in self._members:
            member.close()
