"""Scan the folders of a store for rows. Blocking; safe on any thread.

Rule 1: a scan reads the newest folders first and stops at a limit. The next scan continues; `is_whole` says when none is
    missing. If the user chooses another metric, all are read again in this way.
Rule 2: annotations are read again when their log names the job, or when it does not say which have changed: a `stat` of
    those of 10,000 jobs takes 130 ms, a whole scan of ended jobs 35 ms.
Rule 3: a folder with a damaged record has a row that says so. It is read again when the record changes. Damaged annotations leave the row
    without any, and a note says so.
Rule 4: jobs that have ended are not read again in the next process: their rows are in a cache (cache), which is used where more is
    asked for than the newest.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from threading import Lock

from pai_jupyter.config import wanted_metric
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState
from pai_jupyter.jobs.job_index.cache import KeptRow, Marks, read_cache, write_cache
from pai_jupyter.jobs.job_index.row import (
    JobRow,
    damaged_row,
    is_same_row,
    row_of,
    with_annotations,
    with_state,
)
from pai_jupyter.store import AnnotationLog, Annotations, JobFolder, JobStore
from pai_jupyter.store.annotation_files import NAME as ANNOTATIONS
from pai_jupyter.store.disk import mark_of

# Raised for files with unexpected values; the store's readers check the fields that they need.
_NONSENSE = (PaiJupyterError, TypeError, ValueError, AttributeError, OverflowError)
_Mark = tuple[int, ...]
MANY = 100  # folders: fewer are read as quickly as the cache, and are not worth writing one


@dataclass(frozen=True, kw_only=True)
class FolderScan:
    """All known rows by id after a scan; `is_whole`: no folder is missing; `damages`: what is wrong with annotations, by id."""

    rows: Mapping[str, JobRow]
    is_whole: bool
    damages: Mapping[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class _Seen:
    """A folder as last read: its row (None without a record), and the marks that show a change."""

    row: JobRow | None
    record: _Mark  # checked again only if the record was unreadable
    state: _Mark
    annotations: _Mark = ()
    damage: str = ""  # what is wrong with the annotations
    is_kept: bool = False  # in the cache

    @property
    def has_ended(self) -> bool:
        """Whether its job has ended, and record and state could be read."""
        return self.row is not None and bool(self.row.backend) and self.row.status.is_terminal

    @property
    def marks(self) -> Marks:
        """The marks of job.json, state.json and the annotations; of files that are no plain ones they match nothing."""
        return self.record, self.state[:3], self.annotations


@dataclass
class Folders:
    """The known folders of `store`."""

    store: JobStore
    _seen: dict[str, _Seen] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _wanted: str | None = None  # the metric shown in rows
    _is_cache_read: bool = False
    _going: set[str] = field(default_factory=set)  # ids of the known folders that may change without a word in the log
    _unkept: set[str] = field(default_factory=set)  # of those that the cache should have, and has not
    _last: FolderScan | None = None  # None: something has changed since
    _log: AnnotationLog = field(init=False)

    def __post_init__(self) -> None:
        self._log = AnnotationLog(self.store.home)

    def look(self, most: int) -> FolderScan:
        """Return the current rows of all folders, reading at most `most` that were never read.

        Raises:
            PaiJupyterError: the store is not readable.
        """
        with self._lock:
            if (wanted := wanted_metric()) != self._wanted:
                self._wanted = wanted
                self._forget([*self._seen])
                self._is_cache_read = False
            ids = self.store.ids()
            self._forget(self._seen.keys() - set(ids))
            new = [job_id for job_id in ids if job_id not in self._seen]
            self._read_annotations(self._log.changed())  # before new folders: those are read with their annotations
            if most > MANY and len(new) > MANY and not self._is_cache_read:
                self._is_cache_read = True
                new = self._take_kept(new)
            self._catch_up()
            self._read(new[:most])
            is_whole = len(new) <= most
            if is_whole:
                self._keep()
            if self._last is None or self._last.is_whole != is_whole:
                rows = {job_id: seen.row for job_id, seen in self._seen.items() if seen.row}
                damages = {job_id: seen.damage for job_id, seen in self._seen.items() if seen.damage}
                self._last = FolderScan(rows=rows, is_whole=is_whole, damages=damages)
            return self._last

    def _forget(self, ids: Iterable[str]) -> None:
        for job_id in ids:
            del self._seen[job_id]
            self._going.discard(job_id)
            self._unkept.discard(job_id)
            self._last = None

    def _took(self, job_id: str, seen: _Seen) -> None:
        """Note that a folder was read: a scan looks at nothing but what may have changed."""
        self._seen[job_id] = seen
        self._last = None
        _put(self._going, job_id, not seen.has_ended)
        _put(self._unkept, job_id, seen.has_ended and not seen.damage and not seen.is_kept)

    def _read_annotations(self, changed: AbstractSet[str] | None) -> None:
        """Read the annotations of these jobs again; None: of all whose file has changed."""
        for job_id in self._seen if changed is None else changed & self._seen.keys():
            seen = self._seen[job_id]
            if seen.row is not None and mark_of(self.store.path(job_id) / ANNOTATIONS) != seen.annotations:
                self._annotate(seen, JobFolder(self.store.path(job_id)))
                self._took(job_id, seen)

    def _annotate(self, seen: _Seen, folder: JobFolder) -> None:
        """Give a row what the user says about its job."""
        assert seen.row is not None  # the callers check
        seen.annotations, seen.damage = mark_of(folder.path / ANNOTATIONS), ""
        try:
            annotations = folder.annotations() if seen.annotations else Annotations()
        except PaiJupyterError as exc:
            annotations, seen.damage = Annotations(), str(exc)
        row = with_annotations(seen.row, annotations)
        seen.row = row if row != seen.row else seen.row

    def _take_kept(self, ids: list[str]) -> list[str]:
        """Take the rows of these folders from the cache where it has them; return the other ids."""
        kept, others = read_cache(self.store.home, self._wanted), []
        for job_id in ids:
            known = kept.get(job_id)
            if known is not None and known.marks == _marks_of(self.store, job_id):
                record, state, annotations = known.marks
                self._seen[job_id] = _Seen(
                    row=known.row, record=record, state=state, annotations=annotations, is_kept=True
                )
            else:
                others.append(job_id)
        self._last = None
        return others

    def _keep(self) -> None:
        """Write the cache if many ended jobs are missing in it."""
        if len(self._unkept) > MANY:
            lasting = {job_id: seen for job_id, seen in self._seen.items() if seen.has_ended and not seen.damage}
            kept = {job_id: KeptRow(row=seen.row, marks=seen.marks) for job_id, seen in lasting.items() if seen.row}
            write_cache(self.store.home, kept, self._wanted)
            for seen in lasting.values():
                seen.is_kept = True
            self._unkept.clear()

    def _catch_up(self) -> None:
        """Read changed folders again."""
        for job_id in [*self._going]:
            seen = self._seen[job_id]
            if seen.row is None or not seen.row.backend:
                if seen.record != mark_of(self.store.path(job_id) / "job.json"):
                    self._read([job_id])
                continue
            folder = JobFolder(self.store.path(job_id))
            if (mark := folder.mark()) != seen.state:
                row = _standing(seen.row, folder, mark, self._wanted)
                seen.row, seen.state = seen.row if is_same_row(seen.row, row) else row, mark
                self._took(job_id, seen)

    def _read(self, ids: Iterable[str]) -> None:
        """Read these folders completely."""
        for job_id in ids:
            folder = JobFolder(self.store.path(job_id))
            seen = _Seen(row=None, record=mark_of(folder.path / "job.json"), state=folder.mark())
            if seen.record:  # or the job is being created
                try:
                    seen.row = _standing(row_of(job_id, folder.record), folder, seen.state, self._wanted)
                except _NONSENSE as exc:
                    seen.row = damaged_row(job_id, str(exc), created_by(seen.record))
                self._annotate(seen, folder)
            self._took(job_id, seen)


def _put(ids: set[str], job_id: str, is_in: bool) -> None:
    (ids.add if is_in else ids.discard)(job_id)


def _standing(row: JobRow, folder: JobFolder, mark: _Mark, wanted: str | None) -> JobRow:
    """Return the row with the job's current state; `unknown` with the reason if that is unreadable."""
    try:
        if not mark:
            return with_state(row, JobState())
        return with_state(row, folder.read().state, folder.trouble(), wanted_metric=wanted)
    except _NONSENSE as exc:
        return damaged_row(row.id, str(exc), row.created, row)


def _marks_of(store: JobStore, job_id: str) -> Marks:
    """Return the marks as `_Seen.marks` has them; faster than `mark_of` for many."""
    path = f"{store.jobs}/{job_id}"
    return _mark(f"{path}/job.json"), _mark(f"{path}/state.json"), _mark(f"{path}/{ANNOTATIONS}")


def _mark(path: str) -> _Mark:
    try:
        status = os.lstat(path)
    except OSError:
        return ()
    return (status.st_ino, status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else (0,)


def created_by(record: _Mark) -> float:
    """Return when the file with this mark was written, in seconds since the epoch; 0.0 if unknown."""
    return record[1] / 1e9 if len(record) > 1 else 0.0
