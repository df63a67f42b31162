"""Where statements begin: a small lexer that knows strings, comments, brackets and continued lines, and no more.

Python's own tokenizer cannot be asked: since 3.12 it refuses text with `!ls` or `x?` in it, and that is what we look for.
Rule 1: the lexer goes line by line; all it remembers between two lines is a stack of what is still open.
Rule 2: f-strings nest as PEP 701 has it; every f-string of older Pythons reads the same that way.
Rule 3: broken code never makes it fail or stick: a string that its line leaves open is given up at the line's end, and
    brackets that nest deeper than Python reads are not counted, so that a line costs no more for all that is open above it.
"""

import re
from dataclasses import dataclass

# What can be open, as entries of a stack. A string is named by its quote, an f-string by "f" and its quote.
FIELD = "f{"  # inside {...} of an f-string: code
SPEC = "f:"  # behind the colon of a field: text
CONTINUED = "\\"  # a backslash ended the line
BRACKETS = {")": "(", "]": "[", "}": "{"}
_DEEPEST = 400  # Python reads 200 brackets in one another

_CODE = re.compile(
    r"""(?P<string>(?:(?<!\w)(?P<prefix>[A-Za-z]{1,2}))?(?P<quote>\"{3}|'{3}|"|'))
      | (?P<comment>\#.*)
      | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<colon>:)
      | (?P<continued>\\$)""",
    re.VERBOSE,
)
_SPEC_END = re.compile(r"[{}]")
_TEXT_END = {quote: re.compile(rf"\\(?:.|$)|{quote}") for quote in ('"', "'", '"""', "'''")}
_FTEXT_END = {quote: re.compile(rf"\\N\{{[^}}]*\}}|\\(?:[^{{}}]|$)|\{{\{{|\}}\}}|\{{|{quote}") for quote in _TEXT_END}

Stack = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """One line after the lexer: `code` has the line's length; strings, f-strings whole, are `_`, the comment is blanks."""

    code: str
    stack: Stack


def scan(line: str, stack: Stack = ()) -> Scanned:
    """Read one line, without its end, that begins inside of what `stack` says. An empty stack: a statement may begin."""
    open_ = list(stack)
    if open_ and open_[-1] == CONTINUED:
        open_.pop()
    code: list[str] = []
    at = 0
    while at < len(line):
        begin = at
        if _is_code(open_):
            is_field = FIELD in open_  # `!r`, `=!s` and `:%d` of a field are no magics
            at, piece = _read_code(line, at, open_)
            code.append("_" * len(piece) if is_field else piece)
        else:
            at = _read_text(line, at, open_)
            code.append("_" * (at - begin))
    if open_ and _ends_with_line(open_, line):
        open_.clear()
    return Scanned(code="".join(code), stack=tuple(open_))


def _is_code(open_: list[str]) -> bool:
    return not open_ or open_[-1] == FIELD or open_[-1] in BRACKETS.values()


def _read_code(line: str, at: int, open_: list[str]) -> tuple[int, str]:
    """Go on behind the next thing that changes what is open; returns where that is, and the code up to there."""
    found = _CODE.search(line, at)
    if found is None:
        return len(line), line[at:]
    text = found.group()
    match found.lastgroup:
        case "string":
            is_format = set((found["prefix"] or "").lower()) & set("ft")
            open_.append(("f" if is_format else "") + found["quote"])
            text = "_" * len(text)
        case "comment":
            text = " " * len(text)
        case "open":
            if len(open_) < _DEEPEST:
                open_.append(text)
        case "close":
            _close(text, open_)
        case "colon":
            if open_ and open_[-1] == FIELD:
                open_[-1] = SPEC
        case "continued":
            open_.append(CONTINUED)
    return found.end(), line[at : found.start()] + text


def _close(bracket: str, open_: list[str]) -> None:
    """Close what this bracket closes; one that fits nothing is the user's mistake, and changes nothing."""
    if open_ and (open_[-1] == BRACKETS[bracket] or (bracket == "}" and open_[-1] == FIELD)):
        open_.pop()


def _read_text(line: str, at: int, open_: list[str]) -> int:
    """Go on to the end of the string, or to the field of the f-string, that is open."""
    top = open_[-1]
    ends = _SPEC_END if top == SPEC else _FTEXT_END[top[1:]] if top[0] == "f" else _TEXT_END[top]
    found = ends.search(line, at)
    if found is None:
        return len(line)
    text = found.group()
    if text == "{":
        open_.append(FIELD)
    elif text == "}" or text == top.removeprefix("f"):
        open_.pop()
    return found.end()


def _ends_with_line(open_: list[str], line: str) -> bool:
    """Return whether a single-line string is left open at the end of the line, a syntax error."""
    if _is_code(open_):
        return False
    innermost = next((entry for entry in reversed(open_) if entry.removeprefix("f") in _TEXT_END), "")
    in_text = open_[-1] == innermost or open_[-1] == SPEC
    return in_text and len(innermost.removeprefix("f")) == 1 and not line.endswith("\\")
