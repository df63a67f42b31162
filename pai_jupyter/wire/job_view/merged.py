"""The last lines of all replicas of a job as one log, for views that show all: the replica `ALL` of requests and pushes.

Rule 1: lines are numbered in the order in which they came, from 0 at the beginning of the logs. All views in this process share
    the numbers, which live as long as any of them does.
Rule 2: the last `KEPT` lines are kept, in steps of `SPARE`: `first` is the number of the oldest, and so of those left out.
Rule 3: each line stands behind its replica's name, and only when it is finished, or the job has ended.
"""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from pai_jupyter.jobs import Job
from pai_jupyter.store import FoundLines, LogLine, MergedLog, Query, with_replica
from pai_jupyter.wire.job_view.lines import ANSWER_BYTES, CLIP, Window
from pai_jupyter.wire.protocol.jobs import ALL
from pai_jupyter.wire.schema.limits import MOST_LINES

KEPT = 5_000
SPARE = 1_000

_shared: WeakValueDictionary[Path, "MergedLines"] = WeakValueDictionary()
_sharing = Lock()


def merged_of(job: Job) -> "MergedLines":
    """Return the merged lines of this job, up to date; the same object to all views."""
    with _sharing:
        merged = _shared.get(job.folder.path)
        if merged is None:
            merged = _shared[job.folder.path] = MergedLines(job)
    merged.catch_up()
    return merged


class MergedLines:
    """The last lines of all replicas of one job, numbered."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lock = Lock()
        self._log = MergedLog(job.folder, last=KEPT)
        self.first = self._log.left_out
        self._lines: list[tuple[LogLine, int]] = []  # clipped, and their whole lengths

    @property
    def count(self) -> int:
        return self.first + len(self._lines)

    def catch_up(self) -> None:
        """Take in what has come since the last time."""
        with self._lock:
            is_over = self._job.state.status.is_terminal
            if skipped := self._log.skip(KEPT):  # more have come than are kept
                self.first += len(self._lines) + skipped
                self._lines.clear()
            while lines := self._log.read(is_over=is_over):
                self._lines += [(replace(line, text=line.text[:CLIP]), len(line.text)) for line in lines]
            if len(self._lines) > KEPT + SPARE:
                self.first += len(self._lines) - KEPT
                del self._lines[:-KEPT]

    def window(self, start: int, stop: int) -> Window:
        """Return the lines from `start` up to but not including `stop`, those that are kept and fit; one alone is whole."""
        with self._lock:
            start = max(start, self.first)
            window = self._empty(start)
            kept = self._lines[start - self.first : max(0, min(stop, start + MOST_LINES) - self.first)]
        for line, length in [(self._whole(line), length) for line, length in kept] if stop - start == 1 else kept:
            self._add(window, line, length)
            if window.size > ANSWER_BYTES:
                break
        return window

    def picked(self, numbers: Sequence[int]) -> Window:
        """Return the lines with these numbers, or the first of them that fit; a missing line is empty."""
        with self._lock:
            window, lines = self._empty(0), self._lines
            known = {number: lines[number - self.first] for number in numbers if 0 <= number - self.first < len(lines)}
        nothing = LogLine(replica=ALL, number=0, text="", time=0.0), 0
        for number in numbers:
            line, length = known.get(number, nothing)
            self._add(window, self._whole(line) if len(numbers) == 1 and number in known else line, length)
            if window.size > ANSWER_BYTES:
                break
        return window

    def last_lines(self, *, lines: int, budget: int, since: int | None = None) -> Window:
        """Return the last `lines` lines that fit into `budget` bytes, starting no earlier than `since`."""
        with self._lock:
            start = max(self.first, self.count - lines, since or 0)
            window, kept = self._empty(start), self._lines[start - self.first :]
        for line, length in kept:
            self._add(window, line, length)
        window.keep_last(budget)
        return window

    def find(self, query: Query) -> FoundLines:
        """Find the numbers of the kept lines that match `query`; see `LogFile.find`.

        Raises:
            SpecError: the regex is invalid or takes too long.
        """
        with self._lock:
            count = self.count
            places = {(line.replica, line.number): self.first + at for at, (line, _) in enumerate(self._lines)}
        hits: list[int] = []
        for replica in dict.fromkeys(replica for replica, _ in places):
            begin = min(number for name, number in places if name == replica)
            wanted = replace(query, after=begin, limit=KEPT + SPARE)
            found = self._job.folder.log(replica).find(wanted)
            hits += [places[replica, number] for number in found.numbers if (replica, number) in places]
        hits = sorted(number for number in hits if number >= query.after)
        is_more = len(hits) > query.limit
        searched = hits[query.limit] if is_more else count
        return FoundLines(numbers=array("q", hits[: query.limit]), searched=searched, is_more=is_more)

    def _empty(self, start: int) -> Window:
        return Window(replica=ALL, count=self.count, finished=self.count, start=start, first=self.first)

    def _add(self, window: Window, line: LogLine, length: int) -> None:
        text = with_replica(line, self._job.replicas) if line.replica != ALL else line.text
        clip = None if len(line.text) == length else CLIP
        window.add(replace(line, text=text), clip=clip, length=len(text) + length - len(line.text))

    def _whole(self, line: LogLine) -> LogLine:
        return next(iter(self._job.folder.log(line.replica).lines(line.number, line.number + 1)), line)
