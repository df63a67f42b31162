"""Convert a value from outside (text of a line, field of a form, Python object) to its declared type.

Int     whole numbers, also as text: 32, "32", "1e3", 3.0; no 3.5, no True
Float   numbers, also as text, inf and nan among them: what float() takes
Bool    true false yes no 1 0, upper or lower case
String  as it is; other plain values become the text that the script would get
Json    a list or a dict, or JSON text of one
None    if the annotation allows it (`int | None`), also as text: None, null

Empty text is a value only for a String. For other types it means None if there is no known default; with a default it is an
error, since the script would silently use the default. Constraints are compared in the declared type.
"""

import json
import math
import re
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn, cast

from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters.hyperparameter import Hyperparameter, HyperparameterType
from pai_jupyter.spec import Scalar

_BOOLS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,400})")  # no leading zero: "007" is a name. 4,300 digits are int()'s limit
_DECIMAL = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_NULLS = ("None", "null")
_SEVERAL = ("words", "repeat", "positional")  # styles that pass a list as several arguments
_EXACT_FLOAT = 2**53  # integers below it are exact as float
_SHOWN = 60  # characters of a value in a message
_WORDS: dict[HyperparameterType, str] = {
    "Int": "a whole number",
    "Float": "a number",
    "Bool": "true or false",
    "String": "text",
    "Json": "a list or a dict as JSON, e.g. [1, 2]",
}


def check(declared: Hyperparameter, value: object) -> Scalar:
    """Convert `value` to the declared type; None = no value.

    Raises:
        SpecError: with `field`; it names the problem and the allowed values.
    """
    value = plain(declared.name, value)
    if declared.nullable and isinstance(value, str) and value.strip() in _NULLS:
        return None
    _refuse_empty(declared, value)
    if declared.style in _SEVERAL and declared.item_type is not None:
        return _check_words(declared, value)
    typed = _convert(declared, value)
    if typed is not None and not _is_allowed(declared, typed):
        refuse(declared, value)
    return typed


def _refuse_empty(declared: Hyperparameter, value: Scalar) -> None:
    """Raise the error for empty text given to a hyperparameter with a default."""
    if declared.type == "String" or declared.default is None or not isinstance(value, str) or value.strip():
        return
    raise SpecError(
        f"`{declared.name}` is empty; it must be {allowed(declared)}. The default is {shown(declared.default)}.",
        field=declared.name,
    )


def refuse(declared: Hyperparameter, value: object) -> NoReturn:
    """Raise the error for an invalid value."""
    raise SpecError(f"`{declared.name}` is {shown(value)}; it must be {allowed(declared)}.", field=declared.name)


def allowed(declared: Hyperparameter) -> str:
    """Describe the allowed values in words: `a number between 1e-05 and 1`."""
    if declared.nullable:
        return f"{allowed(replace(declared, nullable=False))} or None"
    if declared.style in _SEVERAL and declared.item_type is not None:
        each = allowed(replace(declared, style=None, type=declared.item_type))
        return f"a list as JSON, e.g. [1, 2], and each item {each}"
    if declared.choices:
        choices = [json.dumps(choice, ensure_ascii=False) for choice in declared.choices]
        return f"one of {', '.join(choices[:20])}{' ...' if len(choices) > 20 else ''}"
    bounds = _bounds(declared)
    if declared.no_dash and not bounds:
        return f"{_WORDS[declared.type]} that does not begin with -"
    if not bounds:
        return _WORDS[declared.type]
    return f"text of a length {bounds}" if declared.type == "String" else f"{_WORDS[declared.type]} {bounds}"


def _bounds(declared: Hyperparameter) -> str:
    low, high = declared.minimum, declared.maximum
    if low is not None and high is not None and not (declared.open_minimum or declared.open_maximum):
        return f"between {low} and {high}"
    least = "" if low is None else f"above {low}" if declared.open_minimum else f"at least {low}"
    most = "" if high is None else f"below {high}" if declared.open_maximum else f"at most {high}"
    return " and ".join(bound for bound in (least, most) if bound)


