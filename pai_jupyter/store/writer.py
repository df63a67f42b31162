"""The only writer of a job folder: records every event exactly once, even if it is killed.

Between two commits the files are ahead of state.json; a commit writes their valid lengths to it. A new writer truncates them to
these lengths, and the backend's `follow` continues at its `snapshot.positions`.

Rule 1: a commit writes log, index, events.jsonl, and state.json last, each durable before the next refers to it.
Rule 2: a call that raises LimitExceededError (the disk is full) has changed nothing and can be repeated.
Rule 3: a repeated event is dropped: on resuming, a backend may report again that the job is running.
Rule 4: metrics and progress are parsed from the log here, and the parser's state is part of a commit; so is that of the alerts.
Rule 5: a metric beyond the names that the state holds is dropped, and a notice says so once.
"""

import re
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.events import (
    Event,
    JobState,
    LogChunk,
    Metric,
    Notice,
    StatusChanged,
    StoredEvent,
    Usage,
    event_to_json,
    for_terminal,
)
from pai_jupyter.events.alerts import STALL_AFTER, AlertWatch
from pai_jupyter.events.state import MAX_METRICS
from pai_jupyter.spec import JobSpec
from pai_jupyter.store.disk import AppendFile, replace_file, to_bytes, translated
from pai_jupyter.store.replica import ReplicaWriter, log_path, replicas
from pai_jupyter.store.snapshot import Checkpoint, Snapshot

if TYPE_CHECKING:
    from pai_jupyter.events.metrics import MetricParser

MAX_WAITING = 1024 * 1024  # bytes of uncommitted events
MAX_NAME = 100  # characters of a metric that is left out
_LEFT_OUT = re.compile(r"Only the first \d+ metrics of a job are kept; .*", re.DOTALL)


class JobWriter:
    """The writer, created by `JobFolder.writer` for the holder of the lock. The caller decides how often to commit.

    A commit costs at most two disk syncs (measured: 0.7 ms), plus one per copied log of a replica.
    """

    def __init__(
        self,
        folder: Path,
        checkpoint: Checkpoint,
        *,
        spec: JobSpec,
        log_home: str,
        stall_after: float = STALL_AFTER,
    ) -> None:
        self._folder = folder
        self._log_home = log_home
        self._committed = checkpoint
        self._ref = checkpoint.snapshot.ref
        self._state = checkpoint.snapshot.state
        self._parser = _resume_parser(spec, checkpoint)
        self._alerts = AlertWatch.from_json(checkpoint.alerts, stall_after=stall_after)
        self._replicas: dict[str, ReplicaWriter] = {}
        self._is_closed = False
        self._waiting = bytearray()  # event lines not yet in the file
        with ExitStack() as opened:
            self._opened = opened
            self._events = AppendFile(folder / "events.jsonl")
            opened.callback(self._events.close)
            self._events.cut(checkpoint.events)
            for replica in {*checkpoint.snapshot.positions, *replicas(folder)}:
                self._replica(replica)
            self._opened = opened.pop_all()

    @property
    def snapshot(self) -> Snapshot:
        """The job with everything recorded so far, also uncommitted."""
        positions = {name: replica.cursor for name, replica in self._replicas.items() if replica.cursor}
        return Snapshot(ref=self._ref, state=self._state, positions=positions)

    def record(self, event: Event) -> list[StoredEvent]:
        """Record one event; return the resulting stored events: itself, or the metrics of a log chunk.

        Raises:
            LimitExceededError: the disk is full; nothing was recorded.
            ProtocolError: log bytes before this chunk are missing.
        """
        if len(self._waiting) > MAX_WAITING:
            self._write_events()
        match event:
            case LogChunk():
                data = self._replica(event.replica).take(event)
                if data:
                    self._alerts.see(event)
                return self._store(self._parser.feed(event.replica, data, event.time) if data else [])
            case StatusChanged() if event.status.is_terminal:
                return self._store([*self._unfinished_lines(event.time), event])
            case _:
                return self._store([event])

    def record_alerts(self, now: float, *, is_reached: bool) -> None:
        """Record what the user must hear of (`events.alerts`); raises as `record` does, and may then be called again."""
        if len(self._waiting) > MAX_WAITING:
            self._write_events()
        self._store(self._alerts.due(now, self._state.status, is_reached=is_reached))

    def commit(self) -> None:
        """Commit everything recorded so far.

        Raises:
            LimitExceededError: the disk is full; commit again when there is space.
        """
        for replica in self._replicas.values():
            replica.flush()
        self._write_events()
        self._events.sync()
        snapshot = self.snapshot
        checkpoint = Checkpoint(
            snapshot=snapshot,
            logs={name: self._replicas[name].length for name in snapshot.positions},
            events=self._events.length,
            parser=self._parser.state,
            alerts=self._alerts.to_json(),
        )
        if checkpoint != self._committed:
            path = self._folder / "state.json"
            with translated(path):
                replace_file(path, to_bytes(checkpoint.to_json()))
            self._committed = checkpoint

    def close(self) -> None:
        """Commit, then close the files even if that fails. Closing twice is allowed."""
        if not self._is_closed:
            self._is_closed = True
            with self._opened:
                self.commit()

    def _replica(self, name: str) -> ReplicaWriter:
        if name not in self._replicas:
            writer = ReplicaWriter(
                log_path(self._folder, name),
                cursor=self._committed.snapshot.positions.get(name, 0),
                length=self._committed.logs.get(name, 0),
                log_home=self._log_home,
            )
            self._opened.callback(writer.close)
            self._replicas[name] = writer
        return self._replicas[name]

    def _store(self, events: Iterable[StoredEvent]) -> list[StoredEvent]:
        return [stored for event in events for stored in self._kept(event)]

    def _kept(self, event: StoredEvent) -> list[StoredEvent]:
        if self._is_news(event):
            return [event]
        notice = _left_out(event, self._state)
        return [notice] if notice is not None and self._is_news(notice) else []

    def _is_news(self, event: StoredEvent) -> bool:
        """Fold `event` into the state; return whether it is new."""
        before, self._state = self._state, self._state.apply(event)
        if not _differs(event, before, self._state):
            self._state = before
            return False
        self._waiting += to_bytes(event_to_json(event)) + b"\n"
        self._alerts.see(event)
        return True

    def _write_events(self) -> None:
        self._events.append(bytes(self._waiting))
        self._waiting.clear()

    def _unfinished_lines(self, time: float) -> list[StoredEvent]:
        """Parse the last line of each replica, which no newline ended."""
        return [event for name in self._replicas for event in self._parser.flush(name, time)]


