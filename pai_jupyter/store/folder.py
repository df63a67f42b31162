"""The folder of one job. Any number of processes read it; only the holder of `follow.lock` writes, but for annotations.

    job.json          the job as requested (record.py)
    state.json        the last commit; written last, replaced atomically (snapshot.py)
    events.jsonl      one stored event a line, append-only; a reader's cursor is its byte offset
    logs/             <replica>.log, the raw bytes, and <replica>.idx, their sparse line index (index.py)
    follow.lock       (lock.py); trouble.json  why the job cannot be reached now (trouble.py)
    provenance.json   what it was started from, and git.diff, the uncommitted changes (provenance.py)
    annotations.json  the user's name, star, tags and note of the job; whoever holds their lock changes it (annotation_files.py)
    package.tar.gz    the code as sent; output/<channel>/ the outputs; ml/ and run/ belong to the local backends

Rule 1: a reader of events sees only those committed in state.json, so none is ever withdrawn.
Rule 2: a replica's name is a file name here; an invalid file name is not a replica.
"""

import heapq
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pai_jupyter.errors import NotFoundError
from pai_jupyter.events import JobState, StoredEvent, event_from_json
from pai_jupyter.events.alerts import STALL_AFTER
from pai_jupyter.spec import JobRef
from pai_jupyter.store.annotation_files import NAME as ANNOTATIONS
from pai_jupyter.store.annotation_files import annotate, read_annotations
from pai_jupyter.store.annotations import AnnotationChange, Annotations
from pai_jupyter.store.disk import make_folder, mark_of, open_record, read_json, replace_file, to_bytes, translated
from pai_jupyter.store.lock import FollowLock, try_lock
from pai_jupyter.store.logs import LogFile, LogLine
from pai_jupyter.store.record import JobRecord
from pai_jupyter.store.replica import log_path, replicas
from pai_jupyter.store.snapshot import Checkpoint, Snapshot
from pai_jupyter.store.trouble import NAME as TROUBLE
from pai_jupyter.store.trouble import Trouble, read_trouble
from pai_jupyter.store.writer import JobWriter

MAX_EVENT = 16 * 1024 * 1024  # bytes of an event; longer ones are not ours
SAMPLE = 32 * 1024  # bytes that `some_events` reads at each place


