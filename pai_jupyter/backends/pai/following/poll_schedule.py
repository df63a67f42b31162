"""Decide how often a job is polled: every second while it is viewed, else with growing pauses.

Views and waits mark a job as viewed (store/attention). At the start of following a job counts as viewed, since the user has
just submitted or attached it; only briefly, since it may be a sweep of 200 jobs.
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
SLICE = 1.5  # seconds between two checks whether the job is viewed


class PollSchedule:
    """The pauses between two polls of the job of `folder`; a job without a folder counts as viewed."""

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
        """Whether the job is viewed, or following has just started."""
        return time.monotonic() - self._begun < FIRST_LOOK or self.is_looked_at

    def pause(self) -> float:
        """Return the seconds until the next poll."""
        self._pause = SHORTEST if self.is_watched else min(GROWTH * self._pause, LONGEST)
        return self._pause

    async def rest(self, watch: PolledJob) -> None:
        """Wait until the answer of `watch` is nearly due, or until the job is viewed."""
        while watch.due - time.monotonic() > SLICE and not watch.answered.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(watch.answered.wait(), SLICE)
            if self.is_watched and watch.pause > SHORTEST:
                watch.rest(0.0)
