"""Find the exception that ended a job: the last traceback of its log, and the line of the cell it names.

Rule 1: a traceback is a run of `File "...", line N` entries followed by `Type: message`; its heading may be missing, since only
    the end of the log is read.
Rule 2: the last traceback through the script counts: a launcher's own (torchrun's) follows it.
Rule 3: replicas may write at the same time; lines with a rank prefix (`[rank0]: `) are read rank by rank.
Rule 4: in an exception group the last exception counts; in a chain the last raised, except that a worker's re-raised exception
    counts where it was first raised.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pai_jupyter.cell.completed import LineMap
from pai_jupyter.events import strip_ansi

_RANK = re.compile(r"(\[(?:rank|default|worker-)?\d+\]:|\[\d+,\d+\]<std(?:out|err)>:) ?")
_GROUP_MARGIN = re.compile(r"[ ]*\| ?|[ ]*\+(?:-\+)?-+ (?:\d+|\.\.\.) -+|[ ]*\+-+$")
_HEADING = re.compile(r"(?:.*\s)?Traceback \(most recent call last\):$")
_FRAME = re.compile(r'\s+File "(?P<file>.+)", line (?P<line>\d+)(?:, in .+)?$')
_RAISED = re.compile(r"(?P<type>[^\W\d][\w.]*(?:\.<locals>\.[\w.]+)*)(?P<colon>:(?: (?P<message>.*))?)?$")
_NEXT = re.compile(r"The above exception was|During handling of the above|Exception (?:ignored )?in\b|\"\"\"$")
_MAX_MESSAGE = 20  # lines


@dataclass(frozen=True, kw_only=True)
class ExceptionFound:
    """An exception from the log; `line` is the line of the script, None if the traceback does not pass through it.

    `file` is the script's name, "" for a cell. `cell` is the number of the other cell that the line is in, if any.
    """

    type: str
    message: str = ""
    line: int | None = None
    file: str = ""
    cell: int | None = None

    def __str__(self) -> str:
        first = self.message.strip().split("\n")[0]
        file = f"cell [{self.cell}]," if self.cell is not None else self.file or "cell"
        place = f" ({file} line {self.line})" if self.line is not None else ""
        return f"{self.type}{': ' if first else ''}{first}{place}"


@dataclass(kw_only=True)
class _Traceback:
    """One traceback, being read."""

    frames: list[tuple[str, int]] = field(default_factory=list)
    type: str = ""
    message: list[str] = field(default_factory=list)
    end: int = 0  # index of the line with the exception
    is_ignored: bool = False  # "Exception ignored in": Python went on

    def found(self, script: str, *, is_cell: bool, origins: LineMap) -> ExceptionFound:
        lines = [number for file, number in self.frames if is_script(file, script)]
        cell, line = origins.origin(lines[-1]) if lines else (None, None)
        return ExceptionFound(
            type=self.type,
            message="\n".join(self.message).strip(),
            line=line,
            file="" if is_cell else script,
            cell=cell,
        )


def find_exception(
    lines: Sequence[str], script: str = "train.py", *, is_cell: bool = True, origins: LineMap | None = None
) -> ExceptionFound | None:
    """Find the exception that ended the job in the last lines of its log.

    Args:
        lines: without line ends; they may have ANSI colours.
        script: the file whose line numbers are reported, relative to the job's directory.
        is_cell: whether it was made of a cell.
        origins: where its lines are from; None: its line N is line N of the cell.
    """
    tracebacks = [t for stream in _streams(lines) for t in _tracebacks(stream) if not t.is_ignored]
    tracebacks.sort(key=lambda t: t.end)
    all_found = [t.found(script, is_cell=is_cell, origins=origins or LineMap()) for t in tracebacks]
    in_script = [found for found in all_found if found.line is not None]
    if not in_script:
        return all_found[-1] if all_found else None
    last = in_script[-1]
    # A pool re-raises its worker's exception in the parent: the first traceback says more.
    same = [found for found in in_script if (found.type, found.message) == (last.type, last.message)]
    return same[0] if all_found[-len(same) :] == same else last


def _streams(lines: Sequence[str]) -> Iterable[list[tuple[int, str]]]:
    """Group numbered lines by the rank that wrote them, without rank prefix and exception-group margin."""
    streams: dict[str, list[tuple[int, str]]] = {}
    for index, line in enumerate(lines):
        text = strip_ansi(line).rstrip("\r\n")
        rank = _RANK.match(text)
        text = text[rank.end() :] if rank else text
        text = _GROUP_MARGIN.sub("", text, count=1) if text.lstrip()[:1] in {"|", "+"} else text
        streams.setdefault(rank[1] if rank else "", []).append((index, text))
    return streams.values()


def _tracebacks(lines: Iterable[tuple[int, str]]) -> Iterator[_Traceback]:
    """Yield the complete tracebacks of one stream, in order."""
    open_: _Traceback | None = None
    done: _Traceback | None = None
    is_ignored = False
    for index, text in lines:
        frame = _FRAME.match(text)
        if done is not None and (frame or not _goes_on(done, text)):
            yield done
            done = None
        if frame:
            open_ = open_ or _Traceback(is_ignored=is_ignored)
            open_.frames.append((frame["file"], int(frame["line"])))
        elif done is not None:
            done.message.append(text)
        elif open_ is not None and not text[:1].isspace():
            done, open_ = _ended(open_, text, index), None
        if not _HEADING.match(text) and open_ is None:
            is_ignored = text.startswith("Exception ignored in")
    if done is not None:
        yield done


def _ended(traceback: _Traceback, text: str, index: int) -> _Traceback | None:
    """Return the traceback completed with the exception in `text`; None if the line is no exception."""
    raised = _RAISED.match(text)
    if raised is None or not _is_exception(raised["type"]):
        return None
    traceback.type, traceback.end = raised["type"], index
    traceback.message += [raised["message"] or ""] if raised["colon"] else []
    return traceback


def _is_exception(name: str) -> bool:
    """Return whether `name` is an exception's, not a word printed after `traceback.print_stack()`."""
    return "." in name or name[0].isupper()


def _goes_on(traceback: _Traceback, text: str) -> bool:
    """Return whether a line continues the message; output printed right after it looks the same."""
    is_over = not text.strip() or _HEADING.match(text) or _NEXT.match(text)
    return not is_over and 0 < len(traceback.message) < _MAX_MESSAGE


def is_script(file: str, script: str) -> bool:
    return file.removeprefix("./") == script or file.endswith((f"/usercode/{script}", f"/code/{script}"))
