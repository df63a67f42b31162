"""Read the logs of all replicas of a job as one, while they grow: every line once, by its time of arrival.

Rule 1: lines that were there before come in the order of `JobFolder.merged`. A line that is written later comes later, even if
    its time (exact to about a second) is a little earlier.
Rule 2: an unfinished line comes when it is finished, or at the job's end.
Rule 3: memory is bounded: of a long log only `limit` lines of each replica are read at once.
"""

import heapq
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pai_jupyter.store.logs import LogLine

if TYPE_CHECKING:
    from pai_jupyter.store.folder import JobFolder

AT_ONCE = 2_000  # lines of each replica


def with_replica(line: LogLine, names: Sequence[str], mask: Callable[[str], str] = str) -> str:
    """Return the masked text of a line behind its replica's name; the text alone if the job has no other replica."""
    text, width = mask(line.text), max(map(len, names), default=0)
    return f"{line.replica:<{width}} | {text}" if len(names) > 1 else text


class MergedLog:
    """The lines of all replicas of one job that its reader has not had yet; with `last`, only the last ones from now on.

    `left_out` is the number of lines before these.
    """

    def __init__(self, folder: "JobFolder", *, last: int | None = None) -> None:
        self._folder = folder
        self._next: dict[str, int] = {}  # replica -> number of its next line
        self.left_out = 0 if last is None else self.skip(last)

    def read(self, *, is_over: bool, limit: int = AT_ONCE) -> list[LogLine]:
        """Return the next lines, [] if there are none now; `is_over`: the job has ended, so no line will go on."""
        found: dict[str, list[LogLine]] = {}
        behind: dict[str, float] = {}  # replica with still more lines -> time of the last one read
        for replica in self._folder.replicas():
            log, start = self._folder.log(replica), self._next.get(replica, 0)
            stop = log.count() if is_over else log.finished()
            if lines := log.lines(start, min(stop, start + limit)):
                found[replica] = lines
                if lines[-1].number + 1 < stop:
                    behind[replica] = lines[-1].time
        slowest = min(behind, key=behind.__getitem__, default=None)
        for replica, lines in found.items():
            if slowest is not None and replica != slowest:  # later lines have to wait for those of the slowest
                del lines[_count_until(lines, behind[slowest]) :]
            self._next[replica] = self._next.get(replica, 0) + len(lines)
        return list(heapq.merge(*found.values(), key=lambda line: line.time))

    def skip(self, last: int) -> int:
        """Leave out all unread lines but the last ones, of those that are finished; return how many were left out."""
        unread = {replica: self._next.get(replica, 0) for replica in self._folder.replicas()}
        ends = {replica: max(start, self._folder.log(replica).finished()) for replica, start in unread.items()}
        if sum(ends.values()) - sum(unread.values()) <= last:
            return 0
        tails = [
            self._folder.log(replica).lines(max(end - last, unread[replica]), end) for replica, end in ends.items()
        ]
        kept = list(heapq.merge(*tails, key=lambda line: line.time))[-last:] if last > 0 else []
        for line in kept:
            ends[line.replica] = min(ends[line.replica], line.number)
        self._next.update(ends)
        return sum(ends.values()) - sum(unread.values())


def _count_until(lines: Sequence[LogLine], time: float) -> int:
    """Return how many lines at the front are not later than `time`."""
    return next((index for index, line in enumerate(lines) if line.time > time), len(lines))
