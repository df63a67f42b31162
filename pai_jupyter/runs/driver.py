"""The driver of one run: folds the journal, does what is to be done next (acting), and waits for the jobs.

    fold ─► next_acts ─► journal (synced) ─► act ─► outcome ─► journal ─► fold ...

Rule 1: whoever kills it loses nothing: what is journalled is found again, in the folders of the jobs or nowhere.
Rule 2: this thread alone writes the journal and the fold. Acts that may block are in threads, one a step at a time; they and the
    followers of the jobs put what they have to say into one queue.
Rule 3: on a full disk the driver waits, and the jobs go on.
"""

import queue
import time
from types import TracebackType
from typing import Self

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import JobState, Status
from pai_jupyter.jobs.follower import Following, is_removed
from pai_jupyter.jobs.runtime import runtime
from pai_jupyter.runs import journal
from pai_jupyter.runs.acting import ActRunner
from pai_jupyter.runs.driving import missing_secrets
from pai_jupyter.runs.outcomes import Said
from pai_jupyter.runs.rows import write_row
from pai_jupyter.runs.run_folder import RunFolder
from pai_jupyter.runs.run_log import RunLog
from pai_jupyter.runs.try_facts import TryReader, facts_of_running
from pai_jupyter.runs.work import clear_unmade
from pai_jupyter.store import JobFolder

TICK = 0.5  # seconds between two looks at what users ask for
LOOK = 2.0  # seconds between two looks at the folders of all jobs that run
_ENDS = (Status.SUCCEEDED, Status.FAILED, Status.STOPPED)


class Driver:
    """Drives a run until it has ended, or waits for a secret, or for another key, and nothing else."""

    def __init__(self, folder: RunFolder) -> None:
        """Read how the run stands; the caller holds its lock.

        Raises:
            PaiJupyterError: the run cannot be read.
        """
        self._folder = folder
        self._log = RunLog(folder)
        self._tries = TryReader(folder.home)
        self._said: queue.SimpleQueue[Said] = queue.SimpleQueue()
        self._acts = ActRunner(folder, self._log, self._tries, self._said)
        self._followed: dict[str, Following] = {}
        self._looked = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._acts.close()
        self._log.__exit__(kind, error, trace)

    def run(self) -> None:
        """Drive the run to its end."""
        missing = missing_secrets(self._folder)
        self._folder.clear_way()
        self._say_blocked(missing)
        self._acts.may_start = not missing
        self._find_tries()
        while not self._do_all():
            if self._is_over(is_blocked=bool(missing or self._acts.denied)):
                return
            self._listen()
        write_row(self._folder, self._log.fold.state())

    def _do_all(self) -> bool:
        """Do all that can be done now; return whether the run has ended."""
        self._look()
        while self._acts.do_next():
            pass
        return self._log.fold.ended is not None

    def _say_blocked(self, missing: list[str]) -> None:
        names = ", ".join(f"`{name}`" for name in missing)
        reason = (
            f"it waits for the value of {names}, which it needs and which is stored nowhere. Set it in the environment of a "
            f'notebook, and type there: attach_run("{self._folder.id}")'
        )
        if (reason if missing else "") != self._log.fold.blocked:
            self._log.write(journal.Blocked(reason=reason if missing else "", time=time.time()))

    def _find_tries(self) -> None:
        """See what the driver before this one has left: jobs are followed, ids without a job are dropped."""
        for job_id, node in list(self._log.fold.progress.live.items()):
            if self._tries.folder(job_id) is None:
                clear_unmade(self._tries.path(job_id))
                self._log.write(journal.TryDropped(step=node.path, job_id=job_id, time=time.time()))
            else:
                self._acts.count(job_id)
                self._follow(job_id)

    def _is_over(self, *, is_blocked: bool) -> bool:
        """Whether this process can do nothing more for the run."""
        if not self._folder.is_there:
            return True
        if not is_blocked:
            return False
        has_jobs = any(node.path not in self._acts.denied for node in self._log.fold.progress.live.values())
        is_waiting = self._acts.is_idle and not has_jobs and not self._folder.is_stop_wanted
        return is_waiting or self._folder.must_give_way

    def _look(self) -> None:
        """See what users ask for, and now and then how all jobs stand."""
        if self._folder.is_stop_wanted and not self._log.fold.is_stopping:
            self._log.write(journal.StopAsked(time=time.time()))
            self._acts.denied.clear()
        now = time.monotonic()
        if now - self._looked < LOOK:
            return
        self._looked = now
        for job_id, node in list(self._log.fold.progress.live.items()):
            if self._acts.is_submitted(node.path):
                self._follow(job_id)
                self._see_removed(job_id, node.path)

    def _see_removed(self, job_id: str, step: str) -> None:
        if is_removed(JobFolder(self._tries.path(job_id))):
            self._acts.end(job_id)
            reason = f"its job {job_id} was deleted"
            self._log.write(journal.OutputsWrong(step=step, job_id=job_id, reason=reason, time=time.time()))

    def _follow(self, job_id: str) -> None:
        """Have the job recorded to its end, and be told when it changes."""
        try:
            following = runtime().follow(JobFolder(self._tries.path(job_id)))
        except NotFoundError:  # seen by `_look`
            self._see(job_id)
        except PaiJupyterError as exc:
            self._say_damaged(job_id, exc)
        else:
            self._hear_of(job_id, following)

    def _say_damaged(self, job_id: str, error: PaiJupyterError) -> None:
        node = self._log.fold.progress.live.get(job_id)
        if node is not None:
            self._log.note(f"step `{node.path}` waits for its job {job_id}: {error}")

    def _hear_of(self, job_id: str, following: Following) -> None:
        if self._followed.get(job_id) is following:
            self._see(job_id)
            return
        self._followed[job_id] = following
        following.watch(lambda state: self._said.put((job_id, state)))
        self._hear(job_id, following.state)

    def _hear(self, job_id: str, state: JobState) -> None:
        """Take in what a follower says; how a job has ended is read from its folder, where more is known."""
        if state.status.is_terminal:
            self._see(job_id)
        else:
            self._log.fold.update_job(job_id, facts_of_running(state))

    def _see(self, job_id: str) -> None:
        facts = self._tries.changed(job_id)
        if facts is None:
            return
        if facts.status in _ENDS:
            self._acts.end(job_id)
            self._followed.pop(job_id, None)
        self._log.fold.update_job(job_id, facts)

    def _listen(self) -> None:
        """Wait until something is said, or for a moment; take in all that was."""
        try:
            said: Said | None = self._said.get(timeout=self._acts.postponed.wait(TICK))
        except queue.Empty:
            return
        while said is not None:
            if isinstance(said, tuple):
                self._hear(*said)
            elif job_id := self._acts.take(said):
                self._follow(job_id)
            said = None if self._said.empty() else self._said.get()
