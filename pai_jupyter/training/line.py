"""Parse the line of a magic like a shell. An invalid line is a `SpecError`, never argparse's exit."""

import re
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from functools import cache
from typing import NoReturn

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import is_hyperparameter_name
from pai_jupyter.training.arguments import GROUPS, NAME

LONGEST = 20_000  # characters of a line; argparse takes quadratic time
_UNKNOWN = re.compile(r"unrecognized arguments: (?P<dashes>--?)(?P<name>[^\s=-][^\s=]*)")
_SURPLUS = re.compile(r"unrecognized arguments: (?P<words>.+)")
_LACKING = re.compile(r"argument (?:-\w/)?(?P<option>--?[\w-]+): expected (one|at least one) argument")
_NO_NUMBER = re.compile(r"argument (?:-\w/)?(?P<option>--?[\w-]+): invalid (int|float) value: '(?P<value>.*)'")
_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
_VALUES = ("-p", "--param")
_PAIRS = (*_VALUES, "-i", "--input", "-o", "--output", "--env", "--option", "--mount-map")
_NEAR = 0.75  # similarity to a hyperparameter's name; options are compared afterwards
VARIABLE = re.compile(r"\{([A-Za-z_]\w*)\}")
"""`{name}`, which a kernel replaces by the variable."""


def split(line: str) -> list[str]:
    """Split `line` into words, with quotes as in a shell.

    Raises:
        SpecError: a quote is not closed, or a pair has spaces around its `=`.
    """
    try:
        words = shlex.split(line)
    except ValueError as exc:
        # the message does not repeat the line: the value of a `{name}` may be a secret with a quote in it
        raise SpecError("a quote is not closed on this line, or in what a {name} on it stands for.") from exc
    _check_pairs(words)
    return words


def _check_pairs(words: Sequence[str]) -> None:
    """Reject `-p lr = 0.3`, `-p lr =0.3` and `-p lr= 0.3`: the separate word would become the name of the job."""
    for option, name, rest in zip(words, words[1:], words[2:], strict=False):
        is_apart = rest.startswith("=") and "=" not in name
        is_cut = name.endswith("=") and not rest.startswith("-") and option in _VALUES
        if option in _PAIRS and (is_apart or is_cut):
            example = f"{name.rstrip('=')}=VALUE"
            raise SpecError(
                f"`{option} {name} {'=' if is_apart else '...'}`: write no spaces around =, e.g. {option} {example}"
            )


def parse_line(line: str) -> Namespace:
    """Parse the text after `%%pai_train` without IPython.

    Raises:
        SpecError: it is too long, a quote is not closed, an option is unknown or lacks its value.
    """
    if len(line) > LONGEST:
        raise SpecError(f"this line is longer than {LONGEST:,} characters. Put values into a file: --params FILE")
    return _parser().parse_args(split(line))


def refusal(
    message: str, magic: str, *, usage: str = "", values: Collection[str] = (), of_pipeline: bool = False
) -> SpecError:
    """Turn a parser's message into an error; for an unknown option, suggest the nearest in `usage`.

    `values` are the names of the script's hyperparameters, which are suggested as well. `of_pipeline`: `-p` gives an input's value.
    """
    text = " ".join(message.split())
    unknown = _UNKNOWN.match(text)
    if unknown:
        hint = _nearest(unknown["name"], _OPTION.findall(usage), values, of_pipeline=of_pipeline)
        text = f"`{unknown['dashes']}{unknown['name']}` is no option of {magic}.{hint and f' {hint}'}"
    elif surplus := _SURPLUS.match(text):
        text = f"`{surplus['words']}` is too much on this line."
    elif lacking := _LACKING.match(text):
        text = f"`{lacking['option']}` has no value."
        if lacking["option"] == "--sort":  # what begins with a minus counts as an option
            text = "`--sort` has no value. To sort downwards write --sort=-NAME."
    elif wrong := _NO_NUMBER.match(text):
        text = f"`{wrong['option']} {wrong['value']}` must be a number."
    return SpecError(f"{text if text.endswith(('.', '?')) else text + '.'} Type {magic}? for the options.")


def _nearest(name: str, options: Collection[str], values: Collection[str], *, of_pipeline: bool) -> str:
    """Suggest what an unknown option was meant to be; "" if nothing is close."""
    if name in ("help", "h"):  # the hint follows this sentence
        return ""
    if value := next(iter(get_close_matches(name, values, n=1, cutoff=_NEAR)), ""):
        return f"A value for `{value}` is given with -p {value}=..."
    long = [option[2:] for option in options if option.startswith("--")]
    if option := next(iter(get_close_matches(name, long, n=1)), ""):
        return f"Did you mean `--{option}`?"
    if "-p" not in options or not is_hyperparameter_name(name):
        return ""
    if of_pipeline:
        return f"A value for an input of the pipeline is given with -p {name}=..."
    return f"A hyperparameter is given with -p {name}=..."


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise refusal(message, "%%pai_train", usage=self.format_help())


@cache
def _parser() -> ArgumentParser:
    parser = _Parser(prog="pai_train", add_help=False)
    for argument in (NAME, *(argument for group in GROUPS for argument in group.arguments)):
        parser.add_argument(*argument.names, **argument.how)
    return parser
