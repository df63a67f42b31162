"""Limit what is pushed to a widget that may have been closed.

A page does not report that it was closed; pushes to it then fill the Jupyter server's memory, up to a megabyte a second. So a
visible view sends a heartbeat every 20 seconds (labextension/src/widget.ts), which the kernel reads only between cells.

Rule 1: after a heartbeat up to `BUDGET` bytes are pushed; beyond that, one push every `SLOW` seconds until the next heartbeat.
Rule 2: without a heartbeat during `PATIENCE` seconds of idle kernel, nothing is pushed until the next one.
Rule 3: time in which a cell runs does not count, since heartbeats then wait in the kernel's queue.
"""

import math
from collections.abc import Callable

PATIENCE = 60.0  # seconds of idle kernel
BUDGET = 32 * 1024 * 1024  # bytes: hours of most jobs, half a minute of one that prints without pause
SLOW = 10.0  # seconds


class KernelIdleTime:
    """Total idle time of the kernel in seconds. Updated on the kernel's thread, read on any."""

    def __init__(self, clock: Callable[[], float], *, is_busy: bool) -> None:
        self._clock = clock
        # idle seconds before the current idle period, and its start; None while a cell runs
        self._idle: tuple[float, float | None] = (0.0, None if is_busy else clock())

    def begin_cell(self) -> None:
        self._idle = self.free(), None

    def end_cell(self) -> None:
        self._idle = self.free(), self._clock()

    def free(self) -> float:
        """Return the total idle time in seconds."""
        before, since = self._idle
        return before if since is None else before + self._clock() - since


class PushAllowance:
    """What may still be pushed to one widget."""

    def __init__(self, pulse: KernelIdleTime, clock: Callable[[], float]) -> None:
        self._pulse = pulse
        self._clock = clock
        self._pushed_at = -math.inf
        self.hear()

    def hear(self) -> None:
        """Record a heartbeat or request, which resets the push budget."""
        self._heard = self._pulse.free()
        self._pushed = 0  # bytes since the last heartbeat

    def push(self, size: int) -> None:
        """Record a push of `size` bytes."""
        self._pushed += size
        self._pushed_at = self._clock()

    @property
    def is_lost(self) -> bool:
        """Whether the view is taken for closed (rule 2)."""
        return self._pulse.free() - self._heard >= PATIENCE

    def rest(self) -> float:
        """Return the seconds until the next push may be sent; infinite until the next heartbeat if the view is lost."""
        if self.is_lost:
            return math.inf
        return 0.0 if self._pushed <= BUDGET else max(0.0, self._pushed_at + SLOW - self._clock())
