"""The words that a script's parser receives behind `$PAI_USER_ARGS`: per hyperparameter, in the order of the job's spec.

Positional arguments come before options, so that an option of several words takes none of them; one that begins with `-`
comes last, behind `--`. A subcommand divides the words: what stands before it in the spec is said to the program, what
stands behind it to the subcommand.

What no spelling can save: before Python 3.13 argparse drops a value that is exactly `--`, and in a list that is passed as
several words (nargs) it takes an item like `-x` for an option; negative numbers pass.
"""

import csv
import io
from collections.abc import Iterator
from typing import assert_never

from pai_jupyter.contract.encodings import as_dotlist, as_hydra, as_python, as_yaml
from pai_jupyter.contract.values import check_passable, text_of, texts
from pai_jupyter.spec import ArgumentStyle, JobSpec, Scalar

MAX_TIMES = 1_000
"""How often an option is given at most, whatever a damaged record says."""


def user_args(spec: JobSpec) -> tuple[str, ...]:
    """Return the exact arguments for the script's parser."""
    found: list[str] = []
    options: list[str] = []
    places: list[str] = []
    for name, words in words_by_name(spec).items():
        style = spec.argument_styles.get(name)
        if style == "command":
            found += [*_in_order(options, places), *words]
            options, places = [], []
        else:
            (places if style == "positional" else options).extend(words)
    return (*found, *_in_order(options, places))


def _in_order(options: list[str], places: list[str]) -> list[str]:
    """Put the words of positional arguments where no option takes them for its own."""
    if any(word.startswith("-") and word != "-" for word in places):
        return [*options, "--", *places]
    return [*places, *options]


def words_by_name(spec: JobSpec) -> dict[str, tuple[str, ...]]:
    """Return the arguments for each hyperparameter that has a value; some styles need none.

    Raises:
        SpecError: a word cannot be handed to a program.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in texts(spec):
        found[name] = tuple(_words(name, spec.hyperparameters[name], style=spec.argument_styles.get(name)))
        for word in found[name]:
            check_passable(word, what=f"hyperparameter {name!r}", field="hyperparameters")
    return found


def _words(name: str, value: Scalar, *, style: ArgumentStyle | None) -> Iterator[str]:
    items: list[Scalar] = list(value) if isinstance(value, list) else [value]
    match style:
        case None | "number":
            yield from _option(name, [value])
        case "flag" | "no_flag" | "switch" | "inner_switch" | "no_prefix" | "dash_flag" | "truthy":
            yield from _of_a_bool(name, value, style=style)
        case "words":
            yield from _option(name, items)
        case "repeat":
            for item in items:
                yield from _option(name, [item])
        case "count":
            yield from [f"--{name}"] * min(int(value), MAX_TIMES) if isinstance(value, int) else ()
        case "commas":
            yield f"--{name}={_with_commas(items)}"
        case "dash":
            yield from _option(name, [value], dashes="-")
        case "positional" | "command":
            yield from (text_of(item) or "" for item in items)
        case "glued":
            yield f"--{name}={text_of(value) or ''}"
        case "override":
            yield f"{name}={text_of(value) or ''}"
        case "literal" | "yaml" | "dotlist" | "hydra":
            yield _encoded(name, value, style=style)
        case "assigned":
            return
        case _:
            assert_never(style)


def _of_a_bool(name: str, value: Scalar, *, style: ArgumentStyle) -> Iterator[str]:
    """Yield the words of an option that says true or false by its name."""
    holder, _, last = name.rpartition(".")
    match style:
        case "flag":
            yield from (f"--{name}",) if value else ()
        case "no_flag":
            yield from () if value else (f"--{name}",)
        case "dash_flag":
            yield from (f"-{name}",) if value else ()
        case "switch":
            yield f"--{name}" if value else f"--no-{name}"
        case "inner_switch":
            yield f"--{name}" if value else f"--{holder}.no-{last}" if holder else f"--no-{last}"
        case "no_prefix":
            yield f"--{name}" if value else f"--no{name}"
        case _:
            yield from _option(name, [value or ""])


def _encoded(name: str, value: Scalar, *, style: ArgumentStyle) -> str:
    """Return the word of a parser that reads more than text out of it."""
    match style:
        case "dotlist":
            return f"{name}={as_dotlist(value)}"
        case "hydra":
            return f"{name}={as_hydra(value)}"
        case "yaml":
            return f"--{name}={as_yaml(value)}"
        case _:
            return f"--{name}={as_python(value)}"


def _with_commas(items: list[Scalar]) -> str:
    """Join items as a line of CSV, as absl reads a list."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([text_of(item) or "" for item in items])
    return line.getvalue().removesuffix("\n")


def _option(name: str, items: list[Scalar], *, dashes: str = "--") -> tuple[str, ...]:
    words = tuple(text_of(item) or "" for item in items)
    if len(words) == 1 and words[0].startswith("-"):
        # argparse takes a word that begins with - for another option, unless it is glued to its own; only one can be
        return (f"{dashes}{name}={words[0]}",)
    return (f"{dashes}{name}", *words)
