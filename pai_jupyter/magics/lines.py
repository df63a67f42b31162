"""The line behind a magic: words, variables, names. What is wrong in it is a `SpecError`, never argparse's exit."""

import re
import shlex
from argparse import Namespace
from collections.abc import Callable, Mapping
from typing import Any

from IPython.core.error import UsageError

from pai_jupyter.errors import SpecError

_VARIABLE = re.compile(r"\{([A-Za-z_]\w*)\}")
_SECRET = re.compile(r"(?i)secret|token|passw|access_?key|api_?key")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def expand(line: str, names: Mapping[str, object]) -> str:
    """Replace each `{name}` by the variable of that name, as IPython does, but nothing else that stands in braces.

    IPython itself evaluates any expression there, and so would break regexes, JSON and shell variables.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            return match[0]
        if _SECRET.search(name):
            raise SpecError(
                f"`{{{name}}}` looks like a secret; secrets do not go on a magic's line. "
                "Use a profile or an environment variable."
            )
        return str(names[name])

    return _VARIABLE.sub(value, line)


def parse(magic: Callable[..., object], line: str, *, is_mixed: bool = False) -> Namespace:
    """Parse `line` with the arguments that decorate `magic`; quotes work as in a shell.

    `is_mixed` lets options stand between the words too, as in `cp -r SOURCE TARGET`.

    Raises:
        SpecError: a quote is open, an option is unknown or has no value.
    """
    try:
        words = shlex.split(line)
    except ValueError as exc:
        # the line is not repeated: what a `{name}` stood for may be a secret with a quote in it
        raise SpecError("a quote is not closed on this line, or in what a {name} on it stands for.") from exc
    parser: Any = magic.parser  # type: ignore[attr-defined]  # set by IPython's magic_arguments; Any: untyped
    try:
        options: Namespace = (parser.parse_intermixed_args if is_mixed else parser.parse_args)(words)
    except UsageError as exc:
        raise SpecError(f"{_one_line(str(exc))} Type %{magic.__name__}? for the options.") from exc
    return options


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith(".") else text + "."


def pairs(option: str, given: list[str] | None, *, example: str) -> dict[str, str]:
    """`["a=1", "b=2"]` as a dict; `option` and `example` are for the sentence when one has no `=`."""
    out: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            given_text = "..." if option == "--env" else text  # a value alone may be a secret
            raise SpecError(
                f"`{option} {given_text}` is not of the form NAME=VALUE, e.g. {option} {example}", field=option
            )
        if name.strip() in out:
            raise SpecError(f"`{option}` gives {name.strip()!r} twice. Keep one of them.", field=option)
        out[name.strip()] = value
    return out


def seconds(option: str, text: str) -> int:
    """`90`, `90s`, `30m`, `2h`, `1h30m`, `1d` in seconds."""
    parts = re.findall(r"(\d+)\s*([smhd]?)", text.strip().lower())
    if not parts or not re.fullmatch(r"(\d+\s*[smhd]\s*)+|\d+", text.strip().lower()):
        raise SpecError(f"`{option} {text}` is no length of time. Write 90s, 30m, 2h or 1h30m.", field=option)
    total = sum(int(number) * _UNITS[unit or "s"] for number, unit in parts)
    if total < 1:
        raise SpecError(f"`{option} {text}` leaves no time at all. Write 90s, 30m, 2h or 1h30m.", field=option)
    return total
