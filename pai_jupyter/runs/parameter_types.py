"""The types of parameters (Int Double String Bool Map Array), and what a value of each may be. Pure.

Rule 1: text becomes a value by `read_value`: what a job wrote into a file, what a user typed, an item of a loop.
Rule 2: numbers are finite. A value is never guessed: "3.0" is no Int, and 1 is no Bool.
Rule 3: jobs write these texts, so sentences show them shortened and without control characters.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import DeclaredParameter, ParameterType
from pai_jupyter.runs.references import as_text
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, check_depth

MAX_VALUE = 1_000_000  # characters of a value as text
MAX_DIGITS = 400  # of a number as text
_SHOWN = 40
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BOUND = r"([+-]?(?:INF|[0-9.eE+-]+))"
_RANGE = re.compile(rf"\s*([\[(])\s*{_BOUND}\s*,\s*{_BOUND}\s*([\])])\s*", re.IGNORECASE)
_EXPECTED: Mapping[ParameterType, str] = {
    "Int": "a whole number",
    "Double": "a number",
    "String": "text",
    "Bool": "true or false",
    "Map": "a JSON object",
    "Array": "a JSON list",
}


def read_value(text: str, expected: ParameterType, *, what: str = "the value") -> Json:
    """Read text as a value of a type, without the space around it.

    Raises:
        SpecError: it is of another type, too long, or a number that is not finite; `what` begins the sentence.
    """
    if len(text) > MAX_VALUE:
        raise SpecError(f"{what} has {len(text)} characters; there may be {MAX_VALUE}.")
    text = text.strip()
    if expected == "String":
        return text
    value = _READERS[expected](text)
    if value is None:
        raise _wrong(what, shown(text), expected)
    return value


def read_number(text: str) -> int | float | None:
    """Read a finite number; None if the text is none."""
    text = text.strip()
    if len(text) > MAX_DIGITS or not _NUMBER.fullmatch(text):
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text)
    return number if math.isfinite(number) else None


def _read_whole(text: str) -> Json:
    return int(text) if len(text) <= MAX_DIGITS and _WHOLE.fullmatch(text) else None


def _read_flag(text: str) -> Json:
    return {"true": True, "false": False}.get(text.lower())


def _read_map(text: str) -> Json:
    value = _read_json(text)
    return value if isinstance(value, dict) else None


def _read_array(text: str) -> Json:
    value = _read_json(text)
    return value if isinstance(value, list) else None


def _read_json(text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_no_constant)
        check_depth(value, "the value")
    except (ValueError, RecursionError):  # a FieldError is a ValueError
        return None
    return value


def _no_constant(name: str) -> Json:
    raise ValueError(name)


_READERS: Mapping[ParameterType, Callable[[str], Json]] = {
    "Int": _read_whole,
    "Double": read_number,
    "Bool": _read_flag,
    "Map": _read_map,
    "Array": _read_array,
}


def check_value(value: Json, declared: DeclaredParameter, *, what: str | None = None) -> Json:
    """Return the value in the declared type: text is read, and anything but text becomes text where text is declared.

    Raises:
        SpecError: it is of another type, outside `feasible`, or none of `choices`.
    """
    what = what or f"parameter `{declared.name}`"
    typed = _typed(value, declared.type, what)
    if declared.feasible:
        _check_range(typed, declared.feasible, what)
    if declared.choices and typed not in _choices(declared):
        offered = ", ".join(shown(as_text(choice)) for choice in declared.choices[:10])
        raise SpecError(f"{what} is {shown(as_text(typed))}; it must be one of: {offered}.")
    return typed


def _typed(value: Json, expected: ParameterType, what: str) -> Json:
    if isinstance(value, str):
        return value if expected == "String" else read_value(value, expected, what=what)
    if expected == "String" and value is not None:
        return as_text(value)
    if not _is_of(value, expected):
        raise _wrong(what, shown(as_text(value)) if value is not None else "null", expected)
    try:
        check_depth(value, what)
    except FieldError as exc:
        raise SpecError(f"{what} is nested too deep; use a flatter value.") from exc
    return value


def _is_of(value: Json, expected: ParameterType) -> bool:
    if isinstance(value, bool):
        return expected == "Bool"
    if isinstance(value, int):
        return expected in ("Int", "Double")
    if isinstance(value, float):
        return expected == "Double" and math.isfinite(value)
    return (isinstance(value, dict) and expected == "Map") or (isinstance(value, list | tuple) and expected == "Array")


def fits(given: ParameterType, wanted: ParameterType, *, is_gathered: bool = False) -> bool:
    """Return whether a value of one type may be given where another is declared; what a loop has gathered may become text."""
    return given == wanted or (given, wanted) == ("Int", "Double") or (is_gathered and wanted == "String")


def _choices(declared: DeclaredParameter) -> list[Json]:
    return [_typed(choice, declared.type, f"a choice of `{declared.name}`") for choice in declared.choices]


@dataclass(frozen=True)
class FeasibleRange:
    """PAI's range of a number; None: no bound on that side."""

    low: float | None
    high: float | None
    has_low: bool  # the bound itself is allowed
    has_high: bool

    def __contains__(self, number: float) -> bool:
        above = self.low is None or number > self.low or (self.has_low and number == self.low)
        return above and (self.high is None or number < self.high or (self.has_high and number == self.high))


@lru_cache(maxsize=1000)
def read_range(text: str) -> FeasibleRange:
    """Read a range like "(0, 1]" or "[0, INF)".

    Raises:
        SpecError: it is none, or nothing is in it.
    """
    found = _RANGE.fullmatch(text)
    if not found:
        raise SpecError(f"{shown(text)} is no range. Write (0, 1], [1, 10] or [0, INF).")
    low, high = _bound(found[2], text), _bound(found[3], text)
    if low is not None and high is not None and low > high:
        raise SpecError(f"the range {shown(text)} is empty: its lower bound is above the upper one.")
    return FeasibleRange(low, high, found[1] == "[", found[4] == "]")


def _bound(text: str, whole: str) -> float | None:
    if text.lstrip("+-").upper() == "INF":
        return None
    number = read_number(text)
    if number is None:
        raise SpecError(f"{shown(whole)} is no range. Write (0, 1], [1, 10] or [0, INF).")
    return number


def _check_range(value: Json, feasible: str, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpecError(f"{what} is {shown(as_text(value))}; it must be a number in {feasible}.")
    if value not in read_range(feasible):
        raise SpecError(f"{what} is {value}; it must be in {feasible}.")


def _wrong(what: str, found: str, expected: ParameterType) -> SpecError:
    if expected == "Double" and found.strip("'+-").lower() in ("nan", "inf", "infinity"):
        return SpecError(f"{what} is {found}, and NaN and infinity are no values. Give a finite number.")
    return SpecError(f"{what} is {found}; it must be {_EXPECTED[expected]} ({expected}).")


def shown(text: str) -> str:
    """Quote a text for a sentence: shortened, on one line, without control characters."""
    short = text[:_SHOWN] + ("…" if len(text) > _SHOWN else "")
    return "'" + "".join(letter if letter.isprintable() else "·" for letter in short) + "'"
