"""A dump of `py-spy` as threads with frames, the outermost first, as in a traceback.

Rule: a process may have any number of threads and frames, and names of any length: all are limited, and what is left out is said.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.cell import LineMap
from pai_jupyter.cell.failure import is_script

MOST_THREADS = 64  # of a process
OUTERMOST, INNERMOST = 10, 60  # frames of a thread that are kept
LONGEST_NAME = 200  # characters
_LIBRARY = re.compile(r".*/(?:site-packages|dist-packages|python3\.\d+t?)/")
_OF_JOB = re.compile(r".*/(?:usercode|code)/")
_PARTS = 3  # of the path of any other file
_NOT_KNOWN: Mapping[int, bool] = {}


@dataclass(frozen=True, kw_only=True)
class StackFrame:
    """A line of a function. `file` is "" for the job's cell; `cell` is the number of the other cell that the line is from."""

    function: str
    file: str
    line: int
    cell: int | None = None
    is_own: bool = False  # of the job's script

    @property
    def place(self) -> str:
        if self.cell is not None:
            return f"cell [{self.cell}], line {self.line}"
        if self.is_own and not self.file:
            return f"cell line {self.line}"
        return f"{self.file} line {self.line}" if self.line else self.file


@dataclass(frozen=True, kw_only=True)
class ThreadStack:
    """What a thread does. `left_out` frames are missing behind the first `OUTERMOST`."""

    name: str
    is_idle: bool
    has_gil: bool
    frames: tuple[StackFrame, ...]
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class ProcessStacks:
    """The threads of one process, or the sentence why they cannot be read; `left_out` threads are missing."""

    replica: str
    pid: int
    threads: tuple[ThreadStack, ...] = ()
    left_out: int = 0
    trouble: str = ""


class ScriptLines:
    """Names the lines of files as the user knows them: those of the job's script as the cell's."""

    def __init__(self, script: str, *, is_cell: bool, origins: LineMap | None) -> None:
        self._script, self._is_cell, self._origins = script, is_cell, origins or LineMap()

    def frame(self, function: str, file: str, line: int) -> StackFrame:
        function = function[:LONGEST_NAME]
        if not is_script(file, self._script):
            return StackFrame(function=function, file=short_name(file), line=line)
        if not self._is_cell:
            return StackFrame(function=function, file=self._script, line=line, is_own=True)
        cell, own = self._origins.origin(line)
        return StackFrame(function=function, file="", line=own, cell=cell, is_own=True)


def short_name(file: str) -> str:
    """Return the part of a path that says which module it is."""
    for beginning in (_LIBRARY, _OF_JOB):
        if found := beginning.match(file):
            return file[found.end() :][-LONGEST_NAME:]
    home = str(Path.home())
    file = f"~{file[len(home) :]}" if file.startswith(f"{home}/") else file
    return "/".join(file.split("/")[-_PARTS:])[-LONGEST_NAME:]


def stacks_of(
    replica: str, pid: int, dumped: object, lines: ScriptLines, waiting: Mapping[int, bool] = _NOT_KNOWN
) -> ProcessStacks:
    """Read the dump of a process; what is damaged in it is left out. `waiting`: which threads wait, where `py-spy` cannot tell."""
    threads = [_thread(item, lines, waiting) for item in _mappings(dumped)]
    return ProcessStacks(
        replica=replica, pid=pid, threads=tuple(threads[:MOST_THREADS]), left_out=max(0, len(threads) - MOST_THREADS)
    )


def _thread(item: Mapping[str, object], lines: ScriptLines, waiting: Mapping[int, bool]) -> ThreadStack:
    number = item.get("os_thread_id")
    told = waiting.get(number) if isinstance(number, int) else None
    frames = [_frame(each, lines) for each in _mappings(item.get("frames"))][::-1]
    left_out = max(0, len(frames) - OUTERMOST - INNERMOST)
    kept = [*frames[:OUTERMOST], *frames[OUTERMOST + left_out :]]
    return ThreadStack(
        name=str(item.get("thread_name") or "")[:LONGEST_NAME],
        is_idle=item.get("active") is not True if told is None else told,
        has_gil=item.get("owns_gil") is True,
        frames=tuple(kept),
        left_out=left_out,
    )


def _frame(item: Mapping[str, object], lines: ScriptLines) -> StackFrame:
    line = item.get("line")
    return lines.frame(str(item.get("name", "")), str(item.get("filename", "")), line if isinstance(line, int) else 0)


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping):
            yield item
