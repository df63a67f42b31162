"""Convert the text of a cell to train.py; line N stays line N.

Rule 1: Python code is kept as written, except that line ends become LF and a byte order mark is removed.
Rule 2: a line is IPython syntax only where a statement begins; in strings, brackets and continued lines `%` and `!` are Python.
Rule 3: the user's code is not run, imported or even parsed; invalid code is converted as well.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pai_jupyter.cell.finding import Finding
from pai_jupyter.cell.ipython import (
    comment_out,
    has_other_language,
    is_ipython,
    left_out_note,
    translate,
    untimed,
)
from pai_jupyter.cell.scan import CONTINUED, Stack, scan

_LINE_END = re.compile(r"\r\n|\r|\n")
_MAGIC_LINE = re.compile(r"[ \t]*%%pai_train(?!\w)")
_HEAD = re.compile(r"[ \t]*%%pai_(?:train|component)(?!\w)")
_ENCODING = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)  # PEP 263
_DEFINITION = re.compile(r"(?:async[ \t]+def|def|class)[ \t]+(\w+)")
_COMMENT = re.compile(r"[ \t]*#(?!!|.*coding[:=]|[ \t]*(?:hp:|[%!]))(.*)")  # no shebang, no line that was a magic
_MAX_TITLE = 40  # characters


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell as a script. `title` is its first definition or comment as a slug, "" without either."""

    source: str
    requirements: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    title: str = ""


@dataclass(kw_only=True)
class _Draft:
    """The cell while it is being read."""

    lines: list[str] = field(default_factory=list)
    requirements: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    definition: str = ""
    comment: str = ""
    has_code: bool = False


def read_cell(text: str) -> Cell:
    """Read a whole cell including its `%%pai_train` or `%%pai_component` line, which code from a file may lack."""
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    draft = _Draft()
    start = _magic_line(lines, _HEAD)
    draft.lines += [comment_out(line.strip()) if line.strip() else "" for line in lines[:start]]
    _read_body(lines, start, draft)
    if not draft.has_code:
        message = "the cell has no code. Write the training code below the line %%pai_train."
        draft.findings.append(Finding(line=max(start, 1), code="empty-cell", message=message))
    if draft.left_out:
        draft.findings.append(left_out_note(draft.left_out))
    _settle_encoding(draft.lines, start)
    return Cell(
        source="\n".join(draft.lines),
        requirements=tuple(dict.fromkeys(draft.requirements)),
        findings=tuple(draft.findings),
        title=_slug(draft.definition) or _slug(draft.comment),
    )


def magic_line(text: str) -> str | None:
    """Return the text after `%%pai_train` in a cell; None if the cell does not begin with it."""
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    start = _magic_line(lines)
    return _MAGIC_LINE.sub("", lines[start - 1]).strip() if start else None


def with_magic_line(text: str, line: str) -> str:
    """Replace the text after `%%pai_train`; a cell that does not begin with it stays unchanged."""
    found = re.search(r"^[ \t]*%%pai_train(?!\w)[^\r\n]*", text, re.MULTILINE)
    if found is None or magic_line(text) is None:
        return text
    head = found[0][: found[0].index("%%pai_train")]
    return f"{text[: found.start()]}{head}%%pai_train{' ' if line else ''}{line}{text[found.end() :]}"


def _magic_line(lines: Sequence[str], pattern: re.Pattern[str] = _MAGIC_LINE) -> int:
    """Return the line number of our magic, from 1; 0 if there is none."""
    first = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    return first + 1 if first < len(lines) and pattern.match(lines[first]) else 0


def _read_body(lines: Sequence[str], start: int, draft: _Draft) -> None:
    stack: Stack = ()
    index = start
    while index < len(lines):
        line = lines[index] if stack else untimed(lines[index])
        scanned = scan(line, stack)
        if not stack and is_ipython(scanned.code):
            stop = _end_of_magic(lines, index)
            translated = translate([line, *lines[index + 1 : stop]], scanned.code, index + 1)
            draft.lines += translated.lines
            draft.requirements += translated.requirements
            draft.findings += [translated.finding] if translated.finding else []
            draft.left_out += [(index + 1, translated.left_out)] if translated.left_out else []
            draft.has_code = draft.has_code or not translated.lines[0].lstrip().startswith(("#", "pass  #"))
            if has_other_language(line):
                draft.lines += [comment_out(other.lstrip()) for other in lines[stop:]]
                draft.has_code, stop = True, len(lines)
            index = stop
            continue
        if not stack:
            _note_statement(line, scanned.code, draft)
        draft.lines.append(line)
        stack = scanned.stack
        index += 1


def _end_of_magic(lines: Sequence[str], index: int) -> int:
    """Return the index after the last line of the magic at `index`; a backslash continues a line."""
    while lines[index].endswith(CONTINUED) and index + 1 < len(lines):
        index += 1
    return index + 1


def _note_statement(line: str, code: str, draft: _Draft) -> None:
    draft.has_code = draft.has_code or bool(code.strip())
    if not draft.definition and (definition := _DEFINITION.match(line)):
        draft.definition = definition[1]
    if not draft.comment and (comment := _COMMENT.match(line)):
        draft.comment = comment[1]


def _settle_encoding(lines: list[str], start: int) -> None:
    """Prevent `%%pai_train -p encoding=gbk` from counting as a PEP 263 declaration; train.py is UTF-8.

    Python uses the first declaration on the first two lines, so the magic's line becomes one.
    """
    named = {found[1].lower() for line in lines[:2] if (found := _ENCODING.match(line))}
    if start in (1, 2) and named - {"utf-8", "utf8"}:
        lines[start - 1] = "# coding: utf-8 " + lines[start - 1].removeprefix("# ")


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text).strip("-_")[:_MAX_TITLE].rstrip("-_")
