"""Find where statements begin: a small lexer for strings, comments, brackets and continued lines only.

Python's tokenizer does not help: since 3.12 it rejects text with `!ls` or `x?`, which is what we look for.
Rule 1: the lexer goes line by line; its only state between lines is a stack of open constructs.
Rule 2: f-strings nest by PEP 701; f-strings of older Pythons read the same.
Rule 3: invalid code never makes it fail or slow: an unclosed single-line string ends with its line, and brackets nested deeper
    than Python allows are not counted, which bounds the cost of a line.
"""

import re
from dataclasses import dataclass

# The open constructs, as entries of the stack. A string is named by its quote, an f-string by "f" and its quote.
FIELD = "f{"  # inside {...} of an f-string: code
SPEC = "f:"  # after the colon of a field: text
CONTINUED = "\\"  # a backslash ended the line
BRACKETS = {")": "(", "]": "[", "}": "{"}
_DEEPEST = 400  # Python's limit of nested brackets is 200

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
class ScannedLine:
    """A scanned line: `code` has the line's length, with `_` for strings and whole f-strings, blanks for a comment."""

    code: str
    stack: Stack


def scan(line: str, stack: Stack = ()) -> ScannedLine:
    """Scan one line (without its end) that begins inside the constructs of `stack`; empty = a statement may begin."""
    open_ = list(stack)
    if open_ and open_[-1] == CONTINUED:
        open_.pop()
    code: list[str] = []
    at = 0
    while at < len(line):
        begin = at
        if _is_code(open_):
            is_field = FIELD in open_  # `!r`, `=!s` and `:%d` in a field are not magics
            at, piece = _read_code(line, at, open_)
            code.append("_" * len(piece) if is_field else piece)
        else:
            at = _read_text(line, at, open_)
            code.append("_" * (at - begin))
    if open_ and _ends_with_line(open_, line):
        open_.clear()
    return ScannedLine(code="".join(code), stack=tuple(open_))


def _is_code(open_: list[str]) -> bool:
    return not open_ or open_[-1] == FIELD or open_[-1] in BRACKETS.values()


def _read_code(line: str, at: int, open_: list[str]) -> tuple[int, str]:
    """Read code up to and including the next token that changes the stack; return the position after it and the code."""
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
    """Close the construct of this bracket; an unmatched bracket is the user's mistake and is ignored."""
    if open_ and (open_[-1] == BRACKETS[bracket] or (bracket == "}" and open_[-1] == FIELD)):
        open_.pop()


def _read_text(line: str, at: int, open_: list[str]) -> int:
    """Read to the end of the open string or to the next field of the open f-string; return the position after it."""
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