def shown(value: object) -> str:
    """Format `value` for a message: quoted, and shortened if long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]} ..."


def plain(name: str, value: object) -> Scalar:
    """Convert a Python object to plain JSON types: NumPy numbers to Python's own, tuples to lists.

    Raises:
        SpecError: it is not a number, text, bool, list or dict.
    """
    item = getattr(value, "item", None)  # numpy and torch scalars convert themselves
    if callable(item) and not isinstance(value, dict):
        with suppress(TypeError, ValueError, RuntimeError):  # an array: refused below
            value = item()
    match value:
        case None | bool():
            return value
        case int():
            return int(value)
        case float():
            return float(value)
        case str():
            return str(value)
        case list() | tuple():
            return [plain(name, entry) for entry in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {str(key): plain(name, entry) for key, entry in value.items()}
        case _:
            raise SpecError(
                f"`{name}` is a {type(value).__name__}; it must be a number, text, True or False, a list, or a dict with text as keys.",
                field=name,
            )


def infer(name: str, value: object) -> Scalar:
    """Infer the type of an undeclared value: text becomes a number only if the number prints as the same text.

    Other text stays text: `1.10` may be a version, `12e4` a commit.
    """
    value = plain(name, value)
    number = number_in(value)
    return value if number is None or repr(number) != value else number


def number_in(value: Scalar) -> int | float | None:
    """Parse text as a number in JSON's or Python's notation; None for any other value."""
    if not isinstance(value, str):
        return None
    if _WHOLE.fullmatch(value):
        return int(value)
    if _DECIMAL.fullmatch(value) and not re.match(r"-?0\d", value) and math.isfinite(float(value)):
        return float(value)
    return None


def type_of(value: Scalar) -> HyperparameterType:
    """Return the type of a value; String for None."""
    match value:
        case bool():
            return "Bool"
        case int():
            return "Int"
        case float():
            return "Float"
        case list() | dict():
            return "Json"
        case _:
            return "String"


def as_text(value: Scalar) -> str:
    """Convert a value to text that `check` reads back: lists and dicts as JSON, others as in Python."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else repr(value)


def same(one: Scalar, other: Scalar) -> bool:
    """Return whether two values are equal and of the same type at every level; nan equals nan."""
    return json.dumps(one) == json.dumps(other)


def _check_words(declared: Hyperparameter, value: Scalar) -> Scalar:
    if value is None or value == "":
        return None
    listed = _json(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
    items = listed if isinstance(listed, list) else [value]
    each = replace(declared, style=None, type=declared.item_type or "String", item_type=None)
    try:
        words = [None if isinstance(item, list | dict) else check(each, item) for item in items]
    except SpecError:
        words = []
    if (not words and not (declared.may_be_empty and items == [])) or None in words:
        refuse(declared, value)
    return cast(Scalar, words)


def _convert(declared: Hyperparameter, value: Scalar) -> Scalar:
    if declared.type == "String":
        return None if value is None else as_text(value)
    text = value.strip() if isinstance(value, str) else None
    if value is None or text == "":
        return None
    typed: Scalar
    match declared.type:
        case "Int":
            typed = _times(value) if declared.style == "count" else _whole(value)
        case "Float":
            typed = _float(value)
        case "Bool":
            typed = value if isinstance(value, bool) else _BOOLS.get(as_text(value).strip().lower())
        case "Json":
            typed = _json(text) if text is not None else value
            typed = typed if isinstance(typed, list | dict) else None
    if typed is None:
        refuse(declared, value)
    return typed


def _whole(value: Scalar) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            pass  # it may be 1e3
    number = _float(value)
    return int(number) if number is not None and number.is_integer() and abs(number) <= _EXACT_FLOAT else None


def _times(value: Scalar) -> int | None:
    """Convert a value to a number of repetitions, true to 1 and false to 0; None if it is no integer."""
    switch = _BOOLS.get(as_text(value).strip().lower())
    return _whole(value) if switch is None else int(switch)


def _float(value: Scalar) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _json(text: str) -> Scalar:
    try:
        return cast(Scalar, json.loads(text))
    except (ValueError, RecursionError):
        return None


def _is_allowed(declared: Hyperparameter, typed: Scalar) -> bool:
    if declared.choices:
        return any(same(typed, choice) for choice in declared.choices)
    if declared.no_dash and isinstance(typed, str) and typed.startswith("-") and typed != "-":
        return False
    size = len(typed) if isinstance(typed, str) else typed
    if isinstance(size, bool) or not isinstance(size, int | float):
        return True
    return _is_above(declared, size) and _is_below(declared, size)


def _is_above(declared: Hyperparameter, size: float) -> bool:
    low = declared.minimum
    return low is None or (size > low if declared.open_minimum else size >= low)


def _is_below(declared: Hyperparameter, size: float) -> bool:
    high = declared.maximum
    return high is None or (size < high if declared.open_maximum else size <= high)
