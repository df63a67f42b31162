"""The line of a magic, taken apart as a shell does. What is wrong in it is a `SpecError`, never argparse's exit."""

import re
import shlex
from argparse import ArgumentParser, Namespace
from functools import cache
from typing import NoReturn

from pai_jupyter.errors import SpecError
from pai_jupyter.training.arguments import GROUPS, NAME

LONGEST = 20_000  # characters of a line; a parser's time grows with their square
VARIABLE = re.compile(r"\{([A-Za-z_]\w*)\}")
"""What a kernel replaces by the variable of this name."""


def split(line: str) -> list[str]:
    """The words of `line`; quotes work as in a shell.

    Raises:
        SpecError: a quote is open.
    """
    try:
        return shlex.split(line)
    except ValueError as exc:
        # the line is not repeated: what a `{name}` stood for may be a secret with a quote in it
        raise SpecError("a quote is not closed on this line, or in what a {name} on it stands for.") from exc


def parse_line(line: str) -> Namespace:
    """What stands behind `%%pai_train`, parsed where there is no IPython.

    Raises:
        SpecError: it is too long, a quote is open, an option is unknown or has no value.
    """
    if len(line) > LONGEST:
        raise SpecError(f"this line is longer than {LONGEST:,} characters. Put values into a file: --params FILE")
    return _parser().parse_args(split(line))


def refusal(message: str, magic: str) -> SpecError:
    """What a parser says of a line, as a sentence."""
    text = " ".join(message.split())
    return SpecError(f"{text if text.endswith('.') else text + '.'} Type {magic}? for the options.")


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise refusal(message, "%%pai_train")


@cache
def _parser() -> ArgumentParser:
    parser = _Parser(prog="pai_train", add_help=False)
    for argument in (NAME, *(argument for group in GROUPS for argument in group.arguments)):
        parser.add_argument(*argument.names, **argument.how)
    return parser
