"""The list of all jobs and its subscribers: one per event loop and store; scans run on threads."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

from pai_jupyter import callbacks
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.jobs.job_index.folders import Folders
from pai_jupyter.jobs.job_index.orphans import Orphans
from pai_jupyter.jobs.job_index.remote_jobs import RemoteJobs
from pai_jupyter.jobs.job_index.row import JobRow
from pai_jupyter.jobs.runtime import job_store, runtime
from pai_jupyter.store import JobStore

PAUSE = 0.8  # seconds between two scans of the folders
FIRST, MORE = 100, 300  # folders read by the first scan, and by each that continues it
BREATH = 0.01  # seconds between two such scans: reading leaves other threads little time
_BROKEN = "the list of jobs is no longer updated because of an error in pai_jupyter; see the log of the server."

_log = logging.getLogger(__name__)


class JobIndex:
    """The jobs of `store` as rows by id, unordered."""

    def __init__(self, store: JobStore) -> None:
        self.rows: Mapping[str, JobRow] = {}
        self.trouble = ""  # why the folders cannot be read
        self.notes: tuple[str, ...] = ()  # sentences about what could not be listed
        self.is_current = False  # scanned since there are subscribers
        self.is_whole = False  # no folder is missing
        self.views: set[asyncio.Event] = set()  # events of subscribers, set on a change
        self.elsewhere = RemoteJobs(store)
        self._here: Mapping[str, JobRow] = {}
        self.damages: Mapping[str, str] = {}  # what is wrong with annotations, by id
        self._folders = Folders(store)
        self._orphans = Orphans(store)
        self._followed = ExitStack()  # jobs that this process follows for the list
        self._stirred = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Keep the list current from now on."""
        self._orphans.forget()
        self._task = asyncio.create_task(self._run())

    async def end(self) -> None:
        """Stop polling and following for the list; keep the rows."""
        self.is_current = False
        self._followed.close()
        if (task := self._task) is not None:
            task.cancel()
            await asyncio.wait([task])

    def stir(self) -> None:
        """Scan soon: something has just changed."""
        self._stirred.set()

    async def make_whole(self, *, newest: int | None = None) -> None:
        """Scan until no row (or none of the `newest`) is missing, unless the list is kept current anyway."""
        while not (self.is_current and self.is_whole):
            await self._look(MORE if newest is None else max(newest, FIRST))
            if self.is_whole or (newest is not None and len(self._here) >= newest):
                return

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._watch_folders())
                tasks.create_task(self._watch_services())
        except Exception:  # noqa: BLE001  end of the task: subscribers must be told
            _log.exception("keeping the list of jobs current ended")
            self.notes, self.is_current = (_BROKEN,), True
            self._tell()

    async def _watch_folders(self) -> None:
        while True:
            await self._look(MORE if self.rows else FIRST)
            self.is_current = True
            self._tell()
            if self.is_whole:
                await self._follow_orphans()
                if callbacks.keep_delivering is not None:
                    await asyncio.to_thread(callbacks.keep_delivering, False)
                await self._rest()
            else:
                await asyncio.sleep(BREATH)

    async def _watch_services(self) -> None:
        while True:
            await self.elsewhere.rest()
            if self.is_whole:  # folders first: loading a service's client takes a while
                await self.elsewhere.ask()
                self._put_together()
                self._tell()
            else:
                await asyncio.sleep(BREATH)

    async def _look(self, most: int) -> None:
        try:
            found = await asyncio.to_thread(self._folders.look, most)
            self._here, self.is_whole, self.trouble = found.rows, found.is_whole, ""
            self.damages = found.damages
        except PaiJupyterError as exc:  # the store is not readable now; keep the known rows
            self.is_whole, self.trouble = True, str(exc)
        self._put_together()

    def _put_together(self) -> None:
        """Combine local and remote rows; the local row wins."""
        others = {job_id: row for job_id, row in self.elsewhere.rows.items() if job_id not in self._here}
        self.rows = {**others, **self._here}
        damages = (f"job {job_id}: {damage}" for job_id, damage in self.damages.items())
        self.notes = tuple(filter(None, (self.trouble, *damages, *self.elsewhere.notes)))

    async def _follow_orphans(self) -> None:
        alive = [job_id for job_id, row in self._here.items() if row.backend and not row.status.is_terminal]
        for folder in await asyncio.to_thread(self._orphans.find, alive):
            with suppress(PaiJupyterError):  # its record is no longer readable
                self._followed.enter_context(runtime().following(folder))
                self._orphans.take(folder)

    async def _rest(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(PAUSE):
                await self._stirred.wait()
        self._stirred.clear()

    def _tell(self) -> None:
        for view in self.views:
            view.set()


_catalogues: dict[tuple[asyncio.AbstractEventLoop, Path], JobIndex] = {}


def get_job_index() -> JobIndex:
    """Return the list of this user's jobs for the running event loop."""
    store, loop = job_store(), asyncio.get_running_loop()
    for key in [key for key in _catalogues if key[0].is_closed()]:
        del _catalogues[key]
    known = _catalogues.get((loop, store.home))
    return known or _catalogues.setdefault((loop, store.home), JobIndex(store))


@asynccontextmanager
async def watching_all(news: asyncio.Event) -> AsyncIterator[JobIndex]:
    """Keep the job list current and set `news` on every change; polling stops with the last subscriber."""
    watched = get_job_index()
    watched.views.add(news)
    if len(watched.views) == 1:
        watched.begin()
    try:
        yield watched
    finally:
        watched.views.remove(news)
        if not watched.views:
            await watched.end()


async def all_rows(*, newest: int | None = None) -> list[JobRow]:
    """Return the current rows of all jobs, unordered; remote jobs as of the last listing.

    With `newest` (faster): at least that many of the newest, if they exist.

    Raises:
        PaiJupyterError: the list cannot be read, and there are no earlier rows.
    """
    watched = get_job_index()
    await watched.make_whole(newest=newest)
    if watched.trouble and not watched.rows:
        raise PaiJupyterError(watched.trouble)
    return list(watched.rows.values())
