"""Looking at the files of a job while somebody watches: one watch a job for all views of this process.

Rule 1: a look is a few `stat`. Where nothing changes it is made ever more rarely, down to once in `SLOWEST` seconds.
Rule 2: whoever watches a job has it followed by this process too, so that it goes on being recorded when its kernel is
    dead; `follow.lock` decides who writes. A job of this machine is then followed to its end, one of a service as long as
    somebody watches: nothing asks a service while nobody looks.
Rule 3: a job is over when its status is terminal and nobody holds `follow.lock`: then its last line is in its log. The
    look that finds this is the last one.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.backends import is_local
from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, runtime
from pai_jupyter.jobs.follower import Following
from pai_jupyter.store import JobFolder, note_look
from pai_jupyter.store.disk import translated
from pai_jupyter.wire.job_view.job_events import log_sizes

QUICKEST = 0.1  # seconds between two looks
SLOWEST = 1.0
_GROWTH = 1.3  # of the pause, at each look that finds nothing new
_BROKEN = (
    "it cannot be watched any more, by a fault of pai_jupyter; the log of the server, or of the kernel, says more."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PolledState:
    """What a look at a job found. `trouble` is why the job cannot be reached, "" where it can."""

    state: tuple[int, ...] = ()  # tells one state.json from the next
    sizes: Mapping[str, int] | None = None  # of the logs, in bytes; None before the first look
    trouble: str = ""
    is_over: bool = False


class JobPoller:
    """The looks at one job. Belongs to the loop that it is made on."""

    def __init__(self, job: Job) -> None:
        self.look = PolledState()
        self.views: set[asyncio.Event] = set()  # set when there is something new
        self._job = job
        self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        try:
            with ExitStack() as until_left:
                await self._look(_follow(self._job, until_left))
        except Exception:  # noqa: BLE001  the end of a task: whoever looks at the job must hear of it
            _log.exception("watching job %s ended", self._job.id)
            self._note(PolledState(trouble=_BROKEN, is_over=True))

    async def _look(self, following: Following | None) -> None:
        """Look again and again, until the job is over."""
        pause = QUICKEST
        while not self.look.is_over:
            note_look(self._job.folder.path)  # whoever follows a job of the cloud asks more often then
            look = await asyncio.to_thread(look_at, self._job, following)
            pause = min(pause * _GROWTH, SLOWEST) if look == self.look else QUICKEST
            self._note(look)
            await asyncio.sleep(pause)

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
    """Look once. Blocking."""
    folder = job.folder
    try:
        with translated(folder.path):
            (folder.path / "job.json").stat()
        # Asked first: what is looked at after the last writer has gone is complete.
        is_over = job.status.is_terminal and _is_released(folder)
        return PolledState(
            state=folder.mark(),
            sizes=log_sizes(folder),
            trouble=_trouble(following),
            is_over=is_over,
        )
    except NotFoundError:
        return PolledState(trouble=f"job {job.id} was removed: its folder is gone.", is_over=True)
    except PaiJupyterError as exc:
        return PolledState(trouble=str(exc))


def _follow(job: Job, until_left: ExitStack) -> Following | None:
    """Have the job followed (rule 2), one of a service until `until_left` is closed. Reads two small files."""
    with suppress(PaiJupyterError):  # its record is damaged; what is there may be watched all the same
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
    """Return whether nobody writes to the folder any more."""
    try:
        lock = folder.try_lock()
    except NotFoundError:
        raise
    except PaiJupyterError:  # a folder that nobody can lock is one that nobody writes
        return True
    if lock is None:
        return False
    with lock:
        return True
