"""Contents of the pushes about one job to one view: a snapshot, then changes. Blocking; `pushes.py` decides when to send.

Rule 1: a push has at most `PUSH_BYTES`. When more lines arrive than fit, only the last are sent; `count` is still exact.
Rule 2: a view that applies all pushes has the job's state. A push has the new events if they are few and lead to that state,
    else the whole state; so nothing here depends on how the folder is written.
Rule 3: an unfinished line is sent again when it has grown.
Rule 4: a log that cannot be read is sent as one line that says why; the rest of the view works on.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, cast

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Status, StoredEvent, event_to_json
from pai_jupyter.jobs import Job
from pai_jupyter.store import JobFolder
from pai_jupyter.wire.job_view.facts import failure_of, job_facts, job_labels
from pai_jupyter.wire.job_view.lines import last_lines, unreadable
from pai_jupyter.wire.job_view.merged import MergedLines, merged_of
from pai_jupyter.wire.protocol.jobs import ALL, replica_of
from pai_jupyter.wire.protocol.messages import encode, sendable
from pai_jupyter.wire.schema.limits import MOST_LINES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.job import (
        Failure,
        JobAnnotations,
        JobEvent,
        JobSnapshot,
        JobStanding,
        JobStateJson,
        LogTail,
        StateChange,
        StateNews,
        TailNews,
    )

PUSH_BYTES = 256 * 1024
EVENT_BYTES = 32 * 1024
SNAPSHOT_LINES = 200
_FRAME = 1_000  # bytes of a push that are not counted one by one
_END = 1 << 62  # an offset past all events


def snapshot(job: Job, replica: str | None = None) -> "JobSnapshot":
    """Return the job's current state: the fields of a `Snapshot` push except `kind`, `view`, `seq`.

    Raises:
        NotFoundError: the job has no such replica.
    """
    return JobEvents(job, replica_of(job, replica)).snapshot()


class JobEvents:
    """What was sent to one view of `job`, which shows the log of `replica`."""

    def __init__(self, job: Job, replica: str) -> None:
        self._job = job
        self._state = StateStory(job)
        self._log = LogStory(job, replica)
        self._labels: JobAnnotations | None = None  # as they were sent

    def snapshot(self, trouble: str = "") -> "JobSnapshot":
        """Return the whole state; `trouble` says why the job cannot be reached, if so."""
        facts, self._labels = job_facts(self._job), job_labels(self._job)
        told = self._state.whole(trouble)
        room = PUSH_BYTES - len(encode(sendable([facts, told])))
        return {"now": time.time(), "job": facts, **told, **self._log.whole(room)}

    def state_news(self, trouble: str = "", *, is_last: bool = False) -> "StateNews | None":
        """Return the next `state` push, or None if nothing is new; `is_last`: the log is complete now."""
        news, labels = self._state.news(trouble, is_last=is_last), self._current_labels()
        if labels != self._labels and labels is not None:
            self._labels = labels
            news = news or {"events": []}
            news["labels"] = labels
        return {"kind": "state", "now": time.time(), **news} if news else None

    def _current_labels(self) -> "JobAnnotations | None":
        """Return what the user says about the job; None if its folder is gone."""
        with suppress(PaiJupyterError):
            return job_labels(self._job)
        return None

    def tail_news(self) -> "TailNews | None":
        """Return the next `tail` push, or None if nothing is new."""
        news = self._log.news()
        return {"kind": "tail", "now": time.time(), **news} if news else None


class StateStory:
    """The job's state as one view knows it; its changes as events or as the whole state."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._state = JobState()  # as it was sent
        self._failure: Failure | None = None
        self._read = 0  # offset in the folder's events, in bytes

    def whole(self, trouble: str) -> "JobStanding":
        with suppress(PaiJupyterError):
            _, self._read = self._job.folder.events(_END)
        self._state = self._current_state(trouble)
        self._failure = self._current_failure(is_last=False)
        return {"state": _state_json(self._state), "failure": self._failure}

    def news(self, trouble: str, *, is_last: bool) -> "StateChange":
        """Return the changed fields of a `state` push; {} if nothing changed."""
        before, events = self._state, self._new_events()
        self._state = self._current_state(trouble)
        news = _difference(before, self._state, events)
        failure = self._current_failure(is_last=is_last)
        if failure and failure != self._failure:
            self._failure = failure
            news = news or {"events": []}
            news["failure"] = failure
        return news

    def _current_state(self, trouble: str) -> JobState:
        """Return the job's state: the last known one if its folder is gone, status `unknown` if it cannot be reached."""
        is_there = (self._job.folder.path / "state.json").exists()
        state = self._job.state if is_there else self._state
        return (
            replace(state, status=Status.UNKNOWN, reason=trouble) if trouble and not state.status.is_terminal else state
        )

    def _new_events(self) -> list[StoredEvent] | None:
        """Return the events since the last call; None if they are too many or cannot be read."""
        folder, start = self._job.folder, self._read
        try:
            _, self._read = folder.events(_END)
            if not 0 <= self._read - start <= EVENT_BYTES:
                return None
            events, self._read = folder.events(start)
        except PaiJupyterError:
            return None
        return events

    def _current_failure(self, *, is_last: bool) -> "Failure | None":
        """Return why the job failed, or None; looked up once, and again at the end, when the log is complete."""
        if self._state.status is not Status.FAILED:
            return None
        if self._failure and not is_last:
            return self._failure
        try:
            return failure_of(self._job)
        except PaiJupyterError as exc:  # the log cannot be read any more
            return {"cause": self._state.reason or str(exc), "hint": "", "line": None, "tail": []}


