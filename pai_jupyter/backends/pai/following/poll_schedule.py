"""How often a job is asked for: while somebody looks at it every second, else ever more seldom.

Somebody looks when a view or a wait says so (store/attention). At first, behind each beginning to follow, it is as if:
whoever has just submitted a job, or attached to it, is there. That is short, for it may be a sweep of two hundred jobs.
"""

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.pai.services.status_poller import PolledJob
from pai_jupyter.store.attention import is_looked_at

SHORTEST, LONGEST = 1.0, 30.0  # seconds
GROWTH = 1.5
FIRST_LOOK = 10.0  # seconds
SLICE = 1.5  # seconds between two looks for somebody who looks


class PollSchedule:
    """The pauses between two looks at the job of `folder`; where it has none, whoever follows looks himself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._has_folder = folder.is_dir()
        self._begun = time.monotonic()
        self._pause = SHORTEST

    @property
    def is_looked_at(self) -> bool:
        return not self._has_folder or is_looked_at(self._folder)

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks, or may be about to."""
        return time.monotonic() - self._begun < FIRST_LOOK or self.is_looked_at

    def pause(self) -> float:
        """Seconds until the next look."""
        self._pause = SHORTEST if self.is_watched else min(GROWTH * self._pause, LONGEST)
        return self._pause

    async def rest(self, watch: PolledJob) -> None:
        """Wait until the answer of `watch` is nearly due, or somebody begins to look."""
        while watch.due - time.monotonic() > SLICE and not watch.answered.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(watch.answered.wait(), SLICE)
            if self.is_watched and watch.pause > SHORTEST:
                watch.rest(0.0)
