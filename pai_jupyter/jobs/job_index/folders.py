"""The folders of a store as rows, look by look. Blocking, and safe on any thread.

Rule 1: a look that finds much reads the newest folders first and stops after a while. The next one goes on, and says that
    nothing is missing when that is so. When the user names another metric, all are read again so.
Rule 2: a folder whose record is damaged has a row that says so. It is tried again when the record has changed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from pai_jupyter.config import wanted_metric
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Status
from pai_jupyter.jobs.job_index.row import JobRow, damaged_row, row_of, with_state
from pai_jupyter.store import JobFolder, JobStore
from pai_jupyter.store.folder import mark_of

# What a file raises that has anything in any place; the readers of the store look at the places that they need.
_NONSENSE = (PaiJupyterError, TypeError, ValueError, AttributeError, OverflowError)
_Mark = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class FolderScan:
    """All rows that are known after a look, by id; and whether no folder is missing among them."""

    rows: Mapping[str, JobRow]
    is_whole: bool


@dataclass(kw_only=True)
class _Seen:
    """A folder as it was when it was read: its row, None where there is no record; and what tells that it has changed."""

    row: JobRow | None
    record: _Mark  # only looked at again where that could not be read
    state: _Mark


@dataclass
class Folders:
    """What is known of the folders of `store`."""

    store: JobStore
    _seen: dict[str, _Seen] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _wanted: str | None = None  # the metric that rows are to have

    def look(self, most: int) -> FolderScan:
        """Return the current rows of all folders, reading at most `most` that were never read.

        Raises:
            PaiJupyterError: the store cannot be looked at.
        """
        with self._lock:
            if (wanted := wanted_metric()) != self._wanted:
                self._wanted = wanted
                self._seen.clear()
            ids = self.store.ids()
            for job_id in self._seen.keys() - set(ids):
                del self._seen[job_id]
            new = [job_id for job_id in ids if job_id not in self._seen]
            self._catch_up()
            self._read(new[:most])
            rows = {job_id: seen.row for job_id, seen in self._seen.items() if seen.row}
            return FolderScan(rows=rows, is_whole=len(new) <= most)

    def _catch_up(self) -> None:
        """Read again what has changed of folders that were read before."""
        for job_id, seen in list(self._seen.items()):
            if seen.row is None or not seen.row.backend:
                if seen.record != mark_of(self.store.path(job_id) / "job.json"):
                    self._read([job_id])
            elif not seen.row.status.is_terminal:
                folder = JobFolder(self.store.path(job_id))
                if (mark := folder.mark()) != seen.state and seen.row.status is Status.UNKNOWN:
                    self._read([job_id])  # its place gave way to what was wrong
                elif mark != seen.state:
                    row = _standing(seen.row, folder, mark, self._wanted)
                    seen.row, seen.state = row if row != seen.row else seen.row, mark

    def _read(self, ids: Iterable[str]) -> None:
        """Read these folders as a whole."""
        for job_id in ids:
            folder = JobFolder(self.store.path(job_id))
            seen = _Seen(row=None, record=mark_of(folder.path / "job.json"), state=folder.mark())
            if seen.record:  # or its job is only just being made
                try:
                    seen.row = _standing(row_of(job_id, folder.record), folder, seen.state, self._wanted)
                except _NONSENSE as exc:
                    seen.row = damaged_row(job_id, str(exc), created_by(seen.record))
            self._seen[job_id] = seen


def _standing(row: JobRow, folder: JobFolder, mark: _Mark, wanted: str | None) -> JobRow:
    """Return the row with the job's current state; `unknown` with the reason if that is unreadable."""
    try:
        if not mark:
            return with_state(row, JobState())
        return with_state(row, folder.read().state, folder.trouble(), wanted_metric=wanted)
    except _NONSENSE as exc:
        return damaged_row(row.id, str(exc), row.created, row)


def created_by(record: _Mark) -> float:
    """When a file of this mark was written, in seconds since the epoch; 0.0 where that is not known."""
    return record[1] / 1e9 if len(record) > 1 else 0.0
