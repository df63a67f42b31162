r"""Logs as readers see them: windows of lines, never a whole log.

A log is `logs/<replica>.log`, the bytes as they came, and beside it `<replica>.idx`, its sparse line index (format and
rules: index.py). Any number of processes read while one writes.

Rule 1: readers trust the bytes. An index that is behind the log, torn or missing costs time, never lines: what it lacks
    is found by reading on from its last record, and remembered.
Rule 2: a file shorter than it was has been cut by a follower that resumed; what was remembered behind its end is dropped.
Rule 3: lines are cut here, when they are read, and stored nowhere (`LogView` of view.py). A line ends with a newline; the
    last one may be unfinished. Of one that is longer than `view.CLIP` the first and the last half are given.
Rule 4: `events.decode_line` makes text of it: `\r` collapses to the last state, undecodable bytes become U+FFFD.
Rule 5: only plain files are read. A job that puts a link in the place of its log shows nobody what that leads to.
"""

import os
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock

from pai_jupyter.events.lines import decode_line
from pai_jupyter.store.disk import open_plain, translated
from pai_jupyter.store.index import BLOCK, Indexer, IndexRecord, RecordTable
from pai_jupyter.store.search import FoundLines, Query, find_lines
from pai_jupyter.store.view import LogView
from pai_jupyter.store.worker import find_in_worker

ONE_LINE = 4 * 1024  # bytes read for a line that is wanted alone; most are shorter


@dataclass(frozen=True, kw_only=True, slots=True)
class LogLine:
    """One line; `number` counts from 0. `time` is its arrival to about a second, 0.0 where nobody noted it."""

    replica: str
    number: int
    text: str
    time: float


class LogFile:
    """The log of one replica. A log that is not there yet is an empty one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.replica = path.stem
        self._lock = Lock()  # over the two below
        self._read = Indexer()  # how far this reader has counted
        self._found: list[IndexRecord] = []  # the records on the way that the index lacks

    def count(self) -> int:
        """Return the number of lines, an unfinished last one included."""
        with self._view() as view:
            return view.lines

    def finished(self) -> int:
        """Return the number of lines that have their newline, and so will not change."""
        with self._view() as view:
            return view.finished

    def counts(self) -> tuple[int, int]:
        """`count` and `finished` of one moment."""
        with self._view() as view:
            return view.lines, view.finished

    def recent(self, lines: int, *, size: int) -> int:
        """Return the number of the first of the last `lines` lines, or of about the last `size` bytes if less."""
        with self._view() as view:
            return view.recent(lines, size)

    def lines(self, start: int, stop: int) -> list[LogLine]:
        """Return the lines from `start` to before `stop`; fewer where the log has no more."""
        return list(self.between(start, stop))

    def between(self, start: int, stop: int) -> Generator[LogLine, None, None]:
        """Yield the lines from `start` to before `stop` one by one, since a single line may be large."""
        with self._view() as view:
            yield from self._window(view, start, stop)

    def pick(self, numbers: Iterable[int]) -> Generator[LogLine, None, None]:
        """Yield the lines with these numbers in order; skip those that do not exist."""
        with self._view() as view:
            for number in numbers:
                yield from self._window(view, number, number + 1, block=ONE_LINE)

    def tail(self, n: int) -> list[LogLine]:
        """Return the last `n` lines."""
        with self._view() as view:
            return list(self._window(view, view.lines - n, view.lines))

    def __iter__(self) -> Iterator[LogLine]:
        """Iterate over all current lines in constant memory."""
        with self._view() as view:
            yield from self._window(view, 0, view.lines)

    def find(self, query: Query) -> FoundLines:
        """Find the numbers of the lines that `query` asks for; a pattern is searched for in a process of its own.

        Raises:
            SpecError: the pattern is no regular expression, or matches in too many ways.
        """
        return find_in_worker(self.path, query) if query.regex else self.find_here(query)

    def find_here(self, query: Query) -> FoundLines:
        """Do what `find` does in this very process; of patterns only those that can be trusted."""
        with self._view() as view:
            return find_lines(view, query)

    def search(self, pattern: str, *, regex: bool = False, limit: int = 1000) -> list[LogLine]:
        """Return the first `limit` lines that contain `pattern`, case-sensitive (a regex may say `(?i)`).

        Raises:
            SpecError: `pattern` is no regular expression, or matches in too many ways.
        """
        found = self.find(Query(pattern=pattern, regex=regex, limit=limit))
        return list(self.pick(found.numbers))

    def _window(self, view: LogView, start: int, stop: int, *, block: int = BLOCK) -> Iterator[LogLine]:
        start = max(start, 0)
        for number, raw, time in islice(view.numbered(start, block=block), max(min(stop, view.lines) - start, 0)):
            yield LogLine(replica=self.replica, number=number, text=decode_line(raw), time=time)

    @contextmanager
    def _view(self) -> Iterator[LogView]:
        with ExitStack() as opened, translated(self.path):
            fd = _open(self.path, opened)
            index = _open(self.path.with_suffix(".idx"), opened)
            size = os.fstat(fd).st_size
            records = RecordTable(
                lambda length, offset: os.pread(index, length, offset),
                index_size=os.fstat(index).st_size,
                log_size=size,
            )
            with self._lock:
                self._read_on(fd, size, records)
                finished, is_open = self._read.lines, not self._read.at_line_start
                records.extend(tuple(self._found))
            yield LogView(fd=fd, size=size, lines=finished + is_open, finished=finished, records=records)

    def _read_on(self, fd: int, size: int, records: RecordTable) -> None:
        """Count the lines up to `size`, from the last place that is known."""
        stored = records.last
        seen = self._read.last
        if self._read.size > size or (stored and (seen is None or stored.offset > seen.offset)):
            self._read, self._found = Indexer.behind(stored), []
        elif stored:
            del self._found[: bisect_right(self._found, stored.offset, key=lambda record: record.offset)]
        self._found += self._read.catch_up(lambda length, offset: os.pread(fd, length, offset), size)


def _open(path: Path, opened: ExitStack) -> int:
    """Open a log for reading and return its descriptor; an empty one where there is no file yet."""
    try:
        fd = open_plain(path)
    except FileNotFoundError:
        fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    opened.callback(os.close, fd)
    return fd
