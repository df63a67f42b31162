"""Convert hyperparameters to text and JSON; words.py makes the arguments of `$PAI_USER_ARGS` from them.

Each value has one text, the same in hyperparameters.json, `PAI_HPS_<NAME>` and the arguments: Bool `True`/`False`, Float in its
shortest form, list and dict as JSON. None means no value and is left out everywhere. Empty text is a value.

In JSON, nan and the infinities are written as Python's `json` does: `NaN`, `Infinity`, `-Infinity`. Scripts are Python; a
strict JSON parser rejects these, but a text "nan" would silently lose its type.
"""

import json
import re

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import ArgumentStyle, JobSpec, Scalar

_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
MAX_BYTES = 131_071
"""The longest argument or NAME=VALUE, in bytes, that Linux passes to a program (MAX_ARG_STRLEN less the final NUL)."""


def text_of(value: Scalar) -> str | None:
    """Convert a value to text; None if there is no value.

    Raises:
        SpecError: the value is not an Int, Float, String, Bool, list or dict.
    """
    try:
        match value:
            case None:
                return None
            case str():
                return str(value)
            case bool():
                return "True" if value else "False"
            case int():
                return int.__repr__(value)
            case float():
                return float.__repr__(value)  # a subclass may have another repr: np.float64(0.1)
            case list() | dict():
                return json.dumps(value, ensure_ascii=False)
            case _:
                raise TypeError(f"{type(value).__name__} is no JSON value")  # from untyped callers
    except (TypeError, ValueError) as exc:
        raise SpecError(
            f"a hyperparameter has a value that cannot be written as text: {exc}. Use a number, text, True or False, a list or a dict.",
            field="hyperparameters",
        ) from exc


def texts(spec: JobSpec) -> dict[str, str]:
    """Return the hyperparameters that have a value, as text, in the given order.

    Raises:
        SpecError: a text cannot be passed to a program.
    """
    found: dict[str, str] = {}
    for name, value in spec.hyperparameters.items():
        text = text_of(value)
        if text is not None:
            check_passable(text, what=f"hyperparameter {name!r}", field="hyperparameters")
            found[name] = text
    return found


def as_json(spec: JobSpec) -> str:
    """Serialize all hyperparameters as one JSON object that keeps their types (`PAI_HPS`)."""
    items = (
        f"{_json(name)}: {_json(spec.hyperparameters[name], style=spec.argument_styles.get(name))}"
        for name in texts(spec)
    )
    return f"{{{', '.join(items)}}}"


def _json(value: Scalar, *, style: ArgumentStyle | None = None) -> str:
    """Serialize `value`; a number keeps the spelling in which it was typed (`1e-3`) if that is valid JSON."""
    if style == "number" and isinstance(value, str) and _NUMBER.fullmatch(value):  # a secret is masked in its place
        return value if _JSON_NUMBER.fullmatch(value) else repr(float(value))
    return json.dumps(value, ensure_ascii=False)


def check_passable(text: str, *, what: str, field: str) -> None:
    """Reject text that cannot be an argument or a variable of a program.

    Raises:
        SpecError: it has a NUL character, invalid Unicode, or more than `MAX_BYTES` bytes.
    """
    if "\0" in text:
        raise SpecError(f"{what} holds a NUL character, which no program can be given. Remove it.", field=field)
    try:
        size = len(text.encode())
    except UnicodeEncodeError as exc:
        raise SpecError(
            f"{what} has an incomplete character ({text[exc.start]!r}), which is not UTF-8. Remove it.", field=field
        ) from exc
    if size > MAX_BYTES:
        raise SpecError(
            f"{what} has {size:,} bytes; a program takes at most {MAX_BYTES:,} in one piece. Put it into a file and pass that as an input.",
            field=field,
        )
