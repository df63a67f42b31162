"""Run commands in parallel until the outcome is decided, then end all remaining processes.

running ──(the deciding ones have succeeded)──► lasting ──(all have ended or may last no longer)─┐
   └──(a failure, a stop, the time limit)────────────────────────────────────────────────────────┴─► ending ──► over

running    a replica that fails and has attempts left is started again
lasting    the job has succeeded: no failure, stop or time limit changes that. Some replicas may run on
ending     TERM was sent to every process of the job and output is still read; processes left after the grace period are
           killed. It is over when no process is left
"""

import os
import time

from .ending import Ending
from .files import note_disk, stop_is_asked
from .logs import FAULTY
from .member import ReplicaProcess
from .outcome import Outcome, failure, has_succeeded
from .processes import Process, bury_adopted, living
from .restarts import Restarts
from .shards import fault, is_all_done, refusal
from .signals import Signals

LEFTOVER_GRACE = 1.0  # seconds from TERM to KILL for processes left by an ended command
DRAIN = 1.0  # seconds for a pipe still open in an unknown process
TICK = 1.0  # seconds between checks of the stop file
FIRST_SAMPLE = 0.5  # seconds to the first usage sample

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .job import GpuOrder, RoleRule
    from .usage import Sampler


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
        gpus: "GpuOrder | None",
        all_done: str | None = None,
        completions: "Sequence[RoleRule]" = (),
    ) -> None:
        """Store the commands; `grace` and `limit` are in seconds. With the file `all_done` they have succeeded.

        `completions`: as in `JobOrder`.

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
        self._all_done = all_done
        self._completions = completions
        self._sampler: Sampler | None = None
        self._sample_at = 0.0
        self._helper = 0  # our own process, not the job's
        self._terminated: set[tuple[int, str]] = set()  # processes that have got TERM, with their start times
        self._known: dict[int, Process] = {}  # processes of the job seen so far
        self._restarts = Restarts(lambda member: self._ending_of([member], LEFTOVER_GRACE, only=True))
        self._dismissals: list[Ending] = []
        self._ending: Ending | None = None
        self._began = 0.0
        self._succeeded_at: float | None = None
        self._disk_pause = 0.0  # seconds to the next try; 0 = the disk accepts data
        self._cwd = ""

    def start(self, cwd: str) -> None:
        self._cwd = cwd
        self._began = time.monotonic()
        self._sample_at = self._began + FIRST_SAMPLE
        for member in self._members:
            member.start(cwd)

    def watch(self) -> Outcome:
        """Read output until everything has ended; return the outcome."""
        outcome: Outcome | None = None
        while True:
            stuck = self._pump()
            for member in self._members:
                member.poll()
            self._bury()
            if outcome is None:
                self._measure()
                outcome = self._judge()
                if outcome is None:
                    self._restart(stuck)
                    self._dismiss()
                else:
                    self._end()
            if outcome is not None and self._is_over():
                break
            pipes = [member.pipe for member in self._members if member.pipe >= 0 and member not in stuck]
            self._signals.wait(pipes, self._pause())
        self._drain()
        for member in self._members:
            member.reap()
        return outcome

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
        """Return the outcome as soon as it is decided and no replica may run on, else None."""
        now = time.monotonic()
        is_stopped = self._signals.stop_asked or stop_is_asked(self._folder)
        is_late = self._limit is not None and now - self._began >= self._limit
        if self._succeeded_at is None and (
            is_all_done(self._all_done) or has_succeeded(self._members, self._completions)
        ):
            self._succeeded_at = now
        if self._succeeded_at is not None:
            is_over = is_stopped or is_late or not any(self._may_last(member, now) for member in self._members)
            return self._success() if is_over else None
        if any(member.exit_code for member in self._members) and (reason := refusal(self._all_done)):
            return Outcome("failed", reason=reason)
        if (failed := failure(self._members, self._completions)) is not None:
            return failed
        if is_stopped:
            return Outcome("stopped")
        return Outcome("failed", reason=f"Time limit reached ({self._limit} s)") if is_late else None

    def _success(self) -> Outcome:
        """Return the outcome of a job whose replicas have all done their part, unless shards are left or were refused."""
        reason = fault(self._all_done)
        return Outcome("failed", reason=reason) if reason else Outcome("succeeded", 0)

    def _may_last(self, member: ReplicaProcess, now: float) -> bool:
        """Return whether the replica of a succeeded job runs, and may do so for now."""
        due = member.lasts is not None and now >= (self._succeeded_at or now) + member.lasts
        return member.exit_code is None and not due

    def _restart(self, stuck: list[ReplicaProcess]) -> None:
        """Start failed replicas again, unless the job has succeeded meanwhile."""
        if self._succeeded_at is not None:
            return
        for member in self._restarts.step(member for member in self._members if member not in stuck):
            member.restart(self._cwd)
            if self._sampler is not None and member.pid:
                self._sampler.follow(member.name, member.pid)

    def _dismiss(self) -> None:
        """End the replicas of a succeeded job that may last no longer, while others run on."""
        now = time.monotonic()
        if self._succeeded_at is not None:
            due = [
                m for m in self._members if m.exit_code is None and not m.is_dismissed and not self._may_last(m, now)
            ]
            for member in due:
                member.dismiss(has_succeeded=True)
                self._dismissals.append(self._ending_of([member], self._grace, only=True))
            self._dismissals = [ending for ending in self._dismissals if not ending.step()]

    def _end(self) -> None:
        """Begin to end all that is left."""
        if self._sampler is not None:
            self._sampler.close()
        busy = [member for member in self._members if member.exit_code is None]
        for member in self._members:
            member.dismiss(has_succeeded=self._succeeded_at is not None)
        self._ending = self._ending_of(self._members, self._grace if busy else LEFTOVER_GRACE)

    def _is_over(self) -> bool:
        for ending in self._dismissals:  # they began earlier, so they kill earlier
            ending.step()
        return self._ending is not None and self._ending.step()

    def _ending_of(self, members: list[ReplicaProcess], grace: float, *, only: bool = False) -> Ending:
        """Begin to end the job's processes, or `only` those of the given replicas, whose daemons end with the job."""
        leaders = {member.pid for member in members if member.pid}
        known: dict[int, Process] = {}

        def find() -> dict[int, Process]:
            found = living(None, leaders, known)
            known.update(found)
            return found

        return Ending(
            find if only else self._living,
            leaders,
            self._terminated,
            grace=grace,
            wrapped=self._wrapped,
            closed=self._closed,
        )

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
        return is_stopped and is_faulty and self._ending is not None and self._ending.is_late

    def _pause(self) -> float:
        """Return the seconds until something is to be done, even if nothing happens."""
        if self._ending is not None or self._dismissals:
            return min(0.02, self._disk_pause or 0.02)
        now = time.monotonic()
        pauses = [TICK, self._sample_at - now]
        if self._disk_pause:
            pauses.append(self._disk_pause)
        if self._limit is not None:
            pauses.append(self._began + self._limit - now)
        if self._succeeded_at is None:
            pauses += self._restarts.pauses()
        else:
            lasting = [m.lasts for m in self._members if m.lasts is not None and self._may_last(m, now)]
            pauses += [self._succeeded_at + lasts - now for lasts in lasting]
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
