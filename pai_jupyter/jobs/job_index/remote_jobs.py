"""List jobs that were recorded elsewhere (another machine or home), from the services that run them.

Rule 1: while there are subscribers, each service is asked for one list at most every `EVERY` seconds; else never.
Rule 2: if a service does not answer, its rows stay, and a note says why.
"""

import asyncio
import logging
import time
from collections.abc import Mapping

from pai_jupyter.backends import Listable, RemoteJob, backend_names, find_backend, is_local
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.job_index.row import JobRow, row_of_remote
from pai_jupyter.store import JobStore

EVERY = 30.0  # seconds
WITHIN = 20.0  # seconds

_log = logging.getLogger(__name__)


class RemoteJobs:
    """The last listings of the services of this user's jobs. Belongs to one event loop."""

    def __init__(self, store: JobStore) -> None:
        self.jobs: dict[str, dict[str, RemoteJob]] = {}  # by backend, by our ids
        self.rows: Mapping[str, JobRow] = {}  # by our ids, including jobs with a folder here
        self._notes: dict[str, str] = {}  # by backend
        self._store = store
        self._due = 0.0

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes.values())

    def find(self, job_id: str) -> tuple[str, RemoteJob] | None:
        """Find a job by id in the last listings; return its backend's name and the job, or None."""
        return next(((name, jobs[job_id]) for name, jobs in self.jobs.items() if job_id in jobs), None)

    async def rest(self) -> None:
        """Wait until the services may be asked again."""
        await asyncio.sleep(max(0.0, self._due - time.monotonic()))

    async def ask(self) -> None:
        """Ask all services for their jobs."""
        self._due = time.monotonic() + EVERY
        for name in await asyncio.to_thread(_listing_backends):
            await self._ask(name)
        listed = [row_of_remote(job, name) for name, jobs in self.jobs.items() for job in jobs.values()]
        old = self.rows
        self.rows = {row.id: old[row.id] if old.get(row.id) == row else row for row in listed}

    async def _ask(self, name: str) -> None:
        try:
            async with asyncio.timeout(WITHIN):
                found = await listing_backend(name).recorded()
        except (PaiJupyterError, TimeoutError) as exc:
            why = str(exc) or f"it has not answered within {WITHIN:g} seconds."
            self._notes[name] = f"Jobs of {name} that were recorded elsewhere cannot be listed: {why}"
        except Exception:  # noqa: BLE001  perhaps a third party's backend: the other services are still asked
            _log.exception("listing the jobs of %s failed", name)
        else:
            self._notes.pop(name, None)
            self.jobs[name] = {job.ref.job_id: job for job in found if self._can_be_ours(job.ref.job_id)}

    def _can_be_ours(self, job_id: str) -> bool:
        """Return whether `job_id` is a valid folder name here; labels are untrusted."""
        try:
            self._store.path(job_id)
        except PaiJupyterError:
            return False
        return True


def listing_backend(name: str) -> Listable:
    """Return the backend of this name, which `_listing_backends` has found."""
    backend = find_backend(name)
    assert isinstance(backend, Listable), "as `_listing_backends` has found"
    return backend


def _listing_backends() -> list[str]:
    """Return the installed backends whose services list jobs; loading them may take a while.

    A backend that cannot be loaded has no jobs from this machine.
    """
    return [name for name in backend_names() if not is_local(name) and isinstance(find_backend(name), Listable)]
