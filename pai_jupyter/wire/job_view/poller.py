"""Poll the files of a job while a view is open: one poller per job for all views of this process.

Rule 1: a poll is a few `stat` calls. While nothing changes, the pause between polls grows to `SLOWEST` seconds.
Rule 2: while a view is open, this process also follows the job, so that it is recorded when its kernel has died;
    `follow.lock` decides which process writes. A local job is then followed to its end, a remote one only while a view is
    open: no service is asked for a job that nobody looks at.
Rule 3: a job is over when its status is terminal and nobody holds `follow.lock`: then its log is complete. The poll that
    finds this is the last one; from then on only the user's name, star and tags of the job may change, a `stat` every
    `RARELY` seconds.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pai_jupyter.backends import is_local
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, runtime
from pai_jupyter.jobs.follower import Following
from pai_jupyter.store import JobFolder, note_look
from pai_jupyter.store.disk import translated
from pai_jupyter.wire.job_view.job_events import log_sizes

QUICKEST = 0.1  # seconds between two polls
SLOWEST = 1.0  # seconds
RARELY = 2.0  # seconds
_GROWTH = 1.3  # factor of the pause after a poll that finds nothing new
_BROKEN = "live updates stopped: a fault in pai_jupyter. See the log of the Jupyter server or of the kernel."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PolledState:
    """What a poll found. `trouble` says why the job cannot be reached; "" if it can."""

    state: tuple[int, ...] = ()  # identifies a version of state.json
    sizes: Mapping[str, int] | None = None  # of the logs, in bytes; None before the first poll
    trouble: str = ""
    is_over: bool = False
    annotations: tuple[int, ...] = ()  # identifies a version of what the user says about the job


class JobPoller:
    """Polls one job. Belongs to the event loop on which it is created."""

    def __init__(self, job: Job) -> None:
        self.look = PolledState()
        self.views: set[asyncio.Event] = set()  # each is set on every change
        self._job = job
        self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        try:
            with ExitStack() as until_left:
                await self._look(_follow(self._job, until_left))
            await self._look_after_end()
        except Exception:  # noqa: BLE001  nobody awaits this task: the views must learn of its end
            _log.exception("watching job %s ended", self._job.id)
            self._note(PolledState(trouble=_BROKEN, is_over=True))

    async def _look(self, following: Following | None) -> None:
        """Poll until the job is over."""
        pause = QUICKEST
        while not self.look.is_over:
            note_look(self._job.folder.path)  # the follower of a remote job polls its service more often then
            look = await asyncio.to_thread(look_at, self._job, following)
            pause = min(pause * _GROWTH, SLOWEST) if look == self.look else QUICKEST
            self._note(look)
            await asyncio.sleep(pause)

    async def _look_after_end(self) -> None:
        """Poll what the user says about the job, until it is removed."""
        while self._job.folder.path.exists():
            mark = await asyncio.to_thread(self._job.folder.annotations_mark)
            self._note(replace(self.look, annotations=mark))
            await asyncio.sleep(RARELY)

    def _note(self, look: PolledState) -> None:
        if look != self.look:
            self.look = look
            for view in self.views:
                view.set()


_watches: dict[tuple[asyncio.AbstractEventLoop, Path], JobPoller] = {}


@asynccontextmanager
async def watching(job: Job, news: asyncio.Event) -> AsyncIterator[JobPoller]:
    """Watch `job`: set `news` on each change, and stop watching with the last subscriber."""
    key = asyncio.get_running_loop(), job.folder.path
    watch = _watches.get(key) or _watches.setdefault(key, JobPoller(job))
    watch.views.add(news)
    try:
        yield watch
    finally:
        watch.views.remove(news)
        if not watch.views:
            del _watches[key]
            watch.close()


def look_at(job: Job, following: Following | None = None) -> PolledState:
    """Poll once. Blocking."""
    folder = job.folder
    try:
        with translated(folder.path):
            (folder.path / "job.json").stat()
        # Checked first: what is read after the last writer has ended is complete.
        is_over = job.status.is_terminal and _is_released(folder)
        return PolledState(
            state=folder.mark(),
            sizes=log_sizes(folder),
            trouble=_trouble(following),
            is_over=is_over,
            annotations=folder.annotations_mark(),
        )
    except NotFoundError:
        return PolledState(trouble=f"job {job.id} was removed: its folder is gone.", is_over=True)
    except PaiJupyterError as exc:
        return PolledState(trouble=str(exc))


def _follow(job: Job, until_left: ExitStack) -> Following | None:
    """Follow the job in this process (rule 2), a remote one until `until_left` closes; reads two small files."""
    with suppress(PaiJupyterError):  # a damaged record does not prevent showing the rest
        if not job.status.is_terminal:
            is_here = is_local(job.backend)
            return (
                runtime().follow(job.folder) if is_here else until_left.enter_context(runtime().following(job.folder))
            )
    return None


def _trouble(following: Following | None) -> str:
    if following is not None and following.has_failed:
        return str(following.ended.exception())
    return following.state.reason if following is not None and following.state.status is Status.UNKNOWN else ""


def _is_released(folder: JobFolder) -> bool:
    """Return whether no process writes to the folder any more."""
    try:
        lock = folder.try_lock()
    except NotFoundError:
        raise
    except PaiJupyterError:  # a folder that cannot be locked cannot be written either
        return True
    if lock is None:
        return False
    with lock:
        return True
