"""Whether anybody still looks at a widget, and how much may be pushed to it.

A page that is closed says nothing, and what is pushed to it then piles up in the Jupyter server: up to a megabyte a second.
So a view that is seen says a word every 20 seconds (labextension/src/widget.ts). But a kernel hears it only between cells.

Rule 1: whoever has spoken is pushed to, up to `BUDGET` until the next word; beyond that once in `SLOW` seconds.
Rule 2: whoever was silent although the kernel was free to hear it for `PATIENCE` is gone: nothing more until the next word.
Rule 3: the time in which a cell runs counts for nothing: the view may be there and its words wait in the kernel's queue.
"""

import math
from collections.abc import Callable

PATIENCE = 60.0  # seconds
BUDGET = 32 * 1024 * 1024  # bytes; hours of most jobs, half a minute of one that prints as fast as it can
SLOW = 10.0  # seconds


class Pulse:
    """How long the kernel has been free to hear, in all. Told on the kernel's thread, asked on any."""

    def __init__(self, clock: Callable[[], float], *, is_busy: bool) -> None:
        self._clock = clock
        self._freedom: tuple[float, float | None] = (0.0, None if is_busy else clock())  # before, and since when

    def begin_cell(self) -> None:
        self._freedom = self.free(), None

    def end_cell(self) -> None:
        self._freedom = self.free(), self._clock()

    def free(self) -> float:
        """Seconds."""
        before, since = self._freedom
        return before if since is None else before + self._clock() - since


class Attention:
    """What one widget may still be sent."""

    def __init__(self, pulse: Pulse, clock: Callable[[], float]) -> None:
        self._pulse = pulse
        self._clock = clock
        self._pushed_at = -math.inf
        self.hear()

    def hear(self) -> None:
        """Record that the front end has responded, which resets the push budget."""
        self._heard = self._pulse.free()
        self._pushed = 0  # bytes since then

    def push(self, size: int) -> None:
        """So many bytes go out."""
        self._pushed += size
        self._pushed_at = self._clock()

    @property
    def is_lost(self) -> bool:
        """Whether nobody is there."""
        return self._pulse.free() - self._heard >= PATIENCE

    def rest(self) -> float:
        """Seconds until the next push may go; infinite where a word has to come first."""
        if self.is_lost:
            return math.inf
        return 0.0 if self._pushed <= BUDGET else max(0.0, self._pushed_at + SLOW - self._clock())
