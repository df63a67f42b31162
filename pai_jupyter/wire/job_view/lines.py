"""Windows of log lines in answers and pushes: `LogWindow` of `schema.job`.

Rule 1: a window has at most `MOST_LINES` lines, each clipped at `CLIP` characters, and stays within its limit in bytes.
    Lines are read one by one, so that lines beyond the limit never fill memory.
Rule 2: a single requested line is not clipped here (the store may clip it).
Rule 3: lines are counted before they are read, so `finished` is never too large.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pai_jupyter.store import LogFile, LogLine
from pai_jupyter.wire.protocol.messages import encode, sendable
from pai_jupyter.wire.schema.limits import MOST_LINES

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.job import LogWindow

CLIP = 1_000  # characters of a line
ANSWER_BYTES = 1_000_000
READ_BYTES = 4_000_000  # read at most so much of the log's end for its last lines: lines may be very long
_LINE_BYTES = 40  # of a line beside its text: time, length if it was clipped, commas


@dataclass(kw_only=True)
class Window:
    """The lines of one answer or push; `start` is the number of the first."""

    replica: str
    count: int
    finished: int
    start: int = 0
    lines: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)  # of the whole lines
    sizes: list[int] = field(default_factory=list)  # bytes that each adds to the message
    size: int = 0  # their sum
    first: int | None = None  # the oldest line that can be asked for, if not 0

    def add(self, line: LogLine, *, clip: int | None = CLIP, length: int | None = None) -> None:
        """Add a line; `length` is that of the whole one, if it is longer."""
        text = sendable(line.text[:clip])
        self.lines.append(text)
        self.times.append(line.time)
        self.lengths.append(len(line.text) if length is None else length)
        self.sizes.append(len(encode(text)) + _LINE_BYTES)
        self.size += self.sizes[-1]

    def keep_last(self, budget: int) -> None:
        """Drop lines at the front until the others fit into `budget` bytes."""
        dropped = 0
        while self.size > budget and dropped < len(self.lines):
            self.size -= self.sizes[dropped]
            dropped += 1
        for each in (self.lines, self.times, self.lengths, self.sizes):
            del each[:dropped]
        self.start += dropped

    def body(self) -> "LogWindow":
        clipped = {
            str(index): length
            for index, (text, length) in enumerate(zip(self.lines, self.lengths, strict=True))
            if length > len(text)
        }
        body: LogWindow = {
            "replica": self.replica,
            "start": self.start,
            "lines": list(self.lines),
            "times": list(self.times),
            "clipped": clipped,
            "count": self.count,
            "finished": self.finished,
        }
        if self.first is not None:
            body["first"] = self.first
        return body


def window_of(log: LogFile, start: int, stop: int) -> Window:
    """Return the lines from `start` up to but not including `stop`, or the first of them that fit."""
    count, finished = log.counts()
    window = Window(replica=log.replica, count=count, finished=finished, start=start)
    clip = None if stop - start == 1 else CLIP
    with closing(log.between(start, min(stop, count, start + MOST_LINES))) as lines:
        for line in lines:
            window.add(line, clip=clip)
            if window.size > ANSWER_BYTES:
                break
    return window


def picked(log: LogFile, numbers: Sequence[int]) -> Window:
    """Return the lines with these numbers, or the first of them that fit; a missing line is empty."""
    count, finished = log.counts()
    window = Window(replica=log.replica, count=count, finished=finished)
    clip = None if len(numbers) == 1 else CLIP
    with closing(log.pick(numbers)) as found:
        line = next(found, None)
        for number in numbers:
            is_here = line is not None and line.number == number
            window.add(line if line and is_here else _nothing(log, number), clip=clip)
            line = next(found, None) if is_here else line
            if window.size > ANSWER_BYTES:
                break
    return window


def last_lines(log: LogFile, *, lines: int, budget: int, since: int | None = None) -> Window:
    """Return the last `lines` lines that fit into `budget` bytes, starting no earlier than `since` unless the log shrank."""
    count, finished = log.counts()
    start = min(log.recent(lines, size=READ_BYTES), count)
    if since is not None:
        start = max(start, min(since, finished))
    window = Window(replica=log.replica, count=count, finished=finished, start=start)
    with closing(log.between(start, count)) as found:
        for line in found:
            window.add(line)
    window.keep_last(budget)
    return window


def unreadable(replica: str, why: str) -> Window:
    """Return a window of one provisional line that says why the log cannot be read."""
    window = Window(replica=replica, count=1, finished=0)
    window.add(LogLine(replica=replica, number=0, text=why, time=0.0))
    return window


def _nothing(log: LogFile, number: int) -> LogLine:
    return LogLine(replica=log.replica, number=number, text="", time=0.0)
