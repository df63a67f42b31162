"""Find running jobs without a follower: their kernel was killed, or the program that started them has ended.

While the list has subscribers, this process follows them, so that their end is recorded.
Rule 1: a follower holds `follow.lock`; the lock is tried periodically and released at once if it is free.
Rule 2: a job whose submission has no recorded outcome yet is left alone: its submitter, which is about to lock it, must not
    find it locked.
"""

import time
from collections.abc import Collection, Mapping
from contextlib import suppress

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store import JobFolder, JobStore

PAUSE = 2.0  # seconds between two tries
SUBMITTED_WITHIN = 10.0  # seconds


class Orphans:
    """The jobs of `store` without a follower. `find` may block."""

    def __init__(self, store: JobStore) -> None:
        self._store = store
        self._since: Mapping[str, float] = {}  # when each was first seen running
        self._taken: set[str] = set()
        self._due = 0.0

    def find(self, alive: Collection[str]) -> list[JobFolder]:
        """Return those of the jobs `alive` without a follower; [] until the next check is due."""
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
        """Check all jobs again: those followed by this process may have ended."""
        self._taken.clear()
        self._due = 0.0

    def _free(self, job_id: str, now: float) -> JobFolder | None:
        folder = JobFolder(self._store.path(job_id))
        if job_id in self._taken or not (folder.mark() or now - self._since[job_id] > SUBMITTED_WITHIN):
            return None
        with suppress(PaiJupyterError):  # deleted, or cannot be locked and so not followed
            lock = folder.try_lock()
            if lock is not None:
                with lock:
                    return folder
        return None
