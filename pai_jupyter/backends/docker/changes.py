"""Tell how each replica of a job stands, and who ended because of the others.

The engine says when a container began and ended, and with what code; run/replicas, which the scripts write (`peers`), what the
engine does not know: the attempts in between, and why a script ended. What is told depends on these records alone, so a second
follower tells the same, and the fold of the job's events ignores it.
Rule: a job may have written the file. An attempt that it cannot have had is passed over, and no line changes how the job ended.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pai_jupyter.backends.docker import peers
from pai_jupyter.backends.docker.containers import ContainerState
from pai_jupyter.backends.docker.deployment import Deployment
from pai_jupyter.backends.docker.outcome import ReplicaExit, Verdict
from pai_jupyter.backends.local.replica_history import HISTORY, LineReader, changes_in
from pai_jupyter.events import ReplicaChanged, Status

_ENDS = frozenset({peers.SUCCEEDED, peers.FAILED, peers.TERMINATED, peers.STOPPED})


class PeerNotes:
    """What the scripts have written; `ends` is the end of each replica in its own word."""

    def __init__(self, job: Deployment) -> None:
        self.ends: dict[str, str] = {}
        self._job = job
        self._reader = LineReader(job.run / HISTORY)

    def read(self) -> Iterator[ReplicaChanged]:
        """Read on; yield the attempts."""
        for line in self._reader.read():
            match line.split():
                case [name, word] if name in self._job.images and word in _ENDS:
                    self.ends.setdefault(name, word)
                case _:
                    yield from filter(self._is_attempt, changes_in(line))

    def _is_attempt(self, change: ReplicaChanged) -> bool:
        """Return whether it is the failure of an attempt before the last, or the start of one after the first."""
        is_start = change.status is Status.RUNNING
        is_known = is_start or change.status is Status.FAILED
        return (
            is_known
            and change.replica in self._job.images
            and is_start <= change.attempt < self._job.restarts + is_start
        )


def dismissed(job: Deployment) -> set[str]:
    """Return the replicas that ended because of the others, as their scripts say."""
    history = PeerNotes(job)
    for _ in history.read():
        pass
    return {name for name, word in history.ends.items() if word == peers.STOPPED}


class ReplicaChanges:
    """Yields each start and end of a replica once."""

    def __init__(self, job: Deployment) -> None:
        self._history = PeerNotes(job)
        self._last: dict[str, ReplicaChanged] = {}
        self._ended: set[str] = set()

    def read(
        self, states: Mapping[str, ContainerState], decision: Verdict | None, *, is_stopped: bool
    ) -> Iterator[ReplicaChanged]:
        """Yield what is new; `decision`: the job's outcome so far, `is_stopped`: a stop was requested."""
        for name, state in states.items():
            if state.started is not None and name not in self._last:
                yield self._note(ReplicaChanged(replica=name, status=Status.RUNNING, time=state.started))
        for change in self._history.read():
            if self._is_next(change):
                yield self._note(change)
        for name, state in states.items():
            if state.exit is not None and name not in self._ended and _has_begun(state.exit):
                self._ended.add(name)
                status = self._end(name, state.exit, decision, is_stopped=is_stopped)
                yield self._note(
                    ReplicaChanged(
                        replica=name,
                        status=status,
                        time=time.time() if state.exit.ended is None else state.exit.ended,
                        exit_code=state.exit.code,
                        attempt=self._last[name].attempt if name in self._last else 0,
                    )
                )

    def _note(self, change: ReplicaChanged) -> ReplicaChanged:
        """Store the change; a script's clock has whole seconds, or none."""
        last = self._last.get(change.replica)
        self._last[change.replica] = replace(change, time=max(change.time, last.time)) if last else change
        return self._last[change.replica]

    def _is_next(self, change: ReplicaChanged) -> bool:
        last = self._last.get(change.replica)
        if last is None:
            return False
        if change.status is Status.RUNNING:
            return change.attempt == last.attempt + 1
        return change.attempt == last.attempt and last.status is Status.RUNNING

    def _end(self, name: str, item: ReplicaExit, decision: Verdict | None, *, is_stopped: bool) -> Status:
        word = self._history.ends.get(name)
        if item.code == 0:
            return Status.SUCCEEDED
        if is_stopped and word != peers.FAILED:
            return Status.STOPPED
        if decision is not None and decision.replica == name:
            return Status.FAILED
        was_ended = word == peers.STOPPED or (decision is not None and word != peers.FAILED)
        return Status.STOPPED if was_ended else Status.FAILED


def _has_begun(item: ReplicaExit) -> bool:
    """Return whether it ran or could not be started; one that was taken out of the queue did neither."""
    return item.started is not None or item.code is not None or item.is_gone
