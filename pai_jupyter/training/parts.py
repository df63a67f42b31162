"""Split a magic's line into parts that keep their original text, so that unchanged parts stay the same.

The twin of `labextension/src/cell/magicline.ts`; `tests/data/line_cases.json` tests both.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pai_jupyter.errors import SpecError
from pai_jupyter.training.arguments import GROUPS
from pai_jupyter.training.line import split

_WORD = re.compile(r"""(?:[^ \t\r\n'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+""", re.DOTALL)
_SHORT = re.compile(r"-([iop])=?(.*)", re.DOTALL)
_LONG = re.compile(r"--([^=]+)(?:=(.*))?", re.DOTALL)
_LETTERS = {"i": "input", "o": "output", "p": "param"}


@dataclass(frozen=True, kw_only=True)
class LinePart:
    """An option of the line by its long name, "" for the name of the job; `raw` is its original text."""

    option: str
    value: str
    raw: str


def parts_of(line: str) -> list[LinePart]:
    """Split the text after `%%pai_train`.

    Raises:
        SpecError: the line is invalid, also for the magic.
    """
    words = _words(line)
    parts = []
    at = 0
    while at < len(words):
        raw, text = words[at]
        at += 1
        option, value = _option(text)
        if value is None and _takes_value().get(option):
            if at == len(words):
                raise SpecError(f"`--{option}` has no value.", field=option)
            raw, value = f"{raw} {words[at][0]}", words[at][1]
            at += 1
        parts.append(LinePart(option=option, value=text if option == "" else value or "", raw=raw))
    return parts


def _words(line: str) -> list[tuple[str, str]]:
    """Split the line into words, each as written and as a shell reads it."""
    texts = split(line)
    raws = [match[0] for match in _WORD.finditer(line)]
    if len(raws) != len(texts):
        raise SpecError("this line cannot be split into words. Put values with spaces in quotes.")
    return list(zip(raws, texts, strict=True))


def _option(text: str) -> tuple[str, str | None]:
    """Return a word's long option name and attached value (None without one); "" if it is no option."""
    if short := _SHORT.fullmatch(text):
        return _LETTERS[short[1]], short[2] or None
    if not text.startswith("-") or text == "-":
        return "", None
    long = _LONG.fullmatch(text)
    typed = long[1] if long else ""
    names: Sequence[str] = [typed] if typed in _takes_value() else [n for n in _takes_value() if n.startswith(typed)]
    if long is None or len(names) != 1 or (long[2] is not None and not _takes_value()[names[0]]):
        raise SpecError(f"`{text}` is not an option, or abbreviates several.", field=text)
    return names[0], long[2]


@cache
def _takes_value() -> dict[str, bool]:
    """Map the long name of every option to whether a value follows."""
    arguments = [argument for group in GROUPS for argument in group.arguments]
    return {
        argument.names[-1].lstrip("-"): "action" not in argument.how or argument.how["action"] == "append"
        for argument in arguments
    }
