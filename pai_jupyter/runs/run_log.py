"""The journal of a run and the fold of it, written together by the driver."""

import logging
import time
from types import TracebackType
from typing import Self

from pai_jupyter.errors import LimitExceededError
from pai_jupyter.runs.fold import RunFold
from pai_jupyter.runs.journal import Entry, Noted
from pai_jupyter.runs.journal_file import Journal, read_journal
from pai_jupyter.runs.run_folder import RunFolder

DISK_PAUSE = 2.0  # seconds between two tries to write on a full disk
MAX_NOTES = 100
_log = logging.getLogger(__name__)


class RunLog:
    """Where each act is written down, synced, before it is done."""

    def __init__(self, folder: RunFolder) -> None:
        """Read what is there.

        Raises:
            PaiJupyterError: it cannot be read.
        """
        self._folder = folder
        self.fold = RunFold(folder.record.plan, run_id=folder.id, created=folder.record.created)
        self._journal = Journal(folder.journal)
        self._notes: set[str] = set()
        for entry in read_journal(folder.journal):
            self._apply(entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journal.close()

    def write(self, *entries: Entry) -> None:
        """Write entries and take them in; on a full disk wait for room, as long as the run is there.

        Raises:
            PaiJupyterError: the disk refuses otherwise.
        """
        while True:
            try:
                self._journal.append(*entries)
                break
            except LimitExceededError as exc:
                if not self._folder.is_there:
                    raise
                _log.warning("%s", exc)
                time.sleep(DISK_PAUSE)
        for entry in entries:
            self._apply(entry)

    def note(self, *texts: str) -> None:
        """Add notes for the user, each once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._notes]
        if new and len(self._notes) < MAX_NOTES:
            self.write(*(Noted(text=text, time=time.time()) for text in new))

    def _apply(self, entry: Entry) -> None:
        if isinstance(entry, Noted):
            self._notes.add(entry.text)
        self.fold.apply(entry)
