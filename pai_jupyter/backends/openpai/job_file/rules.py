"""Rules for values of a job file, put together to a description of the whole file. Pure.

A rule is a function from a value and its place to the sentences about it, none when it is good.

Rule 1: a sentence shows names and numbers, but no other texts: those may be secrets.
Rule 2: only a value of the right type is looked into, so that each fault has one sentence.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches

WHOLE = "the job file"

Rule = Callable[[object, str], Iterator[str]]
_NUMERIC = re.compile(r"\s*[+-]?\d+(\.0+)?\s*")
_DIGITS = 18  # of a whole number as text


def anything(value: object, place: str) -> Iterator[str]:
    """Accept every value."""
    yield from ()


def text(*, may_be_empty: bool = True, longest: int | None = None) -> Rule:
    def check(value: object, place: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield wrong(place, value, "text")
        elif not may_be_empty and not value.strip():
            yield f"{quoted(place)} is empty. Give it a value."
        elif longest is not None and len(value) > longest:
            yield f"{quoted(place)} has {len(value)} characters; it may have {longest}."

    return check


def named(pattern: str, allowed: str, *, longest: int = 255) -> Rule:
    """Accept a name: `allowed` says in words what `pattern` does."""

    def check(value: object, place: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield wrong(place, value, "text")
        elif not re.fullmatch(pattern, value):
            yield f"{quoted(place)} is {value[:60]!r}; use {allowed}."
        elif len(value) > longest:
            yield f"{quoted(place)} has {len(value)} characters; it may have {longest}."

    return check


def one_of(*values: object) -> Rule:
    def check(value: object, place: str) -> Iterator[str]:
        if not any(value == each and type(value) is type(each) for each in values):
            yield f"{quoted(place)} is {shown(value)}; it must be one of {', '.join(dict.fromkeys(map(str, values)))}."

    return check


def whole(least: int, most: int = 2**31 - 1, *, is_coerced: bool = False, may_be_null: bool = False) -> Rule:
    """Accept a whole number; with `is_coerced` also as text, as servers of v1 read it."""

    def check(value: object, place: str) -> Iterator[str]:
        if value is None and may_be_null:
            return
        number = number_of(value, is_coerced=is_coerced)
        if number is None:
            yield wrong(place, value, "a whole number")
        elif not least <= number <= most:
            yield f"{quoted(place)} is {shown(number)}; it must be from {least} to {most}."

    return check


def flag(value: object, place: str) -> Iterator[str]:
    """Accept true and false."""
    if not isinstance(value, bool):
        yield wrong(place, value, "true or false")


def version(value: object, place: str) -> Iterator[str]:
    """Accept a text or a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        yield wrong(place, value, "text or a number")


def items(rule: Rule, *, least: int = 0) -> Rule:
    def check(value: object, place: str) -> Iterator[str]:
        if not isinstance(value, list | tuple):
            yield wrong(place, value, "a list")
            return
        if len(value) < least:
            yield f"{quoted(place)} is empty. Give it at least one entry."
        for number, item in enumerate(value):
            yield from rule(item, f"{place}[{number}]")

    return check


def table(rule: Rule, keys: Rule = anything, *, least: int = 0) -> Rule:
    """Accept an object with keys of one's own."""

    def check(value: object, place: str) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield wrong(place, value, "an object")
            return
        if len(value) < least:
            yield f"{quoted(place)} is empty. Give it at least one entry."
        for key, item in value.items():
            yield from keys(key, f"a name in `{place}`")
            yield from rule(item, f"{place}.{str(key)[:60]}")

    return check


def fields(known: Mapping[str, Rule], required: Sequence[str] = (), *, is_open: bool = False) -> Rule:
    """Accept an object with these fields, and with `is_open` with others, too."""

    def check(value: object, place: str) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield wrong(place or WHOLE, value, "an object")
            return
        yield from (f"`{below(place, name)}` is missing. Add it." for name in required if name not in value)
        for name, item in value.items():
            if isinstance(name, str) and name in known:
                yield from known[name](item, below(place, name))
            elif not is_open:
                yield _unknown(place or WHOLE, str(name)[:60], list(known))

    return check


def quoted(place: str) -> str:
    """Return a place as sentences name it: in backticks, if it is typed so."""
    return place if place == WHOLE or "`" in place else f"`{place}`"


def below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def number_of(value: object, *, is_coerced: bool = False) -> int | None:
    """Return a whole number as a server reads it, 2.0 and perhaps "2" among them; None if it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if is_coerced and isinstance(value, str) and len(value) <= _DIGITS and _NUMERIC.fullmatch(value):
        return int(float(value))
    return None


def wrong(place: str, value: object, what: str) -> str:
    return f"{quoted(place)} is {shown(value)}; it must be {what}."


def shown(value: object) -> str:
    """Return what kind of value it is; of a number or a short word the value itself."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"{value:.12g}" if isinstance(value, float) or abs(value) < 10**18 else "a huge number"
    if isinstance(value, str):
        return f"text of {len(value)} characters" if value else "empty text"
    return (
        "an object"
        if isinstance(value, Mapping)
        else "a list"
        if isinstance(value, list | tuple)
        else "of no JSON type"
    )


def _unknown(place: str, name: str, known: list[str]) -> str:
    if near := get_close_matches(name, known, n=1, cutoff=0.6):
        return f"{quoted(place)} has no field {name!r}. Did you mean {near[0]!r}?"
    return f"{quoted(place)} has no field {name!r}; it has {', '.join(known)}."