class LogStory:
    """The last lines of one replica's log, and the number of lines of each replica."""

    def __init__(self, job: Job, replica: str) -> None:
        self._folder = job.folder
        self._replica = replica
        self._job = job
        self._merged: MergedLines | None = None  # of all replicas
        self._merged_count = 0
        self._sizes: Mapping[str, int] = {}
        self._counts: dict[str, int] = {}
        self._finished = 0  # lines that were sent finished: they will not change

    def whole(self, room: int) -> "LogTail":
        self._sizes = log_sizes(self._folder)
        self._counts = {replica: _count(self._folder, replica) for replica in self._sizes}
        return self._window(SNAPSHOT_LINES, room=room, since=None)

    def news(self) -> "LogTail | None":
        sizes, before = log_sizes(self._folder), self._sizes
        if not sizes or (sizes == before and not self._has_merged_more()):  # no logs: the job's folder is gone
            return None
        self._sizes = sizes
        for replica in sizes:
            if sizes[replica] != before.get(replica):
                self._counts[replica] = _count(self._folder, replica)
        is_watched = self._replica == ALL or sizes.get(self._replica) != before.get(self._replica)
        return self._window(MOST_LINES if is_watched else 0, room=PUSH_BYTES, since=self._finished)

    def _window(self, lines: int, *, room: int, since: int | None) -> "LogTail":
        budget = room - len(encode(self._counts)) - _FRAME
        try:
            if self._replica == ALL:
                self._merged = merged_of(self._job)  # kept, so that the lines keep their numbers
                window = self._merged.last_lines(lines=lines, budget=budget, since=since)
                self._merged_count = window.count
            else:
                window = last_lines(self._folder.log(self._replica), lines=lines, budget=budget, since=since)
        except PaiJupyterError as exc:
            window = unreadable(self._replica, str(exc))
        if lines:
            self._finished = window.finished
        self._counts[self._replica] = window.count
        return {"counts": dict(self._counts), "tail": window.body()}

    def _has_merged_more(self) -> bool:
        """Return whether the log of all has lines that were not sent: at the job's end also those without a newline."""
        return self._merged is not None and merged_of(self._job).count != self._merged_count


def _count(folder: JobFolder, replica: str) -> int:
    """Return the number of lines; 0 if the log cannot be read."""
    try:
        return folder.log(replica).count()
    except PaiJupyterError:
        return 0


def log_sizes(folder: JobFolder) -> dict[str, int]:
    """Return the size of each replica's log in bytes: a cheap check for new lines."""
    sizes = {}
    for replica in folder.replicas():
        with suppress(OSError):
            sizes[replica] = folder.log(replica).path.stat().st_size
    return sizes


def _difference(before: JobState, after: JobState, events: list[StoredEvent] | None) -> "StateChange":
    """Return the update that turns `before` into `after`: the events, else the state; {} if none."""
    if events is None or not _are_equal(reduce(JobState.apply, events, before), after):
        return {} if _are_equal(before, after) else {"state": _state_json(after)}
    told = [cast("JobEvent", event_to_json(event)) for event in events]
    return {"events": told} if told else {}


def _state_json(state: JobState) -> "JobStateJson":
    """Return the state as JSON; the cast is needed because `events` does not know the wire's types."""
    return cast("JobStateJson", state.to_json())


def _are_equal(one: JobState, other: JobState) -> bool:
    return one == other or one.to_json() == other.to_json()  # nan is not equal to itself
