"""Does what `next_acts` says: writes it down, begins what may block in a thread, and takes in what comes of it.

Rule 1: a step has one act in work at a time. A try is journalled before its job is prepared; a prepared job whose place is full is held.
Rule 2: what cannot be done now (`Postponed`) is offered again by `next_acts`; a try that was no job yet gets another id then.
Rule 3: an act always has an outcome, whatever it raises: without one its step would be at work for ever.
"""

import logging
import queue
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import assert_never

from pai_jupyter.backends import get_backend
from pai_jupyter.backends.local.parallel import largest_limit
from pai_jupyter.errors import PaiJupyterError, cause_of
from pai_jupyter.jobs.submission import fresh_id
from pai_jupyter.runs import journal, work
from pai_jupyter.runs.acts import Act, CollectOutputs, DecideCondition, DropTry, EndRun, ExpandLoop, StartTry, StopJob
from pai_jupyter.runs.next_acts import next_acts
from pai_jupyter.runs.outcomes import (
    Collected,
    Considered,
    Denied,
    Ended,
    Outcome,
    Postponed,
    Prepared,
    Refused,
    Said,
    Submitted,
)
from pai_jupyter.runs.places import PlaceLimits
from pai_jupyter.runs.plan import JobBody
from pai_jupyter.runs.postponed import Postponements
from pai_jupyter.runs.reuse import Reuse
from pai_jupyter.runs.run_folder import RunFolder
from pai_jupyter.runs.run_log import RunLog
from pai_jupyter.runs.try_facts import TryReader

THREADS = 8
STOP_AGAIN = 30.0  # seconds until a job that has not stopped yet is told so again
_log = logging.getLogger(__name__)


