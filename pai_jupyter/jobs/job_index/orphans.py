"""Jobs that go on while nobody follows them: their kernel was killed, or the program that started them has ended.

While somebody watches the list, this process follows them, so that they are seen to end.
Rule 1: whoever follows a job holds its `follow.lock`; it is tried now and then, and let go of at once where it is free.
Rule 2: a job that was just submitted is left alone until the outcome of that is noted: its submitter, who is about to
    lock it, must not find it locked.
"""

import time
from collections.abc import Collection, Mapping
from contextlib import suppress

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import JobFolder, JobStore

PAUSE = 2.0  # seconds between two tries
SUBMITTED_WITHIN = 10.0  # seconds


class Orphans:
    """The jobs of `store` that nobody follows. `find` may block."""

    def __init__(self, store: JobStore) -> None:
        self._store = store
        self._since: Mapping[str, float] = {}  # when each was first seen to go on
        self._taken: set[str] = set()
        self._due = 0.0

    def find(self, alive: Collection[str]) -> list[JobFolder]:
        """Return those of the jobs `alive` that nobody follows; [] until the next check is due."""
        now = time.monotonic()
        if now < self._due:
            return []
        self._due = now + PAUSE
        self._since = {job_id: self._since.get(job_id, now) for job_id in alive}
        return [folder for job_id in self._since if (folder := self._free(job_id, now))]

    def take(self, folder: JobFolder) -> None:
        """Mark the job as followed by this process, so that `find` skips it."""
        self._taken.add(folder.id)

    def forget(self) -> None:
        """Look at all of them again: what this process follows may have ended meanwhile."""
        self._taken.clear()
        self._due = 0.0

    def _free(self, job_id: str, now: float) -> JobFolder | None:
        folder = JobFolder(self._store.path(job_id))
        if job_id in self._taken or not (folder.mark() or now - self._since[job_id] > SUBMITTED_WITHIN):
            return None
        with suppress(PaiJupyterError):  # it is gone, or cannot be locked, hence not followed
            lock = folder.try_lock()
            if lock is not None:
                with lock:
                    return folder
        return None
