"""Read how a run stands from its files, again and again: only what was added to the journal, only jobs that have changed.

The journal is read before the jobs, as the driver saw them (fold, rule 1).
"""

from pathlib import Path

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.runs.fold import RunFold
from pai_jupyter.runs.journal import Entry
from pai_jupyter.runs.journal_file import read_lines
from pai_jupyter.runs.run_folder import RunFolder
from pai_jupyter.runs.state import RunState
from pai_jupyter.runs.try_facts import TryReader
from pai_jupyter.store.disk import open_record, translated

_ENDS = (Status.SUCCEEDED, Status.FAILED, Status.STOPPED)


class RunReader:
    """The state of one run, as of the last `refresh`."""

    def __init__(self, folder: RunFolder) -> None:
        """Begin with nothing read.

        Raises:
            PaiJupyterError: run.json is damaged; NotFoundError: the run was deleted.
        """
        self.folder = folder
        self._begin()

    def _begin(self) -> None:
        record = self.folder.record
        self._fold = RunFold(record.plan, run_id=self.folder.id, created=record.created)
        self._tries = TryReader(self.folder.home)
        self._entries = _NewEntries(self.folder.journal)
        self._ended: set[str] = set()  # jobs of which nothing more is to be read
        self._is_settled = False

    @property
    def has_ended(self) -> bool:
        return self._fold.ended is not None

    @property
    def is_blocked(self) -> bool:
        return bool(self._fold.blocked) and not self.has_ended

    @property
    def is_refused(self) -> bool:
        return self._fold.is_refused and not self.has_ended

    def refresh(self) -> bool:
        """Read what is new; return whether the state has changed.

        Raises:
            PaiJupyterError: the journal is damaged, or the run was deleted.
        """
        has_changed = self.refresh_journal()
        return self._refresh_jobs() or has_changed

    def refresh_journal(self) -> bool:
        """Read what is new in the journal alone, which says whether the run has ended; raises as `refresh`."""
        if not self.folder.is_there:
            raise NotFoundError(f"there is no run {self.folder.id!r} any more. Type %pai_runs to see them.")
        new = self._entries.read()
        if new is None:
            self._begin()
            new = self._entries.read() or []
        for entry in new:
            self._fold.apply(entry)
        return bool(new)

    def _refresh_jobs(self) -> bool:
        has_changed = False
        for job_id in [each for each in self._fold.job_ids() if each not in self._ended]:
            facts = self._tries.changed(job_id)
            if facts is not None:
                self._fold.update_job(job_id, facts)
                has_changed = True
            if self.has_ended or (facts is not None and facts.status in _ENDS):
                self._ended.add(job_id)
        if self.has_ended and not self._is_settled:
            self._fold.settle_ended()
            self._is_settled = has_changed = True
        return has_changed

    def state(self) -> RunState:
        return self._fold.state()

    def job_ids(self) -> list[str]:
        """Return the ids of the run's jobs, those that never became one included, in the order of their beginning."""
        return self._fold.job_ids()


class _NewEntries:
    """The entries that were added to a journal since the last time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._lines = 0
        self._inode: int | None = None

    def read(self) -> list[Entry] | None:
        """Return the new entries; None if the file is another one, so that all is to be read anew.

        Raises:
            PaiJupyterError: a line is damaged.
        """
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return [] if self._inode is None else None
        except OSError as exc:
            raise PaiJupyterError(f"'{self._path}' cannot be read: {exc.strerror or exc}.") from exc
        if self._inode not in (None, status.st_ino) or status.st_size < self._offset:
            return None
        self._inode = status.st_ino
        if status.st_size == self._offset:
            return []
        with translated(self._path), open(open_record(self._path), "rb", buffering=0) as file:  # noqa: PTH123  a descriptor
            file.seek(self._offset)
            data = file.read(status.st_size - self._offset)
        data = data[: data.rfind(b"\n") + 1]
        found = list(read_lines(data, self._path, first=self._lines + 1))
        self._offset += len(data)
        self._lines += data.count(b"\n")
        return found
