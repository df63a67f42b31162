"""Values as the options of a magic's line: what "copy as line" gives, and what the line gives back.

The words are quoted for `shlex.split`, as a magic reads its line. `{name}` on a line is replaced by the notebook's variable,
so a brace in a value is kept apart from what follows it. A line break cannot stand on a line at all.
"""

import re
import shlex
from collections.abc import Mapping

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.schema import Schema
from pai_jupyter.hyperparameters.values import as_text, same
from pai_jupyter.spec import Scalar


def as_options(values: Mapping[str, Scalar], schema: Schema) -> str:
    """`-p lr=0.003 -p 'name=a b'`: the values that differ from the script's defaults.

    "No value" is `-p lr=`; of a String there is no way to say it, since there the empty text is a value.

    Raises:
        SpecError: with `field`, when a value holds a line break.
    """
    words = []
    for name, value in values.items():
        declared = schema.find(name)
        default = declared.default if declared else None
        if same(value, default) or (value is None and declared is not None and declared.type == "String"):
            continue
        words.append(_option(name, "" if value is None else as_text(value)))
    return " ".join(words)


def _option(name: str, text: str) -> str:
    if len(f"{text}.".splitlines()) > 1:
        raise SpecError(
            f"`{name}` holds a line break, which no magic's line can. Write the values to a JSON file and give it: --params FILE",
            field=name,
        )
    option = f"--param={name}={text}" if name.startswith("-") else f"{name}={text}"
    quoted = re.sub(r"\{(?=\w)", "{''", shlex.quote(option))  # a brace is always within single quotes
    return quoted if name.startswith("-") else f"-p {quoted}"
