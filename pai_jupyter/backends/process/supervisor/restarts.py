"""Start failed replicas again: the same index, the same log, after what the failed attempt left has been ended."""

import time

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .ending import Ending
    from .member import ReplicaProcess

LOOK = 0.02  # seconds between two steps while processes are being ended, or the disk takes no log
FIRST_PAUSE = 0.5  # seconds before the first restart of a replica; twice as long before each further one


class Restarts:
    """The replicas that wait for their next attempt."""

    def __init__(self, end: "Callable[[ReplicaProcess], Ending]") -> None:
        """Store how the processes of one replica are ended."""
        self._end = end
        self._waiting: dict[ReplicaProcess, tuple[Ending, float]] = {}

    def step(self, members: "Iterable[ReplicaProcess]") -> "list[ReplicaProcess]":
        """Return the replicas that can be started now."""
        ready = []
        now = time.monotonic()
        for member in members:
            if not member.may_restart:
                continue
            if member not in self._waiting:
                self._waiting[member] = self._end(member), now + FIRST_PAUSE * 2**member.attempt
            ending, at = self._waiting[member]
            if ending.step() and now >= at:
                del self._waiting[member]
                ready.append(member)
        return ready

    def pauses(self) -> list[float]:
        """Return the seconds until each replica's next step."""
        now = time.monotonic()
        return [max(LOOK, at - now) if ending.is_over else LOOK for ending, at in self._waiting.values()]
