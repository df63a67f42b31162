"""Parse a magic's line: options, words, variables. Errors are `SpecError`, never argparse's exit.

A variable that holds a job is replaced by the job's id. IPython has expanded the line before: it inserted the text of each
value, and left expressions that raise, such as `{job.id}` of a job whose form waits for Submit.
"""

import re
import sys
from argparse import Namespace
from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from pai_jupyter.errors import SpecError
from pai_jupyter.training import VARIABLE, split
from pai_jupyter.training.line import refusal

if TYPE_CHECKING:
    from pai_jupyter.jobs import Job

_ATTRIBUTE = re.compile(r"\{[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\}")
_SECRET = re.compile(r"(?i)secret|token|passw|access_?key|api_?key")


def expand(line: str, names: Mapping[str, object], *, attributes: bool = False) -> str:
    """Replace each `{name}` by the variable of that name, as IPython does, but nothing else in braces.

    IPython evaluates any expression in braces, which would break regexes, JSON and shell variables. `attributes` also
    replaces `{name.attribute}`.

    Raises:
        SpecError: a name looks like that of a secret.
        JobNotReady: the form of a job waits for Submit.
    """

    def value(match: re.Match[str]) -> str:
        name, *path = match[0][1:-1].split(".")
        if name not in names:
            return match[0]
        if any(_SECRET.search(each) for each in (name, *path)):
            raise SpecError(
                f"`{{{match[0][1:-1]}}}` looks like a secret; secrets do not go on a magic's line. "
                "Use a profile or an environment variable."
            )
        try:
            return str(reduce(getattr, path, names[name]))
        except AttributeError:
            return match[0]

    return (_ATTRIBUTE if attributes else VARIABLE).sub(value, _with_ids(line, names))


def _with_ids(line: str, names: Mapping[str, object]) -> str:
    """Replace variables that hold a job, and the texts of such jobs, by the job's id.

    Raises:
        JobNotReady: the form of the job waits for Submit.
    """
    for key, job in _handles(names):
        name = re.escape(key)
        meant = re.compile(rf"\{{{name}\}}|\${name}\b(?![.\[])")
        of_it = re.compile(rf"\{{{name}[.\[][^{{}}]*\}}|\${name}[.\[]")
        is_printed = "<Job" in line and repr(job) in line
        if is_printed or meant.search(line):
            line = meant.sub(job.id, line.replace(repr(job), job.id) if is_printed else line)
        elif of_it.search(line):
            job.id  # noqa: B018  # raises JobNotReady if the job waits
    return line


def _handles(names: Mapping[str, object]) -> list[tuple[str, "Job"]]:
    """Return the variables that hold a job; [] while `pai_jupyter.jobs` is not imported."""
    jobs = sys.modules.get("pai_jupyter.jobs")
    return [(name, value) for name, value in list(names.items()) if jobs is not None and isinstance(value, jobs.Job)]


def parse(
    magic: Callable[..., object],
    line: str,
    *,
    is_mixed: bool = False,
    values: Callable[[], Collection[str]] = tuple,
    of_pipeline: bool = False,
) -> Namespace:
    """Parse `line` by the `@argument`s of `magic`; quotes work as in a shell.

    `is_mixed` allows options between words, as in `cp -r SOURCE TARGET`. `values` returns names of hyperparameters, which
    the error for an unknown option may suggest. `of_pipeline`: `-p` gives the value of a pipeline's input.

    Raises:
        SpecError: a quote is not closed, an option is unknown or lacks its value.
    """
    words = split(line)
    parser: Any = magic.parser  # type: ignore[attr-defined]  # set by IPython's magic_arguments; Any: untyped
    try:
        options: Namespace = (parser.parse_intermixed_args if is_mixed else parser.parse_args)(words)
    except UsageError as exc:
        usage = parser.format_help()
        raise refusal(str(exc), f"%{magic.__name__}", usage=usage, values=values(), of_pipeline=of_pipeline) from exc
    return options
