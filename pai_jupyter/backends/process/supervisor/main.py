"""Run a supervisor: detach, prepare, run the replicas, end leftover processes, write the outcome."""

import marshal
import os
import sys
import time

from .files import (
    ReplicaHistory,
    announce,
    note_beginning,
    note_place,
    preparation_reason,
    remove_credential,
    stop_is_asked,
    write_exit,
)
from .logs import Appender, LogWriter
from .member import COUNTS_DISK, ReplicaProcess
from .outcome import Outcome
from .processes import adopt_orphans
from .signals import Signals
from .stage import Stage

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable

    from pai_jupyter.backends.local.slots.line import Line
    from pai_jupyter.backends.local.slots.pool import Pool

    from .job import JobOrder, SlotRequest

    MakeLine = Callable[[SlotRequest, str], Pool | Line]
    Wait = Callable[[Pool | Line, Callable[[], bool], Callable[[int, int], None], Callable[[float], None]], bool]


def main(make_line: "MakeLine", wait: "Wait") -> None:
    """Run the job of the folder on the command line in a detached process.

    Without a free slot it waits here; `make_line` and `wait` are those of `slots`.
    """
    folder = sys.argv[1]
    with open(os.path.join(folder, "run", "job"), "rb") as file:
        job: JobOrder = marshal.load(file)  # noqa: S302 - our own submitter wrote it, in the user's private folder
    if os.fork():
        os._exit(0)
    os.setsid()
    signals = Signals()  # first: once we are announced, we may be asked to stop
    slot = job.get("slot")  # missing in an order of an older version
    pool = make_line(slot, job["id"]) if slot else None
    is_queued = pool is not None and not pool.take()
    if pool is not None and is_queued:
        pool.queue()
    if announce(folder, [replica["name"] for replica in job["replicas"]], queued=is_queued):
        Supervisor(folder, job, signals, pool, wait if is_queued else None).run()
    os._exit(0)


class Supervisor:
    def __init__(
        self,
        folder: str,
        job: "JobOrder",
        signals: Signals,
        pool: "Pool | Line | None" = None,
        wait: "Wait | None" = None,
    ) -> None:
        self._folder = folder
        self._pool = pool
        self._wait = wait
        self._job = job
        self._began = time.time()
        self._signals = signals
        self._is_closed = job.get("closed", False)  # missing in an order of an older version
        names = [replica["name"] for replica in job["replicas"]]
        self._logs = {name: LogWriter(os.path.join(folder, "logs", name)) for name in names}
        self._phases = {name: Appender(os.path.join(folder, "run", name + ".phases")) for name in names}

        self._history = ReplicaHistory(folder)

    def run(self) -> None:
        members: list[ReplicaProcess] = []
        outcome = self._begin() if self._has_slot() else Outcome("stopped")
        if outcome.status == "succeeded":
            members = self._members()
            for member in members:
                self._enter("running", member.name)
            stage = self._stage(members, limit=self._job["limit"], is_own=True)
            stage.start(self._job["cwd"])
            import json  # noqa: F401 - `write_exit` needs it; loaded here, while the job starts, it costs nothing

            outcome = stage.watch()
        remove_credential(self._folder)
        if self._pool is not None:
            self._pool.release()  # before exit.json, which may have to wait for disk space
        write_exit(self._folder, self._record(outcome, members), self._history)

    def _has_slot(self) -> bool:
        """Wait for the job's slot; return False if it was stopped or deleted before."""
        if self._pool is None or self._wait is None:
            return True
        order = os.path.join(self._folder, "run", "job")

        def is_over() -> bool:
            return self._signals.stop_asked or stop_is_asked(self._folder) or not os.path.exists(order)

        if not self._wait(
            self._pool, is_over, lambda *news: note_place(self._folder, *news), lambda t: self._signals.wait([], t)
        ):
            return False
        is_noted = note_beginning(self._folder, is_over)
        self._began = time.time()
        return is_noted

    def _begin(self) -> Outcome:
        """Run the preparation; adopt orphaned processes of the job from here on, unless its PID namespace holds them."""
        if not self._is_closed or self._job["preparation"]:
            adopt_orphans()
        return self._prepare()

    def _prepare(self) -> Outcome:
        """Run the preparation command; its output goes to the log of the first replica."""
        order = self._job["preparation"]
        if order is None:
            return Outcome("succeeded", 0)
        first = next(iter(self._logs))
        self._enter("preparing", first)
        environment = {**os.environ, **order["environment"]}
        stage = self._stage([ReplicaProcess(first, order["argv"], environment, self._logs[first], decides=True)])
        stage.start(self._job["cwd"])
        outcome = stage.watch()
        if outcome.status == "failed":
            outcome.reason = preparation_reason(self._folder)
        return outcome

    def _members(self) -> list[ReplicaProcess]:
        return [
            ReplicaProcess(
                order["name"],
                order["argv"],
                {**os.environ, **order["environment"]},
                self._logs[order["name"]],
                decides=order["decides"],
                lasts=order.get("lasts", 0.0),  # missing in an order of an older version
                restarts=order.get("restarts", 0),
                history=self._history,
                wrapped=self._job["wrapped"],
            )
            for order in self._job["replicas"]
        ]

    def _stage(self, members: list[ReplicaProcess], *, limit: int | None = None, is_own: bool = False) -> Stage:
        """Create a stage; `is_own`: these are the job's own commands, which may run in a wrapper."""
        job_id, grace = self._job["id"], self._job["grace"]
        return Stage(
            self._folder,
            job_id,
            members,
            self._signals,
            grace=grace,
            limit=limit,
            wrapped=is_own and self._job["wrapped"],
            closed=is_own and self._is_closed,
            gpus=self._job.get("gpu_order", {"devices": [], "nvml": ""}) if self._job["gpus"] else None,  # likewise
            all_done=self._job.get("all_done") if is_own else None,  # missing in an order of an older version
            completions=self._job.get("completions", ()) if is_own else (),  # likewise
        )

    def _enter(self, phase: str, replica: str) -> None:
        self._phases[replica].append(f"{phase} {self._logs[replica].size} {time.time():.3f}\n".encode())

    def _record(self, outcome: Outcome, members: list[ReplicaProcess]) -> dict[str, object]:
        return {
            "status": outcome.status,
            "reason": outcome.reason,
            "replica": outcome.replica,
            "exit_code": outcome.exit_code,
            "began": self._began,
            "ended": time.time(),
            "replicas": {
                m.name: {
                    "exit_code": m.exit_code,
                    "cpu_time": m.cpu_time,
                    "peak_memory": m.peak_memory,
                    **({"read": m.read, "written": m.written} if COUNTS_DISK else {}),
                }
                for m in members
            },
        }
