"""Parse the comment `# hp:` after a declaration, and match each comment to its declaration.

    lr: float = 0.01     # hp: [1e-5..1] log  learning rate
    epochs: int = 10     # hp: [1..100] step 1 — passes
    opt = "adam"         # hp: {"adam", "sgd"}
    depth = 3            # hp: how deep a tree may grow

    comment := "hp:" [range ["log"] ["step" NUMBER] | choices] [help]
    range   := ("[" | "(") [NUMBER] ".." [NUMBER] ("]" | ")")   either may be left out; ( and ) exclude the bound itself
    choices := "{" literal {"," literal} "}"
    help    := the rest, without a leading dash or colon

`log` and `step` are keywords only after a range, so that help may begin with them.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.literals import NotLiteralError, read_literal
from pai_jupyter.spec import Scalar

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"([\[(\]])\s*({_NUMBER})?\s*\.\.\s*({_NUMBER})?\s*([\])\[])")  # `]0..1[` as in France
_INTERVAL = re.compile(rf"[(\]]\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*[\]\[]|\]\s*({_NUMBER})\s*[,;]\s*({_NUMBER})\s*\)")
_MOST_BRACES = 20  # possible ends of the choices; each is tried
_MOST_DIGITS = 400
_LOG = re.compile(r"\s*log(?!\S)")
_STEP = re.compile(rf"\s*step\s+({_NUMBER})(?!\S)")
_HELP_DASH = re.compile(r"^\s*[-–—:]*\s*")
_COMMENT = re.compile(r"#\s*hp:(.*)")
_BEHIND_DECLARATION = re.compile(r"[\s,;)]*#\s*hp:(.*)", re.DOTALL)
NEWLINE = re.compile(r"\r\n|\r|\n")  # the line ends of Python's parser; str.splitlines has more


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """A parsed `# hp:` comment; an `open` bound is excluded."""

    minimum: int | float | None = None
    maximum: int | float | None = None
    open_minimum: bool = False
    open_maximum: bool = False
    choices: tuple[Scalar, ...] = ()
    step: int | float | None = None
    log: bool = False
    help: str = ""


def read_comment(text: str, *, line: int) -> Constraint:
    """Parse the text after `# hp:`.

    Raises:
        SpecError: with `line`, if a range or choices are malformed.
    """
    text = text.strip()
    if text.startswith("[") or _RANGE.match(text) or _INTERVAL.match(text):
        return _read_range(text, line)
    if text.startswith("{"):
        choices, rest = _read_choices(text, line)
        return Constraint(choices=choices, help=_help(rest))
    return Constraint(help=_help(text))


def _read_range(text: str, line: int) -> Constraint:
    found = _RANGE.match(text)
    if not found:
        raise SpecError(
            f"line {line}: `# hp: {text[:40]}` has no range that can be read; write # hp: [1e-5..1]", line=line
        )
    low, high = (None if end is None else _number(end, line) for end in found.group(2, 3))
    opens, closes = low is not None and found[1] != "[", high is not None and found[4] != "]"
    if low is not None and high is not None and (low > high or (low == high and (opens or closes))):
        raise SpecError(
            f"line {line}: `# hp: {found[0]}` begins above its end; write # hp: [{min(low, high)}..{max(low, high)}]",
            line=line,
        )
    rest, log, step = text[found.end() :], False, None
    while True:
        if word := _LOG.match(rest):
            log = True
        elif word := _STEP.match(rest):
            step = _number(word[1], line)
        else:
            break
        rest = rest[word.end() :]
    if log and (low is None or low <= 0):
        raise SpecError(f"line {line}: `log` needs a range that begins above 0; write # hp: [1e-5..1] log", line=line)
    if step is not None and step <= 0:
        raise SpecError(f"line {line}: `step {step}` must be above 0; write # hp: [1..100] step 1", line=line)
    return Constraint(
        minimum=low,
        maximum=high,
        open_minimum=opens,
        open_maximum=closes,
        step=step,
        log=log,
        help=_help(rest),
    )


def _read_choices(text: str, line: int) -> tuple[tuple[Scalar, ...], str]:
    for found in islice(re.finditer("}", text), _MOST_BRACES):  # a text in it may contain a brace
        end = found.end()
        try:
            expression = ast.parse(text[:end], mode="eval").body
            if isinstance(expression, ast.Set):
                return tuple(read_literal(item) for item in expression.elts), text[end:]
        except (SyntaxError, ValueError, NotLiteralError):
            continue
    raise SpecError(
        f'line {line}: `# hp: {text[:40]}` has no choices that can be read; write # hp: {{"adam", "sgd"}}', line=line
    )


def _number(text: str, line: int) -> int | float:
    if len(text) > _MOST_DIGITS:
        raise SpecError(f"line {line}: `# hp:` has a number of more than {_MOST_DIGITS} digits", line=line)
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)


def _help(text: str) -> str:
    return _HELP_DASH.sub("", text).strip()


class Comments:
    """The `# hp:` comments of a source, each taken by the declaration before it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._open: dict[int, bytes] = {}
        if _COMMENT.search(source):
            lines = enumerate(NEWLINE.split(source), 1)
            self._open = {number: line.encode() for number, line in lines if _COMMENT.search(line)}

    def take(self, line: int | None, column: int | None) -> Constraint | None:
        """Take the comment after a node that ends at `line` and `column` (in bytes); None if there is none.

        Only blanks, commas, semicolons and closing parentheses may stand between them. That rules out strings that look like a
        comment and comments of other declarations.
        """
        if line is None or line not in self._open:
            return None
        found = _BEHIND_DECLARATION.match(self._open[line][column:].decode())
        if not found:
            return None
        del self._open[line]
        return read_comment(found[1], line=line)

    def left_over(self) -> Iterator[int]:
        """Return the lines whose `# hp:` comment no declaration took."""
        if not self._open:
            return
        for token in tokenize.generate_tokens(io.StringIO(self._source).readline):
            if token.type == tokenize.COMMENT and _COMMENT.match(token.string) and token.start[0] in self._open:
                yield token.start[0]
