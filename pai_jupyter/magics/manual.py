"""Translate the help of magics (`%pai_jobs?`) into the environment's language.

Rule: what users type (options, values, examples) stays as it is.
"""

import re
from argparse import ArgumentParser
from copy import deepcopy
from typing import Any

from IPython.core.magic_arguments import MagicHelpFormatter

from pai_jupyter.magics.table import columns
from pai_jupyter.view import environment_language


def manual(magic: Any) -> str | None:  # Any: IPython's decorated functions
    """Return the help of a magic."""
    original: str | None = magic.__doc__
    if environment_language() == "en" or not original:
        return original
    if not hasattr(magic, "parser"):  # a magic without options
        return _description(original)
    parser: ArgumentParser = deepcopy(magic.parser)
    parser.formatter_class = _ChineseHelp
    parser.description = _description(parser.description or "")
    for group in parser._action_groups:  # noqa: SLF001  argparse has no public access to its groups
        group.title = _say(group.title or "")
        group.description = group.description and "\n".join(map(_option, group.description.splitlines()))
    for action in parser._actions:  # noqa: SLF001
        action.help = _say(action.help or "")
    return parser.format_help()


# What no line may break: a run of Latin letters with its punctuation, or a Chinese letter with what may not begin a line.
_UNBROKEN = re.compile(r"[!-~]+[、。，；：）]*| +|[^!-~ ][、。，；：）]*")


class _ChineseHelp(MagicHelpFormatter):
    """Wraps Chinese, which has no blanks between words; argparse would break Latin words in it instead."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        lines = [""]
        for part in _UNBROKEN.findall(" ".join(text.split())):
            if lines[-1] and columns(lines[-1] + part.rstrip()) > width:
                lines.append("")
            lines[-1] += part if lines[-1] else part.lstrip()
        return [line.rstrip() for line in lines]


def _say(text: str) -> str:
    from pai_jupyter.view.chinese.manual import MANUAL

    return MANUAL.get(text, text)


def _option(line: str) -> str:
    """Translate the help text between the name of a backend's option and its type."""
    found = re.fullmatch(r"(\S+ +)(.*)( \(\w+\))", line)
    return f"{found[1]}{_say(found[2])}{found[3]}" if found else _say(line)


def _description(text: str) -> str:
    """Translate a docstring paragraph by paragraph, each joined to one line; examples stay as they are."""
    first, *rest = text.strip().split("\n\n")
    return "\n\n".join([_say(first), *(_paragraph(part) for part in rest)])


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    if margin > len("        "):  # examples
        return text
    return " " * margin + _say(" ".join(line.strip() for line in lines))