class ActRunner:
    """The acts of one run. Outcomes come into the queue `said`; the driver gives them to `take`."""

    def __init__(self, folder: RunFolder, log: RunLog, tries: TryReader, said: queue.SimpleQueue[Said]) -> None:
        self.postponed = Postponements()
        self.may_start = True
        self.denied: set[str] = set()  # steps that go on with another key
        self._folder = folder
        self._log = log
        self._tries = tries
        self._said = said
        self._places = PlaceLimits(folder.record.plan.parallel, queue=largest_limit())
        self._reuse = Reuse(folder)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="act")
        self._at_work: set[str] = set()  # steps
        self._held: dict[str, Prepared] = {}  # by step
        self._considered: set[str] = set()  # steps for which an earlier result was looked for
        self._stopped: dict[str, float] = {}  # when a job was told to stop, by id

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def is_idle(self) -> bool:
        return not self._at_work

    def is_submitted(self, step: str) -> bool:
        """Whether the step's job is expected to have a folder."""
        return step not in self._at_work and step not in self._held

    def count(self, job_id: str) -> None:
        """Count a job that is there already."""
        folder = self._tries.folder(job_id)
        if folder is not None:
            with suppress(PaiJupyterError):  # its record is damaged: the driver says so when it follows the job
                self._places.note(job_id, is_remote=not get_backend(folder.record.backend).info.is_local)

    def end(self, job_id: str) -> None:
        """Give the place of a job to others."""
        self._places.end(job_id)

    def do_next(self) -> bool:
        """Do what is to be done; return whether that may have made more."""
        entries: list[journal.Entry] = []
        begun: list[tuple[str, Callable[[], Outcome]]] = []
        full: set[tuple[str, str]] = set()  # hundreds of steps may wait for the same room
        for act in next_acts(self._log.fold):
            if isinstance(act, EndRun):
                entries += [_entry_of(act)] if self.is_idle else []
            elif isinstance(act, StartTry) and (act.body.code in full or not self._may_begin(act.body, full)):
                continue
            elif not self._waits(act.step):
                self._do(act, entries, begun)
        if entries:
            self._log.write(*entries)
        for step, action in begun:
            self._begin(step, action)
        self._submit_held()
        return bool(entries)

    def _waits(self, step: str) -> bool:
        """Return whether a step is at work, or waits for something else than room."""
        return step in self._at_work or step in self.denied or self.postponed.waits(step)

    def _may_begin(self, body: JobBody, full: set[tuple[str, str]]) -> bool:
        """Return whether a job of the body has room; note in `full` the code of one that has none."""
        may_begin = self.may_start and self._places.has_room(body)
        if not may_begin:
            full.add(body.code)
        return may_begin

    def _do(self, act: Act, entries: list[journal.Entry], begun: list[tuple[str, Callable[[], Outcome]]]) -> None:
        match act:
            case DecideCondition() | ExpandLoop() | EndRun():
                entries.append(_entry_of(act))
            case StartTry():
                self._start(act, entries, begun)
            case CollectOutputs():
                begun.append((act.step, partial(work.collect, self._folder, act)))
            case StopJob():
                self._stop(act, entries, begun)
            case DropTry():
                folder = self._tries.folder(act.job_id)
                begun.append((act.step, partial(work.end, act.step, folder, act.job_id, is_lost=True)))
            case _:
                assert_never(act)

    def _start(
        self, act: StartTry, entries: list[journal.Entry], begun: list[tuple[str, Callable[[], Outcome]]]
    ) -> None:
        if act.step not in self._considered and self._reuse.is_wanted(act):
            self._considered.add(act.step)
            begun.append((act.step, partial(self._reuse.find, act)))
            return
        job_id, now = self._new_id(), time.time()
        self._places.begin(job_id, act.body)
        entries.append(
            journal.TryBegun(step=act.step, job_id=job_id, parameters=act.parameters, artifacts=act.artifacts, time=now)
        )
        begun.append((act.step, partial(work.prepare, self._folder, act, job_id)))

    def _new_id(self) -> str:
        job_id = fresh_id()
        while job_id in self._log.fold.progress.tries or self._places.has(job_id):
            job_id = fresh_id()
        return job_id

    def _stop(self, act: StopJob, entries: list[journal.Entry], begun: list[tuple[str, Callable[[], Outcome]]]) -> None:
        folder = self._tries.folder(act.job_id)
        if self._held.pop(act.step, None) is not None or folder is None:
            self._places.end(act.job_id)
            entries.append(journal.TryDropped(step=act.step, job_id=act.job_id, time=time.time()))
        elif time.monotonic() - self._stopped.get(act.job_id, -STOP_AGAIN) >= STOP_AGAIN:
            self._stopped[act.job_id] = time.monotonic()
            begun.append((act.step, partial(work.end, act.step, folder, act.job_id, is_lost=False)))

    def _begin(self, step: str, action: Callable[[], Outcome]) -> None:
        self._at_work.add(step)
        self._threads.submit(lambda: self._said.put(_outcome_of(step, action)))

    def _submit_held(self) -> None:
        for step, prepared in list(self._held.items()):
            body = self._body_of(prepared.job_id)
            if body is None:
                self._drop_held(step)
            elif self._places.learn(prepared.job_id, body, is_remote=prepared.request.is_remote):
                del self._held[step]
                self._begin(step, partial(work.submit, self._folder, prepared))

    def _drop_held(self, step: str) -> None:
        self._places.end(self._held.pop(step).job_id)

    def _body_of(self, job_id: str) -> JobBody | None:
        node = self._log.fold.progress.live.get(job_id)
        return node.step.body if node is not None and isinstance(node.step.body, JobBody) else None

    def take(self, said: Outcome) -> str | None:
        """Take in what came of an act; return the id of a job that there is now."""
        self._at_work.discard(said.step)
        now = time.time()
        match said:
            case Prepared():
                self._held[said.step] = said
            case Submitted():
                self.postponed.clear(said.step)
                self._log.note(*said.notes)
                return said.job_id
            case Refused():
                self._places.end(said.job_id)
                self._log.write(journal.TryRefused(step=said.step, job_id=said.job_id, reason=said.reason, time=now))
            case Postponed():
                self._postpone(said)
            case Denied():
                self._deny(said)
            case Collected():
                self._collect(said)
            case Ended():
                if said.is_lost or said.is_gone:
                    self._places.end(said.job_id)
                    self._log.write(journal.TryDropped(step=said.step, job_id=said.job_id, time=now))
            case Considered():
                self._log.note(*filter(None, [said.note]))
                if said.result is not None:
                    self._log.write(said.result)
            case _:
                assert_never(said)
        return None

    def _collect(self, said: Collected) -> None:
        now, outputs = time.time(), said.outputs
        if outputs is None:
            self._log.write(journal.OutputsWrong(step=said.step, job_id=said.job_id, reason=said.reason, time=now))
            return
        entry = journal.OutputsRead(
            step=said.step, job_id=said.job_id, parameters=outputs.parameters, artifacts=outputs.artifacts, time=now
        )
        self._log.write(entry)
        node, one = self._log.fold.progress.tries[said.job_id]
        if isinstance(node.step.body, JobBody):
            self._reuse.remember(node.step.body, one.begun, entry)

    def _deny(self, said: Denied) -> None:
        """Begin nothing more until somebody tries with another key; a run that is being stopped waits for nobody."""
        if self._log.fold.progress.is_halted:
            if said.has_job:
                self.take(Collected(step=said.step, job_id=said.job_id, reason=said.reason))
            else:
                self.take(Refused(step=said.step, job_id=said.job_id, reason=said.reason))
            return
        now = time.time()
        self.may_start = False
        self.denied.add(said.step)
        if not said.has_job:
            self._places.end(said.job_id)
            self._log.write(journal.TryDropped(step=said.step, job_id=said.job_id, time=now))
        if not self._log.fold.blocked:
            reason = (
                f"step `{said.step}` waits for an access key that its service takes: {said.reason} Then type in a notebook that has it: "
                f'attach_run("{self._folder.id}")'
            )
            self._log.write(journal.Blocked(reason=reason, step=said.step, time=now))

    def _postpone(self, said: Postponed) -> None:
        if self.postponed.add(said.step) and said.job_id:
            self.take(Refused(step=said.step, job_id=said.job_id, reason=said.reason))
            return
        self._log.note(f"step `{said.step}` waits: {said.reason} It is tried again.")
        if said.job_id:
            self._places.end(said.job_id)
            self._log.write(journal.TryDropped(step=said.step, job_id=said.job_id, time=time.time()))


def _outcome_of(step: str, action: Callable[[], Outcome]) -> Outcome:
    try:
        return action()
    except Exception as exc:  # noqa: BLE001  the end of the thread's work
        _log.error("step %s: %s", step, cause_of(exc), exc_info=exc)
        return Postponed(step=step, reason=f"{cause_of(exc)}.")


def _entry_of(act: DecideCondition | ExpandLoop | EndRun) -> journal.Entry:
    now = time.time()
    match act:
        case DecideCondition():
            return journal.ConditionDecided(
                step=act.step, is_met=act.is_met, values=act.values, reason=act.reason, time=now
            )
        case ExpandLoop():
            return journal.LoopExpanded(step=act.step, items=act.items, reason=act.reason, time=now)
        case EndRun():
            return journal.RunEnded(
                status=act.status, reason=act.reason, parameters=act.parameters, artifacts=act.artifacts, time=now
            )
        case _:
            assert_never(act)
