"""What is done again later, because a service did not answer or a disk was full: when, and for how long. Pauses grow."""

import time
from dataclasses import dataclass

FIRST, LONGEST = 1.0, 60.0  # seconds between two tries
MOST = 3600.0  # seconds after which a step that still cannot begin fails


@dataclass
class _Waiting:
    since: float
    pause: float
    until: float


class Postponements:
    """The steps that wait, by path."""

    def __init__(self) -> None:
        self._steps: dict[str, _Waiting] = {}

    def add(self, step: str) -> bool:
        """Have the step wait; return whether it has waited long enough to give up."""
        now = time.monotonic()
        found = self._steps.setdefault(step, _Waiting(since=now, pause=FIRST / 2, until=now))
        found.pause = min(2 * found.pause, LONGEST)
        found.until = now + found.pause
        return now - found.since > MOST

    def waits(self, step: str) -> bool:
        found = self._steps.get(step)
        return found is not None and found.until > time.monotonic()

    def clear(self, step: str) -> None:
        """Note that the step went on."""
        self._steps.pop(step, None)

    def wait(self, most: float) -> float:
        """Return the seconds until the next step goes on, at most `most`."""
        now = time.monotonic()
        return max(0.01, min([most, *(it.until - now for it in self._steps.values() if it.until > now)]))
