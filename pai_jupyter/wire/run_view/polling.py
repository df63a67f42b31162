"""Poll a run while a view is open: one poller per run for all views of this process.

Rule 1: while nothing changes, the pause between polls grows to `SLOWEST` seconds. What a poll costs is the watcher's affair: one of
    a run of this machine looks at files, one of a service asks it seldom.
Rule 2: the watcher of a run of this machine starts its driver again where there is none.
Rule 3: a run that has ended changes no more: the poll that finds this is the last one.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.runs.sources import StateWatcher
from pai_jupyter.runs.state import RunState
from pai_jupyter.wire.run_view.rows import RunOrigin, trouble_of
from pai_jupyter.wire.run_view.runs import origin_of

QUICKEST = 0.1  # seconds between two polls
SLOWEST = 1.0  # seconds
_GROWTH = 1.3  # factor of the pause after a poll that finds nothing new
_BROKEN = "live updates stopped: a fault in pai_jupyter. See the log of the Jupyter server or of the kernel."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PolledRun:
    """What a poll found; `state` None: nothing yet."""

    state: RunState | None = None
    origin: RunOrigin = field(default_factory=RunOrigin)
    is_over: bool = False


class RunPoller:
    """Polls one run. Belongs to the event loop on which it is created."""

    def __init__(self, run_id: str, watcher: StateWatcher) -> None:
        self.found = PolledRun()
        self.views: set[asyncio.Event] = set()  # each is set on every change
        self._run_id = run_id
        self._watcher = watcher
        self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        try:
            await self._poll()
        except Exception:  # noqa: BLE001  nobody awaits this task: the views must learn of its end
            _log.exception("watching run %s ended", self._run_id)
            self._note(PolledRun(state=self.found.state, origin=RunOrigin(trouble=_BROKEN), is_over=True))

    async def _poll(self) -> None:
        """Poll until the run is over."""
        pause = QUICKEST
        while not self.found.is_over:
            before = self.found
            self._note(await asyncio.to_thread(self._look))
            pause = min(pause * _GROWTH, SLOWEST) if self.found is before else QUICKEST
            await asyncio.sleep(pause)

    def _look(self) -> PolledRun:
        """Poll once. Blocking."""
        before = self.found
        try:
            state = self._watcher.poll() or before.state
        except NotFoundError:
            gone = origin_of(self._run_id, f"run {self._run_id} was removed: its folder is gone.")
            return PolledRun(state=before.state, origin=gone, is_over=True)
        except PaiJupyterError as exc:
            return PolledRun(state=before.state, origin=origin_of(self._run_id, str(exc)))
        trouble = trouble_of(self._watcher)
        if state is before.state and trouble == before.origin.trouble:
            return before
        is_over = state is not None and state.status.is_terminal
        return PolledRun(state=state, origin=origin_of(self._run_id, trouble), is_over=is_over)

    def _note(self, found: PolledRun) -> None:
        if found is not self.found and found != self.found:
            self.found = found
            for view in self.views:
                view.set()


_pollers: dict[tuple[asyncio.AbstractEventLoop, str], RunPoller] = {}


@asynccontextmanager
async def watching_run(run_id: str, watcher: StateWatcher, news: asyncio.Event) -> AsyncIterator[RunPoller]:
    """Watch a run: set `news` on each change, and stop watching with the last subscriber.

    `watcher` is used if nobody watches the run yet.
    """
    key = asyncio.get_running_loop(), run_id
    poller = _pollers.get(key) or _pollers.setdefault(key, RunPoller(run_id, watcher))
    poller.views.add(news)
    try:
        yield poller
    finally:
        poller.views.remove(news)
        if not poller.views:
            del _pollers[key]
            poller.close()
