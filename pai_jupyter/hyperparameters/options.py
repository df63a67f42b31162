"""Write values as options of a magic's line, for "Copy as line"; the line parses back to the same values.

Words are quoted for `shlex.split`, which magics use. IPython replaces `{name}` on a line by the notebook's variable, so a brace
in a value is quoted apart from what follows it. A value with a line break cannot be on a line.
"""

import re
import shlex
from collections.abc import Mapping

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.schema import Schema
from pai_jupyter.hyperparameters.values import as_text, same
from pai_jupyter.spec import Scalar


def as_options(values: Mapping[str, Scalar], schema: Schema) -> str:
    """Return `-p lr=0.003 -p 'name=a b'`: the values that differ from the script's defaults.

    A line cannot say that a declared hyperparameter has no value, unless its annotation allows None.

    Raises:
        SpecError: with `field`, if a value has a line break.
    """
    words = []
    for name, value in values.items():
        declared = schema.find(name)
        default = declared.default if declared else None
        is_said = value is not None or declared is None or declared.nullable
        if same(value, default) or not is_said:
            continue
        text = as_text(value) if value is not None else "None" if declared else ""
        _check_line(name, text, remedy="Write the values to a JSON file and give it: --params FILE")
        words.append(as_option("-p", f"{name}={text}", long="--param"))
    return " ".join(words)


def as_option(flag: str, text: str, *, long: str) -> str:
    """Return `--image 'a b'`; `long=text` if the text itself looks like an option.

    Raises:
        SpecError: with `field`, if the text has a line break.
    """
    _check_line(flag, text, remedy="Remove it.")
    is_optionlike = text.startswith("-")
    option = quoted(f"{long}={text}" if is_optionlike else text)
    return option if is_optionlike else f"{flag} {option}"


def quoted(text: str) -> str:
    """Return `text` as one word of a line, in which no `{name}` is a variable of the notebook."""
    return re.sub(r"\{(?=\w)", "{''", shlex.quote(text))  # braces are always in single quotes


def _check_line(field: str, text: str, *, remedy: str) -> None:
    if len(f"{text}.".splitlines()) > 1:
        raise SpecError(f"`{field}` holds a line break, which no magic's line can. {remedy}", field=field)