def _differs(event: StoredEvent, before: JobState, after: JobState) -> bool:
    match event:
        case Metric():  # every value of every replica counts, but of names beyond the limit
            return event.name in after.metrics
        case Notice():
            return event not in before.notices
        case Usage(cpu=cpu) if cpu is not None and event.replica in before.usage:
            return event.time > before.usage[event.replica].time  # on resuming, a backend repeats all samples in order
        case _:
            return after != before


def _left_out(event: StoredEvent, state: JobState) -> Notice | None:
    """Return the notice that this metric has one name too many; None if it has not, or if the job has been told."""
    if not isinstance(event, Metric) or event.name in state.metrics:
        return None
    if any(_LEFT_OUT.fullmatch(notice.text) for notice in state.notices):
        return None
    name = for_terminal(event.name[:MAX_NAME])
    text = f"Only the first {MAX_METRICS} metrics of a job are kept; others are left out, the first of them `{name}`."
    return Notice(text=text, time=event.time, level="warning")


def _resume_parser(spec: JobSpec, checkpoint: Checkpoint) -> "MetricParser":
    from pai_jupyter.events.metrics import MetricParser  # 20 ms: imported only to follow a job

    epochs = _total_epochs(spec)
    try:
        return MetricParser(spec.metric_definitions, total_epochs=epochs, state=checkpoint.parser)
    except (KeyError, TypeError, ValueError, AttributeError):  # state of another version: one unfinished line is lost
        spent = {"definitions": (checkpoint.parser or {}).get("definitions")}
        return MetricParser(spec.metric_definitions, total_epochs=epochs, state=spent)


def _total_epochs(spec: JobSpec) -> float | None:
    """Return the number of epochs from the job's hyperparameters, by the usual names."""
    value = spec.hyperparameters.get("epochs")
    try:
        return float(value) if isinstance(value, int | float | str) and float(value) > 0 else None
    except (ValueError, OverflowError):
        return None
