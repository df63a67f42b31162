r"""Read logs in windows of lines, never a whole log.

A log is `logs/<replica>.log`, the raw bytes, and beside it `<replica>.idx`, its sparse line index (format and
rules: index.py). Any number of processes read while one writes.

Rule 1: the bytes decide. A missing, incomplete or late index costs time, never lines: readers compute its missing end from the
    last record on and cache it.
Rule 2: a file that became shorter was truncated by a follower that resumed; cached records after its end are dropped.
Rule 3: lines are split when they are read and stored nowhere (`LogView` of view.py). A line ends with a newline; the last one
    may be unfinished. A line over `view.CLIP` is reduced to its first and last half.
Rule 4: `events.decode_line` decodes it: `\r` collapses to the last state, invalid UTF-8 becomes U+FFFD.
Rule 5: only regular files are read. If a job replaces its log by a link, the target is not shown.
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

ONE_LINE = 4 * 1024  # bytes read for a single line; most are shorter


@dataclass(frozen=True, kw_only=True, slots=True)
class LogLine:
    """One line; `number` counts from 0. `time` is its arrival to about a second, 0.0 if unknown."""

    replica: str
    number: int
    text: str
    time: float


class LogFile:
    """The log of one replica. A missing log counts as empty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.replica = path.stem
        self._lock = Lock()  # guards the next two
        self._read = Indexer()  # lines counted so far by this reader
        self._found: list[IndexRecord] = []  # records missing in the index

    def count(self) -> int:
        """Return the number of lines, an unfinished last one included."""
        with self._view() as view:
            return view.lines

    def finished(self) -> int:
        """Return the number of lines with a newline, which will not change."""
        with self._view() as view:
            return view.finished

    def counts(self) -> tuple[int, int]:
        """Return `count` and `finished` at the same moment."""
        with self._view() as view:
            return view.lines, view.finished

    def recent(self, lines: int, *, size: int) -> int:
        """Return the number of the first of the last `lines` lines, or of about the last `size` bytes if less."""
        with self._view() as view:
            return view.recent(lines, size)

    def lines(self, start: int, stop: int) -> list[LogLine]:
        """Return the lines from `start` to before `stop`; fewer at the end of the log."""
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
        """Find the numbers of the lines that match `query`; a regex runs in its own process.

        Raises:
            SpecError: the regex is invalid or takes too long.
        """
        return find_in_worker(self.path, query) if query.regex else self.find_here(query)

    def find_here(self, query: Query) -> FoundLines:
        """Do the same as `find` in this process; for trusted regexes only."""
        with self._view() as view:
            return find_lines(view, query)

    def search(self, pattern: str, *, regex: bool = False, limit: int = 1000) -> list[LogLine]:
        """Return the first `limit` lines that contain `pattern`, case-sensitive (a regex may say `(?i)`).

        Raises:
            SpecError: the regex is invalid or takes too long.
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
        """Count the lines up to `size` from the last known position."""
        stored = records.last
        seen = self._read.last
        if self._read.size > size or (stored and (seen is None or stored.offset > seen.offset)):
            self._read, self._found = Indexer.behind(stored), []
        elif stored:
            del self._found[: bisect_right(self._found, stored.offset, key=lambda record: record.offset)]
        self._found += self._read.catch_up(lambda length, offset: os.pread(fd, length, offset), size)


def _open(path: Path, opened: ExitStack) -> int:
    """Open a log for reading and return its descriptor; an empty file if there is no log yet."""
    try:
        fd = open_plain(path)
    except FileNotFoundError:
        fd = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    opened.callback(os.close, fd)
    return fd
