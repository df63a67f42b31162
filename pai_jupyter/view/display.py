"""The display of a job in a cell, kept up to date from the runtime thread.

It uses only `IPython.display.display`, once, on the main thread, and then `DisplayHandle.update` on any thread, which finds
the display by its id, whatever cell runs meanwhile. Nothing is printed.

Updates are few, since each is saved with the notebook and sent to every open page: at once on a change of state, every
`PERIOD` seconds in between (for the elapsed time), and at the end.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from pai_jupyter.events import JobState, Phase, Status
from pai_jupyter.view.bundle import bundle
from pai_jupyter.view.data import ViewData
from pai_jupyter.view.frontend import Render, environment_render, is_stable

PERIOD = 10.0  # seconds between two drawings of a state that does not change

_log = logging.getLogger(__name__)


class Followed(Protocol):
    """A job being followed, such as `jobs.Following`."""

    @property
    def ended(self) -> "Future[JobState]": ...


class Handle(Protocol):
    """A display that can be replaced, such as IPython's `DisplayHandle`."""

    def update(self, obj: Mapping[str, object], *, raw: bool) -> None: ...


@dataclass(kw_only=True)
class RedrawSchedule:
    """When to draw next. Times are monotonic, in seconds."""

    period: float = PERIOD
    drawn_at: float | None = None
    drawn: tuple[Status, Phase | None] | None = None

    def note(self, state: JobState, now: float) -> None:
        """Record that `state` was drawn at `now`."""
        self.drawn_at, self.drawn = now, (state.status, state.phase)

    def is_change(self, state: JobState) -> bool:
        """Return whether the status or phase has changed, which must be drawn at once."""
        return (state.status, state.phase) != self.drawn

    def rest(self, now: float) -> float:
        """Return the seconds until the same state is drawn again."""
        return 0.0 if self.drawn_at is None else max(0.0, self.drawn_at + self.period - now)


def ipython_display(drawn: Mapping[str, object]) -> Handle | None:
    """Show `drawn` below the running cell; return None if IPython does not run."""
    from IPython.display import display

    handle: Handle | None = display(drawn, raw=True, display_id=True)  # type: ignore[no-untyped-call]  # IPython's
    return handle


class JobView:
    """One display of one job; `source` reads the job's current data, `render` None is read from the environment now.

    `render` stays as it is: a setting changed by a later cell does not change earlier outputs.
    """

    def __init__(
        self,
        source: Callable[[], ViewData],
        *,
        display: Callable[[Mapping[str, object]], Handle | None] = ipython_display,
        clock: Callable[[], float] = time.monotonic,
        period: float = PERIOD,
        render: Render | None = None,
    ) -> None:
        self._source = source
        self._render = render or environment_render()
        self._display = display
        self._clock = clock
        self._pace = RedrawSchedule(period=period)
        self._handle: Handle | None = None
        self._news = asyncio.Event()

    def show(self) -> None:
        """Display the job; call on the main thread. The display can be updated."""
        self._handle = self._display(self._draw())

    def show_final(self) -> None:
        """Display the job without later updates, for programs that lose or ignore them."""
        self._display(self._draw())

    def update(self) -> None:
        """Redraw the job; call on any thread."""
        if self._handle is not None:
            self._handle.update(self._draw(), raw=True)

    def state_changed(self, state: JobState) -> None:
        """Request a redraw if status or phase has changed; call on the runtime thread, returns at once."""
        if self._pace.is_change(state):
            self._news.set()

    async def keep_fresh(self, following: Followed) -> None:
        """Redraw the job by its schedule until it has ended; runs on the runtime thread's loop."""
        loop = asyncio.get_running_loop()
        following.ended.add_done_callback(lambda _: loop.call_soon_threadsafe(self._news.set))
        is_over = False
        try:
            while not is_over:
                await self._wait()
                is_over = following.ended.done()  # checked before drawing, so that the last drawing shows the end
                await asyncio.to_thread(self.update)
        except Exception:  # noqa: BLE001  nobody awaits this task, and the job goes on if its drawing fails
            _log.exception("the display of a job is no longer updated")

    async def _wait(self) -> None:
        """Wait for a change, or until the next drawing is due."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), self._pace.rest(self._clock()))
        self._news.clear()

    def _draw(self) -> dict[str, object]:
        data = self._source()
        self._pace.note(data.state, self._clock())
        return bundle(data, stable=is_stable(), render=self._render)
