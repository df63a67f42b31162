"""Do what is due for one recipient: look at the jobs, send, try again with growing pauses, forget what is done.

Rule 1: `step` does what can be done now, and says when to call it again. Clocks come in as arguments.
Rule 2: messages of one job go in order. Of several jobs that with the fewest tries comes first, so that a message which is never
    taken does not hold up others for long.
Rule 3: a failed try makes its destination rest, for all messages that go there; those that go elsewhere do not wait for it. A message
    is given up a time after its first try (`give_up`).
Rule 4: an outbox that somebody has deleted is forgotten, with what was due.
"""

import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pai_jupyter.delivery.notes import NOTE_AFTER, note_of
from pai_jupyter.delivery.outbox import Outbox, OutboxEntry, create_outbox, open_jobs
from pai_jupyter.delivery.recipient import JobNews, Recipient, Result, SendOutcome
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import Notice, StoredEvent, event_from_json
from pai_jupyter.store import JobFolder

LOOK_PAUSE = 2.0  # seconds between two looks at the jobs that run
IDLE_PAUSE = 5.0  # seconds between two looks for new jobs while nothing but tries is to be done
FOLLOW_PAUSE = 5.0  # seconds between two looks whether a job is followed
SUBMITTED_WITHIN = 10.0  # seconds in which a submitter locks the folder of a job that it has made
FIRST_PAUSE, MAX_PAUSE = 2.0, 600.0  # seconds between two tries
_WINDOW = 1024 * 1024  # bytes of events that are read at once
_MOST = 20_000  # events that a recipient is told of at once


@dataclass(kw_only=True)
class _OpenJob:
    """A job with an outbox."""

    outbox: Outbox
    folder: JobFolder
    mark: tuple[int, ...] | None = None
    has_ended: bool = False  # and all that is due of it is in its outbox
    has_more: bool = False  # that can be read at once
    follow_at: float = 0.0
    trouble: str = ""  # why it could not be looked at, as it was told last


@dataclass
class _Rest:
    """A destination that is left alone until `until`, after so many failures in a row."""

    until: float = 0.0
    failures: int = 0