class JobFolder:
    """The folder of one job; `JobStore` hands them out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.name
        self._logs: dict[str, LogFile] = {}
        self._seen: tuple[tuple[int, ...], Checkpoint] | None = None
        self._annotated: tuple[tuple[int, ...], Annotations] | None = None

    def __repr__(self) -> str:
        return f"JobFolder({str(self.path)!r})"

    @cached_property
    def record(self) -> JobRecord:
        """The job as requested.

        Raises:
            PaiJupyterError: job.json is missing or damaged.
        """
        return JobRecord.from_json(read_json(self.path / "job.json"))

    def read(self) -> Snapshot:
        """Return the job as of the last commit; cheap if nothing has changed.

        Raises:
            PaiJupyterError: state.json is damaged.
        """
        return self._checkpoint().snapshot

    def standing(self) -> JobState:
        """Return the job's current state: as of the last commit, but `unknown` while it cannot be reached.

        Raises:
            PaiJupyterError: state.json is damaged.
        """
        state = self.read().state
        trouble = None if state.status.is_terminal else self.trouble()
        return state if trouble is None else trouble.shown_on(state)

    def trouble(self) -> Trouble | None:
        """Return why the job cannot be reached or recorded now, as noted by its follower; None if it can."""
        return read_trouble(self.path)

    def mark(self) -> tuple[int, ...]:
        """Return a cheap value that changes whenever `standing` may; () if the folder does not exist."""
        return (*mark_of(self.path / "state.json"), *mark_of(self.path / TROUBLE))

    def annotations(self) -> Annotations:
        """Return the user's name, star, tags and note of the job; cheap if nothing has changed.

        Raises:
            PaiJupyterError: annotations.json is damaged, or of a newer version.
        """
        mark = self.annotations_mark()
        if self._annotated is None or self._annotated[0] != mark:
            self._annotated = mark, read_annotations(self.path) if mark else Annotations()
        return self._annotated[1]

    def annotations_mark(self) -> tuple[int, ...]:
        """Return a cheap value that changes whenever `annotations` may."""
        return mark_of(self.path / ANNOTATIONS)

    def annotate(self, change: AnnotationChange) -> Annotations:
        """Change the annotations, whoever follows the job; see `annotation_files.annotate`."""
        return annotate(self.path, change)

    def start(self, ref: JobRef | None, state: JobState) -> None:
        """Record the outcome of the submission, before the job is followed."""
        path, checkpoint = self.path / "state.json", self._checkpoint()
        checkpoint = replace(checkpoint, snapshot=replace(checkpoint.snapshot, ref=ref, state=state))
        with translated(path):
            replace_file(path, to_bytes(checkpoint.to_json()))

    def events(self, after: int = 0) -> tuple[list[StoredEvent], int]:
        """Read the stored events after byte `after` and return where to go on; leave out those of newer versions."""
        lines, end = self.event_lines(after)
        return [event for line in lines if (event := _event(line))], end

    def event_lines(self, after: int = 0, *, limit: int | None = None) -> tuple[list[bytes], int]:
        """Read the lines of `events` unparsed, about `limit` bytes: avoids an object for each of a million metrics."""
        end = self._checkpoint().events
        path = self.path / "events.jsonl"
        if after >= end:
            return [], end
        with translated(path), open(open_record(path), "rb") as file:  # noqa: PTH123  a descriptor
            end = min(end, os.fstat(file.fileno()).st_size)  # state.json may count more than there is
            size = max(0, end - after if limit is None else min(limit, end - after))
            file.seek(after)
            data = file.read(size)
            if size < end - after:
                data += file.readline(MAX_EVENT)  # the rest of a truncated line
        whole = data.rfind(b"\n") + 1
        return data[:whole].split(b"\n")[:-1], after + (whole or len(data))  # an incomplete line is not an event

    def some_events(self, size: int) -> list[StoredEvent]:
        """Return all stored events, or about `size` bytes of them, from places spread evenly over the file."""
        end, places = self._checkpoint().events, max(size // SAMPLE, 2)
        if end <= places * SAMPLE:
            return self.events()[0]
        found: list[StoredEvent] = []
        for place in range(places):
            start = place * (end - SAMPLE) // (places - 1)
            lines, _ = self.event_lines(start, limit=SAMPLE)
            found += [
                event for line in lines[bool(start) :] if (event := _event(line))
            ]  # the first line may be incomplete
        return found

    def replicas(self) -> list[str]:
        """List the replicas that have a log, by role and number."""
        return replicas(self.path)

    def log(self, replica: str) -> LogFile:
        """Return the log of this replica, which need not exist yet.

        Raises:
            NotFoundError: no replica can have this name.
        """
        return self._logs.setdefault(replica, LogFile(log_path(self.path, replica)))

    def merged(self) -> Iterator[LogLine]:
        """Yield the lines of all replicas by arrival time (to about a second), each replica in its own order."""
        return heapq.merge(*map(self.log, self.replicas()), key=lambda line: line.time)

    def merged_tail(self, n: int) -> list[LogLine]:
        """Return the last `n` lines of `merged`."""
        tails = [self.log(replica).tail(n) for replica in self.replicas()]
        return list(heapq.merge(*tails, key=lambda line: line.time))[-n:] if n > 0 else []

    def try_lock(self) -> FollowLock | None:
        """Take the lock to follow the job; None while this or another process holds it."""
        return try_lock(self.path / "follow.lock")

    def writer(self, log_home: str, *, stall_after: float = STALL_AFTER) -> JobWriter:
        """Create the writer of this folder, for the holder of the lock only. `log_home` is the backend's `LogHome`.

        `stall_after`: seconds without progress after which the job counts as stalled; 0 = never.
        """
        with translated(self.path):
            make_folder(self.path / "logs")
        return JobWriter(
            self.path, self._checkpoint(), spec=self.record.spec, log_home=log_home, stall_after=stall_after
        )

    def _checkpoint(self) -> Checkpoint:
        path = self.path / "state.json"
        try:
            with translated(path):
                status = path.lstat()  # must be a regular file
        except NotFoundError:
            return Checkpoint()
        mark = (status.st_ino, status.st_mtime_ns, status.st_size)
        if self._seen is None or self._seen[0] != mark:
            self._seen = mark, Checkpoint.from_json(read_json(path))
        return self._seen[1]


def _event(line: bytes) -> StoredEvent | None:
    try:
        value = json.loads(line)
        return event_from_json(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None
