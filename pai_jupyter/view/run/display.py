"""The display of a run in a cell, kept up to date from the runtime thread, as that of a job (`view.display`).

Updates are few, since each is saved with the notebook and sent to every open page: at once when the run's own status changes, every
`STEP_PAUSE` seconds while steps change (every `PERIOD` where another live view shows them), and at the end.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.runs.costs import costs_of_run
from pai_jupyter.runs.sources import StateWatcher
from pai_jupyter.runs.state import RunState
from pai_jupyter.view.display import PERIOD, Handle, ipython_display
from pai_jupyter.view.frontend import Render, is_stable
from pai_jupyter.view.run.bundle import run_bundle
from pai_jupyter.view.run.data import RunData

LOOK = 0.5  # seconds between two looks at the run
STEP_PAUSE = 2.0  # seconds between two drawings while steps change

_log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class RunDisplay:
    """One display of one run. `step_pause`: seconds between two drawings while only steps change."""

    watcher: StateWatcher
    state: RunState
    is_here: bool = True
    live_by: str = ""
    render: Render | None = None
    step_pause: float = STEP_PAUSE
    display: Callable[[Mapping[str, object]], Handle | None] = ipython_display
    clock: Callable[[], float] = time.monotonic
    _handle: Handle | None = None
    _drawn: RunState | None = None
    _drawn_at: float = 0.0

    def show(self) -> None:
        """Display the run; call on the main thread. The display can be updated."""
        self._handle = self.display(self._draw())

    async def keep_fresh(self) -> None:
        """Redraw the run until it has ended; runs on the runtime thread's loop."""
        try:
            while not self.state.status.is_terminal:
                await asyncio.sleep(LOOK)
                await asyncio.to_thread(self.look)
        except NotFoundError:
            pass  # it was deleted: the last drawing stays
        except Exception:  # noqa: BLE001  nobody awaits this task, and the run goes on if its drawing fails
            _log.exception("the display of a run is no longer updated")

    def look(self) -> None:
        """Look at the run, and draw it if that is due. Blocking.

        Raises:
            NotFoundError: the run was deleted.
        """
        try:
            self.state = self.watcher.poll() or self.state
        except NotFoundError:
            raise
        except PaiJupyterError:
            return  # it cannot be read now: the drawing tells its time
        if self._handle is not None and self._is_due():
            self._handle.update(self._draw(), raw=True)

    def _is_due(self) -> bool:
        drawn, since = self._drawn, self.clock() - self._drawn_at
        if drawn is None or (self.state.status, self.state.is_stopping) != (drawn.status, drawn.is_stopping):
            return True
        return since >= (PERIOD if self.state is drawn else self.step_pause)

    def _draw(self) -> dict[str, object]:
        self._drawn, self._drawn_at = self.state, self.clock()
        costs = costs_of_run(self.state, now=time.time()) if self.is_here else []
        data = RunData(state=self.state, is_here=self.is_here, live_by=self.live_by, costs=costs)
        return run_bundle(data, stable=is_stable(), render=self.render)