class Deliverer:
    """The messages of all jobs for one recipient. Only the holder of the delivery's lock may have one."""

    def __init__(
        self,
        home: Path,
        recipient: Recipient,
        *,
        follow: Callable[[JobFolder], object],
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._recipient = recipient
        self._follow = follow
        self._now = now
        self._clock = clock
        self._jobs: dict[str, _OpenJob] = {}
        self._rests: dict[str, _Rest] = defaultdict(_Rest)  # by destination, which may be a secret

    def close(self) -> None:
        for job in self._jobs.values():
            job.outbox.close()
        self._jobs.clear()

    def step(self) -> float | None:
        """Do what is due; return the seconds until there may be more, or None if nothing is left that this process can do."""
        self._open_new()
        for job in list(self._jobs.values()):
            self._look(job)
        self._send_next()
        for job in list(self._jobs.values()):
            self._finish(job)
        destinations = self._destinations()
        return self._pause(destinations) if destinations else None

    def _destinations(self) -> list[tuple[_OpenJob, _Rest]]:
        """Return the jobs whose messages this process can send, each with the rest of where they go."""
        found = [(job, self._recipient.destination(job.outbox.wanted)) for job in self._jobs.values()]
        return [(job, self._rests[destination]) for job, destination in found if destination]

    def _pause(self, destinations: list[tuple[_OpenJob, _Rest]]) -> float:
        if any(job.has_more for job in self._jobs.values()):
            return 0.0
        runs = any(not job.has_ended for job in self._jobs.values())
        longest = LOOK_PAUSE if runs else IDLE_PAUSE
        soonest = min((rest.until for job, rest in destinations if job.outbox.unsent), default=math.inf)
        return min(longest, max(0.0, soonest - self._clock()))

    def _open_new(self) -> None:
        """Open the outboxes that are new; forget those that somebody has deleted."""
        there = open_jobs(self._home, self._recipient.name)
        for job_id in self._jobs.keys() - set(there):
            self._jobs.pop(job_id).outbox.close()
        for job_id in there:
            if job_id not in self._jobs:
                try:
                    outbox = Outbox(self._home, self._recipient.name, job_id)
                    outbox.open()
                except NotFoundError:
                    continue
                except PaiJupyterError as exc:
                    sys.stderr.write(f"{exc}\n")
                    continue
                self._jobs[job_id] = _OpenJob(outbox=outbox, folder=JobFolder(self._home / "jobs" / job_id))
                self._settle_begun(outbox)

    def _settle_begun(self, outbox: Outbox) -> None:
        """Decide about what an earlier process was sending when it was killed."""
        for entry in outbox.unsent:
            if entry.state == "begun":
                self._record(outbox, entry, SendOutcome(result="unknown", why="the process that sent it was killed"))

    def _look(self, job: _OpenJob) -> None:
        """Write down what has become due of a job, and follow it if nobody does."""
        try:
            mark = self._mark(job)
            if mark and mark != job.mark:
                job.mark = mark if self._read(job) else None
            if not job.has_ended:
                self._see_to_follower(job)
        except NotFoundError:
            if (
                not job.has_ended
            ):  # it was deleted, or never submitted; what is due of one that has ended is in the outbox
                self._drop(job)
        except PaiJupyterError as exc:
            self._put_off(job, str(exc))

    def _put_off(self, job: _OpenJob, why: str) -> None:
        """Look at a job again later: a full disk passes. Forget it when what is due of it would be given up: damage does not."""
        job.mark = None
        if why != job.trouble:
            sys.stderr.write(f"job {job.folder.id}: {why}\n")
            job.trouble = why
        if self._now() - job.outbox.created > self._recipient.give_up:
            self._drop(job)

    def _mark(self, job: _OpenJob) -> tuple[int, ...]:
        """Return what changes when there may be news; () while the job is being submitted.

        Raises:
            NotFoundError: the job was deleted, or never submitted.
        """
        _ = job.folder.record
        mark = job.folder.mark()
        if not mark and job.has_ended:
            raise NotFoundError(f"job {job.folder.id} was deleted")
        return (*mark, *self._recipient.mark(job.folder)) if mark else ()

    def _read(self, job: _OpenJob) -> bool:
        """Write down what the job's news make due; return whether they are taken whole."""
        outbox, state = job.outbox, job.folder.read().state
        events, ends, end, is_whole = self._events(job)
        news = JobNews(
            folder=job.folder,
            wanted=outbox.wanted,
            state=state,
            has_ended=state.status.is_terminal and is_whole,
            events=events,
            ends=ends,
            start=outbox.read,
            end=end,
            created=outbox.created,
            now=self._now(),
            last={name: entry.message for name, entry in outbox.entries.items()},
        )
        due = self._recipient.due(news)
        outbox.add(due.messages, due.read)
        job.has_more = not is_whole
        job.has_ended = news.has_ended and not due.waits
        return is_whole and not due.waits

    def _events(self, job: _OpenJob) -> tuple[list[StoredEvent], list[int], int, bool]:
        """Return the new events of the kinds that the recipient wants, the byte behind each, how far was read, and whether that is all."""
        starts = tuple(f'{{"kind":"{kind}"'.encode() for kind in self._recipient.kinds)
        found: list[StoredEvent] = []
        ends: list[int] = []
        read = job.outbox.read
        while len(found) < _MOST:
            lines, end = job.folder.event_lines(read, limit=_WINDOW)
            at = read
            for line in lines:
                at += len(line) + 1
                if line.startswith(starts):
                    with suppress(ValueError, RecursionError):
                        event = event_from_json(json.loads(line))
                        if event is not None:
                            found.append(event)
                            ends.append(at)
            if end == read or not lines:
                return found, ends, end, True
            read = end
        return found, ends, read, False

    def _see_to_follower(self, job: _OpenJob) -> None:
        now = self._clock()
        is_new = not job.folder.mark() and self._now() - job.outbox.created < SUBMITTED_WITHIN
        if now < job.follow_at or is_new:
            return
        job.follow_at = now + FOLLOW_PAUSE
        lock = job.folder.try_lock()
        if lock is not None:
            with lock:
                pass
            self._follow(job.folder)

    def _send_next(self) -> None:
        """Send one message to a destination that does not rest."""
        awake = [it for it in self._destinations() if it[1].until <= self._clock()]
        firsts = [(job, job.outbox.unsent[0], rest) for job, rest in awake if job.outbox.unsent]
        if firsts:
            self._send(*min(firsts, key=lambda it: (it[1].tries, it[1].message.time)))

    def _send(self, job: _OpenJob, entry: OutboxEntry, rest: _Rest) -> None:
        message, outbox = entry.message, job.outbox
        outcome = self._recipient.send(
            job.folder,
            message,
            outbox.wanted,
            is_again=entry.tries > 0,
            begins=lambda: outbox.begin(message.id, self._now()),
        )
        self._record(outbox, entry, outcome)
        if outcome.result in ("later", "unknown"):
            rest.failures += 1
            pause = min(FIRST_PAUSE * 2 ** min(rest.failures - 1, 20), MAX_PAUSE)
            rest.until = self._clock() + max(pause, outcome.pause)
        else:
            rest.failures = 0
            rest.until = self._clock() + self._recipient.least_pause

    def _record(self, outbox: Outbox, entry: OutboxEntry, outcome: SendOutcome) -> None:
        """Write down what came of a try."""
        result, now = outcome.result, self._now()
        if result == "unknown" and self._recipient.takes_again(outbox.wanted):
            result = "later"
        if result == "later" and entry.failed and now - entry.failed > self._recipient.give_up:
            result = "refused"
            self._give_up_as_old(outbox, entry, outcome.why)
        outbox.end(entry.message.id, result, now, outcome.why)

    def _give_up_as_old(self, outbox: Outbox, entry: OutboxEntry, why: str) -> None:
        """Give up what has waited behind a message for as long, or each would be tried for that time anew."""
        for other in outbox.unsent:
            if other is not entry and self._now() - other.message.time > self._recipient.give_up:
                outbox.end(other.message.id, "refused", self._now(), why)

    def _finish(self, job: _OpenJob) -> None:
        """Tell the job what could not be delivered, and forget it if nothing is left."""
        is_told = all(self._tell(job, entry) for entry in job.outbox.entries.values())
        if job.has_ended and is_told and not job.outbox.unsent:
            self._drop(job)
            more = self._recipient.closes(job.folder, job.outbox.wanted, job.outbox.entries.keys())
            if more is not None:
                with suppress(PaiJupyterError):
                    create_outbox(self._home, self._recipient.name, job.folder.id, more, self._now())

    def _tell(self, job: _OpenJob, entry: OutboxEntry) -> bool:
        """Have the job's notices say what became of a message; return whether nothing remains to be told."""
        is_late = entry.state == "later" and self._now() - entry.failed >= NOTE_AFTER
        is_told_of = entry.state in ("refused", "unknown") or (entry.state == "sent" and entry.why)
        if entry.noted == entry.state or not (is_late or is_told_of):
            return True
        noted: set[tuple[str, Result]] = {
            (it.message.id, it.noted)
            for it in job.outbox.entries.values()
            if it.noted in ("later", "refused", "unknown")
        }
        result = cast(Result, entry.state)  # it was tried
        text = self._recipient.note(entry.message, result, entry.why, job.outbox.wanted, noted=noted)
        if not text or note_of(job.folder, Notice(text=text, time=self._now(), level="warning")):
            job.outbox.note(entry.message.id)
            return True
        return False

    def _drop(self, job: _OpenJob) -> None:
        with suppress(PaiJupyterError):
            job.outbox.delete()
        self._jobs.pop(job.outbox.job_id, None)
