"""Several pools that one job takes one after the other: a pool of one slot for each of its GPUs, last its slot among the jobs.

Rule: all jobs take GPUs in the same order, and their slot last. So no two wait for each other, and none waits for a GPU while it
    holds a slot that jobs without one could use.
"""

from .pool import Pool

TYPE_CHECKING = False  # `typing` itself would cost milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias


def make_line(
    order: "Mapping[str, Any]", job_id: str, *, others: "Callable[[], set[str]] | None" = None
) -> "Either":  # Any: a `SlotOrder`, or one of an older version
    """Return what the job must take before it runs; `others` as for `Pool`."""
    slot = Pool(order["folder"], job_id, order["limit"], others=others)
    gpus = [Pool(folder, job_id, 1) for folder in order.get("gpus", ())]
    return Line(gpus, slot) if gpus else slot


class Line:
    """The pools of one job, with the methods of one `Pool`."""

    def __init__(self, gpus: "list[Pool]", slot: Pool) -> None:
        self._pools = [*gpus, slot]
        self._at = 0
        self._is_queued = False

    @property
    def limit(self) -> int:
        """The limit of parallel jobs; 0 while the job waits for a GPU."""
        pool = self._pools[self._at] if self._at < len(self._pools) else self._pools[-1]
        return pool.limit if pool is self._pools[-1] else 0

    def take(self) -> bool:
        """Take what is free, in order; return whether the job has all of it."""
        while self._at < len(self._pools):
            if not self._pools[self._at].take():
                return False
            self._at += 1
            if self._is_queued and self._at < len(self._pools):
                self._pools[self._at].queue()
        return True

    def queue(self) -> None:
        """Join the queue of the first pool that the job lacks; those of later ones when it comes there."""
        self._is_queued = True
        if self._at < len(self._pools):
            self._pools[self._at].queue()

    def place(self) -> int:
        """Return our position in the present queue; 1 is the next."""
        return self._pools[min(self._at, len(self._pools) - 1)].place()

    def release_slot(self) -> None:
        """Release the slot among the jobs, and keep the GPUs."""
        self._pools[-1].release()

    def release(self) -> None:
        """Release everything."""
        for pool in self._pools:
            pool.release()


if TYPE_CHECKING:
    Either: TypeAlias = Pool | Line
